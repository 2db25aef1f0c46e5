#include "core/pipeline/matrix_file.h"

#include <fmt/format.h>

#include <bit>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "core/base/bfloat16.h"
#include "core/base/error.h"
#include "core/pipeline/environment.h"
#include "core/pipeline/matrix_codec.h"
#include "core/tensors/bounded_json.h"
#include "core/tensors/safetensors.h"
#include "core/tensors/safetensors_writer.h"

namespace cospadi {

namespace {

constexpr const char* kHint = "delete the file; the run will make it again when it is resumed";

constexpr const char* kFormatField = "coefficient_format";
constexpr const char* kShortMantissa = "short-mantissa";
constexpr const char* kShortExponent = "short-exponent";
constexpr const char* kDictionaryBitsField = "dictionary_bits";

[[noreturn]] void reject(const std::filesystem::path& path, const std::string& what) {
    throw Error(what, path.string(), kHint);
}

const char* storedName(CoefficientFormat format) {
    return format == CoefficientFormat::ShortExponent ? kShortExponent : kShortMantissa;
}

CoefficientFormat formatFromStoredName(const std::string& name, const std::filesystem::path& path) {
    if (name == kShortExponent) {
        return CoefficientFormat::ShortExponent;
    }
    if (name != kShortMantissa) {
        reject(path, fmt::format("coefficient_format '{}' is unknown", name));
    }
    return CoefficientFormat::ShortMantissa;
}

std::vector<std::uint16_t> bf16Of(const Eigen::MatrixXf& a) {
    std::vector<std::uint16_t> bits(static_cast<std::size_t>(a.size()));
    for (std::size_t i = 0; i < bits.size(); ++i) {
        bits[i] = bf16FromFloat(a.data()[i]);
    }
    return bits;
}

bool maskBit(std::span<const std::byte> mask, std::int64_t index) {
    return (std::to_integer<unsigned>(mask[static_cast<std::size_t>(index / 8)]) >> (index % 8) &
            1U) != 0;
}

struct PackedCodes {
    std::vector<std::uint8_t> mask;
    std::vector<std::uint16_t> patterns;  // one a non-zero
};

PackedCodes pack(const SparseDictionaryFactors& factors) {
    const CoefficientCode code(factors.coefficientFormat, factors.coefficientBits);
    const Eigen::MatrixXf& codes = factors.codes;
    PackedCodes packed;
    packed.mask.assign(static_cast<std::size_t>((codes.size() + 7) / 8), 0);
    for (Eigen::Index i = 0; i < codes.size(); ++i) {
        if (codes.data()[i] != 0) {
            packed.mask[static_cast<std::size_t>(i / 8)] |=
                static_cast<std::uint8_t>(1U << static_cast<unsigned>(i % 8));
            packed.patterns.push_back(code.pattern(codes.data()[i]));
        }
    }
    return packed;
}

Eigen::MatrixXf matrixOf(const TensorView& tensor, std::int64_t rows, std::int64_t cols,
                         const std::filesystem::path& path) {
    if (tensor.dtype != DType::BF16 || tensor.shape != std::vector<std::int64_t>{cols, rows}) {
        reject(path,
               fmt::format("tensor {} is not BF16 of shape ({}, {})", tensor.name, cols, rows));
    }
    const std::vector<float> values = tensor.toFloat();
    return Eigen::Map<const Eigen::MatrixXf>(values.data(), rows, cols);
}

Eigen::MatrixXf byteMatrixOf(const TensorView& tensor, const TensorView& exponents,
                             std::int64_t rows, std::int64_t cols,
                             const std::filesystem::path& path) {
    if (tensor.dtype != DType::I8 || tensor.shape != std::vector<std::int64_t>{cols, rows} ||
        exponents.dtype != DType::I8 || exponents.shape != std::vector<std::int64_t>{cols}) {
        reject(path, fmt::format("tensor {} is not I8 of shape ({}, {}) with an exponent a row",
                                 tensor.name, cols, rows));
    }
    return matrixOfBytes(tensor.bytes, exponents.bytes, rows);
}

struct Contents {
    SafetensorsFile file;
    MatrixRecord record;
    std::string form;
    int coefficientBits = 16;
    CoefficientFormat coefficientFormat = CoefficientFormat::ShortMantissa;
    int dictionaryBits = 16;
};

Contents openMatrixFile(const std::filesystem::path& path) {
    Contents contents;
    contents.file = SafetensorsFile::open(path);
    const auto& metadata = contents.file.metadata();
    const auto field = [&](const std::string& key) -> const std::string& {
        const auto found = metadata.find(key);
        if (found == metadata.end()) {
            reject(path,
                   fmt::format("metadata field '{}' is missing: not a compressed matrix", key));
        }
        return found->second;
    };
    contents.form = field("form");
    try {
        contents.record =
            matrixRecordFromJson(parseBoundedJson(field("result"), 4, path.string(), kHint));
        contents.coefficientBits = std::stoi(field("coefficient_bits"));
        if (metadata.count(kFormatField) > 0) {  // absent before 0.3
            contents.coefficientFormat = formatFromStoredName(field(kFormatField), path);
        }
        if (metadata.count(kDictionaryBitsField) > 0) {  // absent where it is 16
            contents.dictionaryBits = std::stoi(field(kDictionaryBitsField));
        }
    } catch (const Error&) {
        throw;
    } catch (const std::exception& error) {
        reject(path, fmt::format("metadata cannot be read: {}", error.what()));
    }
    MatrixRecord& record = contents.record;
    if (const auto revision = metadata.find("revision"); revision != metadata.end()) {
        record.revision = revision->second;
    }
    record.bytes = static_cast<std::int64_t>(std::filesystem::file_size(path));
    const auto sane = [](std::int64_t n) { return n >= 0 && n <= (std::int64_t{1} << 31); };
    if (!sane(record.d1) || !sane(record.d2) || !sane(record.k) || !sane(record.rank) ||
        contents.coefficientBits < 8 || contents.coefficientBits > 16 ||
        (contents.dictionaryBits != 8 && contents.dictionaryBits != 16)) {
        reject(path, "sizes in the metadata are out of range");
    }
    return contents;
}

// Rows of the dictionary, and columns of S.
std::int64_t dictionaryRows(const MatrixRecord& r) {
    return r.side == DictionarySide::Input ? r.d1 : r.d2;
}
std::int64_t codeColumns(const MatrixRecord& r) {
    return r.side == DictionarySide::Input ? r.d2 : r.d1;
}

const TensorView& maskTensor(const Contents& contents, const std::filesystem::path& path) {
    const MatrixRecord& record = contents.record;
    const TensorView& mask = contents.file.require(record.name + ".mask");
    if (mask.dtype != DType::U8 ||
        static_cast<std::int64_t>(mask.bytes.size()) != (record.k * codeColumns(record) + 7) / 8) {
        reject(path, "the mask does not fit k and the columns of S");
    }
    return mask;
}

// A dictionary or a left factor.
Eigen::MatrixXf columnsOf(const Contents& contents, const std::string& tensor, std::int64_t rows,
                          std::int64_t cols, const std::filesystem::path& path) {
    const TensorView& values = contents.file.require(contents.record.name + tensor);
    return contents.dictionaryBits == 16
               ? matrixOf(values, rows, cols, path)
               : byteMatrixOf(values, contents.file.require(contents.record.name + ".exponents"),
                              rows, cols, path);
}

LowRankFactors readLowRank(const Contents& contents, const std::filesystem::path& path) {
    const MatrixRecord& record = contents.record;
    LowRankFactors factors;
    factors.leftBits = contents.dictionaryBits;
    factors.rightBits = contents.coefficientBits;
    factors.rightFormat = contents.coefficientFormat;
    factors.left = columnsOf(contents, ".left", record.d1, record.rank, path);
    const TensorView& right = contents.file.require(record.name + ".right");
    if (factors.rightBits == 16) {
        factors.right = matrixOf(right, record.rank, record.d2, path);
        return factors;
    }
    // Sizes are below 2³¹ each, and the left factor has as many columns: no overflow of the count.
    const std::int64_t count = record.rank * record.d2;
    const auto bytes = static_cast<std::int64_t>(right.bytes.size());
    if (right.dtype != DType::U8 || count > 8 * bytes ||
        bytes != streamBytes(count, factors.rightBits)) {
        reject(path, fmt::format("tensor {} does not hold {} x {} values of {} bits", right.name,
                                 record.rank, record.d2, factors.rightBits));
    }
    factors.right =
        matrixOfStream(right.bytes, CoefficientCode(factors.rightFormat, factors.rightBits),
                       record.rank, record.d2);
    return factors;
}

SparseDictionaryFactors readSparse(const Contents& contents, const std::filesystem::path& path) {
    const MatrixRecord& record = contents.record;
    SparseDictionaryFactors factors;
    factors.s = record.s;
    factors.coefficientBits = contents.coefficientBits;
    factors.coefficientFormat = contents.coefficientFormat;
    factors.side = record.side;
    factors.dictionaryBits = contents.dictionaryBits;
    factors.dictionary = columnsOf(contents, ".dictionary", dictionaryRows(record), record.k, path);
    const TensorView& mask = maskTensor(contents, path);
    const TensorView& values = contents.file.require(record.name + ".values");
    std::int64_t nonZeros = 0;
    for (const std::byte byte : mask.bytes) {
        nonZeros += std::popcount(std::to_integer<unsigned>(byte));
    }
    if (static_cast<std::int64_t>(values.bytes.size()) !=
        streamBytes(nonZeros, factors.coefficientBits)) {
        reject(path, "the number of values does not fit the mask");
    }
    factors.codes = Eigen::MatrixXf::Zero(record.k, codeColumns(record));
    BitReader reader(values.bytes, factors.coefficientBits);
    const CoefficientCode code(factors.coefficientFormat, factors.coefficientBits);
    for (std::int64_t i = 0; i < factors.codes.size(); ++i) {
        if (maskBit(mask.bytes, i)) {
            factors.codes.data()[i] = code.value(reader.next());
        }
    }
    return factors;
}

template <typename T>
std::vector<std::uint8_t> rawBytes(const std::vector<T>& values) {
    const auto* first = reinterpret_cast<const std::uint8_t*>(values.data());
    return {first, first + values.size() * sizeof(T)};
}

// The tensors of a file and what their bytes lie in until it is written.
class TensorList {
  public:
    void add(const std::string& name, DType dtype, std::vector<std::int64_t> shape,
             std::vector<std::uint8_t> bytes) {
        m_bytes.push_back(std::move(bytes));
        m_tensors.push_back({name, dtype, std::move(shape),
                             std::as_bytes(std::span<const std::uint8_t>(m_bytes.back()))});
    }

