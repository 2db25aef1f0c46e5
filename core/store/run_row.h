// Rows of the run store: plain values that lists, tables and reports are made of.
// Unknown numbers are NaN; bytes are bytes on disk, seconds wall-clock seconds, times ISO 8601 UTC.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/store/iteration_series.h"

namespace cospadi {

inline constexpr double unknownNumber = std::numeric_limits<double>::quiet_NaN();

// One file of evaluations/. Two evaluations measure the same thing when (text, context, maxTokens,
// score) agree; the text counts by its sha256 where that is known.
struct EvaluationRow {
    std::string file;  // name in evaluations/
    std::string kind = "perplexity";
    std::string text;  // path
    std::string textSha256;
    std::int64_t context = 0;    // tokens
    std::int64_t maxTokens = 0;  // 0 = the whole text
    std::string score = "all";   // all | second-half
    double perplexity = unknownNumber;
    std::int64_t tokens = 0;  // scored
    double seconds = unknownNumber;
    std::string created;
};

// One number that lm-eval came to. Two of them measure the same thing when all but value, stderr,
// file and created agree: another version of the task, number of shots or set of samples is another
// question.
struct TaskResultRow {
    std::string file;  // name in evaluations/
    std::string task;
    std::string metric;  // acc, acc_norm, perplexity …
    std::string filter;  // "none" for most
    double value = unknownNumber;
    double standardError = unknownNumber;
    std::int64_t samples = 0;
    std::int64_t shots = -1;  // -1: unknown
    std::string version;
    std::string dataSha256;  // of a local file in the place of the task's data set
    bool higherIsBetter = true;
    std::string created;

    bool measuresSameAs(const TaskResultRow& other) const {
        return task == other.task && metric == other.metric && filter == other.filter &&
               samples == other.samples && shots == other.shots && version == other.version &&
               dataSha256 == other.dataSha256;
    }
};

struct MatrixRow {
    std::string name;  // blk.10.ffn_up
    std::string kind;  // ffn_up
    std::int64_t block = 0;
    std::int64_t d1 = 0, d2 = 0;
    std::string form;   // how it is stored (core/forms/forms.h); "" of runs of before 0.2
    std::string facts;  // what that form tells of it, a JSON object; "" where it does not say
    std::int64_t k = 0, s = 0;  // sparse dictionary; 0 for low rank
    std::int64_t rank = 0;      // low rank; 0 for sparse dictionary
    std::int64_t bytes = 0;
    std::int64_t denseBytes = 0;
    double relativeError = unknownNumber;
    double heldOutError = unknownNumber;  // unknown where nothing was held out
    double gramShift = 0;
    std::int64_t replacedAtoms = 0;
    std::int64_t iterations = 0;
    double seconds = unknownNumber;
    double coreSeconds = unknownNumber;
    // Of `seconds` (PhaseSeconds); unknown of methods without, and of runs of before 0.2.
    double codingSeconds = unknownNumber;
    double dictionarySeconds = unknownNumber;
    std::int64_t activeAtoms = 0;      // of k, used by a column; 0: none, or unknown
    std::int64_t multiplications = 0;  // a token; 0 unknown
    std::string sourceType;            // in the model's file, e.g. Q4_1; "" unknown
    std::int64_t sourceBytes = 0;
};

struct RunRow {
    static constexpr double kEachItsOwnRho = 0;  // no number that a ρ could be

    std::string id;
    std::string directory;  // absolute
    std::string created;
    std::string status;   // finished cancelled failed interrupted paused running
    std::string message;  // why it failed
    std::string model;
    std::string modelSha256;
    std::string method;
    std::string solver;
    std::string layers;          // regex
    double cr = unknownNumber;   // asked for, or what the bytes come to; of dense runs unknown
    double rho = unknownNumber;  // of methods with a ρ; kEachItsOwnRho: chosen matrix by matrix
    std::string accounting;
    std::int64_t iterations = 0;  // asked for; 0 = the solver's default
    std::int64_t powerIterations = 0;
    std::int64_t seed = 0;
    std::int64_t matrices = 0;  // finished
    std::int64_t layerBytes = 0;
    std::int64_t denseBytes = 0;  // of the same matrices, bf16
    double relativeError = unknownNumber;
    double heldOutError = unknownNumber;  // unknown where nothing was held out
    double seconds = unknownNumber;       // wall-clock, pauses and calibration left out
    double coreSeconds = unknownNumber;   // of the matrices
    // A token's, of all matrices together; unknown where one does not tell. Of a listed run only
    // where RunFilter asks for it.
    double multiplications = unknownNumber;
    std::string sourceType;  // of the same matrices in the model's file; "" unknown
    std::int64_t sourceBytes = 0;
    std::string specification;  // JSON text
    bool starred = false;
    bool archived = false;
    std::vector<std::string> tags;           // ascending
    std::string note;                        // the latest one
    std::vector<EvaluationRow> evaluations;  // the latest of each (text, context, tokens, score)
    // The latest of each that measures something else; of a stored run with the groups that they
    // complete (task_groups.h).
    std::vector<TaskResultRow> taskResults;

    bool hasAutoRho() const { return rho == kEachItsOwnRho; }

    // Storage saved as measured: 1 − layerBytes / denseBytes; NaN without matrices.
    double measuredRatio() const {
        return denseBytes > 0
                   ? 1.0 - static_cast<double>(layerBytes) / static_cast<double>(denseBytes)
                   : unknownNumber;
    }
};

struct NoteRow {
    std::string created;
    std::string text;
};

struct ArtefactRow {
    std::string path;  // below the run's directory
    std::string kind;  // record matrix model evaluation export figure other
    std::int64_t bytes = 0;
};

// What a run directory says: what RunStore::importRun copies.
struct RunRecord {
    RunRow run;  // evaluations and taskResults: all of them
    std::vector<MatrixRow> matrices;
    std::map<std::string, std::string> environment;
    std::vector<ArtefactRow> artefacts;
    // What `iterations` was read from (eventsStamp()); empty: they were not read. Without a value
    // those that the store has are still right.
    std::optional<std::string> eventsStamp = "";
    std::vector<MatrixIterations> iterations;
    std::vector<std::string> notes;  // what was passed over in its files
};

}  // namespace cospadi
