#include "ui/pages/plan_panel.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QVBoxLayout>
#include <limits>

#include "core/base/error.h"
#include "core/dictionary/budget.h"
#include "core/pipeline/resolve_specification.h"
#include "ui/base/format.h"
#include "ui/base/theme.h"
#include "ui/widgets/bytes_bar.h"
#include "ui/widgets/slider_spin.h"

namespace cospadi::ui {

namespace {

QWidget* inRow(std::initializer_list<QWidget*> widgets) {
    auto* row = new QWidget;
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    for (QWidget* widget : widgets) {
        layout->addWidget(widget, widget->inherits("QLabel") ? 0 : 1);
    }
    return row;
}

// Return selects the whole number, which then looks like something the user should act on.
void keepUnselected(QAbstractSpinBox* spin) {
    QObject::connect(spin, &QAbstractSpinBox::editingFinished, spin, [spin] {
        if (auto* edit = spin->findChild<QLineEdit*>()) {
            QMetaObject::invokeMethod(edit, &QLineEdit::deselect, Qt::QueuedConnection);
        }
    });
}

QSpinBox* makeSpin(const char* name, int least, int greatest, int value, const QString& tip) {
    auto* spin = new QSpinBox;
    spin->setObjectName(QString::fromLatin1(name));
    spin->setRange(least, greatest);
    spin->setValue(value);
    spin->setToolTip(tip);
    spin->setAccelerated(true);
    keepUnselected(spin);
    return spin;
}

bool isSparse(const RunSpecification& plan) { return plan.method.rfind("cospadi", 0) == 0; }
bool isWhitened(const RunSpecification& plan) {
    return plan.method == "cospadi" || plan.method == "svd-llm";
}

}  // namespace

PlanPanel::PlanPanel(QWidget* parent) : QWidget(parent) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 8, 12, 10);
    column->setSpacing(6);
    auto* heading = new QLabel(tr("Plan"));
    heading->setObjectName(QStringLiteral("title"));
    column->addWidget(heading);
    auto* form = new QFormLayout;
    form->setSpacing(6);
    form->setLabelAlignment(Qt::AlignRight | Qt::AlignVCenter);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    buildForm(form);
    column->addLayout(form);
    m_layerFigures = new QLabel;
    m_layerFigures->setObjectName(QStringLiteral("layerFigures"));
    m_layerFigures->setTextFormat(Qt::RichText);
    m_layerFigures->setToolTip(
        tr("For the layer under the cursor in the tree:\n"
           "k = atoms (columns of the dictionary D), s = non-zeros in each\n"
           "column of the codes S, so that W ≈ D S"));
    m_totalFigures = new QLabel;
    m_totalFigures->setObjectName(QStringLiteral("totalFigures"));
    m_totalFigures->setTextFormat(Qt::RichText);
    m_totalFigures->setWordWrap(true);
    m_bar = new BytesBar;
    m_bar->setAccessibleName(tr("Bytes of the plan"));
    column->addWidget(m_layerFigures);
    column->addWidget(m_totalFigures);
    column->addWidget(m_bar);
    for (QComboBox* box : {m_method, m_solver, m_accounting}) {
        connect(box, &QComboBox::currentIndexChanged, this, &PlanPanel::enableWhatCounts);
    }
    for (SliderSpin* field : {m_cr, m_rho}) {
        connect(field, &SliderSpin::valueChanged, this, &PlanPanel::showFigures);
    }
    for (QSpinBox* field : {m_iterations, m_seed, m_sequences, m_length}) {
        connect(field, &QSpinBox::valueChanged, this, &PlanPanel::showFigures);
    }
    enableWhatCounts();
}

void PlanPanel::addChoice(QComboBox* box, const QString& label, const char* value,
                          const QString& tip) {
    box->addItem(label, QString::fromLatin1(value));
    box->setItemData(box->count() - 1, tip, Qt::ToolTipRole);
}

