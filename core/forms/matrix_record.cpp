#include "core/forms/matrix_record.h"

#include <algorithm>
#include <cctype>

#include "core/base/json_number.h"
#include "core/forms/low_rank/low_rank_weight.h"

namespace cospadi {

void describe(MatrixRecord& record, const StoredWeight& weight) {
    record.form = weight.form();
    record.facts = weight.facts();
    record.k = record.facts.value("k", std::int64_t{0});
    record.s = record.facts.value("s", std::int64_t{0});
    record.side = dictionarySideFromName(record.facts.value("side", name(DictionarySide::Input)));
    record.rank = record.facts.value("rank", std::int64_t{0});
    record.activeAtoms = record.facts.value("active_atoms", std::int64_t{0});
    record.multiplications = weight.multiplications();
    if (!record.unit.empty()) {
        record.facts["unit"] = record.unit;
    }
}

bool isUnitName(const std::string& name) {
    return !name.empty() && name.front() != '.' &&
           std::all_of(name.begin(), name.end(), [](unsigned char c) {
               return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-' || c == '+';
           });
}

std::filesystem::path unitFile(const std::filesystem::path& folder, const std::string& unit) {
    return folder / (unit + ".safetensors");
}

nlohmann::json toJson(const MatrixRecord& r) {
    nlohmann::json json{{"name", r.name},
                        {"kind", r.kind},
                        {"block", r.block},
                        {"d1", r.d1},
                        {"d2", r.d2},
                        {"form", r.form},
                        {"facts", r.facts},
                        {"k", r.k},
                        {"s", r.s},
                        {"side", name(r.side)},
                        {"rank", r.rank},
                        {"active_atoms", r.activeAtoms},
                        {"multiplications", r.multiplications},
                        {"bytes", r.bytes},
                        {"dense_bytes", r.denseBytes},
                        {"relative_error", r.relativeError},
                        {"gram_shift", r.gramShift},
                        {"replaced_atoms", r.replacedAtoms},
                        {"iterations", r.iterations},
                        {"seconds", r.seconds},
                        {"core_seconds", r.coreSeconds}};
    if (r.sourceBytes > 0) {
        json["source_type"] = r.sourceType;
        json["source_bytes"] = r.sourceBytes;
    }
    if (!r.unit.empty()) {
        json["unit"] = r.unit;
        json["shared_bytes"] = r.sharedBytes;
    }
    if (r.phases) {
        json["coding_seconds"] = r.phases->coding;
        json["dictionary_seconds"] = r.phases->dictionary;
    }
    if (r.heldOutError) {
        json["held_out_error"] = *r.heldOutError;
    }
    if (r.targetError) {
        json["target_error"] = *r.targetError;
    }
    if (r.pivotRatio) {
        json["gram_pivot_ratio"] = *r.pivotRatio;
    }
    return json;
}

MatrixRecord matrixRecordFromJson(const nlohmann::json& json) {
    MatrixRecord r;
    r.name = json.at("name").get<std::string>();
    r.kind = json.at("kind").get<std::string>();
    r.block = json.at("block").get<int>();
    r.d1 = json.at("d1").get<std::int64_t>();
    r.d2 = json.at("d2").get<std::int64_t>();
    r.k = json.at("k").get<std::int64_t>();
    r.s = json.at("s").get<std::int64_t>();
    r.side = dictionarySideFromName(json.value("side", "input"));  // absent before 0.2
    r.rank = json.at("rank").get<std::int64_t>();
    // Absent before 0.2, when there were these two.
    r.form = json.value("form", r.rank > 0 ? LowRankWeight::kForm : SparseDictionaryWeight::kForm);
    r.facts = json.value("facts", nlohmann::json::object());
    r.bytes = json.at("bytes").get<std::int64_t>();
    r.unit = json.value("unit", "");
    r.sharedBytes = json.value("shared_bytes", std::int64_t{0});
    r.denseBytes = json.at("dense_bytes").get<std::int64_t>();
    r.relativeError = numberOrNaN(json.at("relative_error"));
    r.gramShift = json.at("gram_shift").get<double>();
    const auto optional = [&](const char* field) {
        const auto found = json.find(field);
        return found == json.end() || found->is_null() ? std::nullopt
                                                       : std::optional(found->get<double>());
    };
    r.heldOutError = optional("held_out_error");
    r.targetError = optional("target_error");
    r.pivotRatio = optional("gram_pivot_ratio");
    if (const auto coding = optional("coding_seconds")) {
        r.phases = {*coding, json.at("dictionary_seconds").get<double>()};
    }
    r.activeAtoms = json.value("active_atoms", std::int64_t{0});
    r.multiplications = json.value("multiplications", std::int64_t{0});
    r.replacedAtoms = json.at("replaced_atoms").get<std::int64_t>();
    r.iterations = json.at("iterations").get<int>();
    r.seconds = json.at("seconds").get<double>();
    r.coreSeconds = json.value("core_seconds", 0.0);
    r.sourceType = json.value("source_type", "");
    r.sourceBytes = json.value("source_bytes", std::int64_t{0});
    return r;
}

}  // namespace cospadi
