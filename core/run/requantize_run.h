// The coefficients of a finished run in fewer bits, with nothing solved again: the paper's study of
// the bit width of coefficients (section on coefficient quantization). Codes, or right factors,
// keep the upper bits of their bfloat16 patterns; dictionaries and left factors are as they were.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>

#include "core/run/derived_run.h"
#include "core/run/run_events.h"

namespace cospadi {

struct Requantization {
    int bits = 14;
    CoefficientRounding rounding = CoefficientRounding::Truncate;
    // Errors are measured in the Grams that the run was solved with. Where these are not cached:
    // compute them again, else its errors stay unknown, and a warning says so.
    bool calibrate = false;
    int threads = 0;  // 0 = all cores
};

// What a finished run with fewer bits is; nothing is checked against its files. source: its
// specification, id: its own.
RunSpecification requantizedSpecification(const RunSpecification& source, const std::string& id,
                                          const Requantization& how);

// Throws Error, before anything is written, for what openFinishedRun() refuses, bits out of range
// or not fewer than the run's coefficients have, a form without coefficients, a run whose
// coefficients were shortened before, and a model that is gone or another one.
void requireRequantizable(const FinishedRun& source, int bits);

// Errors as above, and of the disk. Started again it goes on with the first unit that is missing.
DerivedRun requantizeRun(const std::filesystem::path& directory, const Requantization& how,
                         const EventCallback& onEvent = {}, const std::stop_token& stop = {});

}  // namespace cospadi
