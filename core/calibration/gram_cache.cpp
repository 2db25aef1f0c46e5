#include "core/calibration/gram_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <iterator>

#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/calibration/cached_layers.h"
#include "core/calibration/work_folder.h"
#include "core/model/model_locator.h"
#include "core/tensors/mapped_file.h"
#include "core/tensors/safetensors_writer.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

constexpr const char* kFormat = "cospadi-grams-3";
constexpr const char* kSampling = "cospadi-grams-2";  // the version of the sampling

std::int64_t packedSize(std::int64_t n) { return n * (n + 1) / 2; }

const TensorView* findPacked(const SafetensorsFile& file, const std::string& gramKey,
                             std::int64_t d1) {
    const TensorView* view = file.find(gramKey);
    return view != nullptr && view->dtype == DType::F64 &&
                   view->shape == std::vector<std::int64_t>{packedSize(d1)}
               ? view
               : nullptr;
}

}  // namespace

std::vector<double> packedGram(const Eigen::MatrixXd& gram) {
    std::vector<double> values;
    values.reserve(static_cast<std::size_t>(packedSize(gram.rows())));
    for (Eigen::Index j = 0; j < gram.cols(); ++j) {
        values.insert(values.end(), gram.col(j).data(), gram.col(j).data() + j + 1);
    }
    return values;
}

Eigen::MatrixXd unpackedGram(std::span<const std::byte> bytes, std::int64_t n) {
    Eigen::MatrixXd gram(n, n);
    for (Eigen::Index j = 0; j < n; ++j) {
        const auto begin = static_cast<std::size_t>(packedSize(j)) * sizeof(double);
        std::memcpy(gram.col(j).data(), bytes.data() + begin,
                    static_cast<std::size_t>(j + 1) * sizeof(double));
    }
    gram.triangularView<Eigen::StrictlyLower>() = gram.transpose();
    return gram;
}

std::string heldOutKey(const std::string& gramKey) { return gramKey + ".held_out"; }

Eigen::MatrixXd GramSet::gram(const std::string& gramKey, GramShare share) const {
    const auto grams = m_grams.find(share);
    if (share == GramShare::HeldOut && grams == m_grams.end()) {
        throw Error("no sequences were held out", "calibration", "give --held-out 0.125");
    }
    if (grams == m_grams.end() || !grams->second.contains(gramKey)) {
        throw Error("there is no Gram matrix for " + gramKey, "calibration",
                    "the calibration belongs to another model");
    }
    const auto found = grams->second.find(gramKey);
    Eigen::MatrixXd gram = unpackedGram(found->second.packed.bytes, found->second.d1);
    MappedFile::leave(found->second.packed.bytes);
    if (!gram.allFinite()) {
        throw Error("the stored Gram matrix of " + gramKey + " is damaged",
                    found->second.packed.file, "delete the file's folder and calibrate again");
    }
    return gram;
}

std::vector<std::string> GramSet::keys() const {
    std::vector<std::string> result;
    if (const auto fitted = m_grams.find(GramShare::Fitted); fitted != m_grams.end()) {
        for (const auto& [key, gram] : fitted->second) {
            result.push_back(key);
        }
    }
    return result;
}

std::string gramCacheKey(const std::string& modelSha256, const CalibrationOptions& options) {
    const std::string split =
        options.heldOut > 0 ? fmt::format(" held out {}", options.heldOut) : "";
    return sha256OfString(fmt::format("{}\n{}\n{}\n{} {} {}{}", kSampling, modelSha256,
                                      sha256OfFile(options.text).c_str(), options.sequences,
                                      options.length, options.seed, split));
}

fs::path gramCacheFolder(const std::string& key) { return cacheDirectory() / "grams" / key; }

bool areGramsCached(const std::string& key, std::int64_t blocks) {
    std::error_code ignored;
    const fs::path folder = gramCacheFolder(key);
    return fs::is_directory(folder, ignored) ||
           (blocks > 0 && fs::exists(gramBlockFile(partialOf(folder), blocks - 1), ignored));
}

