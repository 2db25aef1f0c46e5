// What a run shall do: the `specification` object of run.json (docs/formats.md). A plain value that
// the CLI, the window and the engine protocol all fill; two runs with equal specifications produce
// equal files.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/allocation/allocation_rule.h"
#include "core/methods/matrix_options.h"
#include "core/methods/propagation_kind.h"
#include "core/refine/refinement_options.h"
#include "core/store/derivation.h"

namespace cospadi {

struct CalibrationSpecification {
    std::string text;  // a file, or a word (base/resources.h); empty = the C4 sample that ships
    std::string textSha256;  // filled when the run starts
    std::int64_t sequences = 64;
    std::int64_t length = 512;  // tokens a sequence
    std::uint64_t seed = 42;
};

// What every layer is asked (its method and settings, MatrixOptions), of which model, and how the
// run goes about it. Typed from the moment it is read: words stand in JSON, on command lines and in
// fields of the window alone. What the settings mean, and their words, is described in
// core/methods/options.cpp.
struct RunSpecification : MatrixOptions {
    std::string model = "default";  // path, run, or "default"; absolute once the run has started
    std::string modelSha256;        // filled when the run starts
    std::string layers = ".*";      // ECMAScript regex searched in names such as blk.10.ffn_up
    // Every matrix has the ρ that is best for it (allocation/rho_choice.h); `rho` is as usual then.
    bool autoRho = false;
    const AllocationRule* allocation = &uniformRule();
    // Of matrices that have one of their own, as whoever made the run decided; all others have
    // `cr`. Only with the uniform rule.
    std::map<std::string, double> ratios;
    PropagationKind propagation = PropagationKind::Off;
    double heldOut = 0;  // share of the calibration's sequences (heldOutSequences())
    CalibrationSpecification calibration;
    // Sequences of the calibration text by which the factors of all layers are moved in the end
    // towards the dense model's predictions (refine/refinement.h); 0: they stay as solved.
    int refine = 0;
    double refineRate = RefinementOptions().learningRate;
    // Of a run that nothing was solved for; the other fields then say what was asked of the run
    // that it was made of, but for `layers`, which are its own.
    std::optional<Derivation> derived;
};

// Throws Error naming the first field that is wrong, before any work is done.
void validate(const RunSpecification& specification);

inline const Method& methodOf(const RunSpecification& specification) {
    return *specification.method;
}
bool isDense(const RunSpecification& specification);       // nothing is compressed
bool isSparse(const RunSpecification& specification);      // a dictionary and codes
bool isCalibrated(const RunSpecification& specification);  // by a method that needs it
bool hasRatio(const RunSpecification& specification);      // `cr` decides over the bytes
bool isUniform(const RunSpecification& specification);     // every layer the same ratio
// What allocation measures before the first matrix: ratios, ρ, or both.
bool isAllocated(const RunSpecification& specification);
// What ρ every matrix may be given; none: that of the specification for all.
std::vector<double> rhoCandidatesOf(const RunSpecification& specification);

bool isRefined(const RunSpecification& specification);
RefinementOptions refinementOptionsOf(const RunSpecification& specification);
// Tokens a sequence: as the calibration has it, or usually has.
std::int64_t refinementLength(const RunSpecification& specification);
// "refined, 112 × 512 tokens", of those that are fitted. Precondition: it is refined.
std::string refinementWords(const RunSpecification& specification);

nlohmann::json toJson(const RunSpecification& specification);

// Absent fields take their defaults, or with a field "preset" or "effort" what that says
// (paper_preset.h, effort.h);
// unknown or ill-typed ones, and words that this program does not know, throw Error naming the
// field: a run of another program or version has no specification here. Its row in the store keeps
// its words as text (run_row.h).
RunSpecification runSpecificationFromJson(const nlohmann::json& json);

// "cospadi-fast-cr0.20" etc.: the readable part of a run's id.
std::string shortLabel(const RunSpecification& specification);

}  // namespace cospadi