void PlanPanel::buildForm(QFormLayout* form) {
    const RunSpecification defaults;
    m_method = new QComboBox;
    m_method->setObjectName(QStringLiteral("method"));
    addChoice(m_method, tr("CoSpaDi"), "cospadi",
              tr("Sparse dictionary learned on calibration data: W ≈ D S (the paper)"));
    addChoice(m_method, tr("CoSpaDi, data-free"), "cospadi-free",
              tr("Sparse dictionary of the weights alone, without calibration"));
    addChoice(m_method, tr("SVD-LLM"), "svd-llm",
              tr("Low rank on calibration data: the rival the paper compares with"));
    addChoice(m_method, tr("SVD"), "svd", tr("Low rank of the weights alone"));
    m_method->setToolTip(tr("How a weight is replaced by something smaller"));
    m_solver = new QComboBox;
    m_solver->setObjectName(QStringLiteral("solver"));
    addChoice(m_solver, tr("fast"), "fast",
              tr("Thresholding and Procrustes steps: seconds a matrix, lower error"));
    addChoice(m_solver, tr("K-SVD"), "ksvd",
              tr("OMP and K-SVD as in the paper: the slow reference, minutes a matrix"));
    m_solver->setToolTip(
        tr("fast: thresholding and Procrustes steps, seconds a matrix\n"
           "K-SVD: OMP and K-SVD as published, minutes a matrix"));
    auto* methodRow = new QWidget;
    auto* methodLayout = new QHBoxLayout(methodRow);
    methodLayout->setContentsMargins(0, 0, 0, 0);
    methodLayout->setSpacing(6);
    methodLayout->addWidget(m_method, 3);
    methodLayout->addWidget(m_solver, 2);
    form->addRow(tr("Method"), methodRow);

    m_cr = new SliderSpin(0.05, 0.9, 0.01, 2);
    m_cr->setObjectName(QStringLiteral("cr"));
    m_cr->setValue(defaults.cr);
    m_cr->setToolTip(
        tr("Compression ratio γ: the fraction of storage that is removed.\n"
           "0.20 leaves 80 % of the bytes of the selected layers (paper, eq. 9)."));
    form->addRow(tr("CR"), m_cr);
    m_rho = new SliderSpin(1, 8, 0.1, 2);
    m_rho->setObjectName(QStringLiteral("rho"));
    m_rho->setValue(defaults.rho);
    m_rho->setToolTip(
        tr("ρ = k/s: atoms in the dictionary per non-zero of a column.\n"
           "Greater ρ: more atoms, sparser codes at the same bytes. The paper uses 2."));
    form->addRow(tr("ρ = k/s"), m_rho);

    m_accounting = new QComboBox;
    m_accounting->setObjectName(QStringLiteral("accounting"));
    addChoice(m_accounting, tr("eq 11: mask paid by shorter values"), "eq11",
              tr("Coefficients lose ⌈ρ⌉ bits, which pay for the mask (paper, eq. 11)"));
    addChoice(m_accounting, tr("eq 10: bf16 values + bit mask"), "eq10",
              tr("Coefficients keep 16 bits; the mask costs one bit an entry (paper, eq. 10)"));
    m_accounting->setToolTip(
        tr("How storage is counted. The mask is never free:\n"
           "eq 10: bf16 values and one bit per mask entry\n"
           "eq 11: values shortened by ⌈ρ⌉ bits pay for the mask"));
    form->addRow(tr("Storage"), m_accounting);

    m_iterations =
        makeSpin("iterations", 0, 1000, 0,
                 tr("Solver iterations a matrix; 'default' is the solver's own schedule\n"
                    "(K-SVD: 60, as in the paper)"));
    m_iterations->setSpecialValueText(tr("default"));
    m_seed = makeSpin("seed", 0, std::numeric_limits<int>::max(), static_cast<int>(defaults.seed),
                      tr("Seed of every random choice: equal plans give equal files"));
    keepUnselected(m_cr->spin());
    keepUnselected(m_rho->spin());
    form->addRow(tr("Iterations"), inRow({m_iterations, new QLabel(tr("Seed")), m_seed}));

    const QString tip =
        tr("Calibration text that the model reads to find out which directions of\n"
           "a layer's input matter: sequences × tokens each. More is better and\n"
           "slower; 64 × 512 is a good start.");
    m_sequences =
        makeSpin("sequences", 1, 100000, static_cast<int>(defaults.calibration.sequences), tip);
    m_length = makeSpin("length", 8, 8192, static_cast<int>(defaults.calibration.length), tip);
    m_length->setSuffix(tr(" tokens"));
    form->addRow(tr("Calibration"),
                 inRow({m_sequences, new QLabel(QStringLiteral("×")), m_length}));
}

