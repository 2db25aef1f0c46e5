#include "core/pipeline/matrix_file.h"

#include <fmt/format.h>

#include <bit>

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

const char* name(CoefficientFormat format) {
    return format == CoefficientFormat::ShortExponent ? kShortExponent : kShortMantissa;
}

CoefficientFormat formatFromName(const std::string& name, const std::filesystem::path& path) {
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

template <typename T>
std::span<const std::byte> bytesOf(const std::vector<T>& values) {
    return std::as_bytes(std::span<const T>(values));
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
        reject(path, fmt::format("tensor {} is not I8 of shape ({}, {}) with an exponent an atom",
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
            contents.coefficientFormat = formatFromName(field(kFormatField), path);
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

SparseDictionaryFactors readSparse(const Contents& contents, const std::filesystem::path& path) {
    const MatrixRecord& record = contents.record;
    SparseDictionaryFactors factors;
    factors.s = record.s;
    factors.coefficientBits = contents.coefficientBits;
    factors.coefficientFormat = contents.coefficientFormat;
    factors.side = record.side;
    factors.dictionaryBits = contents.dictionaryBits;
    const TensorView& atoms = contents.file.require(record.name + ".dictionary");
    factors.dictionary =
        contents.dictionaryBits == 16
            ? matrixOf(atoms, dictionaryRows(record), record.k, path)
            : byteMatrixOf(atoms, contents.file.require(record.name + ".exponents"),
                           dictionaryRows(record), record.k, path);
    const TensorView& mask = maskTensor(contents, path);
    const TensorView& values = contents.file.require(record.name + ".values");
    std::int64_t nonZeros = 0;
    for (const std::byte byte : mask.bytes) {
        nonZeros += std::popcount(std::to_integer<unsigned>(byte));
    }
    if (static_cast<std::int64_t>(values.bytes.size()) !=
        (nonZeros * factors.coefficientBits + 7) / 8) {
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
    std::map<std::string, std::string> metadata{{"layer", record.name},
                                                {"d1", std::to_string(record.d1)},
                                                {"d2", std::to_string(record.d2)},
                                                {"k", std::to_string(record.k)},
                                                {"s", std::to_string(record.s)},
                                                {"rank", std::to_string(record.rank)},
                                                {"coefficient_bits", "16"},
                                                {"revision", programRevision()},
                                                {"result", toJson(record).dump()}};
    if (const auto* lowRank = std::get_if<LowRankFactors>(&factors)) {
        metadata["form"] = "low-rank";
        const std::vector<std::uint16_t> left = bf16Of(lowRank->left);
        const std::vector<std::uint16_t> right = bf16Of(lowRank->right);
        record.bytes = writeSafetensors(
            path,
            {{record.name + ".left", DType::BF16, {record.rank, record.d1}, bytesOf(left)},
             {record.name + ".right", DType::BF16, {record.d2, record.rank}, bytesOf(right)}},
            metadata);
        return;
    }
    const auto& sparse = std::get<SparseDictionaryFactors>(factors);
    metadata["form"] = "sparse-dictionary";
    metadata["coefficient_bits"] = std::to_string(sparse.coefficientBits);
    metadata[kFormatField] = name(sparse.coefficientFormat);
    metadata["side"] = name(sparse.side);
    const std::vector<std::int64_t> shape{record.k, dictionaryRows(record)};
    std::vector<TensorToWrite> tensors;
    std::vector<std::uint16_t> words;
    ByteAtoms atoms;
    if (sparse.dictionaryBits == 16) {
        words = bf16Of(sparse.dictionary);
        tensors.push_back({record.name + ".dictionary", DType::BF16, shape, bytesOf(words)});
    } else {
        metadata[kDictionaryBitsField] = std::to_string(sparse.dictionaryBits);
        atoms = byteAtomsOf(sparse.dictionary);
        tensors.push_back({record.name + ".dictionary", DType::I8, shape, bytesOf(atoms.bytes)});
        tensors.push_back(
            {record.name + ".exponents", DType::I8, {record.k}, bytesOf(atoms.exponents)});
    }
    const PackedCodes codes = pack(sparse);
    std::vector<std::uint8_t> shortened;
    TensorToWrite values{record.name + ".values",
                         DType::BF16,
                         {static_cast<std::int64_t>(codes.patterns.size())},
                         bytesOf(codes.patterns)};
    if (sparse.coefficientBits < 16) {
        BitWriter writer(sparse.coefficientBits);
        for (const std::uint16_t pattern : codes.patterns) {
            writer.add(pattern);
        }
        shortened = writer.finish();
        values.dtype = DType::U8;
        values.shape.assign(1, static_cast<std::int64_t>(shortened.size()));
        values.bytes = bytesOf(shortened);
    }
    tensors.push_back(values);
    tensors.push_back({record.name + ".mask",
                       DType::U8,
                       {static_cast<std::int64_t>(codes.mask.size())},
                       bytesOf(codes.mask)});
    record.bytes = writeSafetensors(path, tensors, metadata);
}

StoredMatrix readMatrixFile(const std::filesystem::path& path) {
    const Contents contents = openMatrixFile(path);
    const MatrixRecord& record = contents.record;
    StoredMatrix stored;
    stored.record = record;
    if (contents.form == "low-rank") {
        stored.factors = LowRankFactors{
            matrixOf(contents.file.require(record.name + ".left"), record.d1, record.rank, path),
            matrixOf(contents.file.require(record.name + ".right"), record.rank, record.d2, path)};
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
