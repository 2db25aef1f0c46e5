#include "core/calibration/gram_cache.h"

#include <cstring>
#include <span>

#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/model/model_locator.h"
#include "core/tensors/safetensors.h"
#include "core/tensors/safetensors_writer.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

constexpr const char* kFormat = "cospadi-grams-2";  // also the version of the sampling

std::int64_t packedSize(std::int64_t n) { return n * (n + 1) / 2; }

std::vector<double> pack(const Eigen::MatrixXd& gram) {
    std::vector<double> values;
    values.reserve(static_cast<std::size_t>(packedSize(gram.rows())));
    for (Eigen::Index j = 0; j < gram.cols(); ++j) {
        values.insert(values.end(), gram.col(j).data(), gram.col(j).data() + j + 1);
    }
    return values;
}

Eigen::MatrixXd unpack(std::span<const std::byte> bytes, std::int64_t n) {
    Eigen::MatrixXd gram(n, n);
    for (Eigen::Index j = 0; j < n; ++j) {
        const auto begin = static_cast<std::size_t>(packedSize(j)) * sizeof(double);
        std::memcpy(gram.col(j).data(), bytes.data() + begin,
                    static_cast<std::size_t>(j + 1) * sizeof(double));
    }
    gram.triangularView<Eigen::StrictlyLower>() = gram.transpose();
    return gram;
}

bool isInteger(const std::string& text) {
    return !text.empty() && text.size() < 19 &&
           text.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

std::string gramCacheKey(const Model& model, const CalibrationOptions& options) {
    return sha256OfString(std::string(kFormat) + "\n" + model.sha256() + "\n" +
                          sha256OfFile(options.text) + "\n" + std::to_string(options.sequences) +
                          " " + std::to_string(options.length) + " " +
                          std::to_string(options.seed));
}

fs::path gramCacheFile(const std::string& key) {
    return cacheDirectory() / "grams" / (key + ".safetensors");
}

std::optional<GramSet> readGramCache(const std::string& key, const Model& model) {
    const fs::path path = gramCacheFile(key);
    if (!fs::exists(path)) {
        return std::nullopt;
    }
    try {
        const SafetensorsFile file = SafetensorsFile::open(path);
        const auto& metadata = file.metadata();
        if (metadata.at("format") != kFormat || metadata.at("key") != key ||
            !isInteger(metadata.at("tokens")) || !isInteger(metadata.at("sequences"))) {
            return std::nullopt;
        }
        GramSet set;
        set.tokens = std::stoll(metadata.at("tokens"));
        set.sequences = std::stoll(metadata.at("sequences"));
        set.fromCache = true;
        set.cacheKey = key;
        for (const LayerInfo& layer : model.layers()) {
            if (set.grams.contains(layer.gramKey)) {
                continue;
            }
            const TensorView& view = file.require(layer.gramKey);
            if (view.dtype != DType::F64 ||
                view.shape != std::vector<std::int64_t>{packedSize(layer.d1)}) {
                return std::nullopt;
            }
            Eigen::MatrixXd gram = unpack(view.bytes, layer.d1);
            if (!gram.allFinite()) {
                return std::nullopt;
            }
            set.grams.emplace(layer.gramKey, std::move(gram));
        }
        return set;
    } catch (const std::exception&) {
        return std::nullopt;  // damaged: computed again and overwritten
    }
}

void writeGramCache(const std::string& key, const GramSet& set) {
    const fs::path path = gramCacheFile(key);
    std::error_code failure;
    fs::create_directories(path.parent_path(), failure);
    if (failure) {
        throw Error("cannot be created: " + failure.message(), path.parent_path().string(),
                    "check the cache folder's permissions");
    }
    std::vector<std::vector<double>> packed;  // moving the inner vectors keeps their memory
    std::vector<TensorToWrite> tensors;
    for (const auto& [name, gram] : set.grams) {
        packed.push_back(pack(gram));
        tensors.push_back(
            {name, DType::F64, {packedSize(gram.rows())}, std::as_bytes(std::span(packed.back()))});
    }
    writeSafetensors(path, tensors,
                     {{"format", kFormat},
                      {"key", key},
                      {"tokens", std::to_string(set.tokens)},
                      {"sequences", std::to_string(set.sequences)}});
}

}  // namespace cospadi
