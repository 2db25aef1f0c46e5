#include "ui/pages/plan/plan_form.h"

#include <QEvent>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QScopedValueRollback>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/base/font_units.h"
#include "ui/pages/plan/calibration_section.h"
#include "ui/pages/plan/method_section.h"
#include "ui/pages/plan/plan_help.h"
#include "ui/pages/plan/setting_fields.h"
#include "ui/pages/plan/sweep_section.h"
#include "ui/widgets/card.h"
#include "ui/widgets/slider_spin.h"

namespace cospadi::ui {

namespace {

constexpr int kFieldCharacters = 66;  // beside each other, at least
constexpr int kBesideCards = 6;       // pixels to the scroll bar

QFormLayout* makeCard(QVBoxLayout* column, const QString& title) {
    auto* card = new Card(title);
    auto* form = new QFormLayout;
    form->setSpacing(6);
    form->setLabelAlignment(Qt::AlignRight | Qt::AlignVCenter);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    card->body()->addLayout(form);
    column->addWidget(card);
    return form;
}

// Of several cards as if they were one form.
void alignLabels(std::initializer_list<QFormLayout*> forms) {
    QList<QLabel*> labels;
    int widest = 0;
    for (const QFormLayout* form : forms) {
        for (int row = 0; row < form->rowCount(); ++row) {
            const QLayoutItem* item = form->itemAt(row, QFormLayout::LabelRole);
            if (auto* label = item == nullptr ? nullptr : qobject_cast<QLabel*>(item->widget())) {
                labels << label;
                widest = std::max(widest, label->sizeHint().width());
            }
        }
    }
    for (QLabel* label : labels) {
        label->setMinimumWidth(widest);
        label->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    }
}

}  // namespace

PlanForm::PlanForm(QWidget* parent) : QWidget(parent), m_help(new PlanHelp) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    column->addWidget(makeFields(), 1);
    m_helpRow = new QHBoxLayout;
    m_helpRow->setContentsMargins(0, 0, 0, 0);
    m_helpRow->addWidget(makeHelpCard());
    column->addLayout(m_helpRow);
    m_scroll->viewport()->installEventFilter(this);
    for (PlanSection* section :
         std::initializer_list<PlanSection*>{m_method, m_settings, m_calibration, m_sweep}) {
        connect(section, &PlanSection::changed, this, &PlanForm::take);
    }
    connect(m_method, &MethodSection::paperRequested, this, &PlanForm::paperRequested);
    connect(m_method, &MethodSection::effortRequested, this, &PlanForm::effortRequested);
    enableWhatCounts();
}

QWidget* PlanForm::makeFields() {
    auto* body = new QWidget;
    body->setObjectName(QStringLiteral("plainBody"));
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(0, 0, kBesideCards, 0);
    column->setSpacing(8);
    QFormLayout* plan = makeCard(column, tr("Plan"));
    m_settings = new SettingFields(plan, m_help, this);
    m_method = new MethodSection(plan, m_settings, m_help, this);
    QFormLayout* calibration = makeCard(column, tr("Calibration"));
    m_calibration = new CalibrationSection(calibration, m_settings, m_help, this);
    addSettings(plan);
    QFormLayout* sweep = makeCard(column, tr("Sweep"));
    m_sweep = new SweepSection(sweep, m_help, this);
    alignLabels({plan, calibration, sweep});
    column->addStretch();
    auto* scroll = new QScrollArea;
    m_scroll = scroll;
    scroll->setObjectName(QStringLiteral("plain"));
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);  // what is below it knows its width
    scroll->setWidget(body);
    scroll->setMinimumWidth(charactersWide(font(), kFieldCharacters));
    body->installEventFilter(this);
    scroll->setAccessibleName(tr("Fields of the plan"));
    return scroll;
}

