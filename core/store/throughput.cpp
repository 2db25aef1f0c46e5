#include "core/store/throughput.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>

#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/base/temporary_name.h"
#include "core/base/timestamp.h"
#include "core/store/field_reader.h"
#include "core/store/run_file.h"
#include "core/store/run_row.h"
#include "core/tensors/atomic_file.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;
using Object = nlohmann::json;

constexpr const char* kThroughput = "throughput";
constexpr const char* kMeasureAgain = "delete the file and measure again";

Object throughputSettings(const ThroughputRecord& record) {
    Object settings = {{"kind", kThroughput},       {"mode", name(record.mode)},
                       {"tokens", record.tokens},   {"rounds", record.rounds},
                       {"threads", record.threads}, {"cpu", record.cpu}};
    if (!record.weights.empty()) {
        settings["weights"] = record.weights;
    }
    return settings;
}

fs::path fileOfRecord(const fs::path& run, const ThroughputRecord& record) {
    return run / "evaluations" /
           fmt::format("{}-{}-{}.json", kThroughput, name(record.mode),
                       sha256OfString(throughputSettings(record).dump()).substr(0, 12));
}

Object percentilesJson(const Percentiles& percentiles) {
    const auto orNull = [](double value) {
        return std::isfinite(value) ? Object(value) : Object(nullptr);
    };
    return {{"p50", orNull(percentiles.p50)},
            {"p90", orNull(percentiles.p90)},
            {"p99", orNull(percentiles.p99)}};
}

Percentiles percentilesIn(FieldReader& fields, const char* field) {
    Percentiles percentiles{unknownNumber, unknownNumber, unknownNumber};
    if (const Object* found = fields.child(field)) {
        FieldReader inner(*found, std::string(field) + ".");
        inner.read("p50", percentiles.p50);
        inner.read("p90", percentiles.p90);
        inner.read("p99", percentiles.p99);
        for (const auto& [key, value] :
             {std::pair("p50", &percentiles.p50), std::pair("p90", &percentiles.p90),
              std::pair("p99", &percentiles.p99)}) {
            if (inner.child(key) == nullptr) {
                *value = unknownNumber;
            }
        }
    }
    return percentiles;
}

ThroughputRecord throughputIn(const Object& object) {
    ThroughputRecord record;
    FieldReader fields(object, "");
    std::string mode;
    fields.read("mode", mode);
    if (mode != name(ThroughputMode::Synchronous) && mode != name(ThroughputMode::Asynchronous)) {
        throw Error(fmt::format("'{}' is not a mode", mode), "mode", kMeasureAgain);
    }
    record.mode = mode == name(ThroughputMode::Synchronous) ? ThroughputMode::Synchronous
                                                            : ThroughputMode::Asynchronous;
    fields.read("tokens", record.tokens);
    fields.read("rounds", record.rounds);
    fields.read("threads", record.threads);
    fields.read("cpu", record.cpu);
    fields.read("weights", record.weights);
    fields.read("created", record.created);
    const Object* points = fields.child("points");
    if (points == nullptr || !points->is_array()) {
        throw Error("is not a list", "points", kMeasureAgain);
    }
    for (const Object& point : *points) {
        record.points.push_back(throughputPointFromJson(point));
    }
    return record;
}

ThroughputRecord readThroughput(const fs::path& file) {
    const Object object = readRunJson(file, kMeasureAgain);
    try {
        return throughputIn(object);
    } catch (const Error& error) {
        throw Error(error.problem(), fmt::format("{}: {}", file.string(), error.where()),
                    kMeasureAgain);
    }
}

bool isThroughputFile(const fs::path& file) {
    return file.extension() == ".json" &&
           file.filename().string().starts_with(std::string(kThroughput) + "-");
}

}  // namespace

const char* name(ThroughputMode mode) {
    return mode == ThroughputMode::Synchronous ? "synchronous" : "asynchronous";
}

