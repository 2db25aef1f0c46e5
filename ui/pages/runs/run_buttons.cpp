#include "ui/pages/runs/run_buttons.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>
#include <algorithm>

#include "ui/base/theme.h"
#include "ui/models/run_looks.h"

namespace cospadi::ui {

RunButtons::RunButtons(QWidget* parent) : QWidget(parent) {
    m_measure = new QPushButton(icon(QStringLiteral("measure")), tr("Measure perplexity"));
    m_measure->setObjectName(QStringLiteral("measurePerplexity"));
    m_measure->setToolTip(
        tr("WikiText-2 perplexity of the selected runs: how much the whole model degrades (lower "
           "is better). A few minutes each."));
    m_resume = new QPushButton(icon(QStringLiteral("resume")), tr("Resume"));
    m_resume->setObjectName(QStringLiteral("resumeRun"));
    m_resume->setToolTip(tr("Resume the selected run from its last finished matrix"));
    auto* refresh = new QToolButton;
    refresh->setIcon(icon(QStringLiteral("refresh")));
    refresh->setToolTip(tr("Read the runs directory again (F5)"));
    refresh->setAccessibleName(tr("Refresh"));
    refresh->setShortcut(QKeySequence::Refresh);
    m_plan = new QPushButton(tr("Use as plan"));
    m_plan->setObjectName(QStringLiteral("planFromRun"));
    m_plan->setToolTip(tr("Copies the selected run's method, settings and layers to the plan"));
    m_more = makeMoreButton();
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    for (QWidget* button : std::initializer_list<QWidget*>{m_plan, m_resume, m_measure,
                                                           makeTableButton(), m_more, refresh}) {
        row->addWidget(button);
    }
    connect(m_plan, &QPushButton::clicked, this, &RunButtons::planWanted);
    connect(m_resume, &QPushButton::clicked, this, &RunButtons::resumeWanted);
    connect(m_measure, &QPushButton::clicked, this, &RunButtons::measureWanted);
    connect(refresh, &QToolButton::clicked, this, &RunButtons::refreshWanted);
}

QPushButton* RunButtons::makeTableButton() {
    auto* tables = new QPushButton(icon(QStringLiteral("export")), tr("Export table"));
    tables->setObjectName(QStringLiteral("exportTable"));
    tables->setToolTip(tr(
        "Selected rows, or all listed ones, as shown here; the Tables page makes one for a paper"));
    auto* menu = new QMenu(tables);
    const auto add = [this, menu](const QString& words, const char* format, const char* suffix) {
        menu->addAction(words, this, [this, format, suffix] {
            emit tableWanted(QString::fromLatin1(format), QString::fromLatin1(suffix));
        });
    };
    add(tr("LaTeX (booktabs)…"), "latex", "tex");
    add(tr("CSV…"), "csv", "csv");
    add(tr("Markdown…"), "md", "md");
    tables->setMenu(menu);
    return tables;
}

QToolButton* RunButtons::makeMoreButton() {
    auto* more = new QToolButton;
    more->setText(QStringLiteral("⋯"));
    more->setAccessibleName(tr("More"));
    more->setPopupMode(QToolButton::InstantPopup);
    more->setObjectName(QStringLiteral("moreOfRuns"));
    more->setToolTip(tr("All actions for the selected runs, as on a right click"));
    auto* menu = new QMenu(more);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] {
        menu->clear();
        emit moreMenuWanted(menu);
    });
    more->setMenu(menu);
    return more;
}

void RunButtons::setSelected(const std::vector<RunRow>& runs) {
    const auto isFinishedRun = [](const RunRow& run) { return run.status == "finished"; };
    const bool one = runs.size() == 1;
    m_more->setEnabled(!runs.empty());
    m_plan->setEnabled(one);
    m_measure->setEnabled(std::any_of(runs.begin(), runs.end(), isFinishedRun));
    m_resume->setEnabled(one && canBeResumed(runs.front()));
}

}  // namespace cospadi::ui