// In the order in which one decides; what is new and has no place yet comes last.
void PlanForm::addSettings(QFormLayout* plan) {
    const auto field = [this](const char* setting) { return m_settings->field(setting); };
    const auto row = [plan](const QString& label, std::initializer_list<QWidget*> fields) {
        plan->addRow(label, PlanSection::inRow(fields));
    };
    m_settings->addOwnRows();
    QWidget* cr = field("cr");
    row(tr("CR"), {cr, makeRemoved(qobject_cast<SliderSpin*>(cr))});
    plan->addRow(tr("ρ = k/s"), field("rho"));
    row(tr("Storage"), {field("accounting"), field("coefficient_bits"), field("dictionary_bits")});
    row(tr("Rounding"), {field("coefficient_format"), field("refit")});
    row(tr("Dictionary"), {field("side"), field("allocation")});
    plan->addRow(tr("Propagation"), field("propagation"));
    plan->addRow(tr("Ridge"), field("ridge"));
    row(tr("K-SVD"), {field("init"), field("update"), field("coder")});
    row({}, {field("dead_atoms"), field("coefficient_rounding")});
    row(tr("Iterations"),
        {field("iterations"), new QLabel(tr("power steps")), field("power_iterations")});
    row(tr("Stop at gains <"), {field("tolerance"), new QLabel(tr("seed")), field("seed")});
    row(tr("Refinement"),
        {field("refine"), new QLabel(tr("sequences, rate")), field("refine_rate")});
    m_settings->addOtherRows();
}

// What a ratio means, beside it.
QWidget* PlanForm::makeRemoved(SliderSpin* cr) {
    auto* removed = new QLabel;
    removed->setObjectName(QStringLiteral("muted"));
    removed->setMinimumWidth(removed->fontMetrics().horizontalAdvance(tr("removes 00 %")));
    const auto show = [removed](double value) {
        removed->setText(tr("removes %1 %").arg(QLocale().toString(100 * value, 'f', 0)));
    };
    connect(cr, &SliderSpin::valueChanged, removed, show);
    show(cr->value());
    return removed;
}

// The fields are never cut at their right, and the help is as wide as the cards above it, whatever
// the scroll bar takes.
bool PlanForm::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_scroll->widget() && event->type() == QEvent::LayoutRequest) {
        m_scroll->setMinimumWidth(std::max(charactersWide(font(), kFieldCharacters),
                                           m_scroll->widget()->minimumSizeHint().width() +
                                               m_scroll->verticalScrollBar()->sizeHint().width()));
    }
    if (watched == m_scroll->viewport() && event->type() == QEvent::Resize) {
        const int beside = m_scroll->width() - m_scroll->viewport()->width() + kBesideCards;
        m_helpRow->setContentsMargins(0, 0, beside, 0);
    }
    return QWidget::eventFilter(watched, event);
}

QWidget* PlanForm::makeHelpCard() {
    auto* card = new Card(tr("Help"));
    m_help->setMinimumHeight(4 * fontMetrics().lineSpacing() + 4);
    card->body()->addWidget(m_help);
    return card;
}

void PlanForm::take(const QString& what) {
    if (m_quiet) {
        return;
    }
    enableWhatCounts();
    emit changed(what);
}

void PlanForm::enableWhatCounts() {
    const RunSpecification plan = specification();
    m_method->enableWhatCounts(plan);
    m_settings->enableWhatCounts(plan);
    m_calibration->enableWhatCounts(plan);
    m_sweep->enableWhatCounts(plan);
}

QString PlanForm::writeTo(RunSpecification& plan) const {
    m_method->writeTo(plan);  // first: what the others say depends on it
    m_calibration->writeTo(plan);
    return m_settings->writeTo(plan);
}

RunSpecification PlanForm::specification() const {
    RunSpecification plan;
    writeTo(plan);
    return plan;
}

QString PlanForm::problem() const {
    RunSpecification plan;
    return writeTo(plan);
}

SweepText PlanForm::sweep() const { return m_sweep->text(); }

void PlanForm::setPlan(const RunSpecification& specification, const SweepText& sweep) {
    {
        const QScopedValueRollback quiet(m_quiet, true);
        m_method->show(specification);
        m_settings->show(specification);
        m_calibration->show(specification);
        m_sweep->show(sweep);
    }
    enableWhatCounts();
}

}  // namespace cospadi::ui
