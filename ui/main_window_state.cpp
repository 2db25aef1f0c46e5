// What the window remembers between starts: its place, page, splitters, plan and waiting runs.
#include <QSettings>
#include <QSplitter>
#include <QTabWidget>
#include <QUndoStack>
#include <nlohmann/json.hpp>

#include "core/pipeline/run_specification.h"
#include "ui/main_window.h"
#include "ui/pages/plan_panel.h"

namespace cospadi::ui {

void MainWindow::saveState() {
    QSettings settings;
    settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
    settings.setValue(QStringLiteral("window/page"), m_pages->currentIndex());
    settings.setValue(QStringLiteral("plan/specification"),
                      QString::fromStdString(toJson(m_planPanel->specification()).dump()));
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
            m_planPanel->setSpecification(
                runSpecificationFromJson(nlohmann::json::parse(plan.toStdString())));
            m_planPanel->undoStack()->clear();
        } catch (const std::exception&) {
            // of another version: the defaults stand
        }
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
