#include "ui/dialogs/cluster_sweep_fields.h"

#include <QCheckBox>
#include <QDateTime>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <utility>

#include "ui/base/string_list.h"
#include "ui/dialogs/form_line.h"

namespace cospadi::ui {

ClusterSweepFields::ClusterSweepFields(const ClusterPlan& plan, QWidget* parent)
    : QWidget(parent), m_plan(plan) {
    auto* form = new QFormLayout(this);
    form->setContentsMargins(0, 0, 0, 0);
    m_sweep = addLine(
        form, tr("&Name of the sweep"), "clusterSweepName", {},
        tr("Tags its runs and names its folder. The same name with other runs is refused."));
    m_sweep->setText(
        tr("sweep-%1").arg(QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmm"))));
    m_model = addLine(form, tr("&Model there"), "clusterModel", {},
                      tr("Path of the model as the nodes see it, or the word default; empty: the "
                         "same path as here. Texts and data sets that are files must exist there "
                         "under the same paths as here."));
    addMeasures(form);
    showPlan();
    showMeasures();
    connect(m_sweep, &QLineEdit::textChanged, this, &ClusterSweepFields::sweepNameChanged);
}

void ClusterSweepFields::addMeasures(QFormLayout* form) {
    m_perplexity = new QCheckBox;
    m_perplexity->setObjectName(QStringLiteral("clusterPerplexity"));
    form->addRow(QString(), m_perplexity);
    m_tasks = makeLine("clusterTasks", tr("none"),
                       tr("Task names, separated by spaces or commas, evaluated on every run after "
                          "its perplexity, with as many items each as set on the Evaluate page"));
    m_taskData = makeLine("clusterTaskData", tr("data fetched there, else samples"),
                          tr("Folder with the data sets as the nodes see it; the one set on the "
                             "Evaluate page must exist there under this path. Empty: what cospadi "
                             "data fetch downloaded there, else the bundled samples"));
    m_taskData->setText(m_plan.after.data);
    m_items = new QLabel;
    m_items->setBuddy(m_taskData);
    auto* row = new QHBoxLayout;
    row->addWidget(m_tasks, 1);
    row->addWidget(m_items);
    row->addWidget(m_taskData, 1);
    form->addRow(tr("Evaluate tas&ks"), row);
    static_cast<QLabel*>(form->labelForField(row))->setBuddy(m_tasks);
}

void ClusterSweepFields::takePlan(const ClusterPlan& plan) {
    const ClusterPlan before = std::exchange(m_plan, plan);
    showPlan();
    if (plan.model != before.model) {
        m_model->clear();
    }
    if (plan.after.perplexity != before.after.perplexity ||
        plan.after.tasks != before.after.tasks) {
        showMeasures();
    }
    if (plan.after.data != before.after.data) {
        m_taskData->setText(plan.after.data);
    }
}

void ClusterSweepFields::showPlan() {
    m_model->setPlaceholderText(m_plan.model);
    m_perplexity->setText(tr("Measure the perplexity of every run (WikiText-2, %1 tokens)")
                              .arg(QLocale().toString(m_plan.perplexityTokens)));
    const int items = static_cast<int>(m_plan.after.limit);
    m_items->setText(items == 0 ? tr("all items; &data there")
                                : tr("first %n item(s) each; &data there", nullptr, items));
}

void ClusterSweepFields::showMeasures() {
    const AfterRun& after = m_plan.after;
    m_perplexity->setChecked(after.perplexity || after.isNothing());
    m_tasks->setText(after.tasks.join(QLatin1Char(' ')));
}

QString ClusterSweepFields::sweepName() const { return m_sweep->text().trimmed(); }

QByteArray ClusterSweepFields::grid() const {
    QJsonArray runs = QJsonDocument::fromJson(m_plan.runs).array();
    if (const QString model = m_model->text().trimmed(); !model.isEmpty()) {
        for (auto&& run : runs) {
            QJsonObject changed = run.toObject();
            changed.insert(QStringLiteral("model"), model);
            run = changed;
        }
    }
    QJsonObject grid{{QStringLiteral("grids"), runs}};
    if (const QJsonObject measured = evaluation(); !measured.isEmpty()) {
        grid.insert(QStringLiteral("evaluate"), measured);
    }
    return QJsonDocument(grid).toJson(QJsonDocument::Compact);
}

QJsonObject ClusterSweepFields::evaluation() const {
    QJsonObject evaluation;
    if (m_perplexity->isChecked()) {
        evaluation = {{QStringLiteral("text"), QStringLiteral("wikitext2")},
                      {QStringLiteral("max_tokens"), m_plan.perplexityTokens}};
    }
    QStringList tasks = wordsIn(m_tasks->text());
    tasks.removeDuplicates();
    if (!tasks.isEmpty()) {
        evaluation.insert(QStringLiteral("tasks"),
                          QJsonObject{{QStringLiteral("names"), QJsonArray::fromStringList(tasks)},
                                      {QStringLiteral("limit"), m_plan.after.limit},
                                      {QStringLiteral("data"), m_taskData->text().trimmed()}});
    }
    return evaluation;
}

}  // namespace cospadi::ui
