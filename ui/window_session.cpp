#include "ui/window_session.h"

#include <QSettings>
#include <QSplitter>
#include <QTabWidget>
#include <QUndoStack>
#include <nlohmann/json.hpp>

#include "core/store/run_specification.h"
#include "ui/engine/run_queue.h"
#include "ui/engine/task_queue.h"
#include "ui/pages/evaluate/evaluate_page.h"
#include "ui/pages/plan/plan_panel.h"
#include "ui/pages/runs/runs_list.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/pages/whole/whole_page.h"

namespace cospadi::ui {

namespace {

const QString kGeometry = QStringLiteral("window/geometry");
const QString kPage = QStringLiteral("window/page");
const QString kPlan = QStringLiteral("plan/specification");
const QString kSweep = QStringLiteral("plan/sweep");
const QString kModel = QStringLiteral("session/model");
const QString kLayers = QStringLiteral("session/layers");
const QString kCursor = QStringLiteral("session/cursor");
const QString kRuns = QStringLiteral("session/runs");
const QString kFilter = QStringLiteral("session/filter");
const QString kArchived = QStringLiteral("session/archived");
const QString kWhole = QStringLiteral("whole/targets");
const QString kWaiting = QStringLiteral("queue/waiting");
const QString kWaitingTasks = QStringLiteral("tasks/waiting");

QString keyOf(const QSplitter& splitter) {
    return QStringLiteral("splitters/") + splitter.objectName();
}

QStringList idsOf(const std::vector<RunRow>& runs) {
    QStringList ids;
    for (const RunRow& run : runs) {
        ids << QString::fromStdString(run.id);
    }
    return ids;
}

}  // namespace

QString WindowSession::model() {
    return QSettings().value(kModel, QStringLiteral("default")).toString();
}

void WindowSession::save(const std::optional<WantedLayers>& layers) const {
    QSettings settings;
    settings.setValue(kGeometry, m_window.saveGeometry());
    settings.setValue(kPage, m_pages.currentIndex());
    settings.setValue(kPlan, QString::fromStdString(toJson(m_plan.specification()).dump()));
    const SweepText sweep = m_plan.sweep();
    settings.setValue(kSweep,
                      QStringList{sweep.cr, sweep.rho, sweep.iterations, sweep.seed, sweep.name,
                                  QString::number(sweep.perplexity), sweep.tasks});
    if (layers) {
        settings.setValue(kModel, layers->model);
        settings.setValue(kLayers, layers->regex);
        settings.setValue(kCursor, layers->cursor);
    }
    settings.setValue(kRuns, idsOf(m_runs.selectedRuns()));
    settings.setValue(kFilter, m_runs.list()->filter());
    settings.setValue(kArchived, m_runs.list()->showsArchived());
    settings.setValue(kWhole, m_whole.targetsAsText());
    settings.setValue(kWaiting, m_queue.waitingAsText());
    settings.setValue(kWaitingTasks, m_tasks.waitingAsText());
    m_evaluate.remember();  // tasks that follow runs are asked of these data as well
    for (const QSplitter* splitter : m_window.findChildren<QSplitter*>()) {
        if (!splitter->objectName().isEmpty()) {
            settings.setValue(keyOf(*splitter), splitter->saveState());
        }
    }
}

std::optional<WantedLayers> WindowSession::restore() const {
    const QSettings settings;
    const QByteArray geometry = settings.value(kGeometry).toByteArray();
    if (!geometry.isEmpty()) {
        m_window.restoreGeometry(geometry);
    }
    m_pages.setCurrentIndex(settings.value(kPage, 0).toInt());
    bool isWhole = true;
    const QString plan = settings.value(kPlan).toString();
    if (!plan.isEmpty()) {
        try {
            const QStringList lists = settings.value(kSweep).toStringList();
            m_plan.setSpecification(
                runSpecificationFromJson(nlohmann::json::parse(plan.toStdString())),
                {lists.value(0), lists.value(1), lists.value(2), lists.value(3), lists.value(4),
                 lists.value(5).toInt() != 0, lists.value(6)});
            m_plan.undoStack()->clear();
        } catch (const std::exception&) {
            isWhole = false;  // of another version: the defaults stand
        }
    }
    m_whole.restoreTargets(settings.value(kWhole).toString());
    m_queue.restore(settings.value(kWaiting).toString());
    m_tasks.restore(settings.value(kWaitingTasks).toString());
    m_runs.list()->showFilter(settings.value(kFilter).toString(),
                              settings.value(kArchived, false).toBool());
    m_runs.selectAfterRefresh(settings.value(kRuns).toStringList());
    for (QSplitter* splitter : m_window.findChildren<QSplitter*>()) {
        const QByteArray state = settings.value(keyOf(*splitter)).toByteArray();
        if (!splitter->objectName().isEmpty() && !state.isEmpty()) {
            splitter->restoreState(state);
        }
    }
    if (!settings.contains(kModel)) {
        return std::nullopt;
    }
    // What was ticked was ticked for that plan: the defaults are not armed with it.
    return WantedLayers{settings.value(kModel).toString(),
                        isWhole ? settings.value(kLayers).toString() : QString(),
                        settings.value(kCursor).toString()};
}

}  // namespace cospadi::ui
