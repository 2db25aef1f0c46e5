// What a run shall do: the `specification` object of run.json (docs/formats.md). A plain value that
// the CLI, the window and the engine protocol all fill; two runs with equal specifications produce
// equal files.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/dictionary/budget.h"
#include "core/methods/matrix_options.h"

namespace cospadi {

struct CalibrationSpecification {
    std::string text;  // a file, or a word (base/resources.h); empty = the C4 sample that ships
    std::string textSha256;  // filled when the run starts
    std::int64_t sequences = 64;
    std::int64_t length = 512;  // tokens a sequence
    std::uint64_t seed = 42;
};

struct RunSpecification {
    std::string model = "default";   // path, run, or "default"; absolute once the run has started
    std::string modelSha256;         // filled when the run starts
    std::string method = "cospadi";  // one of methods() (core/methods/method.h)
    std::string solver = "fast";     // fast | ksvd; for the cospadi methods
    std::string layers = ".*";       // ECMAScript regex searched in names such as blk.10.ffn_up
    double cr = 0.2;
    double rho = 2.0;
    Accounting accounting = Accounting::Eq11;
    int coefficientBits = 0;  // 0 = what the accounting implies; else 8…16
    // Of fewer than 16 bits: auto (ksvd mantissa, else exponent) | mantissa | exponent: which of
    // the two is shortened
    std::string coefficientFormat = "auto";
    int iterations = 0;       // 0 = the solver's default (ksvd 60, fast: its schedule)
    int powerIterations = 8;  // ksvd
    // ksvd: random (columns of W_L) | gaussian | svd | weight (columns of W, the paper)
    std::string init = "random";
    std::string update = "ksvd";        // ksvd: ksvd (power iterations) | ksvd-exact | mod
    std::string deadAtoms = "replace";  // ksvd: replace | keep (the paper)
    // Of coefficients with a short mantissa: nearest | truncate (the paper)
    std::string coefficientRounding = "nearest";
    std::string side = "auto";  // the dictionary's: auto (fast: the shorter) | input | output
    std::string allocation = "uniform";  // of the bytes, one of allocationWords()
    // What a layer is fitted to: off (inputs of the original model, the paper) | input (those that
    // the compressed layers before it leave) | target (and their errors made up for)
    std::string propagation = "off";
    double ridge = 0;  // on the Gram's diagonal, times its mean; calibrated methods
    // What a rounded factor is multiplied by is fitted to it: auto (as usual:
    // Method::usuallyRefits) | on | off
    std::string refit = "auto";
    double tolerance = 0;  // stop when the relative improvement falls below; 0 = never
    std::uint64_t seed = 42;
    OptionValues own;  // what its method alone has (Method::ownOptions()); absent: as usual
    CalibrationSpecification calibration;
};

// Throws Error naming the first field that is wrong, before any work is done.
void validate(const RunSpecification& specification);

const Method& methodOf(const RunSpecification& specification);  // Error for an unknown name
bool isDense(const RunSpecification& specification);            // nothing is compressed
bool isSparse(const RunSpecification& specification);           // a dictionary and codes
bool isCalibrated(const RunSpecification& specification);       // by a method that needs it
bool hasRatio(const RunSpecification& specification);           // `cr` decides over the bytes
bool isUniform(const RunSpecification& specification);          // every layer the same ratio
// What the specification means for one matrix. Error for an unknown word.
MatrixOptions matrixOptionsOf(const RunSpecification& specification);

nlohmann::json toJson(const RunSpecification& specification);

// Absent fields take their defaults, or with a field "preset" what that says (paper_preset.h);
// unknown or ill-typed ones throw Error naming the field.
RunSpecification runSpecificationFromJson(const nlohmann::json& json);

// "cospadi-fast-cr0.20" etc.: the readable part of a run's id.
std::string shortLabel(const RunSpecification& specification);

}  // namespace cospadi
