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
        "ρ = k/s, atoms per non-zero: more of them, or longer codes, in the same bytes; "
        "{}: of {} the one that is best on trial, matrix by matrix",
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
           {"ksvd", "OMP and K-SVD in alternation, as the paper"}},
          "",
          "Solver",
          "fast, or ksvd (OMP and K-SVD; the preset paper has all of the paper's settings)",
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
          {{"eq10", "bf16 values and one bit a mask entry"},
           {"eq11", "values shortened to pay for the mask"},
           {"packed", "values of 8 or 9 bits, and as many atoms as then fit"},
           {"packed8", "and a dictionary of 8 bits"},
           {"integers", "both factors in few bits, scales counted"},
           {"remapped", "low rank alone: factors of 8 bits in shared 16-bit slots"}},
          "",
          "Accounting",
          "eq10: bf16 values; eq11: values shortened to pay for the mask; packed: of 8 or 9 bits, "
          "and "
          "as many atoms as then fit; packed8: and a dictionary of 8 bits; integers: both factors "
          "in 2 to 8 bits with a "
          "scale for every 64 entries, fitted to each other. Low rank: bf16 factors; "
          "packed: the right one of 8 or 9 bits; packed8: and the left one of 8; remapped, of low "
          "rank alone: max(d1, d2) numbers a rank, as Dobi-SVD",
          "eq 10, eq 11"},
         {"coefficient_bits",
          Whole{0},
          0,
          16,
          {},
          "b",
          "Coefficient bits",
          "Bits a stored coefficient has, or one of a packed right factor, 8 to 16, of integers 2 "
          "to 8; 0: by the accounting, of integers the best on trial",
          "§4.2.1"},
         {"dictionary_bits",
          Whole{0},
          0,
          8,
          {},
          "",
          "Dictionary bits",
          "integers: bits of an entry of the dictionary, or of the left factor, 2 to 8; 0: the "
          "best "
          "on trial",
          "",
          nullptr,
          true},
         {"coefficient_format",
          usualWord("auto"),
          0,
          0,
          {{"auto", "mantissa for ksvd, else exponent"},
           {"mantissa", "bfloat16 without its lowest bits"},
           {"exponent", "a shorter exponent, scales moved into the atoms"}},
          "",
          "Coefficient format",
          "Of fewer than 16 bits, what is shortened: mantissa (the paper), exponent, or auto: "
          "mantissa for ksvd, else exponent",
          "§4.2.1"},
         {"iterations",
          Whole{0},
          0,
          1e6,
          {},
          "T",
          "Iterations",
          "Solver iterations; 0: the method's own (fast 22, ksvd 60, compot 20)",
          "§4"},
         {"power_iterations",
          Whole{8},
          0,
          1e6,
          {},
          "",
          "Power iterations",
          "ksvd: power iterations an atom; 0 = exact SVD",
          "§4"},
         {"init",
          usualWord("random"),
          0,
          0,
          {{"random", "random columns of the whitened weight"},
           {"gaussian", "Gaussian atoms"},
           {"svd", "leading singular vectors"},
           {"weight", "random columns of the weight as it came, the paper"}},
          "",
          "Beginning",
          "ksvd: begins with random columns of the whitened weight, with gaussian or svd atoms, or "
          "with random columns of the weight as it came (weight: the paper)",
          "algorithm 1"},
         {"update",
          usualWord("ksvd"),
          0,
          0,
          {{"ksvd", "power iterations"},
           {"ksvd-exact", "an exact SVD an atom"},
           {"ksvd-randomized", "an SVD of a random sketch an atom"},
           {"mod", "least squares of all atoms"},
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
          "ksvd: how columns are coded given the dictionary: omp (orthogonal matching pursuit, the "
          "paper) or lasso (its path to as many atoms; coefficients are shrunk)",
          "algorithm 1",
          nullptr,
          true},
         {"dead_atoms",
          usualWord("replace"),
          0,
          0,
          {{"replace", "by a column that is coded worst"}, {"keep", "as they are, the paper"}},
          "",
          "Dead atoms",
          "ksvd: atoms that no column uses: replace (by a column that is coded worst) or keep (the "
          "paper)",
          "algorithm 1"},
         {"coefficient_rounding",
          usualWord("nearest"),
          0,
          0,
          {{"nearest", "the nearest value"}, {"truncate", "lowest bits cut off, the paper"}},
          "",
          "Rounding",
          "ksvd: coefficients of fewer than 16 bits: nearest, or truncate: bf16 with its lowest "
          "bits "
          "cut off (the paper)",
          "§4.2.1"},
         {"side",
          usualWord("auto"),
          0,
          0,
          {{"auto", "fast: the shorter side; ksvd: the input"},
           {"input", "D_a (d1, k), the paper"},
           {"output", "D (d2, k), a code for every input channel"}},
          "",
          "Side",
          "Where the dictionary lives: input (the paper), output, or auto: fast takes the shorter "
          "side; ksvd takes the input, and can have the output with cospadi-free",
          ""},
         {"allocation", usualWord(allocationWords().front().name), 0, 0, allocationChoices(), "",
          "Allocation", allocationHelp(), ""},
         {"propagation",
          usualWord("off"),
          0,
          0,
          {{"off", "inputs of the original model, the paper"},
           {"input", "inputs that compressed layers leave"},
           {"target", "and their errors made up for"}},
          "",
          "Propagation",
          "What a layer is fitted to: off: the inputs of the original model, as in the paper; "
          "input: "
          "those that the layers compressed before it leave; target: and their errors made up for",
          ""},
         {"held_out",
          0.0,
          0,
          0.5,
          {},
          "",
          "Held out",
          "Share of the calibration sequences, the last ones of the draw, that nothing is fitted "
          "to: "
          "errors are told on them as well, at every iteration and at the end; 0.125 is usual, 0: "
          "none",
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
          "On the Gram's diagonal, times its mean: inputs that the calibration text hardly holds "
          "keep "
          "some weight",
          ""},
         {"refit",
          usualWord("auto"),
          0,
          0,
          {{"auto", "as usual for the method"}, {"on", "always"}, {"off", "never"}},
          "",
          "Refit",
          "on: codes, or a right factor, are fitted to the dictionary or left factor as it is "
          "stored; off; auto: on for fast and for packed factors, off for ksvd and low rank as "
          "published",
          ""},
         {"refine",
          Whole{0},
          0,
          1e6,
          {},
          "",
          "Refined on",
          "Sequences of the calibration text by which the factors of all layers are moved in the "
          "end, at the same bytes, towards the dense model's predictions; an eighth of them is "
          "held "
          "out; 128 is usual, 0: none",
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
          "refine: a step's change of an entry, in sizes of its atom; falls to 0",
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
          "Seed of the solver, where it draws anything: ksvd's beginnings; fast draws none on a "
          "layer's shorter side",
          "§4"}});
    return all;
}

}  // namespace cospadi
