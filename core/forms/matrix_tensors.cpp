#include "core/forms/matrix_tensors.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "core/base/bfloat16.h"
#include "core/base/error.h"
#include "core/forms/integer_columns.h"
#include "core/tensors/bounded_json.h"

namespace cospadi {

namespace {

constexpr const char* kHint = "delete the file; the run makes it again when it is resumed";

constexpr const char* kBitsField = "coefficient_bits";
constexpr const char* kFormatField = "coefficient_format";
constexpr const char* kShortMantissa = "short-mantissa";
constexpr const char* kShortExponent = "short-exponent";
constexpr const char* kDictionaryBitsField = "dictionary_bits";
constexpr const char* kExponents = "exponents";
constexpr const char* kIntegers = "integers";
constexpr const char* kRunField = "integer_run";
constexpr const char* kScales = "_scales";

std::vector<std::uint16_t> bf16Of(const Eigen::MatrixXf& a) {
    std::vector<std::uint16_t> bits(static_cast<std::size_t>(a.size()));
    for (std::size_t i = 0; i < bits.size(); ++i) {
        bits[i] = bf16FromFloat(a.data()[i]);
    }
    return bits;
}

template <typename T>
std::vector<std::uint8_t> rawBytes(const std::vector<T>& values) {
    const auto* first = reinterpret_cast<const std::uint8_t*>(values.data());
    return {first, first + values.size() * sizeof(T)};
}

}  // namespace

void MatrixTensors::add(const char* tensor, DType dtype, std::vector<std::int64_t> shape,
                        std::vector<std::uint8_t> bytes) {
    m_bytes.push_back(std::move(bytes));
    m_tensors.push_back({m_layer + "." + tensor, dtype, std::move(shape),
                         std::as_bytes(std::span<const std::uint8_t>(m_bytes.back()))});
}

void MatrixTensors::addStream(const char* tensor, std::vector<std::uint8_t> stream) {
    const auto size = static_cast<std::int64_t>(stream.size());
    add(tensor, DType::U8, {size}, std::move(stream));
}

void MatrixTensors::addValues(const char* tensor, const std::vector<std::uint16_t>& bfloat16) {
    add(tensor, DType::BF16, {static_cast<std::int64_t>(bfloat16.size())}, rawBytes(bfloat16));
}

void MatrixTensors::addColumns(const char* tensor, const Eigen::MatrixXf& columns, int bits) {
    const std::vector<std::int64_t> shape{columns.cols(), columns.rows()};
    if (bits == 16) {
        add(tensor, DType::BF16, shape, rawBytes(bf16Of(columns)));
        return;
    }
    const ByteAtoms atoms = byteAtomsOf(columns);
    add(tensor, DType::I8, shape, rawBytes(atoms.bytes));
    add(kExponents, DType::I8, {columns.cols()}, rawBytes(atoms.exponents));
}

void MatrixTensors::addCommonColumns(const char* tensor, const Eigen::MatrixXf& columns, int bits,
                                     const Eigen::MatrixXf& halfSteps) {
    if (m_unit != nullptr && !m_unit->m_tensors.empty()) {
        return;
    }
    MatrixTensors& file = m_unit != nullptr ? *m_unit : *this;
    if (halfSteps.size() > 0) {
        file.addIntegers(tensor, columns, halfSteps, bits, false);
    } else {
        file.addColumns(tensor, columns, bits);
    }
}

void MatrixTensors::addIntegers(const std::string& tensor, const Eigen::MatrixXf& columns,
                                const Eigen::MatrixXf& halfSteps, int bits, bool onlyNonZeros) {
    addStream(tensor.c_str(), integerStream(columns, halfSteps, bits, onlyNonZeros));
    addColumns((tensor + kScales).c_str(), halfSteps, 16);
}

void MatrixTensors::setMetadata(const std::string& field, std::string value) {
    m_metadata[field] = std::move(value);
}

void MatrixTensors::describeNumbers(const NumberWidths& widths) {
    setMetadata(kBitsField, std::to_string(widths.coefficientBits));
    if (widths.integerRun > 0) {
        setMetadata(kFormatField, kIntegers);
        setMetadata(kRunField, std::to_string(widths.integerRun));
    } else {
        setMetadata(kFormatField, widths.format == CoefficientFormat::ShortExponent
                                      ? kShortExponent
                                      : kShortMantissa);
    }
    if (widths.columnBits != 16) {
        setMetadata(kDictionaryBitsField, std::to_string(widths.columnBits));
    }
}

StoredTensors::StoredTensors(const std::filesystem::path& path)
    : m_file(SafetensorsFile::open(path)) {
    m_form = field("form");
    try {
        m_record = matrixRecordFromJson(parseBoundedJson(field("result"), 4, path.string(), kHint));
    } catch (const Error&) {
        throw;
    } catch (const std::exception& error) {
        reject(fmt::format("metadata cannot be read: {}", error.what()));
    }
    if (const std::string* revision = findField("revision")) {
        m_record.revision = *revision;
    }
    m_record.bytes = static_cast<std::int64_t>(std::filesystem::file_size(path));
    if (!m_record.unit.empty()) {
        openUnit();
    }
    const auto sane = [](std::int64_t n) { return n >= 0 && n <= (std::int64_t{1} << 31); };
    if (!sane(m_record.d1) || !sane(m_record.d2) || !sane(m_record.k) || !sane(m_record.s) ||
        !sane(m_record.rank)) {
        reject("sizes in the metadata are out of range");
    }
}

void StoredTensors::openUnit() {
    if (!isUnitName(m_record.unit)) {
        reject(fmt::format("'{}' is not the name of a shared file", m_record.unit));
    }
    const std::filesystem::path path = unitFile(m_file.path().parent_path(), m_record.unit);
    m_unit = SafetensorsFile::open(path);
    const auto whole = static_cast<std::int64_t>(std::filesystem::file_size(path));
    if (m_record.sharedBytes < 0 || m_record.sharedBytes > whole) {
        reject("its part of the shared file is out of range");
    }
    m_record.bytes += m_record.sharedBytes;
}

const TensorView& StoredTensors::require(const char* tensor) const {
    const std::string own = m_record.name + "." + tensor;
    if (m_unit && m_file.find(own) == nullptr) {
        return m_unit->require(m_record.unit + "." + tensor);
    }
    return m_file.require(own);
}

Eigen::MatrixXf StoredTensors::columns(const char* tensor, std::int64_t rows, std::int64_t cols,
                                       int bits) const {
    const TensorView& values = require(tensor);
    const bool shaped = values.shape == std::vector<std::int64_t>{cols, rows};
    if (bits == 16) {
        if (values.dtype != DType::BF16 || !shaped) {
            reject(fmt::format("tensor {} is not BF16 of shape ({}, {})", values.name, cols, rows));
        }
        const std::vector<float> wide = values.toFloat();
        return Eigen::Map<const Eigen::MatrixXf>(wide.data(), rows, cols);
    }
    const TensorView& exponents = require(kExponents);
    if (values.dtype != DType::I8 || !shaped || exponents.dtype != DType::I8 ||
        exponents.shape != std::vector<std::int64_t>{cols}) {
        reject(fmt::format("tensor {} is not I8 of shape ({}, {}) with an exponent a row",
                           values.name, cols, rows));
    }
    return matrixOfBytes(values.bytes, exponents.bytes, rows);
}

std::int64_t StoredTensors::number(const char* name, std::int64_t least, std::int64_t most) const {
    const std::string& text = field(name);
    std::int64_t value = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed != std::errc() || end != text.data() + text.size() || value < least ||
        value > most) {
        reject(fmt::format("metadata field '{}' is not a number from {} to {}", name, least, most));
    }
    return value;
}

