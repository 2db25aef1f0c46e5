#include "core/calibration/weight_gradients.h"

#include <cstring>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/calibration/cached_layers.h"
#include "core/calibration/calibration.h"
#include "core/calibration/gradient_pass.h"
#include "core/calibration/gram_cache.h"
#include "core/calibration/work_folder.h"
#include "core/model/model_locator.h"
#include "core/products/blas.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

constexpr const char* kWeightGradientFormat = "cospadi-weight-gradients-1";

fs::path folderOf(const std::string& key) { return cacheDirectory() / "weight-gradients" / key; }

class SquaredRows final : public GradientSums {
  public:
    SquaredRows(ThreadPool& pool, std::int64_t length) : m_pool(pool), m_length(length) {}

    void add(const std::string& layer, const Eigen::Ref<const Eigen::MatrixXf>& X,
             const Eigen::Ref<const Eigen::MatrixXf>& dY, std::int64_t /*first*/) override {
        Eigen::VectorXd& sum = m_sums[layer];
        if (sum.size() == 0) {
            sum.setZero(X.rows());
        }
        m_gradient.resize(X.rows(), dY.rows());
        for (Eigen::Index begin = 0; begin < X.cols(); begin += m_length) {
            gemm(m_pool, Op::None, Op::Transpose, X.rows(), dY.rows(), m_length, 1.0F,
                 X.col(begin).data(), X.outerStride(), dY.col(begin).data(), dY.outerStride(), 0.0F,
                 m_gradient.data(), m_gradient.rows());
            for (const auto column : m_gradient.colwise()) {
                sum += column.cast<double>().cwiseAbs2();
            }
        }
        if (!sum.allFinite()) {
            throw Error("the gradients hold NaN or infinite values", layer, "check the model file");
        }
    }

    BlockSums take(std::int64_t /*block*/) override {
        BlockSums values;
        for (const auto& [layer, sum] : m_sums) {
            values.emplace_back(layer, std::vector<double>(sum.data(), sum.data() + sum.size()));
        }
        clear();
        return values;
    }

    void clear() override { m_sums.clear(); }

  private:
    ThreadPool& m_pool;
    std::int64_t m_length;
    Eigen::MatrixXf m_gradient;  // of one layer and sequence
    std::map<std::string, Eigen::VectorXd> m_sums;
};

// Null where the file has none of this layer.
const TensorView* rowsIn(const SafetensorsFile& file, const std::string& key,
                         const LayerInfo& layer) {
    const TensorView* rows =
        isCacheOf(file, kWeightGradientFormat, key) ? file.find(layer.name) : nullptr;
    return rows != nullptr && rows->dtype == DType::F64 &&
                   rows->shape == std::vector<std::int64_t>{layer.d1}
               ? rows
               : nullptr;
}

Eigen::VectorXd valuesOf(const TensorView& rows) {
    Eigen::VectorXd values(rows.shape.front());
    std::memcpy(values.data(), rows.bytes.data(), rows.bytes.size());
    return values;
}

bool areSums(const Eigen::VectorXd& values) {
    return values.allFinite() && (values.array() >= 0).all();
}

}  // namespace

std::optional<WeightGradients> openWeightGradients(const fs::path& folder, const std::string& key,
                                                   const Model& model) {
    WeightGradients gradients;
    const bool areThere = takeCachedLayers(
        folder, model.layers(), [&](const SafetensorsFile& file, const LayerInfo& layer) {
            const TensorView* rows = rowsIn(file, key, layer);
            if (rows != nullptr) {
                gradients.m_rows[layer.name] = *rows;
            }
            return rows != nullptr;
        });
    return areThere ? std::optional(std::move(gradients)) : std::nullopt;
}

Eigen::VectorXd WeightGradients::rowSums(const std::string& layer) const {
    const auto found = m_rows.find(layer);
    if (found == m_rows.end()) {
        throw Error("there are no gradients of this layer", layer,
                    "the calibration belongs to another model");
    }
    Eigen::VectorXd values = valuesOf(found->second);
    if (!areSums(values)) {
        throw Error("the stored gradients of " + layer + " are damaged", found->second.file,
                    "delete the file's folder and calibrate again");
    }
    return values;
}

std::optional<WeightGradients> measureWeightGradients(const Model& model, ThreadPool& pool,
                                                      const CalibrationOptions& calibration,
                                                      const ProgressCallback& progress,
                                                      const std::stop_token& stop) {
    calibration.validate();
    const GradientCache cache = gradientCache(kWeightGradientFormat, model.sha256(), calibration);
    return cachedOrFilled<WeightGradients>(
        folderOf(cache.key), calibration.useCache,
        [&](const fs::path& folder) { return openWeightGradients(folder, cache.key, model); },
        [&](const fs::path& folder) {
            SquaredRows sums(pool, calibration.length);
            return sumGradients(model, pool, calibration, cache, folder, sums, progress, stop)
                       ? Filling::Whole
                       : Filling::Cancelled;
        });
}

std::optional<Eigen::VectorXd> readCachedRowSums(const std::string& modelSha256,
                                                 const CalibrationOptions& calibration,
                                                 const LayerInfo& layer) {
    const std::string key = gradientCache(kWeightGradientFormat, modelSha256, calibration).key;
    const fs::path path = gramBlockFile(folderOf(key), layer.block);
    if (!fs::exists(path)) {
        return std::nullopt;
    }
    try {
        const SafetensorsFile file = SafetensorsFile::open(path);
        const TensorView* rows = rowsIn(file, key, layer);
        if (rows == nullptr) {
            return std::nullopt;
        }
        Eigen::VectorXd values = valuesOf(*rows);
        return areSums(values) ? std::optional(std::move(values)) : std::nullopt;
    } catch (const Error&) {
        return std::nullopt;
    }
}

}  // namespace cospadi
