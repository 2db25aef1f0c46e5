#include "ui/pages/plan/sweep_section.h"

#include <QCheckBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>

#include "core/methods/method.h"
#include "core/tasks/task_items.h"
#include "ui/base/string_list.h"

namespace cospadi::ui {

SweepSection::SweepSection(QFormLayout* form, PlanHelp* help, QObject* parent)
    : PlanSection(form, help, parent) {
    m_cr = makeList("sweepCr", tr("e.g. 0.2 0.3 0.4"), tr("CR"));
    m_rho = makeList("sweepRho", tr("e.g. 1.5:3:0.5 auto"), tr("ρ"));
    m_iterations = makeList("sweepIterations", tr("e.g. 10 22 60"), tr("iterations"));
    m_seeds = makeList("sweepSeed", tr("e.g. 1 2 3"), tr("seeds"));
    form->addRow(tr("CR"), inRow({m_cr, new QLabel(tr("ρ")), m_rho}));
    form->addRow(tr("Iterations"), inRow({m_iterations, new QLabel(tr("seeds")), m_seeds}));
    m_name = makeLine({"sweepPlanName", tr("Name of the sweep"), tr("Sweep"),
                       tr("Names the runs of the lists above (tag sweep:NAME): shown under Runs as "
                          "a matrix that fills and as a group; filter sweep=NAME.")},
                      tr("a name for these runs"), tr("name of the sweep"));
    form->addRow(tr("Name"), m_name);
    makeMeasures();
}

void SweepSection::makeMeasures() {
    m_perplexity =
        makeCheck({"thenPerplexity", tr("Then measure the perplexity"), tr("Then perplexity"),
                   tr("Measured for every run, also a single one, once it is finished and before "
                      "the next begins, on WikiText-2 as on the Runs page. It is shown in the "
                      "matrix of the sweep. The cluster dialog takes this as its default.")},
                  tr("perplexity"), tr("perplexity"));
    m_tasks = makeLine({"thenTasks", tr("Then evaluate these tasks"), tr("Then tasks"),
                        tr("Task names, separated by spaces or commas, evaluated on each finished "
                           "run before the next begins; data and number of items as on the "
                           "Evaluate page. Available: %1. Empty: none.")
                            .arg(listOf(nativeTaskNames()).join(QStringLiteral(", ")))},
                       tr("e.g. piqa arc_easy"), tr("tasks"));
    form()->addRow(tr("Then"), inRow({m_perplexity, new QLabel(tr("tasks")), m_tasks}));
}

QLineEdit* SweepSection::makeList(const char* name, const QString& example, const QString& what) {
    return makeLine({name, tr("List of %1").arg(what), tr("Sweep over %1").arg(what),
                     tr("Values separated by spaces or commas, or first:last:step. Every "
                        "combination of all lists becomes a run; the grid is shown on the right "
                        "before anything starts. Empty: the single value above.")},
                    example, tr("sweep"));
}

SweepText SweepSection::text() const {
    return {m_cr->text().trimmed(),    m_rho->text().trimmed(),  m_iterations->text().trimmed(),
            m_seeds->text().trimmed(), m_name->text().trimmed(), m_perplexity->isChecked(),
            m_tasks->text().trimmed()};
}

void SweepSection::show(const SweepText& text) {
    m_cr->setText(text.cr);
    m_rho->setText(text.rho);
    m_iterations->setText(text.iterations);
    m_seeds->setText(text.seed);
    m_name->setText(text.name);
    m_perplexity->setChecked(text.perplexity);
    m_tasks->setText(text.tasks);
}

void SweepSection::enableWhatCounts(const RunSpecification& plan) {
    const Method& method = methodOf(plan);
    enable({m_cr}, hasRatio(plan));
    enable({m_rho}, method.uses("rho"));
    enable({m_iterations}, method.uses("iterations"));
    enable({m_seeds}, method.uses("seed"));
}

}  // namespace cospadi::ui