void PlanPanel::enableWhatCounts() {
    const RunSpecification plan = specification();
    for (QWidget* field :
         std::initializer_list<QWidget*>{m_solver, m_rho, m_accounting, m_iterations}) {
        field->setEnabled(isSparse(plan));
    }
    for (QWidget* field : {m_sequences, m_length}) {
        field->setEnabled(isWhitened(plan));
    }
    showFigures();
}

RunSpecification PlanPanel::specification() const {
    RunSpecification plan;
    plan.method = m_method->currentData().toString().toStdString();
    plan.solver = m_solver->currentData().toString().toStdString();
    plan.cr = m_cr->value();
    plan.rho = m_rho->value();
    plan.accounting = accountingFromName(m_accounting->currentData().toString().toStdString());
    plan.iterations = m_iterations->value();
    plan.seed = static_cast<std::uint64_t>(m_seed->value());
    plan.calibration.sequences = m_sequences->value();
    plan.calibration.length = m_length->value();
    return plan;
}

void PlanPanel::setSelection(const std::vector<LayerInfo>& layers, const QVector<bool>& checked,
                             const LayerInfo* highlighted) {
    m_selected.clear();
    for (std::size_t i = 0; i < layers.size(); ++i) {
        if (checked[static_cast<int>(i)]) {
            m_selected.push_back(layers[i]);
        }
    }
    m_highlighted = highlighted != nullptr ? *highlighted : LayerInfo{};
    showFigures();
}

void PlanPanel::showFigures() {
    const RunSpecification plan = specification();
    m_problem = m_selected.empty() ? tr("Select at least one layer in the tree") : QString();
    double dictionary = 0;
    double values = 0;
    double mask = 0;
    double total = 0;
    double dense = 0;
    try {
        for (const LayerInfo& layer : m_selected) {
            if (isSparse(plan)) {
                const SparseBudget budget =
                    sparseBudgetOf(matrixOptionsOf(plan), layer.d1, layer.d2);
                dictionary += budget.dictionaryBytes();
                values += budget.valueBytes();
                mask += budget.maskBytes();
                total += budget.totalBytes();
                dense += budget.denseBytes();
            } else {
                const LowRankBudget budget = lowRankBudget(layer.d1, layer.d2, plan.cr);
                total += budget.totalBytes();
                dense += budget.denseBytes();
            }
        }
        showHighlighted(plan);
    } catch (const Error& error) {
        m_problem = QStringLiteral("%1: %2").arg(QString::fromStdString(error.problem()),
                                                 QString::fromStdString(error.hint()));
    }
    if (!m_problem.isEmpty()) {
        m_bar->clear();
        m_totalFigures->setText(QStringLiteral("<span style='color:%1'>%2</span>")
                                    .arg(theme().warning.name(), m_problem.toHtmlEscaped()));
    } else {
        m_totalFigures->setText(tr("<b>%1</b> of %2 dense (bf16) in the selected layers")
                                    .arg(formatBytes(total), formatBytes(dense)));
        if (isSparse(plan)) {
            m_bar->setParts({{tr("dictionary"), dictionary, theme().dictionary},
                             {tr("values"), values, theme().values},
                             {tr("mask"), mask, theme().mask}},
                            dense);
        } else {
            m_bar->setParts({{tr("two factors"), total, theme().dictionary}}, dense);
        }
    }
    emit changed();
}

void PlanPanel::showHighlighted(const RunSpecification& plan) {
    const LayerInfo& layer = m_highlighted;
    if (layer.d1 <= 0) {
        m_layerFigures->clear();
        return;
    }
    const QString about = QStringLiteral("<span style='color:%1'>%2 (%3 × %4):</span> ")
                              .arg(theme().muted.name(), QString::fromStdString(layer.name))
                              .arg(layer.d1)
                              .arg(layer.d2);
    if (isSparse(plan)) {
        const SparseBudget budget = sparseBudgetOf(matrixOptionsOf(plan), layer.d1, layer.d2);
        m_layerFigures->setText(about + tr("<b>k = %1</b>, <b>s = %2</b>, %3-bit values")
                                            .arg(budget.k)
                                            .arg(budget.s)
                                            .arg(budget.coefficientBits));
    } else {
        const LowRankBudget budget = lowRankBudget(layer.d1, layer.d2, plan.cr);
        m_layerFigures->setText(about + tr("<b>rank r = %1</b>").arg(budget.rank));
    }
}

}  // namespace cospadi::ui