    void addStream(const std::string& name, std::vector<std::uint8_t> stream) {
        const auto size = static_cast<std::int64_t>(stream.size());
        add(name, DType::U8, {size}, std::move(stream));
    }

    // A dictionary or a left factor (rows, cols) in 16 or 8 bits.
    void addColumns(const std::string& layer, const char* tensor, const Eigen::MatrixXf& columns,
                    int bits) {
        const std::vector<std::int64_t> shape{columns.cols(), columns.rows()};
        if (bits == 16) {
            add(layer + tensor, DType::BF16, shape, rawBytes(bf16Of(columns)));
            return;
        }
        const ByteAtoms atoms = byteAtomsOf(columns);
        add(layer + tensor, DType::I8, shape, rawBytes(atoms.bytes));
        add(layer + ".exponents", DType::I8, {columns.cols()}, rawBytes(atoms.exponents));
    }

    const std::vector<TensorToWrite>& tensors() const { return m_tensors; }

  private:
    std::deque<std::vector<std::uint8_t>> m_bytes;  // which stay where they are
    std::vector<TensorToWrite> m_tensors;
};

using Metadata = std::map<std::string, std::string>;

void describeNumbers(int columnBits, int valueBits, CoefficientFormat format, Metadata& metadata) {
    metadata["coefficient_bits"] = std::to_string(valueBits);
    metadata[kFormatField] = storedName(format);
    if (columnBits != 16) {
        metadata[kDictionaryBitsField] = std::to_string(columnBits);
    }
}

void addLowRank(const LowRankFactors& factors, const MatrixRecord& record, TensorList& tensors,
                Metadata& metadata) {
    metadata["form"] = "low-rank";
    describeNumbers(factors.leftBits, factors.rightBits, factors.rightFormat, metadata);
    tensors.addColumns(record.name, ".left", factors.left, factors.leftBits);
    if (factors.rightBits == 16) {
        tensors.addColumns(record.name, ".right", factors.right, factors.rightBits);
        return;
    }
    tensors.addStream(
        record.name + ".right",
        streamOf(factors.right, CoefficientCode(factors.rightFormat, factors.rightBits)));
}

void addSparse(const SparseDictionaryFactors& factors, const MatrixRecord& record,
               TensorList& tensors, Metadata& metadata) {
    metadata["form"] = "sparse-dictionary";
    metadata["side"] = name(factors.side);
    describeNumbers(factors.dictionaryBits, factors.coefficientBits, factors.coefficientFormat,
                    metadata);
    tensors.addColumns(record.name, ".dictionary", factors.dictionary, factors.dictionaryBits);
    PackedCodes codes = pack(factors);
    const std::string values = record.name + ".values";
    if (factors.coefficientBits == 16) {
        const auto count = static_cast<std::int64_t>(codes.patterns.size());
        tensors.add(values, DType::BF16, {count}, rawBytes(codes.patterns));
    } else {
        BitWriter writer(factors.coefficientBits);
        for (const std::uint16_t pattern : codes.patterns) {
            writer.add(pattern);
        }
        tensors.addStream(values, writer.finish());
    }
    tensors.addStream(record.name + ".mask", std::move(codes.mask));
}

}  // namespace

nlohmann::json toJson(const MatrixRecord& r) {
    nlohmann::json json{{"name", r.name},
                        {"kind", r.kind},
                        {"block", r.block},
                        {"d1", r.d1},
                        {"d2", r.d2},
                        {"k", r.k},
                        {"s", r.s},
                        {"side", name(r.side)},
                        {"rank", r.rank},
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
    if (r.targetError) {
        json["target_error"] = *r.targetError;
    }
    if (r.pivotRatio) {
        json["gram_pivot_ratio"] = *r.pivotRatio;
    }
    return json;
}

bool sameFactors(const Factorization& a, const Factorization& b) {
    if (const auto* lowRank = std::get_if<LowRankFactors>(&a)) {
        const auto* other = std::get_if<LowRankFactors>(&b);
        return other != nullptr && lowRank->left == other->left && lowRank->right == other->right;
    }
    const auto& sparse = std::get<SparseDictionaryFactors>(a);
    const auto* other = std::get_if<SparseDictionaryFactors>(&b);
    return other != nullptr && sparse.side == other->side &&
           sparse.dictionary == other->dictionary && sparse.codes == other->codes;
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
    r.bytes = json.at("bytes").get<std::int64_t>();
    r.denseBytes = json.at("dense_bytes").get<std::int64_t>();
    r.relativeError = json.at("relative_error").get<double>();
    r.gramShift = json.at("gram_shift").get<double>();
    const auto optional = [&](const char* field) {
        const auto found = json.find(field);
        return found == json.end() ? std::nullopt : std::optional(found->get<double>());
    };
    r.targetError = optional("target_error");
    r.pivotRatio = optional("gram_pivot_ratio");
    r.replacedAtoms = json.at("replaced_atoms").get<std::int64_t>();
    r.iterations = json.at("iterations").get<int>();
    r.seconds = json.at("seconds").get<double>();
    r.coreSeconds = json.value("core_seconds", 0.0);
    r.sourceType = json.value("source_type", "");
    r.sourceBytes = json.value("source_bytes", std::int64_t{0});
    return r;
}

void writeMatrixFile(const std::filesystem::path& path, const Factorization& factors,
                     MatrixRecord& record) {
    if (const auto* sparse = std::get_if<SparseDictionaryFactors>(&factors)) {
        record.side = sparse->side;
    }
    Metadata metadata{{"layer", record.name},
                      {"d1", std::to_string(record.d1)},
                      {"d2", std::to_string(record.d2)},
                      {"k", std::to_string(record.k)},
                      {"s", std::to_string(record.s)},
                      {"rank", std::to_string(record.rank)},
                      {"revision", programRevision()},
                      {"result", toJson(record).dump()}};
    TensorList tensors;
    if (const auto* lowRank = std::get_if<LowRankFactors>(&factors)) {
        addLowRank(*lowRank, record, tensors, metadata);
    } else {
        addSparse(std::get<SparseDictionaryFactors>(factors), record, tensors, metadata);
    }
    record.bytes = writeSafetensors(path, tensors.tensors(), metadata);
}

StoredMatrix readMatrixFile(const std::filesystem::path& path) {
    const Contents contents = openMatrixFile(path);
    const MatrixRecord& record = contents.record;
    StoredMatrix stored;
    stored.record = record;
    if (contents.form == "low-rank") {
        stored.factors = readLowRank(contents, path);
    } else if (contents.form == "sparse-dictionary") {
        stored.factors = readSparse(contents, path);
    } else {
        reject(path, fmt::format("form '{}' is unknown", contents.form));
    }
    return stored;
}

SparsityPattern readSparsityPattern(const std::filesystem::path& path) {
    const Contents contents = openMatrixFile(path);
    if (contents.form != "sparse-dictionary") {
        throw Error("a low-rank matrix has no sparsity pattern", path.string(),
                    "choose a matrix of a cospadi run");
    }
    const TensorView& mask = maskTensor(contents, path);
    SparsityPattern pattern;
    pattern.k = contents.record.k;
    pattern.d2 = codeColumns(contents.record);
    pattern.side = contents.record.side;
    pattern.entries.resize(static_cast<std::size_t>(pattern.k * pattern.d2));
    pattern.atomUsage.assign(static_cast<std::size_t>(pattern.k), 0);
    for (std::int64_t i = 0; i < pattern.k * pattern.d2; ++i) {
        const bool set = maskBit(mask.bytes, i);
        pattern.entries[static_cast<std::size_t>(i)] = set ? 1 : 0;
        pattern.atomUsage[static_cast<std::size_t>(i % pattern.k)] += set ? 1 : 0;
    }
    return pattern;
}

}  // namespace cospadi
