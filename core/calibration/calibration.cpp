#include "core/calibration/calibration.h"

#include <algorithm>
#include <chrono>
#include <random>

#include "core/base/error.h"
#include "core/calibration/gram_accumulator.h"
#include "core/calibration/gram_cache.h"
#include "core/calibration/text_corpus.h"
#include "core/model/forward.h"

namespace cospadi {

namespace {

constexpr std::int64_t kBatchTokens = 2048;

// Fisher–Yates; std::shuffle differs between standard libraries.
void shuffle(std::vector<std::string>& documents, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (std::size_t i = documents.size(); i > 1; --i) {
        std::swap(documents[i - 1], documents[random() % i]);
    }
}

}  // namespace

void CalibrationOptions::validate() const {
    if (text.empty()) {
        throw Error("no calibration text is given", "--text", "give a .jsonl or .txt file");
    }
    if (sequences < 1 || sequences > 1'000'000) {
        throw Error("the number of sequences must lie between 1 and 1000000", "--sequences",
                    "64 is usual");
    }
    if (length < 2 || length > 65536) {
        throw Error("the length must lie between 2 and 65536 tokens", "--length", "512 is usual");
    }
}

const Eigen::MatrixXd& GramSet::gram(const std::string& gramKey) const {
    const auto found = grams.find(gramKey);
    if (found == grams.end()) {
        throw Error("there is no Gram matrix for " + gramKey, "calibration",
                    "the calibration belongs to another model");
    }
    return found->second;
}

std::vector<std::int32_t> sampleSequences(const Tokenizer& tokenizer,
                                          const CalibrationOptions& options) {
    options.validate();
    std::vector<std::string> documents = readDocuments(options.text);
    shuffle(documents, options.seed);
    const auto wanted = static_cast<std::size_t>(options.sequences * options.length);
    std::vector<std::int32_t> ids;
    for (const std::string& document : documents) {
        if (ids.size() >= wanted) {
            break;
        }
        const std::vector<std::int32_t> more = tokenizer.encode(document);
        ids.insert(ids.end(), more.begin(), more.end());
    }
    if (ids.size() < wanted) {
        throw Error("holds " + std::to_string(ids.size()) + " tokens, but " +
                        std::to_string(wanted) + " are needed",
                    options.text.string(), "give more text, or fewer or shorter sequences");
    }
    ids.resize(wanted);
    return ids;
}

std::optional<GramSet> calibrate(const Model& model, ThreadPool& pool,
                                 const CalibrationOptions& options,
                                 const ProgressCallback& progress, const std::stop_token& stop) {
    options.validate();
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    const auto seconds = [&] {
        return std::chrono::duration<double>(Clock::now() - start).count();
    };
    const std::string key = gramCacheKey(model, options);
    if (options.useCache) {
        if (std::optional<GramSet> cached = readGramCache(key, model)) {
            cached->seconds = seconds();
            return cached;
        }
    }

    const std::vector<std::int32_t> ids = sampleSequences(model.tokenizer(), options);
    const std::int64_t batch = std::max<std::int64_t>(1, kBatchTokens / options.length);
    GramAccumulator accumulator(pool);
    ForwardPass pass(model, pool);
    for (std::int64_t first = 0; first < options.sequences; first += batch) {
        if (stop.stop_requested()) {
            return std::nullopt;
        }
        const std::int64_t count = std::min(batch, options.sequences - first);
        const std::span<const std::int32_t> part(ids.data() + first * options.length,
                                                 static_cast<std::size_t>(count * options.length));
        // No use of the final norm here: block by block.
        Eigen::MatrixXf residual = pass.embed(part);
        for (std::int64_t block = 0; block < model.config().blocks; ++block) {
            pass.runBlock(block, residual, options.length,
                          [&](const std::string& name, const Eigen::Ref<const Eigen::MatrixXf>& X) {
                              accumulator.accumulate(name, X, first, options.length);
                          });
        }
        if (progress) {
            const auto done = static_cast<double>(first + count);
            const double left = static_cast<double>(options.sequences) - done;
            progress({"calibration", first + count, options.sequences, seconds(),
                      seconds() / done * left});
        }
    }
    GramSet set;
    set.grams = accumulator.take();
    set.tokens = options.sequences * options.length;
    set.sequences = options.sequences;
    set.cacheKey = key;
    if (options.useCache) {
        try {
            writeGramCache(key, set);
        } catch (const Error& error) {
            set.cacheProblem = error.what();  // costs time later, not this result
        }
    }
    set.seconds = seconds();
    return set;
}

}  // namespace cospadi
