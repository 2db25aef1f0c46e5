// TensorBoard's event files: records of TFRecord (length, its checksum, data, checksum), each an
// Event of protobuf. Scalars are a float of the value itself, or a tensor with one number.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>

#include "core/base/error.h"
#include "core/base/folder_path.h"
#include "core/records/protobuf_fields.h"
#include "core/records/tracked_run.h"
#include "core/store/run_file.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

// CRC-32C (Castagnoli), turned as TFRecord has it.
std::uint32_t maskedCrc(std::string_view bytes) {
    static const std::array<std::uint32_t, 256> kTable = [] {
        std::array<std::uint32_t, 256> table{};
        for (std::uint32_t i = 0; i < table.size(); ++i) {
            std::uint32_t value = i;
            for (int bit = 0; bit < 8; ++bit) {
                value = (value >> 1U) ^ ((value & 1U) != 0 ? 0x82F63B78U : 0U);
            }
            table[i] = value;
        }
        return table;
    }();
    std::uint32_t crc = 0xFFFFFFFFU;
    for (const char byte : bytes) {
        crc = kTable[(crc ^ static_cast<unsigned char>(byte)) & 0xFFU] ^ (crc >> 8U);
    }
    crc = ~crc;
    return std::rotr(crc, 15) + 0xA282EAD8U;
}

// The first number of a TensorProto of float or double; nullopt of any other.
std::optional<double> scalarOf(std::string_view tensor) {
    constexpr std::uint64_t kFloat = 1, kDouble = 2;
    std::uint64_t type = 0;
    std::string_view content;
    std::optional<double> listed;
    for (const ProtobufField& field : protobufFields(tensor)) {
        if (field.number == 1) {
            type = field.integer;
        } else if (field.number == 4) {
            content = field.bytes;
        } else if (field.number == 5 && !listed) {  // float_val, packed or not
            ProtobufField first = field;
            first.integer = field.bytes.empty() ? field.integer : littleEndian(field.bytes, 0, 4);
            listed = first.asFloat();
        } else if (field.number == 6 && !listed) {
            ProtobufField first = field;
            first.integer = field.bytes.empty() ? field.integer : littleEndian(field.bytes, 0, 8);
            listed = first.asDouble();
        }
    }
    ProtobufField stored;
    if (type == kFloat && content.size() == 4) {
        stored.integer = littleEndian(content, 0, 4);
        return stored.asFloat();
    }
    if (type == kDouble && content.size() == 8) {
        stored.integer = littleEndian(content, 0, 8);
        return stored.asDouble();
    }
    return type == kFloat || type == kDouble ? listed : std::nullopt;
}

void takeValue(std::string_view value, std::int64_t step, TrackedRun& run) {
    std::string tag;
    std::optional<double> number;
    for (const ProtobufField& field : protobufFields(value)) {
        if (field.number == 1) {
            tag = field.text();
        } else if (field.number == 2) {
            number = field.asFloat();
        } else if (field.number == 8) {
            number = scalarOf(field.bytes);
        }
    }
    if (!tag.empty() && number) {
        run.metrics[tag].push_back({step, *number});
    }
}

void takeEvent(std::string_view event, TrackedRun& run) {
    std::int64_t step = 0;
    std::string_view summary;
    for (const ProtobufField& field : protobufFields(event)) {
        if (field.number == 1 && run.created.empty()) {
            run.created = isoTimeOf(field.asDouble());
        } else if (field.number == 2) {
            step = field.asSigned();
        } else if (field.number == 5) {
            summary = field.bytes;
        }
    }
    for (const ProtobufField& value : protobufFields(summary)) {
        if (value.number == 1) {
            takeValue(value.bytes, step, run);
        }
    }
}

void takeFile(const fs::path& file, TrackedRun& run) {
    constexpr std::size_t kLength = 8, kCrc = 4;
    const std::string text = readTextFile(file);
    const std::string_view bytes = text;
    for (std::size_t at = 0; at < bytes.size();) {
        const std::uint64_t length = littleEndian(bytes, at, kLength);
        const std::size_t left = bytes.size() - at;
        if (left < kLength + 2 * kCrc || length > left - kLength - 2 * kCrc) {
            // Where its writer was killed; but a length that is none is damage.
            if (left >= kLength + kCrc &&
                maskedCrc(bytes.substr(at, kLength)) != littleEndian(bytes, at + kLength, kCrc)) {
                throw Error(fmt::format("is damaged at byte {}", at), file.string(),
                            "copy it again from where it was written");
            }
            run.notes.push_back(fmt::format("{}: the last record is incomplete", file.string()));
            return;
        }
        const std::string_view data = bytes.substr(at + kLength + kCrc, length);
        if (maskedCrc(bytes.substr(at, kLength)) != littleEndian(bytes, at + kLength, kCrc) ||
            maskedCrc(data) != littleEndian(bytes, at + kLength + kCrc + length, kCrc)) {
            throw Error(fmt::format("is damaged at byte {}: wrong checksum", at), file.string(),
                        "copy it again from where it was written");
        }
        try {
            takeEvent(data, run);
        } catch (const std::runtime_error& error) {
            throw Error(fmt::format("has no event at byte {}: {}", at, error.what()), file.string(),
                        "it is not an event file of TensorBoard");
        }
        at += kLength + 2 * kCrc + length;
    }
}

}  // namespace

bool isEventFile(const fs::path& file) {
    std::error_code failed;
    return file.filename().string().find("tfevents") != std::string::npos &&
           fs::is_regular_file(file, failed);
}

TrackedRun readEventFolder(const fs::path& folder) {
    TrackedRun run;
    run.tracker = "tensorboard";
    run.source = folder;
    run.id = nameOfPath(folder);
    run.name = run.id;
    run.status = "finished";  // nothing in the files says otherwise
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (isEventFile(entry.path())) {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());  // their names begin with the time
    for (const fs::path& file : files) {
        takeFile(file, run);
    }
    return run;
}

}  // namespace cospadi
