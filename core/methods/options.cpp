#include "core/methods/option.h"

#include <fmt/format.h>

#include "core/methods/allocation_words.h"
#include "core/methods/rho_candidates.h"

namespace cospadi {

namespace {

using Whole = std::int64_t;
constexpr double kAnyNumber = 9e15;

std::vector<OptionChoice> allocationChoices() {
    std::vector<OptionChoice> choices;
    for (const AllocationWords& words : allocationWords()) {
        choices.push_back({words.name, words.summary});
    }
    return choices;
}

const char* allocationHelp() {
    static const std::string help = [] {
        std::string text;
        for (const AllocationWords& words : allocationWords()) {
            text += text.empty() ? "" : "; ";
            text += std::string(words.name) + ": " + words.summary;
        }
        return text;
    }();
    return help.c_str();
}

const char* rhoHelp() {
    static const std::string help = fmt::format(
        "ρ = k/s, atoms per non-zero: trades more atoms for shorter codes in the same bytes; {}: "
        "the best of {} by trial, for each matrix",
        kAutoRho, fmt::join(kRhoCandidates, ", "));
    return help.c_str();
}

}  // namespace

// In the order of the command line's help.
const std::vector<Option>& sharedOptions() {
    static const std::vector<Option> all = described(
        {{"solver",
          usualWord("fast"),
          0,
          0,
          {{"fast", "least squares with hard-thresholding pursuit"},
           {"ksvd", "OMP and K-SVD in alternation, as in the paper"}},
          "",
          "Solver",
          "fast, or ksvd (OMP and K-SVD; the preset paper has all the paper's settings)",
          "§3.2, algorithm 1"},
         {"cr",
          0.2,
          0,
          1,
          {},
          "γ",
          "Compression ratio",
          "Fraction of bytes removed, e.g. 0.2",
          "§3.4"},
         {"rho",
          2.0,
          1,
          8,
          {},
          "ρ = k/s",
          "Atoms per non-zero",
          rhoHelp(),
          "§3.4",
          nullptr,
          false,
          kAutoRho},
         {"accounting",
          usualWord("eq11"),
          0,
          0,
          {{"eq10", "bf16 values and one bit per mask entry"},
           {"eq11", "values shortened to compensate for the mask"},
           {"packed", "values of 8 or 9 bits, with as many atoms as fit"},
           {"packed8", "as packed, with an 8-bit dictionary"},
           {"integers", "both factors in few bits, including scales"},
           {"remapped", "low rank only: 8-bit factors in shared 16-bit slots"}},
          "",
          "Accounting",
          "eq10: bf16 values; eq11: values shortened to compensate for the mask; packed: values of "
          "8 or 9 bits, with as many atoms as fit; packed8: as packed, with an 8-bit dictionary; "
          "integers: both factors in 2 to 8 bits with a scale per 64 entries, fitted to each "
          "other. Low rank: bf16 factors; packed: right factor of 8 or 9 bits; packed8: as packed, "
          "with an 8-bit left factor; remapped (low rank only): max(d1, d2) numbers per rank, as "
          "in Dobi-SVD",
          "eq 10, eq 11"},
         {"coefficient_bits",
          Whole{0},
          0,
          16,
          {},
          "b",
          "Coefficient bits",
          "Bits per stored coefficient or packed right-factor entry: 8 to 16 (integers: 2 to 8); "
          "0: implied by the accounting (integers: best by trial)",
          "§4.2.1"},
         {"dictionary_bits",
          Whole{0},
          0,
          8,
          {},
          "",
          "Dictionary bits",
          "integers: bits per entry of the dictionary or left factor: 2 to 8; 0: best by trial",
          "",
          nullptr,
          true},
         {"coefficient_format",
          usualWord("auto"),
          0,
          0,
          {{"auto", "mantissa for ksvd, else exponent"},
           {"mantissa", "bfloat16 without its lowest bits"},
           {"exponent", "a shorter exponent, with scales moved into the atoms"}},
          "",
          "Coefficient format",
          "What is shortened below 16 bits: mantissa (as in the paper), exponent, or auto: "
          "mantissa for ksvd, else exponent",
          "§4.2.1"},
         {"iterations",
          Whole{0},
          0,
          1e6,
          {},
          "T",
          "Iterations",
          "Solver iterations; 0: the method's default (fast 22, ksvd 60, compot 20)",
          "§4"},
         {"power_iterations",
          Whole{8},
          0,
          1e6,
          {},
          "",
          "Power iterations",
          "ksvd: power iterations per atom; 0: exact SVD",
          "§4"},
         {"init",
          usualWord("random"),
          0,
          0,
          {{"random", "random columns of the whitened weight"},
           {"gaussian", "Gaussian atoms"},
           {"svd", "leading singular vectors"},
           {"weight", "random columns of the original weight, as in the paper"}},
          "",
          "Beginning",
          "ksvd: initial dictionary: random columns of the whitened weight, gaussian or svd atoms, "
          "or random columns of the original weight (weight, as in the paper)",
          "algorithm 1"},
         {"update",
          usualWord("ksvd"),
          0,
          0,
          {{"ksvd", "power iterations"},
           {"ksvd-exact", "an exact SVD per atom"},
           {"ksvd-randomized", "an SVD of a random sketch per atom"},
           {"mod", "least squares over all atoms"},
           {"online", "atoms in turn, batch by batch"}},
          "",
          "Dictionary update",
          "ksvd: dictionary update: ksvd (power iterations), ksvd-exact, ksvd-randomized, mod, "
          "online",
          "§3.2"},
         {"coder",
          usualWord("omp"),
          0,
          0,
          {{"omp", "orthogonal matching pursuit"}, {"lasso", "least absolute shrinkage"}},
          "",
          "Coder",
          "ksvd: how columns are coded for a given dictionary: omp (orthogonal matching pursuit, "
          "as in the paper) or lasso (its path up to the same number of atoms, with shrunk "
          "coefficients)",
          "algorithm 1",
          nullptr,
          true},
         {"dead_atoms",
          usualWord("replace"),
          0,
          0,
          {{"replace", "by one of the worst-coded columns"},
           {"keep", "unchanged, as in the paper"}},
          "",
          "Dead atoms",
          "ksvd: atoms that no column uses: replace (by one of the worst-coded columns) or keep "
          "(as in the paper)",
          "algorithm 1"},
         {"coefficient_rounding",
          usualWord("nearest"),
          0,
          0,
          {{"nearest", "the nearest value"}, {"truncate", "lowest bits cut off, as in the paper"}},
          "",
          "Rounding",
          "ksvd: rounding of coefficients below 16 bits: nearest, or truncate: bf16 with its "
          "lowest bits cut off (as in the paper)",
          "§4.2.1"},
         {"side",
          usualWord("auto"),
          0,
          0,
          {{"auto", "fast: the shorter side; ksvd: the input"},
           {"input", "D_a (d1, k), as in the paper"},
           {"output", "D (d2, k), one code per input channel"}},
          "",
          "Side",
          "Side of the dictionary: input (as in the paper), output, or auto: fast uses the shorter "
          "side, ksvd the input; ksvd supports output with cospadi-free only",
          ""},
         {"allocation", usualWord(allocationWords().front().name), 0, 0, allocationChoices(), "",
          "Allocation", allocationHelp(), ""},
         {"propagation",
          usualWord("off"),
          0,
          0,
          {{"off", "inputs of the original model, as in the paper"},
           {"input", "inputs produced by the compressed layers"},
           {"target", "the same, also compensating their errors"}},
          "",
          "Propagation",
          "What a layer is fitted to: off: the inputs of the original model, as in the paper; "
          "input: those produced by the layers compressed before it; target: the same, also "
          "compensating their errors",
          ""},
         {"held_out",
          0.0,
          0,
          0.5,
          {},
          "",
          "Held out",
          "Fraction of the calibration sequences, the last ones sampled, that are excluded from "
          "fitting; errors are reported on them as well, at every iteration and at the end; "
          "typically 0.125; 0: none",
          "",
          nullptr,
          true},
         {"ridge",
          0.0,
          0,
          1,
          {},
          "",
          "Ridge",
          "Added to the Gram's diagonal, relative to its mean, so that rarely excited inputs keep "
          "some weight",
          ""},
         {"refit",
          usualWord("auto"),
          0,
          0,
          {{"auto", "the method's default"}, {"on", "always"}, {"off", "never"}},
          "",
          "Refit",
          "on: refit codes, or a right factor, to the dictionary or left factor as stored; off: do "
          "not; auto: on for fast and for packed factors, off for ksvd and low rank as published",
          ""},
         {"refine",
          Whole{0},
          0,
          1e6,
          {},
          "",
          "Refined on",
          "Sequences of the calibration text used at the end to move the factors of all layers, at "
          "the same bytes, towards the dense model's predictions; an eighth of them is held out; "
          "typically 128; 0: none",
          "",
          nullptr,
          true},
         {"refine_rate",
          5e-4,
          0,
          1,
          {},
          "",
          "Refinement rate",
          "refine: change of an entry per step, relative to its atom's size; decays to 0",
          "",
          nullptr,
          true},
         {"tolerance",
          0.0,
          0,
          1,
          {},
          "",
          "Tolerance",
          "Stop when the error improves by less than this fraction",
          "§4"},
         {"seed",
          Whole{42},
          0,
          kAnyNumber,
          {},
          "",
          "Seed",
          "Seed of the solver's random numbers: for ksvd's initial dictionary; fast uses none on a "
          "layer's shorter side",
          "§4"}});
    return all;
}

}  // namespace cospadi
