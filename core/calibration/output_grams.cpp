#include "core/calibration/output_grams.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/calibration/cached_layers.h"
#include "core/calibration/gradient_pass.h"
#include "core/calibration/gram_accumulator.h"
#include "core/calibration/gram_cache.h"
#include "core/calibration/work_folder.h"
#include "core/model/model_locator.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

constexpr const char* kOutputGramFormat = "cospadi-output-grams-1";
constexpr const char* kSecondHalf = ".second";
constexpr const char* kTrust = ".trust";

// Of sums over two halves; `identity` has their shape. 0 where a half is empty.
double trustOf(const Eigen::MatrixXd& first, const Eigen::MatrixXd& second,
               const Eigen::MatrixXd& identity) {
    const auto lessIdentity = [&](const Eigen::MatrixXd& sum) -> Eigen::MatrixXd {
        const double mean = sum.cwiseProduct(identity).sum() / static_cast<double>(sum.rows());
        return sum / mean - identity;
    };
    if (!(first.norm() > 0) || !(second.norm() > 0)) {
        return 0;
    }
    const Eigen::MatrixXd x = lessIdentity(first);
    const Eigen::MatrixXd y = lessIdentity(second);
    const double power = (x + y).squaredNorm() / 4;
    return power > 0 ? std::clamp(x.cwiseProduct(y).sum() / power, 0.0, 1.0) : 0;
}

bool isWhole(const LayerInfo& layer) { return layer.d2 < layer.d1; }

class OutputGramSums final : public GradientSums {
  public:
    OutputGramSums(const Model& model, ThreadPool& pool, const CalibrationOptions& calibration)
        : m_model(model),
          m_half(gradientSequences(calibration) / 2),
          m_length(calibration.length),
          m_accumulator(pool) {}

    void add(const std::string& layer, const Eigen::Ref<const Eigen::MatrixXf>& /*X*/,
             const Eigen::Ref<const Eigen::MatrixXf>& dY, std::int64_t firstSequence) override {
        const std::string key = firstSequence < m_half ? layer : layer + kSecondHalf;
        if (isWhole(m_model.layerInfo(layer))) {
            m_accumulator.accumulate(key, dY, firstSequence, m_length);
            return;
        }
        Eigen::VectorXd& sum = m_diagonals[key];
        if (sum.size() == 0) {
            sum.setZero(dY.rows());
        }
        for (Eigen::Index t = 0; t < dY.cols(); ++t) {
            sum += dY.col(t).cast<double>().cwiseAbs2();
        }
        if (!sum.allFinite()) {
            throw Error("the gradients hold NaN or infinite values", layer, "check the model file");
        }
    }

    BlockSums take(std::int64_t block) override {
        const std::map<std::string, Eigen::MatrixXd> wholes = m_accumulator.take();
        BlockSums values;
        const auto put = [&](const std::string& layer, const Eigen::MatrixXd& first,
                             const Eigen::MatrixXd& second, const Eigen::MatrixXd& identity) {
            const Eigen::MatrixXd sum = first + second;
            values.emplace_back(layer,
                                identity.cols() == 1
                                    ? std::vector<double>(sum.data(), sum.data() + sum.size())
                                    : packedGram(sum));
            values.emplace_back(layer + kTrust,
                                std::vector<double>{trustOf(first, second, identity)});
        };
        for (const LayerInfo& layer : m_model.layers()) {
            if (layer.block != block) {
                continue;
            }
            const auto halves = [&](const auto& sums, const Eigen::MatrixXd& identity) {
                const auto& second = sums.at(layer.name + kSecondHalf);
                const auto first = sums.find(layer.name);
                put(layer.name,
                    first != sums.end() ? Eigen::MatrixXd(first->second)
                                        : Eigen::MatrixXd::Zero(second.rows(), second.cols()),
                    second, identity);
            };
            if (isWhole(layer)) {
                halves(wholes, Eigen::MatrixXd::Identity(layer.d2, layer.d2));
            } else {
                halves(m_diagonals, Eigen::MatrixXd::Ones(layer.d2, 1));
            }
        }
        m_diagonals.clear();
        return values;
    }

    void clear() override {
        m_accumulator.clear();
        m_diagonals.clear();
    }

  private:
    const Model& m_model;
    std::int64_t m_half;
    std::int64_t m_length;
    GramAccumulator m_accumulator;
    std::map<std::string, Eigen::VectorXd> m_diagonals;
};

}  // namespace

std::optional<OutputGrams> openOutputGrams(const fs::path& folder, const std::string& key,
                                           const Model& model) {
    OutputGrams grams;
    const bool areThere = takeCachedLayers(
        folder, model.layers(), [&](const SafetensorsFile& file, const LayerInfo& layer) {
            if (!isCacheOf(file, kOutputGramFormat, key)) {
                return false;
            }
            const std::int64_t count = isWhole(layer) ? layer.d2 * (layer.d2 + 1) / 2 : layer.d2;
            const TensorView* values = file.find(layer.name);
            const TensorView* trust = file.find(layer.name + kTrust);
            if (values == nullptr || values->dtype != DType::F64 ||
                values->shape != std::vector<std::int64_t>{count} || trust == nullptr ||
                trust->bytes.size() != sizeof(double)) {
                return false;
            }
            double share = 0;
            std::memcpy(&share, trust->bytes.data(), sizeof(share));
            grams.m_grams[layer.name] = {*values, share, layer.d2, isWhole(layer)};
            return true;
        });
    return areThere ? std::optional(std::move(grams)) : std::nullopt;
}

OutputGram OutputGrams::of(const std::string& layer) const {
    const auto found = m_grams.find(layer);
    if (found == m_grams.end()) {
        throw Error("there are no gradients of this layer", layer,
                    "the calibration belongs to another model");
    }
    const Stored& stored = found->second;
    OutputGram gram;
    gram.trust = stored.trust;
    if (stored.isWhole) {
        gram.whole = unpackedGram(stored.values.bytes, stored.d2);
    } else {
        gram.diagonal.resize(stored.d2);
        std::memcpy(gram.diagonal.data(), stored.values.bytes.data(), stored.values.bytes.size());
    }
    if (!gram.whole.allFinite() || !gram.diagonal.allFinite()) {
        throw Error("the stored gradients of " + layer + " are damaged", stored.values.file,
                    "delete the file's folder and calibrate again");
    }
    return gram;
}

std::optional<OutputGrams> measureOutputGrams(const Model& model, ThreadPool& pool,
                                              const CalibrationOptions& calibration,
                                              const ProgressCallback& progress,
                                              const std::stop_token& stop) {
    calibration.validate();
    const GradientCache cache = gradientCache(kOutputGramFormat, model.sha256(), calibration);
    return cachedOrFilled<OutputGrams>(
        cacheDirectory() / "output-grams" / cache.key, calibration.useCache,
        [&](const fs::path& folder) {
            std::optional<OutputGrams> grams = openOutputGrams(folder, cache.key, model);
            if (grams) {
                grams->cacheKey = cache.key;
                grams->sequences = gradientSequences(calibration);
                grams->tokens = grams->sequences * calibration.length;
            }
            return grams;
        },
        [&](const fs::path& folder) {
            OutputGramSums sums(model, pool, calibration);
            return sumGradients(model, pool, calibration, cache, folder, sums, progress, stop)
                       ? Filling::Whole
                       : Filling::Cancelled;
        });
}

}  // namespace cospadi
