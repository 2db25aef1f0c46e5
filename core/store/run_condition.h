// The filter of runs as it is typed, one grammar for the command line (`--where`) and the window:
//
//     rho>=2 cr=0.2,0.3 method:ksvd tag:paper error<0.1 "block 3" ffn_up
//
// Terms stand between spaces and must all hold. A term is FIELD RELATION VALUE: = and != (one of
// the values between commas; numbers by value), < <= > >= (numbers, and dates as ISO 8601 has
// them), and : (occurs in it, whatever its case; `method:ksvd` looks into the label). A
// word without a relation occurs anywhere in id, model, method, layers, a tag or a note. What holds
// spaces, commas or a relation stands in quotation marks.
//
// Fields are the settings that count (run_settings.h) and: run, label (the method with what is
// unusual about it), status, tag, sweep, note, date, matrices, bytes, multiplications,
// seconds, ratio, error, held-out-error, perplexity, TASK/METRIC of lm-eval. A run without the
// field fits no relation but !=.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/store/run_row.h"

namespace cospadi {

// What marks the runs of a sweep: the tag `sweep:NAME`.
inline constexpr const char* kSweepTag = "sweep:";

enum class Relation { Is, IsNot, Below, AtMost, Above, AtLeast, Holds };

struct RunCondition {
    std::string field;  // empty: a word, that occurs anywhere
    Relation relation = Relation::Is;
    std::vector<std::string> values;  // any of these
    bool operator==(const RunCondition&) const = default;
};

// Throws Error naming the term that is none, and what to write.
std::vector<RunCondition> conditionsIn(const std::string& text);
// As it can be typed: conditionsIn(textOf(c)) is {c}.
std::string textOf(const RunCondition& condition);
// "=" … ":"
const char* signOf(Relation relation);

// Every field of a run with its values: several tags; none where nothing is known.
// perplexity: the run's by the measure that the runs are compared by, which no run knows by itself.
using RunFields = std::map<std::string, std::vector<std::string>>;
RunFields fieldsOf(const RunRow& run, double perplexity = unknownNumber);
// That every run may have, whatever its method.
const std::vector<std::string>& commonFields();

// Throws Error naming the term and the fields there are, for a field that none of `known` and no
// common one is.
void requireFields(const std::vector<RunCondition>& conditions, const std::set<std::string>& known);

// fields: fieldsOf() the run.
bool fits(const RunCondition& condition, const RunFields& fields);

}  // namespace cospadi
