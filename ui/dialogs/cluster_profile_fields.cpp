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
    m_name->setAccessibleName(tr("Profile of the cluster"));
    m_name->setEditable(true);
    m_name->setInsertPolicy(QComboBox::NoInsert);
    for (const ClusterProfile& profile : m_profiles) {
        m_name->addItem(profile.name);
    }
    m_name->lineEdit()->setPlaceholderText(tr("a name of your own; the profile is kept under it"));
    connect(m_name, &QComboBox::activated, this, &ClusterProfileFields::choose);
    auto* remove = new QPushButton(tr("Remove"));
    remove->setObjectName(QStringLiteral("clusterRemove"));
    remove->setToolTip(tr("Forgets this profile; sweeps that went there stay"));
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
    m_host = addLine(form, tr("&Reached by ssh at"), "clusterHost", tr("this machine submits"),
                     tr("A name of your ssh configuration, or user@host. It has to open without a "
                        "password being typed. Empty: this machine has sbatch and sees the "
                        "folder."));
    m_program = addLine(form, tr("Pro&gram there"), "clusterProgram", tr("cospadi"),
                        tr("The path of cospadi on the cluster, of the same version as this one"));
    m_folder = addLine(form, tr("&Folder there"), "clusterFolder", tr("chosen by the program"),
                       tr("Where sweeps are written; all nodes have to see it under this name"));
}

QFormLayout* ClusterProfileFields::makeLimits() {
    auto* form = new QFormLayout;
    m_partition = addLine(form, tr("&Partition"), "clusterPartition", tr("the cluster's own"),
                          tr("As sbatch --partition has it"));
    m_time =
        addLine(form, tr("&Time limit"), "clusterTime", tr("the cluster's own"),
                tr("Of a task: minutes, H:M:S or D-H. A task that meets it goes on in the next "
                   "one."));
    m_memory = addLine(form, tr("&Memory"), "clusterMemory", tr("the cluster's own"),
                       tr("Of a task, such as 16G"));
    m_gpus = addLine(form, tr("GP&Us"), "clusterGpus", tr("none: on the CPU"),
                     tr("Devices of a task, such as 1 or a100:2"));
    return form;
}

QFormLayout* ClusterProfileFields::makeShares() {
    auto* form = new QFormLayout;
    m_cpus = addCount(form, tr("C&PUs of a task"), "clusterCpus", 0, tr("the cluster's own"),
                      tr("Processor cores that a task gets"));
    m_bundle = addCount(form, tr("Runs of a &task"), "clusterBundle", 1, {},
                        tr("Small runs can share a task, one after the other"));
    m_arrayLimit = addCount(form, tr("Tasks at &once"), "clusterLimit", 0, tr("no bound"),
                            tr("At most so many tasks of an array run at the same time"));
    m_setup = addLine(form, tr("S&etup file there"), "clusterSetup", tr("none"),
                      tr("Lines of shell for the beginning of every task (module load …)"));
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
