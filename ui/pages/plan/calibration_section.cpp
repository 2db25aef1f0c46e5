#include "ui/pages/plan/calibration_section.h"

#include <QFileDialog>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QToolButton>
#include <limits>

#include "ui/base/theme.h"
#include "ui/pages/plan/setting_fields.h"

namespace cospadi::ui {

CalibrationSection::CalibrationSection(QFormLayout* form, SettingFields* settings, PlanHelp* help,
                                       QObject* parent)
    : PlanSection(form, help, parent) {
    const CalibrationSpecification defaults;
    m_text = makeLine(
        {"calibrationText", tr("Calibration text"), tr("Calibration text (§3.1)"),
         tr("A .txt file, or a .jsonl file with a “text” field per line, either also as .gz. The "
            "model reads it to find out which directions of a layer's input matter: G = XᵀX. The "
            "word web selects the bundled text for more tokens than the C4 sample has.")},
        tr("the bundled C4 sample"), tr("calibration text"));
    auto* button = new QToolButton;
    button->setIcon(icon(QStringLiteral("open")));
    button->setToolTip(tr("Choose a text"));
    button->setAccessibleName(tr("Choose a calibration text"));
    connect(button, &QToolButton::clicked, this, &CalibrationSection::browse);
    form->addRow(tr("Text"), inRow({m_text, button}));
    const QString size = tr(
        "Sequences × tokens per sequence that the model reads. More is better but slower: 64 × 512 "
        "is a good start; the paper uses 256 × 1024, for which the text “web” is long enough.");
    m_sequences = makeSpin({"sequences", tr("Calibration sequences"), tr("N tokens (§4)"), size}, 1,
                           100000, static_cast<int>(defaults.sequences), tr("calibration size"));
    m_length = makeSpin({"length", tr("Tokens per sequence"), tr("N tokens (§4)"), size}, 8, 8192,
                        static_cast<int>(defaults.length), tr("calibration size"));
    m_length->setSuffix(tr(" tokens"));
    form->addRow(tr("Size"), inRow({m_sequences, new QLabel(QStringLiteral("×")), m_length}));
    m_seed = makeSpin({"calibrationSeed", tr("Seed of the calibration"), tr("Seed"),
                       tr("Selects the sequences from the text: another seed gives another sample. "
                          "The solver has a seed of its own.")},
                      0, std::numeric_limits<int>::max(), static_cast<int>(defaults.seed),
                      tr("calibration seed"));
    form->addRow(tr("Seed"), m_seed);
    form->addRow(tr("Held out"), settings->field("held_out"));
}

void CalibrationSection::browse() {
    auto* dialog = new QFileDialog(m_text->window(), tr("Calibration text"), m_text->text(),
                                   tr("Texts (*.txt *.jsonl *.txt.gz *.jsonl.gz);;All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::fileSelected, m_text, &QLineEdit::setText);
    dialog->open();
}

void CalibrationSection::writeTo(RunSpecification& plan) const {
    plan.calibration.text = m_text->text().trimmed().toStdString();
    plan.calibration.sequences = m_sequences->value();
    plan.calibration.length = m_length->value();
    plan.calibration.seed = static_cast<std::uint64_t>(m_seed->value());
}

void CalibrationSection::show(const RunSpecification& plan) {
    m_text->setText(QString::fromStdString(plan.calibration.text));
    m_sequences->setValue(static_cast<int>(plan.calibration.sequences));
    m_length->setValue(static_cast<int>(plan.calibration.length));
    m_seed->setValue(static_cast<int>(plan.calibration.seed));
}

void CalibrationSection::enableWhatCounts(const RunSpecification& plan) {
    enable({m_text, m_sequences, m_length, m_seed}, isCalibrated(plan));
}

}  // namespace cospadi::ui
