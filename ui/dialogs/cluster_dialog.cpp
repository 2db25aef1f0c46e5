#include "ui/dialogs/cluster_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDateTime>
#include <QFontDatabase>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/base/font_units.h"
#include "ui/base/format.h"
#include "ui/base/string_list.h"

namespace cospadi::ui {

namespace {

constexpr double kLeastHours = 0.01;  // below which none are told

QSpinBox* addCount(QFormLayout* form, const QString& label, const char* name, int least,
                   const QString& leastWords, const QString& tip) {
    constexpr int kMost = 100000;
    auto* spin = new QSpinBox;
    spin->setObjectName(QString::fromLatin1(name));
    spin->setRange(least, kMost);
    spin->setSpecialValueText(leastWords);
    spin->setToolTip(tip);
    form->addRow(label, spin);
    return spin;
}

QLineEdit* namedLine(const char* name, const QString& placeholder, const QString& tip) {
    auto* line = new QLineEdit;
    line->setObjectName(QString::fromLatin1(name));
    line->setPlaceholderText(placeholder);
    line->setToolTip(tip);
    return line;
}

}  // namespace

ClusterDialog::ClusterDialog(ClusterSweeps* sweeps, const ClusterPlan& plan, QWidget* parent)
    : QDialog(parent), m_sweeps(sweeps), m_plan(plan), m_profiles(storedClusterProfiles()) {
    setObjectName(QStringLiteral("clusterDialog"));
    setWindowTitle(tr("Run on a cluster"));
    setAttribute(Qt::WA_DeleteOnClose);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(18, 16, 18, 14);
    column->setSpacing(10);
    column->addWidget(makeProfile());
    column->addWidget(makeSweep());
    m_preview = new QPlainTextEdit;
    m_preview->setObjectName(QStringLiteral("clusterPreview"));
    m_preview->setAccessibleName(tr("What would be submitted"));
    m_preview->setReadOnly(true);
    m_preview->setTabChangesFocus(true);
    m_preview->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_preview->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_preview->setPlaceholderText(
        tr("“Show what it does” asks the cluster: arrays, core-hours and scripts stand here, and "
           "nothing is started."));
    column->addWidget(m_preview, 1);
    m_ask = new QPushButton(tr("Sho&w what it does"));
    m_ask->setObjectName(QStringLiteral("clusterAsk"));
    m_ask->setAutoDefault(false);
    m_submit = new QPushButton(tr("&Submit"));
    m_submit->setObjectName(QStringLiteral("primary"));
    m_submit->setAutoDefault(false);
    auto* close = new QPushButton(tr("Close"));
    close->setAutoDefault(false);
    auto* foot = new QHBoxLayout;
    foot->addWidget(makeSummary(), 1);
    for (QPushButton* button : {m_ask, m_submit, close}) {
        foot->addWidget(button);
    }
    column->addLayout(foot);
    connect(m_ask, &QPushButton::clicked, this, &ClusterDialog::ask);
    connect(m_submit, &QPushButton::clicked, this, &ClusterDialog::submit);
    connect(close, &QPushButton::clicked, this, &QWidget::close);
    connect(sweeps, &ClusterSweeps::previewed, this, &ClusterDialog::showPreview);
    connect(sweeps, &ClusterSweeps::previewFailed, this, &ClusterDialog::showProblem);
    connect(sweeps, &ClusterSweeps::failed, this, &ClusterDialog::showProblem);
    connect(sweeps, &ClusterSweeps::submitted, this, &QWidget::close);
    showProfile(m_profiles.isEmpty() ? ClusterProfile() : m_profiles.first());
    showButtons();
    resizeToWords(*this, 137, 42.5);
}

QLineEdit* ClusterDialog::addText(QFormLayout* form, const QString& label, const char* name,
                                  const QString& placeholder, const QString& tip) {
    QLineEdit* line = namedLine(name, placeholder, tip);
    form->addRow(label, line);
    return line;
}

QWidget* ClusterDialog::makeProfile() {
    auto* whole = new QWidget;
    auto* column = new QVBoxLayout(whole);
    column->setContentsMargins(0, 0, 0, 0);
    m_name = new QComboBox;
    m_name->setObjectName(QStringLiteral("clusterProfile"));
    m_name->setAccessibleName(tr("Profile of the cluster"));
    m_name->setEditable(true);
    m_name->setInsertPolicy(QComboBox::NoInsert);
    for (const ClusterProfile& profile : m_profiles) {
        m_name->addItem(profile.name);
    }
    m_name->lineEdit()->setPlaceholderText(tr("a name of your own; the profile is kept under it"));
    connect(m_name, &QComboBox::activated, this, &ClusterDialog::chooseProfile);
    auto* remove = new QPushButton(tr("Remove"));
    remove->setObjectName(QStringLiteral("clusterRemove"));
    remove->setToolTip(tr("Forgets this profile; sweeps that went there stay"));
    remove->setAutoDefault(false);
    connect(remove, &QPushButton::clicked, this, &ClusterDialog::removeProfile);
    auto* nameRow = new QHBoxLayout;
    nameRow->addWidget(m_name, 1);
    nameRow->addWidget(remove);
    auto* top = new QFormLayout;
    top->addRow(tr("&Cluster"), nameRow);
    static_cast<QLabel*>(top->labelForField(nameRow))->setBuddy(m_name);
    m_host = addText(top, tr("&Reached by ssh at"), "clusterHost", tr("this machine submits"),
                     tr("A name of your ssh configuration, or user@host. It has to open without a "
                        "password being typed. Empty: this machine has sbatch and sees the "
                        "folder."));
    m_program = addText(top, tr("Pro&gram there"), "clusterProgram", tr("cospadi"),
                        tr("The path of cospadi on the cluster, of the same version as this one"));
    m_folder = addText(top, tr("&Folder there"), "clusterFolder", tr("chosen by the program"),
                       tr("Where sweeps are written; all nodes have to see it under this name"));
    column->addLayout(top);
    auto* left = new QFormLayout;
    m_partition = addText(left, tr("&Partition"), "clusterPartition", tr("the cluster's own"),
                          tr("As sbatch --partition has it"));
    m_time =
        addText(left, tr("&Time limit"), "clusterTime", tr("the cluster's own"),
                tr("Of a task: minutes, H:M:S or D-H. A task that meets it goes on in the next "
                   "one."));
    m_memory = addText(left, tr("&Memory"), "clusterMemory", tr("the cluster's own"),
                       tr("Of a task, such as 16G"));
    m_gpus = addText(left, tr("GP&Us"), "clusterGpus", tr("none: on the CPU"),
                     tr("Devices of a task, such as 1 or a100:2"));
    auto* right = new QFormLayout;
    m_cpus = addCount(right, tr("C&PUs of a task"), "clusterCpus", 0, tr("the cluster's own"),
                      tr("Processor cores that a task gets"));
    m_bundle = addCount(right, tr("Runs of a &task"), "clusterBundle", 1, {},
                        tr("Small runs can share a task, one after the other"));
    m_arrayLimit = addCount(right, tr("Tasks at &once"), "clusterLimit", 0, tr("no bound"),
                            tr("At most so many tasks of an array run at the same time"));
    m_setup = addText(right, tr("S&etup file there"), "clusterSetup", tr("none"),
                      tr("Lines of shell for the beginning of every task (module load …)"));
    auto* both = new QHBoxLayout;
    both->addLayout(left, 1);
    both->addSpacing(18);
    both->addLayout(right, 1);
    column->addLayout(both);
    return whole;
}

QWidget* ClusterDialog::makeSweep() {
    auto* whole = new QWidget;
    auto* form = new QFormLayout(whole);
    form->setContentsMargins(0, 0, 0, 0);
    m_sweep = addText(form, tr("&Name of the sweep"), "clusterSweepName", {},
                      tr("Marks its runs, and names its folder. The same name with other runs is "
                         "refused."));
    m_sweep->setText(
        tr("sweep-%1").arg(QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmm"))));
    m_model = addText(form, tr("&Model there"), "clusterModel", m_plan.model,
                      tr("Path of the model as the nodes see it, or the word default; empty: as it "
                         "is called here. Texts and data sets that are files have to lie there "
                         "under the names they have here."));
    addMeasures(form);
    connect(m_sweep, &QLineEdit::textChanged, this, &ClusterDialog::showButtons);
    return whole;
}

void ClusterDialog::addMeasures(QFormLayout* form) {
    const AfterRun& after = m_plan.after;
    m_perplexity = new QCheckBox(tr("Measure the perplexity of every run (WikiText-2, %1 tokens)")
                                     .arg(QLocale().toString(m_plan.perplexityTokens)));
    m_perplexity->setObjectName(QStringLiteral("clusterPerplexity"));
    m_perplexity->setChecked(after.perplexity || after.isNothing());
    form->addRow(QString(), m_perplexity);
    m_tasks = namedLine("clusterTasks", tr("none"),
                        tr("Names of tasks, apart by blanks or commas, that every run is asked "
                           "after its perplexity, as many items of each as the page Evaluate "
                           "says"));
    m_tasks->setText(after.tasks.join(QLatin1Char(' ')));
    m_taskData = namedLine("clusterTaskData", tr("what was fetched there, else samples"),
                           tr("Folder with the data sets as the nodes see it; the one that the "
                              "page Evaluate names has to lie there under this name. Empty: what "
                              "cospadi data fetch got there, else the samples that ship"));
    m_taskData->setText(after.data);
    const int items = static_cast<int>(after.limit);
    auto* which = new QLabel(items == 0 ? tr("all items; &data there")
                                        : tr("first %n item(s) each; &data there", nullptr, items));
    which->setBuddy(m_taskData);
    auto* row = new QHBoxLayout;
    row->addWidget(m_tasks, 1);
    row->addWidget(which);
    row->addWidget(m_taskData, 1);
    form->addRow(tr("As&k tasks"), row);
    static_cast<QLabel*>(form->labelForField(row))->setBuddy(m_tasks);
}

QLabel* ClusterDialog::makeSummary() const {
    auto* summary =
        new QLabel(m_plan.count == 0 ? tr("Nothing to submit: %1").arg(m_plan.problem)
                                     : tr("%n run(s) of the Plan page", nullptr, m_plan.count));
    summary->setObjectName(QStringLiteral("muted"));
    summary->setWordWrap(true);
    return summary;
}

ClusterProfile ClusterDialog::profile() const {
    ClusterProfile profile;
    profile.name = m_name->currentText().trimmed();
    profile.host = m_host->text().trimmed();
    profile.program = m_program->text().trimmed();
    profile.folder = m_folder->text().trimmed();
    profile.partition = m_partition->text().trimmed();
    profile.time = m_time->text().trimmed();
    profile.memory = m_memory->text().trimmed();
    profile.gpus = m_gpus->text().trimmed();
    profile.setup = m_setup->text().trimmed();
    profile.cpus = m_cpus->value();
    profile.bundle = m_bundle->value();
    profile.arrayLimit = m_arrayLimit->value();
    return profile;
}

QString ClusterDialog::sweepName() const { return m_sweep->text().trimmed(); }

QByteArray ClusterDialog::grid() const {
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

QJsonObject ClusterDialog::evaluation() const {
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

void ClusterDialog::showProfile(const ClusterProfile& profile) {
    m_name->setCurrentText(profile.name);
    m_host->setText(profile.host);
    m_program->setText(profile.program);
    m_folder->setText(profile.folder);
    m_partition->setText(profile.partition);
    m_time->setText(profile.time);
    m_memory->setText(profile.memory);
    m_gpus->setText(profile.gpus);
    m_setup->setText(profile.setup);
    m_cpus->setValue(profile.cpus);
    m_bundle->setValue(profile.bundle);
    m_arrayLimit->setValue(profile.arrayLimit);
}

void ClusterDialog::chooseProfile(int row) {
    if (row >= 0 && row < m_profiles.size()) {
        showProfile(m_profiles[row]);
    }
}

// The one that was used last comes first.
void ClusterDialog::keepProfile() {
    const ClusterProfile used = profile();
    if (used.name.isEmpty()) {
        return;
    }
    m_profiles.removeIf([&](const ClusterProfile& p) { return p.name == used.name; });
    m_profiles.prepend(used);
    storeClusterProfiles(m_profiles);
}

void ClusterDialog::removeProfile() {
    const QString name = m_name->currentText().trimmed();
    m_profiles.removeIf([&](const ClusterProfile& p) { return p.name == name; });
    storeClusterProfiles(m_profiles);
    m_name->clear();
    for (const ClusterProfile& profile : m_profiles) {
        m_name->addItem(profile.name);
    }
    showProfile(m_profiles.isEmpty() ? ClusterProfile() : m_profiles.first());
}

void ClusterDialog::showButtons() {
    const bool canAsk = m_plan.count > 0 && !sweepName().isEmpty();
    m_ask->setEnabled(canAsk);
    m_submit->setEnabled(canAsk);
}

void ClusterDialog::ask() {
    keepProfile();
    m_preview->setPlainText(tr("Asking …"));
    m_sweeps->preview(profile(), sweepName(), grid());
}

void ClusterDialog::submit() {
    if (m_name->currentText().trimmed().isEmpty()) {
        showProblem({tr("The profile has no name"), tr("Cluster"),
                     tr("give it one, so that the sweep is found again"), false});
        m_name->setFocus();
        return;
    }
    keepProfile();
    m_submit->setEnabled(false);  // once; a failure gives it back
    m_preview->setPlainText(tr("Submitting …"));
    m_sweeps->submit(profile(), sweepName(), grid());
}

void ClusterDialog::showPreview(const QJsonObject& submission) {
    QStringList lines;
    const QJsonArray arrays = submission.value(QStringLiteral("arrays")).toArray();
    for (const QJsonValue& array : arrays) {
        lines << tr("%1: %n task(s)", nullptr, array[QStringLiteral("tasks")].toInt())
                     .arg(array[QStringLiteral("stage")].toString());
    }
    const double hours = submission.value(QStringLiteral("core_hours")).toDouble();
    lines
        << (arrays.isEmpty() ? tr("Nothing is left to do.")
            : hours < kLeastHours
                ? tr("less than %1 core-hours by what that machine has shown, without evaluations")
                      .arg(QLocale().toString(kLeastHours))
                : tr("about %1 core-hours by what that machine has shown, without evaluations")
                      .arg(formatNumber(hours, 2)));
    lines << tr("into %1").arg(submission.value(QStringLiteral("sweep")).toString());
    const QJsonObject scripts = submission.value(QStringLiteral("scripts")).toObject();
    for (auto script = scripts.begin(); script != scripts.end(); ++script) {
        lines << QString() << script.key() << script.value().toString();
    }
    m_preview->setPlainText(lines.join('\n'));
}

void ClusterDialog::showProblem(const EngineError& error) {
    QStringList parts{error.where.isEmpty() ? error.message
                                            : tr("%1: %2").arg(error.where, error.message)};
    parts << (error.hint.isEmpty() ? QStringList() : QStringList{error.hint});
    m_preview->setPlainText(parts.join('\n'));
    showButtons();
}

}  // namespace cospadi::ui
