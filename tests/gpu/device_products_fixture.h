// What the tests of products on an emulated device share: a device that all work pays on, inputs as
// language models have them, measures of agreement, and a small model.
#pragma once

#include <Eigen/Core>
#include <QTemporaryDir>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/model/device_products.h"
#include "gpu/cuda_backend.h"
#include "tests/gpu/small_model.h"

namespace cospadi {

class DeviceProductsFixture {
  protected:
    using MatrixXd = Eigen::MatrixXd;
    using MatrixXf = Eigen::MatrixXf;

    static constexpr int kCores = 2;
    static constexpr std::int64_t kLength = 32;

    static ComputeDevice emulatedDevice(bool cpuMayTakeOver,
                                        GramProducts gramProducts = GramProducts::Double) {
        ComputeDevice device;
        device.cpuMayTakeOver = cpuMayTakeOver;
        device.rates.hostOperationsPerCore = 1;  // so that everything pays
        device.open = [gramProducts](int) {
            return std::make_unique<CudaBackend>("emulated",
                                                 ProductPrecisions{.grams = gramProducts});
        };
        return device;
    }

    // Inputs as they are in language models: a few channels are much larger, all have a mean.
    static MatrixXf activations(int d1, int tokens, unsigned seed) {
        std::srand(seed);
        MatrixXf x = MatrixXf::Random(d1, tokens).array() + 0.3F;
        for (int i = 0; i < d1; i += 17) {
            x.row(i) *= 60;
        }
        return x;
    }

    static MatrixXd gramOf(const MatrixXf& x) {
        return x.cast<double>() * x.cast<double>().transpose();
    }

    static double difference(const MatrixXd& a, const MatrixXd& b) {
        return (a - b).norm() / b.norm();
    }

    // The largest error of an entry against what its rows could hold: √(Gii Gjj).
    static double worstEntry(const MatrixXd& found, const MatrixXd& truth) {
        const Eigen::VectorXd scale = truth.diagonal().cwiseSqrt().cwiseInverse();
        return (scale.asDiagonal() * (found - truth) * scale.asDiagonal()).cwiseAbs().maxCoeff();
    }

    static std::vector<std::int32_t> someIds(std::int64_t count) {
        std::vector<std::int32_t> ids;
        for (std::int64_t i = 0; i < count; ++i) {
            ids.push_back(static_cast<std::int32_t>((i * i * 7 + 13 * i + 5) % 500));
        }
        return ids;
    }

    // Before what needs the model; sums that are kept lie in a folder of the test.
    void makeModel() {
        qputenv("XDG_CACHE_HOME", m_folder.filePath("cache").toLocal8Bit());
        m_model = makeSmallModel(m_folder.filePath("model").toStdString());
    }

    ThreadPool m_pool;
    QTemporaryDir m_folder;
    std::filesystem::path m_model;
};

}  // namespace cospadi
