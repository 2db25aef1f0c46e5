// The fields of the Plan page, each with its help: the paper's symbol, what it does, where it
// stands.
#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>
#include <limits>

#include "ui/base/theme.h"
#include "ui/pages/plan/method_options_form.h"
#include "ui/pages/plan/plan_panel.h"
#include "ui/widgets/card.h"
#include "ui/widgets/slider_spin.h"

namespace cospadi::ui {

namespace {

QWidget* inRow(std::initializer_list<QWidget*> widgets) {
    auto* row = new QWidget;
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    for (QWidget* widget : widgets) {
        const bool rigid = widget->inherits("QLabel") || widget->inherits("QToolButton");
        layout->addWidget(widget, rigid ? 0 : 1);
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

QSpinBox* makeSpin(const char* name, int least, int greatest, int value) {
    auto* spin = new QSpinBox;
    spin->setObjectName(QString::fromLatin1(name));
    spin->setRange(least, greatest);
    spin->setValue(value);
    spin->setAccelerated(true);
    spin->setMinimumWidth(64);
    keepUnselected(spin);
    return spin;
}

void addChoice(QComboBox* box, const QString& label, const char* value, const QString& tip) {
    box->addItem(label, QString::fromLatin1(value));
    box->setItemData(box->count() - 1, tip, Qt::ToolTipRole);
}

QFormLayout* makeSection(QVBoxLayout* column, const QString& title) {
    auto* card = new Card(title);
    auto* form = new QFormLayout;
    form->setSpacing(6);
    form->setLabelAlignment(Qt::AlignRight | Qt::AlignVCenter);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    card->body()->addLayout(form);
    column->addWidget(card);
    return form;
}

}  // namespace

QWidget* PlanPanel::makeForm() {
    auto* body = new QWidget;
    body->setObjectName(QStringLiteral("plainBody"));
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(0, 0, 6, 0);
    column->setSpacing(8);
    QFormLayout* method = makeSection(column, tr("Plan"));
    buildMethod(method);
    buildNumbers(method);
    buildCalibration(makeSection(column, tr("Calibration")));
    buildSweep(makeSection(column, tr("Sweep")));
    column->addStretch();
    auto* scroll = new QScrollArea;
    scroll->setObjectName(QStringLiteral("plain"));
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(body);
    scroll->setMinimumWidth(400);
    scroll->setAccessibleName(tr("Fields of the plan"));
    auto* side = new QWidget;
    auto* sides = new QVBoxLayout(side);
    sides->setContentsMargins(0, 0, 0, 0);
    sides->setSpacing(8);
    sides->addWidget(scroll, 1);
    auto* help = new Card(tr("Help"));
    m_help->setMinimumHeight(4 * fontMetrics().lineSpacing() + 4);
    help->body()->addWidget(m_help);
    sides->addWidget(help);
    return side;
}

void PlanPanel::explain(QWidget* field, const QString& symbol, const QString& help) {
    field->setProperty("help", QStringLiteral("<b>%1</b> &nbsp;%2").arg(symbol, help));
    field->setToolTip(help);
    field->setAccessibleDescription(help);
    field->installEventFilter(this);
    for (QWidget* part : field->findChildren<QWidget*>()) {
        part->installEventFilter(this);
    }
}

void PlanPanel::buildMethod(QFormLayout* form) {
    m_paper = new QPushButton;
    m_paper->setObjectName(QStringLiteral("paperSettings"));
    m_paper->setAccessibleName(tr("The paper's settings"));
    explain(
        m_paper, tr("The paper's settings (Table 8)"),
        tr("K-SVD 60 × 8 begun with columns of W, dead atoms kept, coefficients truncated to 14 "
           "bits, eq 11, ρ 2, seed 42, calibration on 256 × 1024 tokens. Of CR and layers it "
           "says nothing. The text is C4 and other text of the web, not RefinedWeb as in the "
           "paper. A field changed afterwards makes it another plan."));
    connect(m_paper, &QPushButton::clicked, this, &PlanPanel::takePaper);
    form->addRow(QString(), m_paper);
    m_method = new QComboBox;
    m_method->setObjectName(QStringLiteral("method"));
    m_method->setAccessibleName(tr("Method"));
    for (auto method = methods().rbegin(); method != methods().rend(); ++method) {
        if (*method != &denseMethod()) {
            addChoice(m_method, QString::fromUtf8((*method)->title()), (*method)->name(),
                      QString::fromUtf8((*method)->summary()));
        }
    }
    explain(
        m_method, tr("Method (§3)"),
        tr("How a weight W is replaced by something smaller. CoSpaDi: a dictionary D and sparse "
           "codes S learned on the whitened weight, L W ≈ D S. SVD-LLM: the best low rank of "
           "L W. COMPOT: an orthonormal dictionary. RTN: integers of a few bits. The data-free "
           "ones leave out L."));
    m_solver = new QComboBox;
    m_solver->setObjectName(QStringLiteral("solver"));
    m_solver->setAccessibleName(tr("Solver"));
    addChoice(m_solver, tr("fast"), "fast",
              tr("Thresholding and least squares: seconds a matrix, lower error"));
    addChoice(m_solver, tr("K-SVD"), "ksvd",
              tr("OMP and K-SVD, Algorithm 1: the slow reference, minutes a matrix"));
    explain(
        m_solver, tr("Solver (Algorithm 1)"),
        tr("K-SVD: orthogonal matching pursuit and K-SVD in turn, the paper's algorithm; minutes "
           "a matrix. fast: thresholding and least squares in turn; seconds a matrix, and a "
           "lower error."));
    form->addRow(tr("Method"), inRow({m_method, m_solver}));
    for (const Method* method : methods()) {
        if (method->ownOptions().empty()) {
            continue;
        }
        auto* own = new MethodOptionsForm(
            *method, [this](QWidget* field, const QString& symbol, const QString& help) {
                explain(field, symbol, help);
            });
        connect(own, &MethodOptionsForm::changed, this, [this] { take(tr("method's options")); });
        form->addRow(QString(), own);
        m_ownOptions.emplace(method, own);
    }
    connect(m_method, &QComboBox::currentIndexChanged, this, [this] { take(tr("method")); });
    connect(m_solver, &QComboBox::currentIndexChanged, this, [this] { take(tr("solver")); });
}

void PlanPanel::buildNumbers(QFormLayout* form) {
    const RunSpecification defaults;
    m_cr = new SliderSpin(0.05, 0.9, 0.01, 2);
    m_cr->setObjectName(QStringLiteral("cr"));
    m_cr->setValue(defaults.cr);
    m_cr->spin()->setAccessibleName(tr("Compression ratio"));
    explain(m_cr, tr("CR, γ (eq. 9)"),
            tr("The fraction of storage that is removed: 0.20 leaves 80 % of the bytes of the "
               "selected layers, the mask of S counted."));
    form->addRow(tr("CR"), m_cr);
    m_rho = new SliderSpin(1, 8, 0.05, 2);
    m_rho->setObjectName(QStringLiteral("rho"));
    m_rho->setValue(defaults.rho);
    m_rho->spin()->setAccessibleName(tr("ρ"));
    explain(
        m_rho, tr("ρ = k/s (§3.4)"),
        tr("Atoms in the dictionary per non-zero of a column. Greater ρ: more atoms and sparser "
           "codes for the same bytes. The paper uses 2; the Explore page shows what is best for "
           "a matrix."));
    form->addRow(tr("ρ = k/s"), m_rho);
    m_accounting = new QComboBox;
    m_accounting->setObjectName(QStringLiteral("accounting"));
    m_accounting->setAccessibleName(tr("Storage"));
    addChoice(m_accounting, tr("eq 11: shorter values"), "eq11",
              tr("Coefficients lose ⌈ρ⌉ bits, which pay for the mask (paper, eq. 11)"));
    addChoice(m_accounting, tr("eq 10: bf16 values"), "eq10",
              tr("Coefficients keep 16 bits; the mask costs one bit an entry (paper, eq. 10)"));
    addChoice(m_accounting, tr("packed: more atoms"), "packed",
              tr("Coefficients of 9 bits (8 from CR 0.25 on); the bytes they save buy atoms"));
    addChoice(m_accounting, tr("packed8: 8-bit atoms"), "packed8",
              tr("As packed, and the dictionary in eight bits an entry"));
    explain(m_accounting, tr("Storage (eq. 10, eq. 11)"),
            tr("How k and s follow from CR and ρ. eq 10: bf16 values and one bit per mask entry. "
               "eq 11: values shortened by ⌈ρ⌉ bits pay for the mask, which leaves more atoms. "
               "packed, not in the paper: values of 8 or 9 bits, and as many atoms as then fit: a "
               "far smaller error for the same bytes on disk, more work to multiply. packed8: the "
               "dictionary, too, in eight bits an entry: the smallest error, and the most atoms. "
               "Low rank likewise: bf16 factors, or with packed a short right factor, with packed8 "
               "a left one in eight bits, and the greatest rank that then fits."));
    m_bits = makeSpin("coefficientBits", 8, 16, 8);
    m_bits->setSpecialValueText(tr("auto"));
    m_bits->setSuffix(tr(" bits"));
    m_bits->setAccessibleName(tr("Bits of a coefficient"));
    explain(m_bits, tr("Bits of a coefficient (§3.4)"),
            tr("What a stored value of S, or of a packed right factor, keeps of bf16's 16 bits. "
               "auto: what the storage rule implies (16; 16 − ⌈ρ⌉; packed 9 or 8; packed8 10 to "
               "8). Fewer bits buy atoms or rank when packed, else they save bytes beyond the "
               "plan."));
    form->addRow(tr("Storage"), inRow({m_accounting, m_bits}));
    m_refit = new QComboBox;
    m_refit->setObjectName(QStringLiteral("refit"));
    m_refit->setAccessibleName(tr("Refit after rounding"));
    addChoice(m_refit, tr("refit as usual"), "auto",
              tr("fast and packed factors are refitted; K-SVD and low rank not, as published"));
    addChoice(m_refit, tr("refit"), "on", tr("To the rounded dictionary or left factor"));
    addChoice(m_refit, tr("no refit"), "off", tr("Both factors are rounded as they are"));
    explain(m_refit, tr("Refit after rounding"),
            tr("Once the dictionary, or a left factor, is rounded as it is stored, the values of "
               "S, or the right factor, can be fitted to it by least squares before they are "
               "rounded themselves. Not in the paper; never a larger error before that last "
               "rounding."));
    m_format = new QComboBox;
    m_format->setObjectName(QStringLiteral("coefficientFormat"));
    m_format->setAccessibleName(tr("Format of a coefficient"));
    addChoice(m_format, tr("format as usual"), "auto",
              tr("K-SVD: short mantissas, as in the paper; else short exponents"));
    addChoice(m_format, tr("short mantissas"), "mantissa",
              tr("bf16 without its lowest bits (the paper)"));
    addChoice(m_format, tr("short exponents"), "exponent",
              tr("The scale of an atom's codes goes into the atom, which leaves more digits"));
    explain(m_format, tr("Format of a coefficient (§4.2.1)"),
            tr("What a coefficient of fewer than 16 bits gives up. mantissa: bf16's lowest bits, "
               "as in the paper. exponent: a power of two common to an atom's codes goes into the "
               "atom, and fewer bits of exponent are enough for what is left."));
    form->addRow(tr("Rounding"), inRow({m_format, m_refit}));
    connect(m_format, &QComboBox::currentIndexChanged, this, [this] { take(tr("format")); });
    connect(m_refit, &QComboBox::currentIndexChanged, this, [this] { take(tr("refit")); });

    m_side = new QComboBox;
    m_side->setObjectName(QStringLiteral("side"));
    m_side->setAccessibleName(tr("Side of the dictionary"));
    addChoice(m_side, tr("shorter side"), "auto",
              tr("The inputs or the outputs of a layer, whichever are fewer"));
    addChoice(m_side, tr("inputs (paper)"), "input", tr("W ≈ D S with atoms over the inputs"));
    addChoice(m_side, tr("outputs"), "output", tr("W ≈ (D S)ᵀ with atoms over the outputs"));
    explain(
        m_side, tr("Side of the dictionary"),
        tr("inputs: W ≈ D S as in the paper, a sparse code for every output. outputs: the "
           "transpose, a sparse code for every input; layers with fewer outputs than inputs "
           "get far more atoms for their bytes. K-SVD stays with the inputs, or has the outputs "
           "without calibration."));
    m_allocation = new QComboBox;
    m_allocation->setObjectName(QStringLiteral("allocation"));
    m_allocation->setAccessibleName(tr("Allocation of bytes"));
    addChoice(m_allocation, tr("same CR for all"), "uniform", tr("As in the paper"));
    addChoice(m_allocation, tr("by sensitivity"), "knapsack",
              tr("The same bytes in all, more for matrices whose errors are felt"));
    explain(m_allocation, tr("Allocation of bytes"),
            tr("same CR for all: the paper. by sensitivity: a short trial measures what an error "
               "of each matrix costs the model's predictions, and a knapsack shares the same "
               "bytes accordingly; takes a few minutes more."));
    m_propagation = new QComboBox;
    m_propagation->setObjectName(QStringLiteral("propagation"));
    m_propagation->setAccessibleName(tr("Error propagation"));
    addChoice(m_propagation, tr("off (paper)"), "off",
              tr("Every layer is fitted to the inputs of the original model"));
    addChoice(m_propagation, tr("compressed inputs"), "input",
              tr("Layers in forward order, fitted to the inputs that those before leave"));
    addChoice(m_propagation, tr("errors made up for"), "target",
              tr("And to the outputs of the original model"));
    explain(m_propagation, tr("Error propagation"),
            tr("off: the inputs X of the original model, as in the paper. compressed inputs: X' "
               "of the model compressed so far. errors made up for: X' as well, and the weight "
               "that brings the layer's output closest to the original's, so that later layers "
               "mend errors of earlier ones. Both take a few forward passes more."));
    form->addRow(tr("Dictionary"), inRow({m_side, m_allocation}));
    form->addRow(tr("Propagation"), m_propagation);
    m_init = new QComboBox;
    m_init->setObjectName(QStringLiteral("init"));
    m_init->setAccessibleName(tr("Start of K-SVD"));
    addChoice(m_init, tr("columns of W_L"), "random", tr("Random columns of the whitened weight"));
    addChoice(m_init, tr("columns of W"), "weight",
              tr("Random columns of the weight as it came, as in the paper"));
    addChoice(m_init, tr("Gaussian"), "gaussian", tr("Random directions"));
    addChoice(m_init, tr("SVD"), "svd", tr("Leading left singular vectors, then columns"));
    explain(m_init, tr("Start of the dictionary (Algorithm 1)"),
            tr("K-SVD: the first whitened dictionary: random columns of the whitened weight W_L, "
               "those of the weight W (the paper), random directions, or singular vectors."));
    m_update = new QComboBox;
    m_update->setObjectName(QStringLiteral("update"));
    m_update->setAccessibleName(tr("Dictionary update of K-SVD"));
    addChoice(m_update, tr("power iterations"), "ksvd", tr("As in the paper"));
    addChoice(m_update, tr("exact SVD"), "ksvd-exact", tr("A full SVD for each atom"));
    addChoice(m_update, tr("MOD"), "mod", tr("Least squares over all atoms at once"));
    explain(m_update, tr("Dictionary update (Algorithm 1)"),
            tr("K-SVD: atom by atom, by power iterations (paper) or an exact SVD; or MOD, all "
               "atoms at once by least squares."));
    form->addRow(tr("K-SVD"), inRow({m_init, m_update}));
    m_deadAtoms = new QComboBox;
    m_deadAtoms->setObjectName(QStringLiteral("deadAtoms"));
    m_deadAtoms->setAccessibleName(tr("Atoms without use"));
    addChoice(m_deadAtoms, tr("dead atoms replaced"), "replace",
              tr("By the direction of a column that is coded worst"));
    addChoice(m_deadAtoms, tr("dead atoms kept"), "keep", tr("As in the paper"));
    explain(m_deadAtoms, tr("Dead atoms (Algorithm 1)"),
            tr("K-SVD: what happens to an atom that no column uses after coding. Replaced: it gets "
               "the direction of a column that is coded worst. Kept: left alone, as in the "
               "paper."));
    m_rounding = new QComboBox;
    m_rounding->setObjectName(QStringLiteral("rounding"));
    m_rounding->setAccessibleName(tr("Rounding of coefficients"));
    addChoice(m_rounding, tr("codes rounded"), "nearest", tr("To the nearest stored value"));
    addChoice(m_rounding, tr("codes truncated"), "truncate",
              tr("The lowest bits of bf16 cut off, as in the paper"));
    explain(m_rounding, tr("Rounding of coefficients (§4.2.1)"),
            tr("K-SVD: how a coefficient gets fewer than 16 bits. Rounded: the nearest value. "
               "Truncated: bf16 with its lowest bits cut off, as in the paper; twice the error of "
               "rounding."));
    form->addRow(QString(), inRow({m_deadAtoms, m_rounding}));
    for (QComboBox* box :
         {m_side, m_allocation, m_propagation, m_init, m_update, m_deadAtoms, m_rounding}) {
        connect(box, &QComboBox::currentIndexChanged, this, [this] { take(tr("dictionary")); });
    }

    m_iterations = makeSpin("iterations", 0, 1000, 0);
    m_iterations->setSpecialValueText(tr("default"));
    m_iterations->setAccessibleName(tr("Iterations"));
    explain(m_iterations, tr("Iterations T (Algorithm 1)"),
            tr("Of coding and dictionary update. default: 60 for K-SVD as in the paper, 22 for "
               "fast, 20 for COMPOT."));
    m_powerIterations = makeSpin("powerIterations", 0, 64, defaults.powerIterations);
    m_powerIterations->setSpecialValueText(tr("exact"));
    m_powerIterations->setAccessibleName(tr("Power iterations"));
    explain(m_powerIterations, tr("Power iterations (Algorithm 1)"),
            tr("K-SVD: steps that find an atom's leading singular pair; the paper uses 8. exact: a "
               "full SVD for each atom."));
    form->addRow(tr("Iterations"),
                 inRow({m_iterations, new QLabel(tr("power")), m_powerIterations}));
    m_tolerance = new QDoubleSpinBox;
    m_tolerance->setObjectName(QStringLiteral("tolerance"));
    m_tolerance->setAccessibleName(tr("Tolerance"));
    m_tolerance->setRange(0, 0.1);
    m_tolerance->setDecimals(5);
    m_tolerance->setSingleStep(0.0005);
    m_tolerance->setSpecialValueText(tr("never"));
    keepUnselected(m_tolerance);
    explain(m_tolerance, tr("Tolerance"),
            tr("Stops a matrix when its error improves by less than this fraction in an iteration. "
               "never: all iterations are done."));
    m_seed = makeSpin("seed", 0, std::numeric_limits<int>::max(), static_cast<int>(defaults.seed));
    m_seed->setAccessibleName(tr("Seed"));
    explain(m_seed, tr("Seed"),
            tr("Of every random choice: equal plans give equal files. The paper uses 42."));
    form->addRow(tr("Stop below"), inRow({m_tolerance, new QLabel(tr("seed")), m_seed}));

    connect(m_cr, &SliderSpin::valueChanged, this, [this] { take(tr("CR")); });
    connect(m_rho, &SliderSpin::valueChanged, this, [this] { take(tr("ρ")); });
    connect(m_accounting, &QComboBox::currentIndexChanged, this, [this] { take(tr("storage")); });
    connect(m_bits, &QSpinBox::valueChanged, this, [this] { take(tr("bits")); });
    connect(m_iterations, &QSpinBox::valueChanged, this, [this] { take(tr("iterations")); });
    connect(m_powerIterations, &QSpinBox::valueChanged, this,
            [this] { take(tr("power iterations")); });
    connect(m_tolerance, &QDoubleSpinBox::valueChanged, this, [this] { take(tr("tolerance")); });
    connect(m_seed, &QSpinBox::valueChanged, this, [this] { take(tr("seed")); });
    keepUnselected(m_cr->spin());
    keepUnselected(m_rho->spin());
}

void PlanPanel::buildCalibration(QFormLayout* form) {
    const RunSpecification defaults;
    m_text = new QLineEdit;
    m_text->setObjectName(QStringLiteral("calibrationText"));
    m_text->setAccessibleName(tr("Calibration text"));
    m_text->setPlaceholderText(tr("the C4 sample that ships"));
    m_text->setClearButtonEnabled(true);
    auto* browse = new QToolButton;
    browse->setIcon(icon(QStringLiteral("open")));
    browse->setToolTip(tr("Choose a text"));
    browse->setAccessibleName(tr("Choose a calibration text"));
    explain(m_text, tr("Calibration text (§3.1)"),
            tr("A .txt, or a .jsonl with a “text” field a line, either also as .gz, that the model "
               "reads to find out which directions of a layer's input matter: G = XᵀX. The word "
               "web is the text that ships for more tokens than the C4 sample holds."));
    form->addRow(tr("Text"), inRow({m_text, browse}));
    m_sequences =
        makeSpin("sequences", 1, 100000, static_cast<int>(defaults.calibration.sequences));
    m_sequences->setAccessibleName(tr("Calibration sequences"));
    m_length = makeSpin("length", 8, 8192, static_cast<int>(defaults.calibration.length));
    m_length->setAccessibleName(tr("Tokens a sequence"));
    m_length->setSuffix(tr(" tokens"));
    const QString help =
        tr("Sequences × tokens each that the model reads. More is better and slower: 64 × 512 is a "
           "good start, the paper takes 256 × 1024, for which the text “web” suffices.");
    explain(m_sequences, tr("N tokens (§4)"), help);
    explain(m_length, tr("N tokens (§4)"), help);
    form->addRow(tr("Size"), inRow({m_sequences, new QLabel(QStringLiteral("×")), m_length}));
    connect(m_text, &QLineEdit::textChanged, this, [this] { take(tr("calibration text")); });
    for (QSpinBox* spin : {m_sequences, m_length}) {
        connect(spin, &QSpinBox::valueChanged, this, [this] { take(tr("calibration size")); });
    }
    connect(browse, &QToolButton::clicked, this, [this] {
        auto* dialog =
            new QFileDialog(this, tr("Calibration text"), m_text->text(),
                            tr("Texts (*.txt *.jsonl *.txt.gz *.jsonl.gz);;All files (*)"));
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        connect(dialog, &QFileDialog::fileSelected, m_text, &QLineEdit::setText);
        dialog->open();
    });
}

void PlanPanel::buildSweep(QFormLayout* form) {
    const auto list = [this](const char* name, const QString& example, const QString& what) {
        auto* edit = new QLineEdit;
        edit->setObjectName(QString::fromLatin1(name));
        edit->setAccessibleName(tr("List of %1").arg(what));
        edit->setPlaceholderText(example);
        edit->setClearButtonEnabled(true);
        explain(edit, tr("Sweep over %1").arg(what),
                tr("Values apart by blanks or commas, or first:last:step. Every combination of all "
                   "lists becomes a run; the grid stands on the right before anything starts. "
                   "Empty: the single value above."));
        connect(edit, &QLineEdit::textChanged, this, [this] { take(tr("sweep")); });
        return edit;
    };
    m_crList = list("sweepCr", tr("e.g. 0.2 0.3 0.4"), tr("CR"));
    m_rhoList = list("sweepRho", tr("e.g. 1.5:3:0.5"), tr("ρ"));
    m_iterationList = list("sweepIterations", tr("e.g. 10 22 60"), tr("iterations"));
    m_seedList = list("sweepSeed", tr("e.g. 1 2 3"), tr("seeds"));
    form->addRow(tr("CR"), inRow({m_crList, new QLabel(tr("ρ")), m_rhoList}));
    form->addRow(tr("Iterations"), inRow({m_iterationList, new QLabel(tr("seeds")), m_seedList}));
}

}  // namespace cospadi::ui
