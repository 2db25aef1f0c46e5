#include "ui/pages/plan/setting_words.h"

#include <QLocale>
#include <map>
#include <string_view>

#include "core/methods/allocation_words.h"
#include "core/methods/rho_candidates.h"
#include "ui/base/engine_words.h"
#include "ui/base/help_words.h"
#include "ui/models/storage_words.h"

namespace cospadi::ui {

namespace {

QString rhoCandidates() {
    QStringList numbers;
    for (const double rho : kRhoCandidates) {
        numbers << QLocale().toString(rho);
    }
    return numbers.join(QStringLiteral(", "));
}

SettingWords wordsOfDescription(const Option& option) {
    SettingWords words;
    const QString title = engineWords(option.title);
    const QString symbol = QString::fromUtf8(option.symbol);
    words.field = {option.name, title,
                   symbol.isEmpty() ? title : QStringLiteral("%1, %2").arg(title, symbol),
                   helpWords(option.help)};
    for (const OptionChoice& choice : option.choices) {
        words.choices.append(
            {choiceWords(option.name, choice.word), choice.word, helpWords(choice.help)});
    }
    if (option.wordInstead != nullptr) {
        words.instead = words.field;
        words.insteadChoices = {{QStringLiteral("="), "number", {}},
                                {QString::fromUtf8(option.wordInstead), option.wordInstead, {}}};
    }
    return words;
}

}  // namespace

SettingWords SettingWords::of(const Option& option) {
    static const std::map<std::string_view, SettingWords (*)()> known = {
        {"solver", solver},
        {"cr", cr},
        {"rho", rho},
        {"accounting", accounting},
        {"coefficient_bits", coefficientBits},
        {"dictionary_bits", dictionaryBits},
        {"coefficient_format", coefficientFormat},
        {"refit", refit},
        {"side", side},
        {"allocation", allocation},
        {"propagation", propagation},
        {"held_out", heldOut},
        {"ridge", ridge},
        {"init", init},
        {"update", update},
        {"coder", coder},
        {"dead_atoms", deadAtoms},
        {"coefficient_rounding", coefficientRounding},
        {"iterations", iterations},
        {"power_iterations", powerIterations},
        {"tolerance", tolerance},
        {"seed", seed},
        {"refine", refine},
        {"refine_rate", refineRate}};
    const auto found = known.find(option.name);
    return found != known.end() ? found->second() : wordsOfDescription(option);
}

SettingWords SettingWords::solver() {
    return {{"solver", tr("Solver"), tr("Solver (Algorithm 1)"),
             tr("K-SVD: orthogonal matching pursuit and K-SVD in turn, the paper's algorithm; "
                "minutes per matrix. fast: thresholding and least squares in turn; seconds per "
                "matrix, and a lower error.")},
            {{tr("fast"), "fast",
              tr("Thresholding and least squares: seconds per matrix, lower error")},
             {tr("K-SVD"), "ksvd",
              tr("OMP and K-SVD, Algorithm 1: the slow reference, minutes per matrix")}}};
}

SettingWords SettingWords::cr() {
    return {{"cr", tr("Compression ratio"), tr("CR, γ (eq. 9)"),
             tr("The fraction of storage that is removed: 0.20 leaves 80 % of the bytes of the "
                "selected layers, including the mask of S.")}};
}

SettingWords SettingWords::rho() {
    SettingWords words;
    words.field = {"rho", tr("ρ"), tr("ρ = k/s (§3.4)"),
                   tr("Atoms in the dictionary per non-zero of a column. Greater ρ: more "
                      "atoms and sparser codes for the same bytes. The paper uses 2; the "
                      "Explore page shows what is best for a matrix.")};
    words.instead = {"rho_choice", tr("Choice of ρ"), tr("ρ = k/s (§3.4)"),
                     tr("One ρ for all matrices, or one per matrix: of %1, the one with the lowest "
                        "error in a trial, within the bytes of the matrix.")
                         .arg(rhoCandidates())};
    words.insteadChoices = {
        {tr("for all"), "number", tr("The ρ of the slider")},
        {tr("auto"), kAutoRho, tr("Tried matrix by matrix before the run; not in the paper")}};
    return words;
}

SettingWords SettingWords::accounting() {
    return {
        {"accounting", tr("Storage"), tr("Storage (eq. 10, eq. 11)"),
         tr("How k and s follow from CR and ρ, by an equation of the paper or beyond it. eq 10: "
            "bf16 values and one bit per mask entry. eq 11: values shortened by ⌈ρ⌉ bits pay for "
            "the mask, which leaves more atoms. packed, not in the paper: values of 8 or 9 bits, "
            "and as many atoms as then fit: a far smaller error for the same bytes on disk, more "
            "work to multiply. packed8: the dictionary, too, in eight bits per entry: the smallest "
            "error, and the most atoms. integers: both in 2 to 8 bits with a 16-bit scale for "
            "every 64 entries, fitted to each other as they are stored. Low rank likewise: bf16 "
            "factors, or with packed a short right factor, with packed8 a left one in eight bits, "
            "and the largest rank that then fits. remapped, for low rank only: both factors in "
            "eight bits per entry, except for the part by which the longer one exceeds the "
            "shorter, as in Dobi-SVD.")},
        {{storageWords(Accounting::Eq11), "eq11",
          tr("Coefficients lose ⌈ρ⌉ bits, which pay for the mask (paper, eq. 11)")},
         {storageWords(Accounting::Eq10), "eq10",
          tr("Coefficients keep 16 bits; the mask costs one bit per entry (paper, eq. 10)")},
         {storageWords(Accounting::Packed), "packed",
          tr("Coefficients of 9 bits (8 from CR 0.25 on); the bytes they save buy atoms")},
         {storageWords(Accounting::Packed8), "packed8",
          tr("As packed, and the dictionary in eight bits per entry")},
         {storageWords(Accounting::Integers), "integers",
          tr("Both factors in 2 to 8 bits, including scales, each fitted to the other as stored")},
         {storageWords(Accounting::Remapped), "remapped",
          tr("Low rank only: two 8-bit entries in the space of a 16-bit one (Dobi-SVD)")}}};
}

SettingWords SettingWords::coefficientBits() {
    return {
        {"coefficient_bits", tr("Bits of a coefficient"), tr("Bits of a coefficient (§3.4)"),
         tr("How many of bf16's 16 bits a stored value of S, or of a packed right factor, keeps. "
            "auto: what the storage rule implies (16; 16 − ⌈ρ⌉; packed 9 or 8; packed8 10 to 8; "
            "integers the best in a trial). Fewer bits buy atoms or rank when packed; otherwise "
            "they save bytes beyond the plan. Integers take 2 to 8, all others 8 to 16.")},
        {},
        tr("auto"),
        tr(" bits")};
}

SettingWords SettingWords::dictionaryBits() {
    return {{"dictionary_bits", tr("Bits of the dictionary"), tr("Bits of the dictionary"),
             tr("For integers: the bits per entry of the dictionary or left factor. auto: the best "
                "in a trial, matrix by matrix.")},
            {},
            tr("auto"),
            tr(" bits")};
}

SettingWords SettingWords::coefficientFormat() {
    return {
        {"coefficient_format", tr("Format of a coefficient"),
         tr("Format of a coefficient (§4.2.1)"),
         tr("What a coefficient of fewer than 16 bits gives up. mantissa: bf16's lowest bits, as "
            "in the paper. exponent: a power of two common to an atom's codes is moved into the "
            "atom, and fewer exponent bits suffice for the rest.")},
        {{tr("default format"), "auto",
          tr("K-SVD: short mantissas, as in the paper; else short exponents")},
         {tr("short mantissas"), "mantissa", tr("bf16 without its lowest bits (the paper)")},
         {tr("short exponents"), "exponent",
          tr("The scale of an atom's codes is moved into the atom, which leaves more digits")}}};
}

SettingWords SettingWords::refit() {
    return {
        {"refit", tr("Refit after rounding"), tr("Refit after rounding"),
         tr("Once the dictionary or left factor has been rounded for storage, the values of S or "
            "the right factor can be fitted to it by least squares before they are rounded "
            "themselves. Not in the paper; the error before that last rounding is never larger.")},
        {{tr("default refit"), "auto",
          tr("fast and packed factors are refitted; K-SVD and low rank are not, as published")},
         {tr("refit"), "on", tr("To the rounded dictionary or left factor")},
         {tr("no refit"), "off", tr("Both factors are rounded as they are")}}};
}

SettingWords SettingWords::side() {
    return {{"side", tr("Side of the dictionary"), tr("Side of the dictionary"),
             tr("inputs: W ≈ D S as in the paper, a sparse code for every output. outputs: the "
                "transpose, a sparse code for every input; layers with fewer outputs than inputs "
                "get far more atoms for their bytes. K-SVD keeps to the inputs, or allows the "
                "outputs without calibration.")},
            {{tr("shorter side"), "auto",
              tr("The inputs or the outputs of a layer, whichever are fewer")},
             {tr("inputs (paper)"), "input", tr("W ≈ D S with atoms over the inputs")},
             {tr("outputs"), "output", tr("W ≈ (D S)ᵀ with atoms over the outputs")}}};
}

SettingWords SettingWords::allocation() {
    QList<FieldChoice> rules;
    for (const AllocationWords& words : allocationWords()) {
        rules.append({engineWords(words.title), words.name,
                      helpWords(words.summary) +
                          (*words.source != 0 ? QString(" (%1)").arg(words.source) : QString())});
    }
    return {{"allocation", tr("Allocation of bytes"), tr("Allocation of bytes"),
             tr("same CR for all: the paper. by sensitivity: a short trial measures what an error "
                "of each matrix costs the model's predictions, and a knapsack distributes the same "
                "bytes accordingly; this takes a few more minutes. The rules of other methods "
                "distribute the same bytes by the weights themselves, their spectra or errors.")},
            rules};
}

SettingWords SettingWords::propagation() {
    return {{"propagation", tr("Error propagation"), tr("Error propagation"),
             tr("off: the inputs X of the original model, as in the paper. compressed inputs: X' "
                "of the model compressed so far. errors compensated: X' as well, and the weight "
                "that brings the layer's output closest to the original's, so that later layers "
                "correct errors of earlier ones. Both take a few extra forward passes.")},
            {{tr("off (paper)"), "off",
              tr("Every layer is fitted to the inputs of the original model")},
             {tr("compressed inputs"), "input",
              tr("Layers in forward order, fitted to the inputs that the preceding ones produce")},
             {tr("errors compensated"), "target",
              tr("Also fitted to the outputs of the original model")}}};
}

SettingWords SettingWords::heldOut() {
    return {{"held_out", tr("Held out"), tr("Held out"),
             tr("Share of the sequences excluded from fitting. The error on them is reported next "
                "to the fitted one at every iteration: where it lags behind, the factors learn the "
                "text and not the layer. 0.125 is typical; none: all are fitted.")},
            {},
            tr("none")};
}

SettingWords SettingWords::ridge() {
    return {{"ridge", tr("Ridge on the Gram"), tr("Ridge"),
             tr("Added to the Gram's diagonal, relative to its mean, so that rarely excited inputs "
                "keep some weight. none: as in the paper. Errors are reported with the unmodified "
                "Gram.")},
            {},
            tr("none")};
}

SettingWords SettingWords::init() {
    return {{"init", tr("Start of K-SVD"), tr("Start of the dictionary (Algorithm 1)"),
             tr("K-SVD: the first whitened dictionary: random columns of the whitened weight W_L, "
                "those of the weight W (the paper), random directions, or singular vectors.")},
            {{tr("columns of W_L"), "random", tr("Random columns of the whitened weight")},
             {tr("columns of W"), "weight",
              tr("Random columns of the original weight, as in the paper")},
             {tr("Gaussian"), "gaussian", tr("Random directions")},
             {tr("SVD"), "svd", tr("Leading left singular vectors, then columns")}}};
}

SettingWords SettingWords::update() {
    return {
        {"update", tr("Dictionary update of K-SVD"), tr("Dictionary update (Algorithm 1)"),
         tr("K-SVD: atom by atom, by power iterations (paper), an exact SVD or one of a random "
            "sketch; MOD, all atoms at once by least squares; or online, atoms in turn after each "
            "batch of columns.")},
        {{tr("power iterations"), "ksvd", tr("As in the paper")},
         {tr("exact SVD"), "ksvd-exact", tr("A full SVD for each atom")},
         {tr("randomised SVD"), "ksvd-randomized", tr("An SVD of eight random directions")},
         {tr("MOD"), "mod", tr("Least squares over all atoms at once")},
         {tr("online"), "online", tr("Atoms in turn after each of four batches of columns")}}};
}

SettingWords SettingWords::coder() {
    return {{"coder", tr("Coder of K-SVD"), tr("Coder (Algorithm 1)"),
             tr("K-SVD: how the columns are coded given the dictionary: by orthogonal matching "
                "pursuit (the paper), or by the LASSO, whose coefficients are shrunk.")},
            {{tr("OMP"), "omp", tr("Orthogonal matching pursuit, as in the paper")},
             {tr("LASSO"), "lasso", tr("The LASSO's path to as many atoms as a column may have")}}};
}

SettingWords SettingWords::deadAtoms() {
    return {
        {"dead_atoms", tr("Unused atoms"), tr("Dead atoms (Algorithm 1)"),
         tr("K-SVD: what happens to an atom that no column uses after coding. Replaced: it takes "
            "the direction of one of the worst-coded columns. Kept: left alone, as in the paper.")},
        {{tr("dead atoms replaced"), "replace",
          tr("By the direction of one of the worst-coded columns")},
         {tr("dead atoms kept"), "keep", tr("As in the paper")}}};
}

SettingWords SettingWords::coefficientRounding() {
    return {{"coefficient_rounding", tr("Rounding of coefficients"),
             tr("Rounding of coefficients (§4.2.1)"),
             tr("K-SVD: how a coefficient gets fewer than 16 bits. Rounded: the nearest value. "
                "Truncated: bf16 with its lowest bits cut off, as in the paper; twice the error of "
                "rounding.")},
            {{tr("codes rounded"), "nearest", tr("To the nearest stored value")},
             {tr("codes truncated"), "truncate",
              tr("The lowest bits of bf16 cut off, as in the paper")}}};
}

SettingWords SettingWords::iterations() {
    return {{"iterations", tr("Iterations"), tr("Iterations T (Algorithm 1)"),
             tr("Rounds of coding and dictionary update. default: 60 for K-SVD as in the paper, 22 "
                "for fast, 20 for COMPOT.")},
            {},
            tr("default")};
}

SettingWords SettingWords::powerIterations() {
    return {{"power_iterations", tr("Power iterations"), tr("Power iterations (Algorithm 1)"),
             tr("K-SVD: steps that find an atom's leading singular pair; the paper uses 8. "
                "exact: a full SVD for each atom.")},
            {},
            tr("exact")};
}

SettingWords SettingWords::tolerance() {
    return {{"tolerance", tr("Tolerance"), tr("Tolerance"),
             tr("Stops a matrix when its error improves by less than this fraction in an "
                "iteration. never: all iterations are done.")},
            {},
            tr("never")};
}

SettingWords SettingWords::seed() {
    return {{"seed", tr("Seed"), tr("Seed"),
             tr("Seed of every random choice: equal plans give equal files. The paper uses 42.")}};
}

SettingWords SettingWords::refine() {
    return {
        {"refine", tr("Refinement"), tr("Refinement by the predictions"),
         tr("When all layers are solved, their factors are adjusted jointly, at the same bytes, "
            "until the model predicts what the original predicts on this many sequences of the "
            "calibration text. An eighth of them is held out to measure the gain. 128 is typical; "
            "takes about five forward passes over the sequences. none: as published.")},
        {},
        tr("none")};
}

SettingWords SettingWords::refineRate() {
    return {{"refine_rate", tr("Refinement rate"), tr("Rate of the refinement"),
             tr("How far a step moves an entry, relative to the size of its atom; it decays to 0 "
                "over the text. 0.0005 is typical.")}};
}

}  // namespace cospadi::ui
