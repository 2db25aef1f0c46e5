#include "ui/pages/plan/storage_section.h"

#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QLocale>
#include <QSpinBox>

#include "core/methods/method.h"
#include "core/methods/rho_candidates.h"
#include "core/store/idle_settings.h"
#include "core/store/shared_settings.h"
#include "ui/models/storage_words.h"
#include "ui/widgets/slider_spin.h"

namespace cospadi::ui {

namespace {

QString candidates() {
    QStringList numbers;
    for (const double rho : kRhoCandidates) {
        numbers << QLocale().toString(rho);
    }
    return numbers.join(QStringLiteral(", "));
}

}  // namespace

StorageSection::StorageSection(QFormLayout* form, PlanHelp* help, QObject* parent)
    : PlanSection(form, help, parent) {
    makeRatios();
    makeStorage();
    makeRounding();
}

void StorageSection::makeRatios() {
    const RunSpecification defaults;
    m_cr = makeSlider({"cr", tr("Compression ratio"), tr("CR, γ (eq. 9)"),
                       tr("The fraction of storage that is removed: 0.20 leaves 80 % of the bytes "
                          "of the selected layers, the mask of S counted.")},
                      0.05, 0.9, 0.01, defaults.cr, tr("CR"));
    m_removed = new QLabel;
    m_removed->setObjectName(QStringLiteral("muted"));
    m_removed->setMinimumWidth(m_removed->fontMetrics().horizontalAdvance(tr("removes 00 %")));
    connect(m_cr, &SliderSpin::valueChanged, this, &StorageSection::showRemoved);
    showRemoved();
    form()->addRow(tr("CR"), inRow({m_cr, m_removed}));
    m_rho = makeSlider({"rho", tr("ρ"), tr("ρ = k/s (§3.4)"),
                        tr("Atoms in the dictionary per non-zero of a column. Greater ρ: more "
                           "atoms and sparser codes for the same bytes. The paper uses 2; the "
                           "Explore page shows what is best for a matrix.")},
                       1, 8, 0.05, defaults.rho, tr("ρ"));
    m_rhoChoice = makeChoice(
        {"rhoChoice", tr("Whose ρ"), tr("ρ = k/s (§3.4)"),
         tr("One ρ for all matrices, or each its own: of %1 the one that leaves the least error on "
            "trial, in the bytes that the matrix has.")
             .arg(candidates())},
        {{tr("for all"), "number", tr("The ρ of the slider")},
         {tr("auto"), kAutoRho, tr("Tried matrix by matrix before the run; not in the paper")}},
        tr("ρ"));
    form()->addRow(tr("ρ = k/s"), inRow({m_rho, m_rhoChoice}));
}

void StorageSection::showRemoved() {
    m_removed->setText(tr("removes %1 %").arg(QLocale().toString(100 * m_cr->value(), 'f', 0)));
}

void StorageSection::makeStorage() {
    m_accounting = makeChoice(
        {"accounting", tr("Storage"), tr("Storage (eq. 10, eq. 11)"),
         tr("How k and s follow from CR and ρ, by an equation of the paper or beyond it. eq 10: "
            "bf16 values and one bit per mask entry. "
            "eq 11: values shortened by ⌈ρ⌉ bits pay for the mask, which leaves more atoms. "
            "packed, not in the paper: values of 8 or 9 bits, and as many atoms as then fit: a "
            "far smaller error for the same bytes on disk, more work to multiply. packed8: the "
            "dictionary, too, in eight bits an entry: the smallest error, and the most atoms. "
            "integers: both in 2 to 8 bits with a 16-bit scale for every 64 entries, fitted to "
            "each "
            "other as they are stored. Low rank likewise: bf16 factors, or with packed a short "
            "right factor, with packed8 "
            "a left one in eight bits, and the greatest rank that then fits. remapped, of low rank "
            "alone: both factors in eight bits an entry, but for what the longer one has beyond "
            "the shorter one's length, as Dobi-SVD.")},
        {{storageWords(Accounting::Eq11), "eq11",
          tr("Coefficients lose ⌈ρ⌉ bits, which pay for the mask (paper, eq. 11)")},
         {storageWords(Accounting::Eq10), "eq10",
          tr("Coefficients keep 16 bits; the mask costs one bit an entry (paper, eq. 10)")},
         {storageWords(Accounting::Packed), "packed",
          tr("Coefficients of 9 bits (8 from CR 0.25 on); the bytes they save buy atoms")},
         {storageWords(Accounting::Packed8), "packed8",
          tr("As packed, and the dictionary in eight bits an entry")},
         {storageWords(Accounting::Integers), "integers",
          tr("Both factors in 2 to 8 bits, scales counted, each fitted to the other as stored")},
         {storageWords(Accounting::Remapped), "remapped",
          tr("Low rank alone: two 8-bit entries in the room of one of 16 (Dobi-SVD)")}},
        tr("storage"));
    m_bits = makeSpin(
        {"coefficientBits", tr("Bits of a coefficient"), tr("Bits of a coefficient (§3.4)"),
         tr("What a stored value of S, or of a packed right factor, keeps of bf16's 16 bits. "
            "auto: what the storage rule implies (16; 16 − ⌈ρ⌉; packed 9 or 8; packed8 10 to "
            "8; integers the best on trial). Fewer bits buy atoms or rank when packed, else they "
            "save bytes beyond the plan. Integers take 2 to 8, all else 8 to 16.")},
        1, 16, 1, tr("bits"));
    m_bits->setSpecialValueText(tr("auto"));
    m_bits->setSuffix(tr(" bits"));
    m_dictionaryBits =
        makeSpin({"dictionaryBits", tr("Bits of the dictionary"), tr("Bits of the dictionary"),
                  tr("Of integers: what an entry of the dictionary, or of the left factor, has. "
                     "auto: the best on trial, matrix by matrix.")},
                 1, 8, 1, tr("dictionary bits"));
    m_dictionaryBits->setSpecialValueText(tr("auto"));
    m_dictionaryBits->setSuffix(tr(" bits"));
    form()->addRow(tr("Storage"), inRow({m_accounting, m_bits, m_dictionaryBits}));
}

void StorageSection::makeRounding() {
    m_refit = makeChoice(
        {"refit", tr("Refit after rounding"), tr("Refit after rounding"),
         tr("Once the dictionary, or a left factor, is rounded as it is stored, the values of "
            "S, or the right factor, can be fitted to it by least squares before they are "
            "rounded themselves. Not in the paper; never a larger error before that last "
            "rounding.")},
        {{tr("refit as usual"), "auto",
          tr("fast and packed factors are refitted; K-SVD and low rank not, as published")},
         {tr("refit"), "on", tr("To the rounded dictionary or left factor")},
         {tr("no refit"), "off", tr("Both factors are rounded as they are")}},
        tr("refit"));
    m_format = makeChoice(
        {"coefficientFormat", tr("Format of a coefficient"), tr("Format of a coefficient (§4.2.1)"),
         tr("What a coefficient of fewer than 16 bits gives up. mantissa: bf16's lowest bits, "
            "as in the paper. exponent: a power of two common to an atom's codes goes into the "
            "atom, and fewer bits of exponent are enough for what is left.")},
        {{tr("format as usual"), "auto",
          tr("K-SVD: short mantissas, as in the paper; else short exponents")},
         {tr("short mantissas"), "mantissa", tr("bf16 without its lowest bits (the paper)")},
         {tr("short exponents"), "exponent",
          tr("The scale of an atom's codes goes into the atom, which leaves more digits")}},
        tr("format"));
    form()->addRow(tr("Rounding"), inRow({m_format, m_refit}));
}

void StorageSection::writeTo(RunSpecification& plan) const {
    plan.cr = m_cr->value();
    plan.autoRho = chosen(m_rhoChoice) == kAutoRho;
    plan.rho = plan.autoRho ? RunSpecification().rho : m_rho->value();
    setSetting(plan, "accounting", chosen(m_accounting));
    plan.coefficientBits = m_bits->value() == m_bits->minimum() ? 0 : m_bits->value();
    plan.dictionaryBits =
        m_dictionaryBits->value() == m_dictionaryBits->minimum() ? 0 : m_dictionaryBits->value();
    setSetting(plan, "coefficient_format", chosen(m_format));
    setSetting(plan, "refit", chosen(m_refit));
}

void StorageSection::show(const RunSpecification& plan) {
    m_cr->setValue(plan.cr);
    showRemoved();
    choose(m_rhoChoice, plan.autoRho ? kAutoRho : "number");
    m_rho->setValue(plan.autoRho ? m_rho->value() : plan.rho);
    choose(m_accounting, wordOf(plan, "accounting"));
    m_bits->setValue(plan.coefficientBits > 0 ? plan.coefficientBits : m_bits->minimum());
    m_dictionaryBits->setValue(plan.dictionaryBits > 0 ? plan.dictionaryBits
                                                       : m_dictionaryBits->minimum());
    choose(m_format, wordOf(plan, "coefficient_format"));
    choose(m_refit, wordOf(plan, "refit"));
}

void StorageSection::enableWhatCounts(const RunSpecification& plan) {
    const Method& method = methodOf(plan);
    enable({m_cr}, hasRatio(plan));
    enable({m_rho}, counts(plan, "rho") && !plan.autoRho);
    enable({m_rhoChoice}, counts(plan, "rho"));
    enable({m_accounting}, method.uses("accounting"));
    enable({m_bits, m_format},
           method.uses("coefficient_bits") && (method.uses("rho") || isPacked(plan.accounting)));
    enable({m_dictionaryBits},
           method.uses("dictionary_bits") && plan.accounting == Accounting::Integers);
    enable({m_refit}, method.uses("refit"));
}

}  // namespace cospadi::ui