Eigen::MatrixXf StoredTensors::scales(const std::string& tensor, std::int64_t runs,
                                      std::int64_t columns) const {
    if (runs < 1) {
        reject(fmt::format("tensor {} has no runs", tensor));
    }
    return this->columns((tensor + kScales).c_str(), runs, columns, 16);
}

std::span<const std::byte> StoredTensors::integerStreamOf(const char* tensor,
                                                          const Eigen::MatrixXf& halfSteps,
                                                          int bits, std::int64_t count) const {
    const TensorView& stream = require(tensor);
    const auto bytes = static_cast<std::int64_t>(stream.bytes.size());
    // Sizes are below 2³¹ each: their product fits, eight times it need not.
    if (stream.dtype != DType::U8 || count > 8 * bytes || bytes != streamBytes(count, bits)) {
        reject(fmt::format("tensor {} does not hold {} integers of {} bits", stream.name, count,
                           bits));
    }
    if (!(halfSteps.array() >= 0).all() || !halfSteps.allFinite()) {
        reject(fmt::format("scales of tensor {} are not valid sizes", stream.name));
    }
    return stream.bytes;
}

Eigen::MatrixXf StoredTensors::integers(const char* tensor, const Eigen::MatrixXf& halfSteps,
                                        int bits, std::int64_t rows) const {
    const auto stream = integerStreamOf(tensor, halfSteps, bits, rows * halfSteps.cols());
    Eigen::MatrixXf columns = Eigen::MatrixXf::Zero(rows, halfSteps.cols());
    readIntegers(stream, halfSteps, bits, false, columns);
    return columns;
}