fs::path gramBlockFile(const fs::path& folder, std::int64_t block) {
    return folder / fmt::format("block-{:03}.safetensors", block);
}

bool isCacheOf(const SafetensorsFile& file, const std::string& format, const std::string& key) {
    const auto& metadata = file.metadata();
    const auto is = [&](const char* name, const std::string& value) {
        const auto found = metadata.find(name);
        return found != metadata.end() && found->second == value;
    };
    return is("format", format) && is("key", key);
}

bool isGramBlock(const fs::path& file, const std::string& key) {
    try {
        return fs::exists(file) && isCacheOf(SafetensorsFile::open(file), kFormat, key);
    } catch (const Error&) {
        return false;
    }
}

void writeGramBlock(const fs::path& file, const std::string& key,
                    const std::map<std::string, Eigen::MatrixXd>& grams) {
    std::vector<std::vector<double>> packed;  // moving the inner vectors keeps their memory
    std::vector<TensorToWrite> tensors;
    for (const auto& [name, gram] : grams) {
        packed.push_back(packedGram(gram));
        tensors.push_back(
            {name, DType::F64, {packedSize(gram.rows())}, std::as_bytes(std::span(packed.back()))});
    }
    writeSafetensors(file, tensors, {{"format", kFormat}, {"key", key}});
}

std::optional<GramSet> openGrams(const fs::path& folder, const std::string& key,
                                 const std::vector<LayerInfo>& layers,
                                 const CalibrationOptions& options) {
    GramSet set;
    set.tokens = options.sequences * options.length;
    set.sequences = options.sequences;
    set.heldOut = options.heldOut;
    set.cacheKey = key;
    std::vector<LayerInfo> asked;
    std::copy_if(layers.begin(), layers.end(), std::back_inserter(asked),
                 [&](const LayerInfo& layer) { return options.asksFor(layer.block); });
    const auto take = [&](const SafetensorsFile& file, const LayerInfo& layer) {
        const auto takeShare = [&](GramShare share, const std::string& tensor) {
            const TensorView* view = findPacked(file, tensor, layer.d1);
            if (view != nullptr) {
                set.m_grams[share][layer.gramKey] = {*view, layer.d1};
            }
            return view != nullptr;
        };
        return isCacheOf(file, kFormat, key) && takeShare(GramShare::Fitted, layer.gramKey) &&
               (options.heldOut == 0 || takeShare(GramShare::HeldOut, heldOutKey(layer.gramKey)));
    };
    const bool areThere = takeCachedLayers(folder, asked, take) ||
                          (options.blocks > 0 && takeCachedLayers(partialOf(folder), asked, take));
    return areThere ? std::optional(std::move(set)) : std::nullopt;
}

std::optional<Eigen::MatrixXd> readCachedGram(const std::string& key, const std::string& gramKey,
                                              std::int64_t d1) {
    // blk.N.what
    std::int64_t block = -1;
    const char* number = gramKey.c_str() + std::min<std::size_t>(4, gramKey.size());
    std::from_chars(number, gramKey.c_str() + gramKey.size(), block);
    fs::path path = gramBlockFile(gramCacheFolder(key), block);
    if (!fs::exists(path)) {
        path = gramBlockFile(partialOf(gramCacheFolder(key)), block);
    }
    if (!fs::exists(path)) {
        return std::nullopt;
    }
    try {
        const SafetensorsFile file = SafetensorsFile::open(path);
        const TensorView* view = findPacked(file, gramKey, d1);
        if (!isCacheOf(file, kFormat, key) || view == nullptr) {
            return std::nullopt;
        }
        Eigen::MatrixXd gram = unpackedGram(view->bytes, d1);
        return gram.allFinite() ? std::optional(std::move(gram)) : std::nullopt;
    } catch (const Error&) {
        return std::nullopt;
    }
}

}  // namespace cospadi
