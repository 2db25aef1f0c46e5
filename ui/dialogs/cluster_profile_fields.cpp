#include "ui/dialogs/cluster_profile_fields.h"

#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include "ui/dialogs/form_line.h"

namespace cospadi::ui {

namespace {

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

}  // namespace

ClusterProfileFields::ClusterProfileFields(QWidget* parent)
    : QWidget(parent), m_profiles(storedClusterProfiles()) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    m_name = new QComboBox;
    m_name->setObjectName(QStringLiteral("clusterProfile"));
    m_name->setAccessibleName(tr("Cluster profile"));
    m_name->setEditable(true);
    m_name->setInsertPolicy(QComboBox::NoInsert);
    for (const ClusterProfile& profile : m_profiles) {
        m_name->addItem(profile.name);
    }
    m_name->lineEdit()->setPlaceholderText(tr("a name of your choice for this profile"));
    connect(m_name, &QComboBox::activated, this, &ClusterProfileFields::choose);
    auto* remove = new QPushButton(tr("Remove"));
    remove->setObjectName(QStringLiteral("clusterRemove"));
    remove->setToolTip(tr("Removes this profile; sweeps submitted with it are kept"));
    remove->setAutoDefault(false);
    connect(remove, &QPushButton::clicked, this, &ClusterProfileFields::remove);
    auto* nameRow = new QHBoxLayout;
    nameRow->addWidget(m_name, 1);
    nameRow->addWidget(remove);
    auto* top = new QFormLayout;
    top->addRow(tr("&Cluster"), nameRow);
    static_cast<QLabel*>(top->labelForField(nameRow))->setBuddy(m_name);
    addReach(top);
    column->addLayout(top);
    auto* both = new QHBoxLayout;
    both->addLayout(makeLimits(), 1);
    both->addSpacing(18);
    both->addLayout(makeShares(), 1);
    column->addLayout(both);
    show(m_profiles.isEmpty() ? ClusterProfile() : m_profiles.first());
}

void ClusterProfileFields::addReach(QFormLayout* form) {
    m_host = addLine(form, tr("SSH add&ress"), "clusterHost", tr("none: this machine submits"),
                     tr("A host of your ssh configuration, or user@host. It must connect without a "
                        "password prompt. Empty: this machine has sbatch and sees the folder."));
    m_program =
        addLine(form, tr("Pro&gram there"), "clusterProgram", tr("cospadi"),
                tr("Path of cospadi on the cluster; it must be the same version as this one"));
    m_folder = addLine(form, tr("&Folder there"), "clusterFolder", tr("chosen by the program"),
                       tr("Where sweeps are written; all nodes must see it under this path"));
}

QFormLayout* ClusterProfileFields::makeLimits() {
    auto* form = new QFormLayout;
    m_partition = addLine(form, tr("&Partition"), "clusterPartition", tr("the cluster's default"),
                          tr("As in sbatch --partition"));
    m_time = addLine(form, tr("&Time limit"), "clusterTime", tr("the cluster's default"),
                     tr("Per task: minutes, H:M:S or D-H. A task that reaches it is continued in "
                        "the next one."));
    m_memory = addLine(form, tr("&Memory"), "clusterMemory", tr("the cluster's default"),
                       tr("Per task, e.g. 16G"));
    m_gpus = addLine(form, tr("GP&Us"), "clusterGpus", tr("none: on the CPU"),
                     tr("Devices per task, e.g. 1 or a100:2"));
    return form;
}

QFormLayout* ClusterProfileFields::makeShares() {
    auto* form = new QFormLayout;
    m_cpus = addCount(form, tr("C&PUs per task"), "clusterCpus", 0, tr("the cluster's default"),
                      tr("Processor cores per task"));
    m_bundle = addCount(form, tr("Runs per &task"), "clusterBundle", 1, {},
                        tr("Small runs can share a task, one after the other"));
    m_arrayLimit = addCount(form, tr("Tasks at &once"), "clusterLimit", 0, tr("no limit"),
                            tr("Maximum number of concurrent tasks of an array"));
    m_setup = addLine(form, tr("S&etup file there"), "clusterSetup", tr("none"),
                      tr("Shell lines run at the start of every task (module load …)"));
    return form;
}

ClusterProfile ClusterProfileFields::profile() const {
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

bool ClusterProfileFields::hasName() const { return !m_name->currentText().trimmed().isEmpty(); }
void ClusterProfileFields::focusName() { m_name->setFocus(); }

void ClusterProfileFields::show(const ClusterProfile& profile) {
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

void ClusterProfileFields::choose(int row) {
    if (row >= 0 && row < m_profiles.size()) {
        show(m_profiles[row]);
    }
}

void ClusterProfileFields::keep() {
    const ClusterProfile used = profile();
    if (used.name.isEmpty()) {
        return;
    }
    m_profiles.removeIf([&](const ClusterProfile& p) { return p.name == used.name; });
    m_profiles.prepend(used);
    storeClusterProfiles(m_profiles);
}

void ClusterProfileFields::remove() {
    const QString name = m_name->currentText().trimmed();
    m_profiles.removeIf([&](const ClusterProfile& p) { return p.name == name; });
    storeClusterProfiles(m_profiles);
    m_name->clear();
    for (const ClusterProfile& profile : m_profiles) {
        m_name->addItem(profile.name);
    }
    show(m_profiles.isEmpty() ? ClusterProfile() : m_profiles.first());
}

}  // namespace cospadi::ui