Percentiles percentilesOf(std::vector<double> values) {
    if (values.empty()) {
        return {unknownNumber, unknownNumber, unknownNumber};
    }
    std::sort(values.begin(), values.end());
    const auto at = [&](double share) {
        const double rank = std::ceil(share * static_cast<double>(values.size()));
        return values[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
    };
    return {at(0.5), at(0.9), at(0.99)};
}

nlohmann::json toJson(const ThroughputPoint& point) {
    return {{"users", point.users},
            {"prompt", point.prompt},
            {"requests", point.requests},
            {"generated_tokens", point.generated},
            {"cached_tokens", point.cached},
            {"seconds", point.seconds},
            {"tokens_per_second", point.tokensPerSecond()},
            {"first_token_seconds", percentilesJson(point.firstToken)},
            {"per_token_seconds", percentilesJson(point.perToken)},
            {"request_seconds", percentilesJson(point.request)}};
}

ThroughputPoint throughputPointFromJson(const nlohmann::json& object) {
    ThroughputPoint point;
    FieldReader fields(object, "points.");
    fields.read("users", point.users);
    fields.read("prompt", point.prompt);
    fields.read("requests", point.requests);
    fields.read("generated_tokens", point.generated);
    fields.read("cached_tokens", point.cached);
    fields.read("seconds", point.seconds);
    point.firstToken = percentilesIn(fields, "first_token_seconds");
    point.perToken = percentilesIn(fields, "per_token_seconds");
    point.request = percentilesIn(fields, "request_seconds");
    if (point.users < 1 || point.prompt < 1 || point.generated < 0 || point.cached < 0 ||
        !(point.seconds > 0)) {
        throw Error("contains an impossible count or time", "points", kMeasureAgain);
    }
    return point;
}

const ThroughputPoint* ThroughputRecord::find(std::int64_t users, std::int64_t prompt) const {
    const auto found = std::find_if(points.begin(), points.end(), [&](const auto& point) {
        return point.users == users && point.prompt == prompt;
    });
    return found == points.end() ? nullptr : &*found;
}

std::vector<ThroughputRecord> throughputOf(const fs::path& run, std::vector<std::string>* notes) {
    std::vector<fs::path> files;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(run / "evaluations", none)) {
        if (isThroughputFile(entry.path())) {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    std::vector<ThroughputRecord> records;
    for (const fs::path& file : files) {
        try {
            records.push_back(readThroughput(file));
        } catch (const Error& error) {
            if (notes != nullptr) {
                notes->push_back(fmt::format("skipped: {}", error.what()));
            }
        }
    }
    return records;
}

ThroughputRecord recordedThroughput(const fs::path& run, const ThroughputRecord& like) {
    const fs::path file = fileOfRecord(run, like);
    std::error_code none;
    if (fs::exists(file, none)) {
        return readThroughput(file);
    }
    ThroughputRecord empty = like;
    empty.points.clear();
    return empty;
}

fs::path recordThroughput(const fs::path& run, const ThroughputRecord& like,
                          const ThroughputPoint& point) {
    ThroughputRecord record = recordedThroughput(run, like);
    std::erase_if(record.points, [&](const ThroughputPoint& old) {
        return old.users == point.users && old.prompt == point.prompt;
    });
    record.points.push_back(point);
    std::sort(record.points.begin(), record.points.end(), [](const auto& a, const auto& b) {
        return std::tie(a.users, a.prompt) < std::tie(b.users, b.prompt);
    });
    Object object = throughputSettings(record);
    object["created"] = utcTimestamp();
    for (const ThroughputPoint& one : record.points) {
        object["points"].push_back(toJson(one));
    }
    fs::create_directories(run / "evaluations");
    removeAbandoned(run / "evaluations");
    fs::path file = fileOfRecord(run, record);
    writeFileAtomically(file, object.dump(1) + "\n");
    return file;
}

double meanThroughput(const fs::path& run) {
    const std::vector<ThroughputRecord> records = throughputOf(run);
    const ThroughputRecord* newest = nullptr;
    for (const ThroughputRecord& record : records) {
        if (record.mode == ThroughputMode::Synchronous && !record.points.empty() &&
            (newest == nullptr || newest->created < record.created)) {
            newest = &record;
        }
    }
    if (newest == nullptr) {
        return unknownNumber;
    }
    double sum = 0;
    for (const ThroughputPoint& point : newest->points) {
        sum += point.tokensPerSecond();
    }
    return sum / static_cast<double>(newest->points.size());
}

}  // namespace cospadi
