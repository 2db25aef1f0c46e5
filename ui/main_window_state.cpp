// What the window remembers between starts: its place, page, splitters, plan and waiting runs.
#include <QSettings>
#include <QSplitter>
#include <QTabWidget>
#include <QUndoStack>
#include <nlohmann/json.hpp>

#include "core/store/run_specification.h"
#include "ui/main_window.h"
#include "ui/models/layer_tree_model.h"
#include "ui/pages/model/model_panel.h"
#include "ui/pages/plan/plan_panel.h"

namespace cospadi::ui {

namespace {

const QString kModel = QStringLiteral("session/model");
const QString kLayers = QStringLiteral("session/layers");

}  // namespace

QString MainWindow::modelOfLastTime() const {
    return QSettings().value(kModel, QStringLiteral("default")).toString();
}

void MainWindow::saveState() {
    QSettings settings;
    settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
    settings.setValue(QStringLiteral("window/page"), m_pages->currentIndex());
    settings.setValue(QStringLiteral("plan/specification"),
                      QString::fromStdString(toJson(m_planPanel->specification()).dump()));
    const SweepText sweep = m_planPanel->sweep();
    settings.setValue(QStringLiteral("plan/sweep"),
                      QStringList{sweep.cr, sweep.rho, sweep.iterations, sweep.seed});
    if (!m_modelWord.isEmpty() && m_modelPanel->tree()->rowCount() > 0) {
        settings.setValue(kModel, m_modelWord);
        settings.setValue(kLayers, m_modelPanel->layersRegex());
    }
    settings.setValue(QStringLiteral("queue/waiting"), m_queue->waitingAsText());
    for (const QSplitter* splitter : findChildren<QSplitter*>()) {
        if (!splitter->objectName().isEmpty()) {
            settings.setValue(QStringLiteral("splitters/") + splitter->objectName(),
                              splitter->saveState());
        }
    }
}

void MainWindow::restoreState() {
    QSettings settings;
    const QByteArray geometry = settings.value(QStringLiteral("window/geometry")).toByteArray();
    if (!geometry.isEmpty()) {
        restoreGeometry(geometry);
    }
    m_pages->setCurrentIndex(settings.value(QStringLiteral("window/page"), 0).toInt());
    const QString plan = settings.value(QStringLiteral("plan/specification")).toString();
    if (!plan.isEmpty()) {
        try {
            const QStringList lists = settings.value(QStringLiteral("plan/sweep")).toStringList();
            m_planPanel->setSpecification(
                runSpecificationFromJson(nlohmann::json::parse(plan.toStdString())),
                {lists.value(0), lists.value(1), lists.value(2), lists.value(3)});
            m_planPanel->undoStack()->clear();
        } catch (const std::exception&) {
            // of another version: the defaults stand
        }
    }
    if (settings.contains(kModel)) {
        m_wanted = {settings.value(kModel).toString(), settings.value(kLayers).toString()};
    }
    m_queue->restore(settings.value(QStringLiteral("queue/waiting")).toString());
    for (QSplitter* splitter : findChildren<QSplitter*>()) {
        const QByteArray state =
            settings.value(QStringLiteral("splitters/") + splitter->objectName()).toByteArray();
        if (!splitter->objectName().isEmpty() && !state.isEmpty()) {
            splitter->restoreState(state);
        }
    }
}

}  // namespace cospadi::ui
