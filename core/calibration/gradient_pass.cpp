#include "core/calibration/gradient_pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "core/base/sha256.h"
#include "core/base/stopwatch.h"
#include "core/calibration/gram_cache.h"
#include "core/calibration/residual_stream.h"
#include "core/gradients/backward.h"
#include "core/tensors/safetensors_writer.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

// A block back costs about so many blocks forward.
constexpr std::int64_t kStepsBack = 4;

// One measurement over a work folder that holds the streams and the blocks that are done.
class BlockwiseGradients {
  public:
    BlockwiseGradients(const Model& model, ThreadPool& pool, const CalibrationOptions& calibration,
                       const GradientCache& cache, fs::path folder, GradientSums& sums)
        : m_model(model),
          m_calibration(calibration),
          m_cache(cache),
          m_folder(std::move(folder)),
          m_sums(sums),
          m_sequences(gradientSequences(calibration)),
          m_residuals(streamIn("forward")),
          m_gradients(streamIn("back")),
          m_forward(model, pool),
          m_backward(model, pool) {}

    // False when cancelled.
    bool run(const ProgressCallback& progress, const std::stop_token& stop) {
        const std::int64_t blocks = m_model.config().blocks;
        std::vector<std::int32_t> ids = sampleSequences(m_model.tokenizer(), m_calibration);
        ids.resize(static_cast<std::size_t>(m_sequences * m_calibration.length));
        std::int64_t done = blocks;  // blocks from here on are
        while (done > 0 && fs::exists(gramBlockFile(m_folder, done - 1))) {
            --done;
        }
        if (done > 0 && !m_gradients.has(done)) {  // nothing to go on from
            if (!passForward(ids, progress, stop)) {
                return false;
            }
            done = blocks;
            m_gradients.write(blocks, ofLoss(ids));
        }
        while (done > 0) {
            if (!passBack(done - 1, progress, stop)) {
                return false;
            }
            --done;
        }
        fs::remove_all(m_folder / "forward");
        fs::remove_all(m_folder / "back");
        return true;
    }

  private:
    ResidualStream streamIn(const char* name) const {
        fs::create_directories(m_folder / name);
        return {m_folder / name, m_model.config().hiddenSize, m_sequences, m_calibration.length,
                m_sequences};
    }

    std::int64_t half() const { return m_sequences / 2; }

    // Calls work(first, count) for batches of whole sequences; false when cancelled.
    template <typename Work>
    bool forBatches(const std::stop_token& stop, const Work& work) const {
        const std::int64_t batch =
            std::max<std::int64_t>(1, kCalibrationBatchTokens / m_calibration.length);
        std::int64_t count = 0;
        for (std::int64_t first = 0; first < m_sequences; first += count) {
            if (stop.stop_requested()) {
                return false;
            }
            const std::int64_t end = first < half() ? half() : m_sequences;  // never of both
            count = std::min(batch, end - first);
            work(first, count);
        }
        return true;
    }

    bool passForward(std::span<const std::int32_t> ids, const ProgressCallback& progress,
                     const std::stop_token& stop) {
        if (!m_residuals.has(0)) {
            m_residuals.writeEmbedding(m_forward, ids);
        }
        for (std::int64_t block = 0; block < m_model.config().blocks; ++block) {
            const auto tellOf = [&](std::int64_t sequences) {
                tell(progress, block * m_sequences + sequences);
            };
            if (!m_residuals.has(block + 1) &&
                !m_residuals.runBlock(
                    m_forward, block, BlockStage::Whole,
                    [](const auto&, const auto&, std::int64_t) {}, tellOf, stop)) {
                return false;
            }
        }
        return true;
    }

    Eigen::MatrixXf ofLoss(std::span<const std::int32_t> ids) {
        const std::int64_t length = m_calibration.length;
        Eigen::MatrixXf gradient(m_model.config().hiddenSize, m_sequences * length);
        forBatches({}, [&](std::int64_t first, std::int64_t count) {
            gradient.middleCols(first * length, count * length) =
                m_backward.ofLoss(m_residuals.read(m_model.config().blocks, first, count),
                                  ids.subspan(static_cast<std::size_t>(first * length),
                                              static_cast<std::size_t>(count * length)),
                                  length);
        });
        return gradient;
    }

    bool passBack(std::int64_t block, const ProgressCallback& progress,
                  const std::stop_token& stop) {
        const std::int64_t length = m_calibration.length;
        Eigen::MatrixXf whole = m_gradients.read(block + 1, 0, m_sequences);
        const bool isDone = forBatches(stop, [&](std::int64_t first, std::int64_t count) {
            Eigen::MatrixXf gradient = whole.middleCols(first * length, count * length);
            m_backward.runBlock(block, m_residuals.read(block, first, count), length, gradient,
                                [&](const std::string& layer, const auto& X, const auto& dY) {
                                    m_sums.add(layer, X, dY, first);
                                });
            whole.middleCols(first * length, count * length) = gradient;
            const std::int64_t blocks = m_model.config().blocks;
            tell(progress, blocks * m_sequences +
                               kStepsBack * ((blocks - 1 - block) * m_sequences + first + count));
        });
        if (!isDone) {
            m_sums.clear();
            return false;
        }
        m_gradients.write(block, whole);
        writeBlock(block);
        m_gradients.remove(block + 1);
        m_residuals.remove(block + 1);
        return true;
    }

    void writeBlock(std::int64_t block) {
        const BlockSums values = m_sums.take(block);
        std::vector<TensorToWrite> tensors;
        for (const auto& [name, numbers] : values) {
            tensors.push_back({name,
                               DType::F64,
                               {static_cast<std::int64_t>(numbers.size())},
                               std::as_bytes(std::span(numbers))});
        }
        writeSafetensors(gramBlockFile(m_folder, block), tensors,
                         {{"format", m_cache.format}, {"key", m_cache.key}});
    }

    void tell(const ProgressCallback& progress, std::int64_t done) {
        if (!progress) {
            return;
        }
        const std::int64_t total = m_model.config().blocks * m_sequences * (1 + kStepsBack);
        m_first = m_first < 0 ? done : m_first;
        const double rate =
            done > m_first ? m_clock.seconds() / static_cast<double>(done - m_first) : 0;
        progress({"gradients", done, total, m_clock.seconds(),
                  rate * static_cast<double>(total - done)});
    }

    const Model& m_model;
    const CalibrationOptions& m_calibration;
    const GradientCache& m_cache;
    fs::path m_folder;
    GradientSums& m_sums;
    std::int64_t m_sequences;
    ResidualStream m_residuals, m_gradients;  // the inputs of blocks, and the loss's gradients
    ForwardPass m_forward;
    BackwardPass m_backward;
    std::int64_t m_first = -1;
    Stopwatch m_clock;
};

}  // namespace

std::int64_t gradientSequences(const CalibrationOptions& calibration) {
    return std::min(kGradientSequences, calibration.fitted());
}

GradientCache gradientCache(const char* format, const std::string& modelSha256,
                            const CalibrationOptions& calibration) {
    return {format,
            sha256OfString(fmt::format(
                "{}\n{}\n{}\n{} {} {}", format, modelSha256, sha256OfFile(calibration.text).c_str(),
                gradientSequences(calibration), calibration.length, calibration.seed))};
}

bool sumGradients(const Model& model, ThreadPool& pool, const CalibrationOptions& calibration,
                  const GradientCache& cache, const fs::path& folder, GradientSums& sums,
                  const ProgressCallback& progress, const std::stop_token& stop) {
    return BlockwiseGradients(model, pool, calibration, cache, folder, sums).run(progress, stop);
}

}  // namespace cospadi
