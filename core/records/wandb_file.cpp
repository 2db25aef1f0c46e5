// W&B's offline files, run-ID.wandb: after seven bytes (":W&B", a number, the version) LevelDB's
// log, blocks of 32 KiB with parts of records (CRC-32, length, kind), each record a message of
// protobuf (wandb/proto/wandb_internal.proto).
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/records/protobuf_fields.h"
#include "core/records/tracked_run.h"
#include "core/store/run_file.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kFileHead = 7;
constexpr std::size_t kBlock = 32768;
constexpr std::size_t kHead = 7;  // of a part

enum Part : unsigned char { kWhole = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

std::uint32_t crcOf(std::string_view bytes) {
    return static_cast<std::uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

// The records in order; what is not whole at the end is told.
std::vector<std::string> recordsIn(const fs::path& file, std::vector<std::string>& notes) {
    const std::string text = readTextFile(file);
    const std::string_view bytes = text;
    if (!bytes.starts_with(":W&B") || bytes.size() < kFileHead) {
        throw Error("is not an offline file of W&B", file.string(), "give a file run-ID.wandb");
    }
    std::vector<std::string> records;
    std::string begun;
    for (std::size_t at = kFileHead; at < bytes.size();) {
        const std::size_t leftInBlock = kBlock - at % kBlock;
        if (leftInBlock < kHead) {  // padding
            at += leftInBlock;
            continue;
        }
        const std::size_t length = littleEndian(bytes, at + 4, 2);
        if (bytes.size() - at < kHead + length) {
            notes.push_back(fmt::format("{}: the last record is incomplete", file.string()));
            return records;
        }
        const auto kind = static_cast<unsigned char>(bytes[at + 6]);
        if (kind == 0 && length == 0) {  // the rest of a block that was never filled
            at += leftInBlock;
            continue;
        }
        const bool isPart = kind >= kWhole && kind <= kLast && length + kHead <= leftInBlock;
        if (!isPart || crcOf(bytes.substr(at + 6, length + 1)) != littleEndian(bytes, at, 4)) {
            throw Error(fmt::format("is damaged at byte {}", at), file.string(),
                        "copy it again from where it was written");
        }
        begun = kind == kWhole || kind == kFirst ? "" : std::move(begun);
        begun += bytes.substr(at + kHead, length);
        if (kind == kWhole || kind == kLast) {
            records.push_back(std::move(begun));
            begun.clear();
        }
        at += kHead + length;
    }
    return records;
}

// An item of history, summary or configuration: its name, with dots where it is nested, and value.
struct Item {
    std::string name;
    json value;
};

Item itemOf(std::string_view message) {
    constexpr std::uint32_t kKey = 1, kNested = 2, kInteger = 5, kNumber = 6, kText = 7,
                            kValueJson = 16;
    Item item;
    std::string nested;
    for (const ProtobufField& field : protobufFields(message)) {
        if (field.number == kKey) {
            item.name = field.text();
        } else if (field.number == kNested) {
            nested += (nested.empty() ? "" : ".") + field.text();
        } else if (field.number == kInteger) {
            item.value = field.asSigned();
        } else if (field.number == kNumber) {
            item.value = field.asDouble();
        } else if (field.number == kText) {
            item.value = field.text();
        } else if (field.number == kValueJson) {
            item.value = json::parse(field.text(), nullptr, false);
            // What Python's json writes of numbers that JSON does not have.
            const std::string text = field.text();
            item.value = text == "NaN"         ? json(std::nan(""))
                         : text == "Infinity"  ? json(HUGE_VAL)
                         : text == "-Infinity" ? json(-HUGE_VAL)
                                               : item.value;
        }
    }
    item.name = nested.empty() ? item.name : nested;
    return item;
}

void takeHistory(std::string_view history, TrackedRun& run) {
    std::vector<Item> items;
    std::optional<std::int64_t> step;
    for (const ProtobufField& field : protobufFields(history)) {
        if (field.number == 1) {
            items.push_back(itemOf(field.bytes));
        } else if (field.number == 2) {
            for (const ProtobufField& number : protobufFields(field.bytes)) {
                step = number.number == 1 ? number.asSigned() : step;
            }
            step = step.value_or(0);  // zeros are not written
        }
    }
    for (const Item& item : items) {
        if (item.name == "_step" && item.value.is_number_integer()) {
            step = item.value.get<std::int64_t>();
        }
    }
    for (const Item& item : items) {
        if (!item.name.starts_with('_') && item.value.is_number()) {
            run.metrics[item.name].push_back({step.value_or(0), item.value.get<double>()});
        }
    }
}

// {"a": {"b": 1}} as "a.b": "1". W&B's own settings are left out.
void takeParameters(const std::string& name, const json& value, TrackedRun& run) {
    if (name.starts_with("_wandb")) {
        return;
    }
    if (value.is_object()) {
        for (const auto& [inner, part] : value.items()) {
            takeParameters(name + "." + inner, part, run);
        }
    } else if (!value.is_discarded()) {
        run.parameters[name] = plainText(value);
    }
}

void takeConfig(std::string_view config, TrackedRun& run) {
    for (const ProtobufField& field : protobufFields(config)) {
        if (field.number == 1) {
            const Item item = itemOf(field.bytes);
            takeParameters(item.name, item.value, run);
        }
    }
}

void takeRun(std::string_view message, TrackedRun& run) {
    constexpr std::uint32_t kId = 1, kProject = 3, kConfig = 4, kName = 8, kTags = 10, kStart = 17;
    for (const ProtobufField& field : protobufFields(message)) {
        if (field.number == kId) {
            run.id = field.text();
        } else if (field.number == kProject) {
            run.project = field.text();
        } else if (field.number == kConfig) {
            takeConfig(field.bytes, run);
        } else if (field.number == kName) {
            run.name = field.text();
        } else if (field.number == kTags) {
            run.tags.push_back(field.text());
        } else if (field.number == kStart) {
            for (const ProtobufField& time : protobufFields(field.bytes)) {
                run.created = time.number == 1 ? isoTimeOf(static_cast<double>(time.asSigned()))
                                               : run.created;
            }
        }
    }
}

// Values that were set and not logged step by step have one point, at the last step.
void takeSummary(std::string_view summary, std::map<std::string, double>& values) {
    for (const ProtobufField& field : protobufFields(summary)) {
        if (field.number == 1) {
            const Item item = itemOf(field.bytes);
            if (!item.name.starts_with('_') && item.value.is_number()) {
                values[item.name] = item.value.get<double>();
            }
        }
    }
}

}  // namespace

TrackedRun readWandbFile(const fs::path& file) {
    constexpr std::uint32_t kHistory = 2, kSummary = 3, kConfig = 5, kRun = 17, kExit = 18;
    TrackedRun run;
    run.tracker = "wandb";
    run.source = file;
    run.id = file.stem().string();
    run.status = "interrupted";  // until it says how it ended
    std::map<std::string, double> summary;
    for (const std::string& record : recordsIn(file, run.notes)) {
        try {
            for (const ProtobufField& field : protobufFields(record)) {
                if (field.number == kHistory) {
                    takeHistory(field.bytes, run);
                } else if (field.number == kSummary) {
                    takeSummary(field.bytes, summary);
                } else if (field.number == kConfig) {
                    takeConfig(field.bytes, run);
                } else if (field.number == kRun) {
                    run.tags.clear();
                    takeRun(field.bytes, run);
                } else if (field.number == kExit) {
                    run.status = "finished";
                    for (const ProtobufField& code : protobufFields(field.bytes)) {
                        run.status = code.number == 1 && code.integer != 0 ? "failed" : run.status;
                    }
                }
            }
        } catch (const std::runtime_error& error) {
            throw Error(fmt::format("has an invalid record: {}", error.what()), file.string(),
                        "it is damaged, or in another version's format");
        }
    }
    std::int64_t last = 0;
    for (const auto& [name, points] : run.metrics) {
        last = points.empty() ? last : std::max(last, points.back().step);
    }
    for (const auto& [name, value] : summary) {
        if (!run.metrics.contains(name)) {
            run.metrics[name].push_back({last, value});
        }
    }
    return run;
}

}  // namespace cospadi
