#include "ui/pages/whole/whole_controls.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <algorithm>
#include <utility>

#include "core/methods/method.h"
#include "core/store/named_settings.h"
#include "ui/base/format.h"
#include "ui/base/theme.h"
#include "ui/models/storage_words.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/labelled_field.h"
#include "ui/widgets/slider_spin.h"

namespace cospadi::ui {

namespace {

constexpr double kMegabyte = 1e6;

}  // namespace

WholeControls::WholeControls(QWidget* parent) : QWidget(parent) {
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(4);
    makeFields();
    addLabelled(*grid, 0, 0, tr("CR"), m_cr);
    addLabelled(*grid, 1, 0, tr("ρ = k/s"), m_rho);
    addLabelled(*grid, 0, 2, tr("Size"), m_size);
    addLabelled(*grid, 1, 2, tr("Storage"), m_storage);
    addLabelled(*grid, 0, 4, tr("Method"), m_method);
    auto* end = new QHBoxLayout;
    end->setSpacing(8);
    end->addWidget(m_state, 1);
    end->addWidget(m_run);
    grid->addLayout(end, 1, 4, 1, 2);
    grid->setColumnStretch(1, 3);
    grid->setColumnStretch(5, 3);
    connect(m_cr, &SliderSpin::valueChanged, this, &WholeControls::ratioChanged);
    connect(m_size, &QDoubleSpinBox::valueChanged, this,
            [this](double megabytes) { emit bytesChanged(megabytes * kMegabyte); });
    connect(m_rho, &SliderSpin::valueChanged, this, &WholeControls::settingChanged);
    connect(m_method, &QComboBox::currentIndexChanged, this, &WholeControls::settingChanged);
    connect(m_storage, &QComboBox::currentIndexChanged, this, &WholeControls::settingChanged);
    connect(m_run, &QPushButton::clicked, this, &WholeControls::runWanted);
}

void WholeControls::makeFields() {
    const RunSpecification defaults;
    m_cr = new SliderSpin(0.05, 0.64, 0.005, 3);
    m_cr->setObjectName(QStringLiteral("wholeCr"));
    m_cr->setValue(defaults.cr);
    m_cr->spin()->setAccessibleName(tr("Compression ratio of the whole model"));
    m_cr->setToolTip(tr("The share of the matrices' bytes that is removed: 0.2 leaves 80 %"));
    m_size = new QDoubleSpinBox;
    m_size->setObjectName(QStringLiteral("wholeSize"));
    m_size->setAccessibleName(tr("Size of the whole model in MB"));
    m_size->setRange(0, 1e7);
    m_size->setDecimals(1);
    m_size->setSuffix(tr(" MB"));
    m_size->setSpecialValueText(kMissing);  // 0: not known yet
    m_size->setKeyboardTracking(false);
    m_size->setToolTip(
        tr("Instead of CR: the size of the whole model. Embedding, head, norms and excluded "
           "matrices count 2 bytes per number."));
    m_rho = new SliderSpin(1, 8, 0.25, 2);
    m_rho->setObjectName(QStringLiteral("wholeRho"));
    m_rho->setValue(defaults.rho);
    m_rho->spin()->setAccessibleName(tr("ρ of the whole model"));
    m_rho->setToolTip(
        tr("ρ = k/s: atoms per non-zero of a column. Each ρ has its own curves; they are measured "
           "once and kept."));
    m_method = new QComboBox;
    m_method->setObjectName(QStringLiteral("wholeMethod"));
    m_method->setAccessibleName(tr("Method of the whole model"));
    for (const Method* method : methods()) {
        MatrixOptions options;
        options.method = method;
        if (method->hasRatio(options) && method->asBlockMethod() == nullptr) {
            m_method->addItem(QString::fromUtf8(method->title()),
                              QString::fromUtf8(method->name()));
        }
    }
    m_storage = new QComboBox;
    m_storage->setObjectName(QStringLiteral("wholeStorage"));
    m_storage->setAccessibleName(tr("Storage of the whole model"));
    for (const Accounting accounting :
         {Accounting::Eq11, Accounting::Eq10, Accounting::Packed, Accounting::Packed8}) {
        m_storage->addItem(storageWords(accounting), QString::fromUtf8(name(accounting)));
    }
    m_storage->setToolTip(
        tr("How a factor's entries are stored, as on the Plan page. Integers pay off only at CRs "
           "beyond those at which these curves are measured, and are not offered."));
    m_state = new ElidedLabel;
    m_state->setObjectName(QStringLiteral("muted"));
    m_state->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_run = new QPushButton(tr("Run it"));
    m_run->setObjectName(QStringLiteral("wholeRun"));
    m_run->setEnabled(false);
    m_run->setToolTip(
        tr("Compresses the model with the ratios of the map, one per matrix, at once or after the "
           "current work"));
}

const Method& WholeControls::method() const {
    return methodFromName(m_method->currentData().toString().toStdString());
}

double WholeControls::cr() const { return m_cr->value(); }

void WholeControls::take(const RunSpecification& plan) {
    const QSignalBlocker cr(m_cr);
    const QSignalBlocker rho(m_rho);
    const QSignalBlocker method(m_method);
    const QSignalBlocker storage(m_storage);
    m_cr->setValue(plan.cr);
    m_rho->setValue(plan.rho);
    m_method->setCurrentIndex(
        std::max(0, m_method->findData(QString::fromUtf8(plan.method->name()))));
    m_storage->setCurrentIndex(
        std::max(0, m_storage->findData(QString::fromUtf8(name(plan.accounting)))));
}

void WholeControls::writeTo(RunSpecification& specification) const {
    specification.method = &method();
    setSetting(specification, "accounting", m_storage->currentData().toString().toStdString());
    specification.rho = m_rho->value();
    specification.autoRho = false;
}

void WholeControls::enableWhatCounts() {
    m_rho->setEnabled(method().uses("rho"));
    m_storage->setEnabled(method().uses("accounting"));
}

void WholeControls::showRatio(double cr) {
    const QSignalBlocker quiet(m_cr);
    m_cr->setValue(cr);
}

void WholeControls::showBytes(double bytes) {
    const QSignalBlocker quiet(m_size);
    m_size->setValue(bytes / kMegabyte);
}

void WholeControls::showState(const QString& words) { m_state->showWords(words); }

void WholeControls::showProblem(const QString& problem) { m_state->showProblem(problem); }

void WholeControls::setRunnable(bool on) { m_run->setEnabled(on); }

}  // namespace cospadi::ui
