// What a solver tells after every iteration; the CLI's progress line, the event file and the live
// charts are subscribers of the same callback (after Ceres' IterationCallback).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cospadi {

struct Matrix;

// Where a solver's seconds go. What is neither phase, such as the first dictionary and the error
// that is told, is the rest of them.
struct PhaseSeconds {
    double coding = 0;      // S given D
    double dictionary = 0;  // D given S

    PhaseSeconds& operator+=(const PhaseSeconds& other) {
        coding += other.coding;
        dictionary += other.dictionary;
        return *this;
    }
};

struct IterationSummary {
    std::string phase;         // "ksvd", "mod", "general", "procrustes", "eigenbasis", …
    int iteration = 0;         // 1-based, counted over all phases
    double relativeError = 0;  // ‖W_L − D S‖_F / ‖W_L‖_F after this iteration
    // ‖L_h (W − D_a S)‖_F / ‖L_h W‖_F after it, with L_h the factor of the Gram of held-out inputs;
    // whoever measures it sets it on its way to the subscribers.
    std::optional<double> heldOutError;
    std::int64_t deadAtoms = 0;           // atoms that no column uses
    std::int64_t supportChanges = 0;      // entries of the mask that changed since the last one
    std::vector<std::int64_t> atomUsage;  // (k): columns that use each atom
    PhaseSeconds phases;                  // of this iteration
    double seconds = 0;                   // whole iteration
    // D (d1, k) and S (k, d2) that the error is of, in the backend's memory, while the callback
    // runs.
    const Matrix* dictionary = nullptr;
    const Matrix* codes = nullptr;
};

using IterationCallback = std::function<void(const IterationSummary&)>;

// How a solve or a run ended; a value, because every one of these is expected.
enum class Termination { Converged, MaxIterations, Cancelled, Failed };

// Normalised Shannon entropy of the usage counts: 1 = all atoms equally used, 0 = one atom only.
double usageEntropy(const std::vector<std::int64_t>& atomUsage);

// At most `points` quantiles of the usage counts, descending: enough to draw the sorted curve.
std::vector<std::int64_t> usageQuantiles(const std::vector<std::int64_t>& atomUsage, int points);

}  // namespace cospadi