void StoredTensors::integersInto(Eigen::MatrixXf& codes, const char* tensor,
                                 const Eigen::MatrixXf& halfSteps, int bits) const {
    const auto stream = integerStreamOf(tensor, halfSteps, bits, (codes.array() != 0).count());
    readIntegers(stream, halfSteps, bits, true, codes);
}

NumberWidths StoredTensors::numberWidths() const {
    NumberWidths widths;
    const std::string* format = findField(kFormatField);  // absent before 0.3
    if (format != nullptr && *format == kIntegers) {
        widths.integerRun = number(kRunField, 1, std::int64_t{1} << 31);
        widths.coefficientBits =
            static_cast<int>(number(kBitsField, kFewestIntegerBits, kMostIntegerBits));
        widths.columnBits =
            static_cast<int>(number(kDictionaryBitsField, kFewestIntegerBits, kMostIntegerBits));
        return widths;
    }
    widths.coefficientBits = static_cast<int>(number(kBitsField, 8, 16));
    if (format != nullptr) {
        if (*format != kShortMantissa && *format != kShortExponent) {
            reject(fmt::format("coefficient_format '{}' is unknown", *format));
        }
        widths.format = *format == kShortExponent ? CoefficientFormat::ShortExponent
                                                  : CoefficientFormat::ShortMantissa;
    }
    if (findField(kDictionaryBitsField) != nullptr) {  // absent where it is 16
        widths.columnBits = static_cast<int>(number(kDictionaryBitsField, 8, 16));
    }
    if (widths.columnBits != 8 && widths.columnBits != 16) {
        reject("sizes in the metadata are out of range");
    }
    return widths;
}

void StoredTensors::requireFactors(std::int64_t columns) const {
    if (columns < 1) {
        reject("its factors have no columns");
    }
}

void StoredTensors::reject(const std::string& what) const {
    throw Error(what, m_file.path().string(), kHint);
}

const std::string* StoredTensors::findField(const char* name) const {
    const auto found = m_file.metadata().find(name);
    return found != m_file.metadata().end() ? &found->second : nullptr;
}

const std::string& StoredTensors::field(const char* name) const {
    const std::string* found = findField(name);
    if (found == nullptr) {
        reject(fmt::format("metadata field '{}' is missing: not a compressed matrix", name));
    }
    return *found;
}

}  // namespace cospadi
