// What a run that compresses some of a model's layers saves of all of them, the "global CR" of the
// paper's UG tables (appendix on deployment):
//
//   global CR = 1 − (compressed + untouched bytes) / all,
//
// over the linear layers of all blocks; untouched ones count as bf16, 2 d1 d2, as all bytes that a
// ratio counts against. Embedding, head and norms are no part of it, as in the paper: up and gate
// are 54 % of LLaMA-3-8B's linear layers, so that a CR of 0.4 there is 0.22 of all.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/store/run_row.h"

namespace cospadi {

// bytes: that the compressed layers take; denseBytes: those of the same as bf16; allBytes: of all
// linear layers as bf16. NaN where allBytes is 0, or less than denseBytes.
double globalRatio(std::int64_t bytes, std::int64_t denseBytes, std::int64_t allBytes);

struct GlobalRatio {
    double ratio = unknownNumber;
    std::int64_t allBytes = 0;  // of the model's linear layers as bf16; 0: unknown
    bool isPartial = false;     // the run leaves layers of the model untouched

    bool isKnown() const { return std::isfinite(ratio); }
};

// As measured, of a run with matrices; 0 for the dense one. The model's layers are read from its
// headers, once a file; unknown where it is not there, and the run is not told to have all layers.
// Thread-safe.
GlobalRatio globalRatioOf(const RunRow& run);

}  // namespace cospadi
