#include "core/calibration/output_grams.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/base/stopwatch.h"
#include "core/calibration/gram_accumulator.h"
#include "core/calibration/gram_cache.h"
#include "core/calibration/residual_stream.h"
#include "core/calibration/work_folder.h"
#include "core/gradients/backward.h"
#include "core/model/model_locator.h"
#include "core/tensors/safetensors_writer.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

constexpr const char* kOutputGramFormat = "cospadi-output-grams-1";
// A block back costs about so many blocks forward.
constexpr std::int64_t kStepsBack = 4;

std::string cacheKeyOf(const Model& model, const CalibrationOptions& calibration) {
    return sha256OfString(fmt::format("{}\n{}\n{}\n{} {} {}", kOutputGramFormat, model.sha256(),
                                      sha256OfFile(calibration.text).c_str(),
                                      gradientSequences(calibration), calibration.length,
                                      calibration.seed));
}

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

// One measurement over a work folder that holds the streams and the blocks that are done.
class BlockwiseGradients {
  public:
    BlockwiseGradients(const Model& model, ThreadPool& pool, const CalibrationOptions& calibration,
                       std::string key, fs::path folder)
        : m_model(model),
          m_calibration(calibration),
          m_key(std::move(key)),
          m_folder(std::move(folder)),
          m_sequences(gradientSequences(calibration)),
          m_residuals(streamIn("forward")),
          m_gradients(streamIn("back")),
          m_forward(model, pool),
          m_backward(model, pool),
          m_accumulator(pool) {}

    // False when cancelled.
    bool run(const ProgressCallback& progress, const std::stop_token& stop) {
        const std::int64_t blocks = m_model.config().blocks;
        std::vector<std::int32_t> ids = sampleSequences(m_model.tokenizer(), m_calibration);
        ids.resize(static_cast<std::size_t>(m_sequences * m_calibration.length));
        std::int64_t done = blocks;  // blocks from here on are
        while (done > 0 && fs::exists(gramBlockFile(m_folder, done - 1))) {
            --done;
        }
        if (!m_gradients.has(done)) {
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
        m_diagonals.clear();
        const bool isDone = forBatches(stop, [&](std::int64_t first, std::int64_t count) {
            Eigen::MatrixXf gradient = whole.middleCols(first * length, count * length);
            m_backward.runBlock(block, m_residuals.read(block, first, count), length, gradient,
                                [&](const std::string& layer, const auto& /*X*/, const auto& dY) {
                                    add(layer, dY, first);
                                });
            whole.middleCols(first * length, count * length) = gradient;
            const std::int64_t blocks = m_model.config().blocks;
            tell(progress, blocks * m_sequences +
                               kStepsBack * ((blocks - 1 - block) * m_sequences + first + count));
        });
        if (!isDone) {
            m_accumulator.clear();
            return false;
        }
        m_gradients.write(block, whole);
        writeBlock(block);
        m_gradients.remove(block + 1);
        m_residuals.remove(block + 1);
        return true;
    }

    void add(const std::string& layer, const Eigen::Ref<const Eigen::MatrixXf>& dY,
             std::int64_t firstSequence) {
        const std::string key = firstSequence < half() ? layer : layer + kSecondHalf;
        if (isWhole(m_model.layerInfo(layer))) {
            m_accumulator.accumulate(key, dY, firstSequence, m_calibration.length);
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

    void writeBlock(std::int64_t block) {
        const std::map<std::string, Eigen::MatrixXd> wholes = m_accumulator.take();
        std::vector<std::pair<std::string, std::vector<double>>> values;
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
        std::vector<TensorToWrite> tensors;
        for (const auto& [layer, numbers] : values) {
            tensors.push_back({layer,
                               DType::F64,
                               {static_cast<std::int64_t>(numbers.size())},
                               std::as_bytes(std::span(numbers))});
        }
        writeSafetensors(gramBlockFile(m_folder, block), tensors,
                         {{"format", kOutputGramFormat}, {"key", m_key}});
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
    std::string m_key;
    fs::path m_folder;
    std::int64_t m_sequences;
    ResidualStream m_residuals, m_gradients;  // the inputs of blocks, and the loss's gradients
    ForwardPass m_forward;
    BackwardPass m_backward;
    GramAccumulator m_accumulator;
    std::map<std::string, Eigen::VectorXd> m_diagonals;
    std::int64_t m_first = -1;
    Stopwatch m_clock;
};

}  // namespace

std::optional<OutputGrams> openOutputGrams(const fs::path& folder, const std::string& key,
                                           const Model& model) {
    OutputGrams grams;
    try {
        std::int64_t opened = -1;
        std::optional<SafetensorsFile> file;
        for (const LayerInfo& layer : model.layers()) {  // block after block
            if (layer.block != opened) {
                file = SafetensorsFile::open(gramBlockFile(folder, layer.block));
                opened = layer.block;
                if (!isCacheOf(*file, kOutputGramFormat, key)) {
                    return std::nullopt;
                }
            }
            const std::int64_t count = isWhole(layer) ? layer.d2 * (layer.d2 + 1) / 2 : layer.d2;
            const TensorView* values = file->find(layer.name);
            if (values == nullptr || values->dtype != DType::F64 ||
                values->shape != std::vector<std::int64_t>{count}) {
                return std::nullopt;
            }
            const TensorView* trust = file->find(layer.name + kTrust);
            if (trust == nullptr || trust->bytes.size() != sizeof(double)) {
                return std::nullopt;
            }
            double share = 0;
            std::memcpy(&share, trust->bytes.data(), sizeof(share));
            grams.m_grams[layer.name] = {*values, share, layer.d2, isWhole(layer)};
        }
        return grams;
    } catch (const Error&) {
        return std::nullopt;
    }
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
                    "delete the file's folder, and calibrate again");
    }
    return gram;
}

std::int64_t gradientSequences(const CalibrationOptions& calibration) {
    return std::min(kGradientSequences, calibration.fitted());
}

std::optional<OutputGrams> measureOutputGrams(const Model& model, ThreadPool& pool,
                                              const CalibrationOptions& calibration,
                                              const ProgressCallback& progress,
                                              const std::stop_token& stop) {
    calibration.validate();
    const std::string key = cacheKeyOf(model, calibration);
    return cachedOrFilled<OutputGrams>(
        cacheDirectory() / "output-grams" / key, calibration.useCache,
        [&](const fs::path& folder) {
            std::optional<OutputGrams> grams = openOutputGrams(folder, key, model);
            if (grams) {
                grams->cacheKey = key;
                grams->sequences = gradientSequences(calibration);
                grams->tokens = grams->sequences * calibration.length;
            }
            return grams;
        },
        [&](const fs::path& folder) {
            return BlockwiseGradients(model, pool, calibration, key, folder).run(progress, stop);
        });
}

}  // namespace cospadi
