#include "core/calibration/calibration.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/stopwatch.h"
#include "core/calibration/gram_accumulator.h"
#include "core/calibration/gram_cache.h"
#include "core/calibration/residual_stream.h"
#include "core/calibration/work_folder.h"
#include "core/model/device_products.h"
#include "core/model/forward.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

// One calibration over a work folder that holds finished blocks and the residual stream behind
// them.
class BlockwiseCalibration {
  public:
    BlockwiseCalibration(const Model& model, ThreadPool& pool, const CalibrationOptions& options,
                         std::string key, fs::path folder, DeviceProducts* products)
        : m_model(model),
          m_pool(pool),
          m_options(options),
          m_blocks(options.blocks > 0 ? std::min(options.blocks, model.config().blocks)
                                      : model.config().blocks),
          m_key(std::move(key)),
          m_folder(std::move(folder)),
          m_stream(m_folder, model.config().hiddenSize, options.sequences, options.length,
                   options.fitted()),
          m_products(products),
          m_pass(model, pool, products),
          m_accumulator(pool, products) {}

    Filling run(const ProgressCallback& progress, const std::stop_token& stop) {
        std::int64_t block = 0;
        while (block < m_blocks && isGramBlock(gramBlockFile(m_folder, block), m_key)) {
            ++block;
        }
        if (block < m_blocks && !m_stream.has(block)) {  // nothing to go on from
            block = 0;
            m_stream.writeEmbedding(m_pass, sampleSequences(m_model.tokenizer(), m_options));
            m_model.letGo();
        }
        m_firstUnit = block * m_options.sequences;
        for (; block < m_blocks; ++block) {
            m_model.makeBlock(block, m_pool);
            const bool whole = runBlock(block, progress, stop);
            if (m_products != nullptr) {
                m_products->forget();  // it knows weights by their layers
            }
            m_model.letGo();
            if (!whole) {
                return Filling::Cancelled;
            }
        }
        if (m_blocks < m_model.config().blocks) {
            return Filling::AsFarAsAsked;
        }
        m_stream.remove(m_blocks);
        return Filling::Whole;
    }

  private:
    bool runBlock(std::int64_t block, const ProgressCallback& progress,
                  const std::stop_token& stop) {
        if (m_products == nullptr) {
            return sumBlock(block, progress, stop);
        }
        try {
            return sumBlock(block, progress, stop);
        } catch (const DeviceError& error) {
            if (!m_products->mayGoOnWithout(error)) {
                throw DeviceError(error.problem(),
                                  fmt::format("calibration of block {}, {}", block, error.where()),
                                  error.hint());
            }
        }
        m_accumulator.clear();
        return sumBlock(block, progress, stop);
    }

    bool sumBlock(std::int64_t block, const ProgressCallback& progress,
                  const std::stop_token& stop) {
        const bool whole = m_stream.runBlock(
            m_pass, block, BlockStage::Whole,
            [&](const std::string& gramKey, const Eigen::Ref<const Eigen::MatrixXf>& X,
                std::int64_t firstSequence) {
                const bool isFitted = firstSequence < m_options.fitted();
                m_accumulator.accumulate(isFitted ? gramKey : heldOutKey(gramKey), X, firstSequence,
                                         m_options.length);
            },
            [&](std::int64_t done) {
                if (progress) {
                    tell(progress, block * m_options.sequences + done);
                }
            },
            stop);
        if (whole) {
            writeGramBlock(gramBlockFile(m_folder, block), m_key, m_accumulator.take());
            m_stream.remove(block);
        }
        return whole;
    }

    void tell(const ProgressCallback& progress, std::int64_t done) const {
        const std::int64_t total = m_blocks * m_options.sequences;
        const double rate = m_clock.seconds() / static_cast<double>(done - m_firstUnit);
        progress({"calibration", done, total, m_clock.seconds(),
                  rate * static_cast<double>(total - done)});
    }

    const Model& m_model;
    ThreadPool& m_pool;
    const CalibrationOptions& m_options;
    std::int64_t m_blocks;  // to be summed
    std::string m_key;
    fs::path m_folder;
    ResidualStream m_stream;
    DeviceProducts* m_products;
    ForwardPass m_pass;
    GramAccumulator m_accumulator;
    std::int64_t m_firstUnit = 0;
    Stopwatch m_clock;
};

}  // namespace

std::optional<GramSet> calibrate(const Model& model, ThreadPool& pool,
                                 const CalibrationOptions& options,
                                 const ProgressCallback& progress, const std::stop_token& stop,
                                 DeviceProducts* products) {
    options.validate();
    const std::string key = gramCacheKey(model.sha256(), options);
    std::optional<GramSet> grams = cachedOrFilled<GramSet>(
        gramCacheFolder(key), options.useCache,
        [&](const fs::path& folder) { return openGrams(folder, key, model.layers(), options); },
        [&](const fs::path& folder) {
            return BlockwiseCalibration(model, pool, options, key, folder, products)
                .run(progress, stop);
        });
    if (grams && options.weightGradients) {
        grams->weightGradients = measureWeightGradients(model, pool, options, progress, stop);
        if (!grams->weightGradients) {
            return std::nullopt;
        }
    }
    return grams;
}

}  // namespace cospadi
