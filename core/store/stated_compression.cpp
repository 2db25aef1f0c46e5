#include "core/store/stated_compression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/printable_text.h"
#include "core/store/field_reader.h"

namespace cospadi {

namespace {

using nlohmann::json;

constexpr std::size_t kLongestName = 60;                    // a cell of a table
constexpr std::size_t kLongestSource = 300;                 // a reference, or an address
constexpr std::int64_t kMostBytes = std::int64_t{1} << 53;  // which no disk holds

void requireLine(const std::string& text, const char* field, std::size_t longest) {
    if (text.size() > longest) {
        throw Error(fmt::format("has {} characters", text.size()), field,
                    fmt::format("at most {} fit into a table", longest));
    }
    if (printableLine(text) != text) {
        throw Error("contains unprintable characters", field, "use plain text on one line");
    }
}

}  // namespace

std::optional<double> StatedCompression::ratio() const {
    if (cr || !bytes || denseBytes == 0) {
        return cr;
    }
    const double share = static_cast<double>(*bytes) / static_cast<double>(denseBytes);
    return std::round((1 - share) * 1e4) / 1e4;
}

void validate(const StatedCompression& stated) {
    if (stated.method.find_first_not_of(' ') == std::string::npos) {
        throw Error("is empty", "method",
                    "give the method that compressed the model, for example LLM-Pruner");
    }
    requireLine(stated.method, "method", kLongestName);
    requireLine(stated.label, "label", kLongestName);
    requireLine(stated.source, "source", kLongestSource);
    if (stated.cr && !(*stated.cr >= 0 && *stated.cr < 1)) {
        throw Error(fmt::format("{} is not a fraction of bytes saved", *stated.cr), "cr",
                    "use a number of at least 0 and below 1");
    }
    if (stated.bytes && (*stated.bytes < 1 || *stated.bytes > kMostBytes)) {
        throw Error(fmt::format("{} is not a size", *stated.bytes), "bytes",
                    "use the bytes of the linear layers, an integer of at least 1");
    }
}

json toJson(const StatedCompression& stated) {
    json object{{"method", stated.method}};
    const auto addText = [&](const char* field, const std::string& text) {
        if (!text.empty()) {
            object[field] = text;
        }
    };
    addText("label", stated.label);
    addText("source", stated.source);
    if (stated.cr) {
        object["cr"] = *stated.cr;
    }
    if (stated.bytes) {
        object["bytes"] = *stated.bytes;
    }
    if (stated.denseBytes > 0) {
        object["dense_bytes"] = stated.denseBytes;
    }
    return object;
}

std::optional<StatedCompression> statedCompressionOf(const RunRow& run) {
    if (run.method != kExternalMethod) {
        return std::nullopt;
    }
    const json specification = json::parse(run.specification, nullptr, false);
    const auto found =
        specification.is_object() ? specification.find("stated") : specification.end();
    if (!specification.is_object() || found == specification.end()) {
        return std::nullopt;
    }
    try {
        StatedCompression stated;
        FieldReader reader(*found, "stated.");
        reader.read("method", stated.method);
        reader.read("label", stated.label);
        reader.read("source", stated.source);
        reader.read("dense_bytes", stated.denseBytes);
        if (const json* cr = reader.child("cr")) {
            stated.cr = valueOfType<double>(*cr, "stated.cr");
        }
        if (const json* bytes = reader.child("bytes")) {
            stated.bytes = valueOfType<std::int64_t>(*bytes, "stated.bytes");
        }
        reader.refuseUnknown();
        validate(stated);
        stated.denseBytes = std::clamp<std::int64_t>(stated.denseBytes, 0, kMostBytes);
        return stated;
    } catch (const Error&) {
        return std::nullopt;
    }
}

std::string importedLabel(const StatedCompression& stated) {
    return fmt::format("{} ({}{}imported)", stated.method, stated.label,
                       stated.label.empty() ? "" : ", ");
}

const std::set<std::string>& statedFields() {
    static const std::set<std::string> fields = {"stated.method", "stated.label",
                                                 "stated.source", "stated.cr",
                                                 "stated.bytes",  "stated.dense_bytes"};
    return fields;
}

std::string statedWords(const RunRow& run) {
    const std::optional<StatedCompression> stated = statedCompressionOf(run);
    return stated ? toJson(*stated).dump() : std::string();
}

std::vector<std::string> importedNotes(const std::vector<const RunRow*>& runs) {
    std::set<std::string> named;
    for (const RunRow* run : runs) {
        if (const auto stated = statedCompressionOf(*run)) {
            named.insert(importedLabel(*stated) +
                         (stated->source.empty() ? "" : fmt::format(", {}", stated->source)));
        }
    }
    if (named.empty()) {
        return {};
    }
    return {
        fmt::format("made and measured elsewhere, cr and bytes as stated, not as measured here: {}",
                    fmt::join(named, "; "))};
}

}  // namespace cospadi
