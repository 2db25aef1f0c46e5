#include "core/tensors/gguf_writer.h"

#include <algorithm>
#include <cstring>

#include "core/base/error.h"
#include "core/tensors/atomic_file.h"
#include "core/tensors/gguf_format.h"

namespace cospadi {

namespace {

constexpr std::uint32_t kVersion = 3;
constexpr std::uint64_t kAlignment = 32;

template <typename T>
void append(std::string& bytes, T value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void appendText(std::string& bytes, std::string_view text) {
    append(bytes, static_cast<std::uint64_t>(text.size()));
    bytes += text;
}

// Finds the end of values in a file that GgufFile has already checked.
class FieldScanner {
  public:
    explicit FieldScanner(std::span<const std::byte> bytes) : m_bytes(bytes) {}

    template <typename T>
    T read() {
        T value;
        std::memcpy(&value, m_bytes.data() + m_position, sizeof value);
        m_position += sizeof value;
        return value;
    }
    std::string_view readText() {
        const auto length = read<std::uint64_t>();
        const std::string_view text(reinterpret_cast<const char*>(m_bytes.data()) + m_position,
                                    length);
        m_position += length;
        return text;
    }
    void skipValue(std::uint32_t type) {
        constexpr std::uint64_t kSizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
        if (type == gguf::kString) {
            readText();
        } else if (type == gguf::kArray) {
            const auto elementType = read<std::uint32_t>();
            const auto count = read<std::uint64_t>();
            for (std::uint64_t i = 0; i < count; ++i) {
                skipValue(elementType);
            }
        } else {
            m_position += kSizes[type];
        }
    }
    std::size_t position() const { return m_position; }
    std::string since(std::size_t begin) const {
        return {reinterpret_cast<const char*>(m_bytes.data()) + begin, m_position - begin};
    }

  private:
    std::span<const std::byte> m_bytes;
    std::size_t m_position = 0;
};

std::uint32_t typeCode(DType type, const std::string& where) {
    switch (type) {
        case DType::F32:
            return 0;
        case DType::F16:
            return 1;
        case DType::Q4_0:
            return 2;
        case DType::Q4_1:
            return 3;
        case DType::Q5_0:
            return 6;
        case DType::Q5_1:
            return 7;
        case DType::Q8_0:
            return 8;
        case DType::Q4_K:
            return 12;
        case DType::Q5_K:
            return 13;
        case DType::Q6_K:
            return 14;
        case DType::BF16:
            return 30;
        default:
            throw Error("cannot be stored in this type", where, "this is a bug; please report it");
    }
}

std::uint64_t padded(std::uint64_t size) {
    return (size + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

void GgufMetadata::set(const std::string& key, std::uint32_t type, std::string value) {
    const auto found = std::find_if(m_fields.begin(), m_fields.end(),
                                    [&](const Field& field) { return field.key == key; });
    if (found == m_fields.end()) {
        m_fields.push_back({key, type, std::move(value)});
    } else {
        *found = {key, type, std::move(value)};
    }
}

void GgufMetadata::setText(const std::string& key, std::string_view value) {
    std::string bytes;
    appendText(bytes, value);
    set(key, gguf::kString, std::move(bytes));
}

void GgufMetadata::setU32(const std::string& key, std::uint32_t value) {
    std::string bytes;
    append(bytes, value);
    set(key, gguf::kU32, std::move(bytes));
}

void GgufMetadata::setF32(const std::string& key, float value) {
    std::string bytes;
    append(bytes, value);
    set(key, gguf::kF32, std::move(bytes));
}

void GgufMetadata::setBool(const std::string& key, bool value) {
    set(key, gguf::kBool, std::string(1, value ? '\1' : '\0'));
}

void GgufMetadata::setTexts(const std::string& key, const std::vector<std::string>& values) {
    std::string bytes;
    append(bytes, std::uint32_t{gguf::kString});
    append(bytes, static_cast<std::uint64_t>(values.size()));
    for (const std::string& value : values) {
        appendText(bytes, value);
    }
    set(key, gguf::kArray, std::move(bytes));
}

void GgufMetadata::setI32s(const std::string& key, const std::vector<std::int32_t>& values) {
    std::string bytes;
    append(bytes, std::uint32_t{gguf::kI32});
    append(bytes, static_cast<std::uint64_t>(values.size()));
    for (const std::int32_t value : values) {
        append(bytes, value);
    }
    set(key, gguf::kArray, std::move(bytes));
}

void GgufMetadata::copyFrom(const GgufFile& file) {
    FieldScanner scanner(file.mapping()->bytes());
    scanner.read<std::uint64_t>();  // magic and version
    scanner.read<std::uint64_t>();  // tensors
    const auto count = scanner.read<std::uint64_t>();
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::string key(scanner.readText());
        const auto type = scanner.read<std::uint32_t>();
        const std::size_t begin = scanner.position();
        scanner.skipValue(type);
        set(key, type, scanner.since(begin));
    }
}

void GgufMetadata::erase(const std::string& key) {
    std::erase_if(m_fields, [&](const Field& field) { return field.key == key; });
}

std::string GgufMetadata::bytes() const {
    std::string bytes;
    for (const Field& field : m_fields) {
        appendText(bytes, field.key);
        append(bytes, field.type);
        bytes += field.value;
    }
    return bytes;
}

std::int64_t streamGguf(const std::filesystem::path& path, const GgufMetadata& metadata,
                        const std::vector<TensorToStream>& tensors) {
    std::string head = "GGUF";
    append(head, kVersion);
    append(head, static_cast<std::uint64_t>(tensors.size()));
    append(head, metadata.count());
    head += metadata.bytes();
    std::uint64_t offset = 0;
    std::vector<std::uint64_t> sizes;
    for (const TensorToStream& tensor : tensors) {
        const std::string where = path.string() + ", tensor " + tensor.name;
        appendText(head, tensor.name);
        append(head, static_cast<std::uint32_t>(tensor.shape.size()));
        for (auto extent = tensor.shape.rbegin(); extent != tensor.shape.rend(); ++extent) {
            append(head, static_cast<std::uint64_t>(*extent));
        }
        append(head, typeCode(tensor.dtype, where));
        append(head, offset);
        sizes.push_back(static_cast<std::uint64_t>(tensorBytes(tensor.dtype, tensor.shape, where)));
        offset += padded(sizes.back());
    }
    head.append(padded(head.size()) - head.size(), '\0');

    AtomicFile file(path);
    file.write(std::as_bytes(std::span(head)));
    const std::string zeros(kAlignment, '\0');
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        std::uint64_t written = 0;
        tensors[i].produce([&](std::span<const std::byte> bytes) {
            written += bytes.size();
            file.write(bytes);
        });
        if (written != sizes[i]) {
            throw Error("its size does not fit its shape",
                        path.string() + ", tensor " + tensors[i].name,
                        "this is a bug; please report it");
        }
        file.write(std::as_bytes(std::span(zeros.data(), padded(written) - written)));
    }
    file.commit();
    return static_cast<std::int64_t>(head.size() + offset);
}

}  // namespace cospadi
