#include "core/calibration/block_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include "core/base/error.h"
#include "core/base/stopwatch.h"
#include "core/calibration/gram_accumulator.h"
#include "core/calibration/residual_stream.h"
#include "core/model/forward.h"

namespace cospadi {

namespace {

using ConstRef = Eigen::Ref<const Eigen::MatrixXf>;

// The fitted sequences, some at a time, each batch through the first `blocks` blocks.
class Batches {
  public:
    Batches(const Model& model, ThreadPool& pool, const CalibrationOptions& options,
            std::int64_t blocks, const ProgressCallback& progress, const std::stop_token& stop,
            DeviceProducts* products)
        : m_options(options),
          m_blocks(blocks),
          m_progress(progress),
          m_stop(stop),
          m_ids(sampleSequences(model.tokenizer(), options)),
          m_pass(model, pool, products) {}

    // Called behind every block with the hidden states there.
    using Behind = std::function<void(std::int64_t block, const Eigen::MatrixXf& hidden)>;
    // False when cancelled.
    bool run(const LinearInputHook& inputs, const Behind& behind) {
        const std::int64_t length = m_options.length;
        const std::int64_t most = std::max<std::int64_t>(1, kCalibrationBatchTokens / length);
        std::int64_t count = 0;
        for (std::int64_t first = 0; first < m_options.fitted(); first += count) {
            count = std::min(most, m_options.fitted() - first);
            m_first = first;
            Eigen::MatrixXf hidden = m_pass.embed(std::span<const std::int32_t>(m_ids).subspan(
                static_cast<std::size_t>(first * length),
                static_cast<std::size_t>(count * length)));
            for (std::int64_t block = 0; block < m_blocks; ++block) {
                if (m_stop.stop_requested()) {
                    return false;
                }
                m_pass.runBlock(block, hidden, length, inputs);
                behind(block, hidden);
                tell(first * m_blocks + count * (block + 1));
            }
        }
        return true;
    }

    std::int64_t firstSequence() const { return m_first; }  // of the batch at hand

  private:
    void tell(std::int64_t done) const {
        if (m_progress) {
            const std::int64_t total = m_options.fitted() * m_blocks;
            const double rate = m_clock.seconds() / static_cast<double>(done);
            m_progress({"calibration", done, total, m_clock.seconds(),
                        rate * static_cast<double>(total - done)});
        }
    }

    const CalibrationOptions& m_options;
    std::int64_t m_blocks;
    const ProgressCallback& m_progress;
    const std::stop_token& m_stop;
    std::vector<std::int32_t> m_ids;
    ForwardPass m_pass;
    Stopwatch m_clock;
    std::int64_t m_first = 0;
};

// Σ 1 − cos over columns; two that are equal are at no distance, also where both are zero. Not
// finite where they are not.
double sumOfDistances(const Eigen::MatrixXf& before, const Eigen::MatrixXf& after) {
    double sum = 0;
    for (Eigen::Index i = 0; i < before.cols(); ++i) {
        const Eigen::VectorXd a = before.col(i).cast<double>();
        const Eigen::VectorXd b = after.col(i).cast<double>();
        const double norms = a.norm() * b.norm();
        const double equality = a == b ? 1 : 0;
        sum += 1 - (norms == 0 ? equality : std::clamp(a.dot(b) / norms, -1.0, 1.0));
    }
    return sum;
}

}  // namespace

std::optional<std::vector<double>> blockDistances(const Model& model, ThreadPool& pool,
                                                  const CalibrationOptions& options, std::int64_t n,
                                                  const ProgressCallback& progress,
                                                  const std::stop_token& stop,
                                                  DeviceProducts* products) {
    options.validate();
    const std::int64_t blocks = model.config().blocks;
    std::vector<double> sums(static_cast<std::size_t>(blocks - n), 0.0);
    // Behind the latest n + 1 blocks: that of block b at place b mod n + 1.
    std::vector<Eigen::MatrixXf> latest(static_cast<std::size_t>(n + 1));
    const auto at = [&](std::int64_t block) -> Eigen::MatrixXf& {
        return latest[static_cast<std::size_t>(block % (n + 1))];
    };
    Batches batches(model, pool, options, blocks, progress, stop, products);
    const bool whole = batches.run({}, [&](std::int64_t block, const Eigen::MatrixXf& hidden) {
        at(block) = hidden;
        if (block >= n) {
            sums[static_cast<std::size_t>(block - n)] += sumOfDistances(at(block - n), hidden);
        }
    });
    if (!whole) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i] /= static_cast<double>(options.fitted() * options.length);
        if (!std::isfinite(sums[i])) {
            throw Error("the hidden states hold NaN or infinity",
                        fmt::format("after block {}", static_cast<std::int64_t>(i) + n),
                        "the model's weights are damaged, or overflow in float32");
        }
    }
    return sums;
}

std::optional<RowSums> sumsOfRow(const Model& model, ThreadPool& pool,
                                 const CalibrationOptions& options, std::int64_t first,
                                 std::int64_t n, const ProgressCallback& progress,
                                 const std::stop_token& stop, DeviceProducts* products) {
    options.validate();
    const Eigen::Index hiddenSize = model.config().hiddenSize;
    const std::string key = layerName(first - 1, "ffn_down");
    const std::string gramKey = gramKeyOf(first - 1, "ffn_down");
    const LinearLayer& down = model.layer(key);
    RowSums sums;
    GramAccumulator accumulator(pool);
    Eigen::MatrixXf mlp;
    Eigen::MatrixXf before;
    Eigen::MatrixXf both;  // M above Δ
    Batches batches(model, pool, options, first + n, progress, stop, products);
    const auto takeOutput = [&](const std::string& of, const ConstRef& X) {
        if (of == gramKey) {
            down.apply(pool, X, mlp);
        }
    };
    const bool whole =
        batches.run(takeOutput, [&](std::int64_t block, const Eigen::MatrixXf& hidden) {
            if (block == first - 1) {
                before = hidden;
            }
            if (block != first + n - 1) {
                return;
            }
            both.resize(2 * hiddenSize, hidden.cols());
            both.topRows(hiddenSize) = mlp;
            both.bottomRows(hiddenSize) = hidden - before;
            accumulator.accumulate(key, both, batches.firstSequence(), options.length);
            sums.after += hidden.cast<double>().squaredNorm();
            sums.tokens += hidden.cols();
        });
    if (!whole) {
        return std::nullopt;
    }
    const Eigen::MatrixXd gram = std::move(accumulator.take().begin()->second);
    sums.outputs = gram.topLeftCorner(hiddenSize, hiddenSize);
    sums.cross = gram.topRightCorner(hiddenSize, hiddenSize);
    sums.change = gram.bottomRightCorner(hiddenSize, hiddenSize).trace();
    return sums;
}

}  // namespace cospadi
