// What is said of a model that another program compressed and whose results of tasks were taken in
// (`cospadi lm-eval import FILE --method LLM-Pruner --cr 0.2 --bytes 1650000000`). Such a run is
// `external`: it has no matrices, and nothing here was measured by this program. So its numbers
// stay in the specification, under `stated`, and never enter the columns of measured bytes;
// whoever shows them says that they are as stated.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/store/run_row.h"

namespace cospadi {

// In the place of a method's name, of every run whose results were taken in.
inline constexpr const char* kExternalMethod = "external";

struct StatedCompression {
    std::string method;        // "LLM-Pruner"; also one of this program, as others run it
    std::string label;         // what tells two of its rows apart: "taylor, tuned"; may be empty
    std::string source;        // where results and bytes are from; may be empty
    std::optional<double> cr;  // 0 <= cr < 1, counted as its own publication does
    std::optional<std::int64_t> bytes;  // of the linear layers, as they are stored
    std::int64_t denseBytes =
        0;  // of the same layers as bf16, from the model's headers; 0: unknown

    // As stated, else as the bytes come to; nullopt where neither is known.
    std::optional<double> ratio() const;
};

// Throws Error naming the field that is out of range: method, label, source, cr or bytes.
void validate(const StatedCompression& stated);

// What is not stated is absent.
nlohmann::json toJson(const StatedCompression& stated);

// nullopt of a run of this program, of one that was taken in without such words, and where a field
// has a wrong type or validate() refuses it: then nothing of it is believed.
std::optional<StatedCompression> statedCompressionOf(const RunRow& run);

// "LLM-Pruner (imported)", "LLM-Pruner (taylor, tuned, imported)": no name of a method here.
std::string importedLabel(const StatedCompression& stated);

// The fields of settingsOf() that are stated: what its label and its place in a table tell.
const std::set<std::string>& statedFields();
// Equal for runs of which the same is stated; "" of any other run.
std::string statedWords(const RunRow& run);

// What a table owes its readers where it shows such runs: which they are, and where they are from.
// Empty where none of them is one.
std::vector<std::string> importedNotes(const std::vector<const RunRow*>& runs);

}  // namespace cospadi
