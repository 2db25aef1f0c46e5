#include "core/evaluation/model_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/stopwatch.h"
#include "core/model/forward.h"

namespace cospadi {

namespace {

constexpr std::int64_t kColumnsPerTile = 64;  // of logits: 25 MB for two models of 49152 tokens

struct Position {
    double divergence = 0;
    double logA = 0;  // ln p of the token that follows
    double logB = 0;
    bool sameTop = false;
};

using Column = Eigen::Ref<const Eigen::VectorXf>;

// ln Σ exp
double logSum(const Column& logits, float largest) {
    double sum = 0;
    for (Eigen::Index i = 0; i < logits.size(); ++i) {
        sum += std::exp(static_cast<double>(logits[i]) - static_cast<double>(largest));
    }
    return std::log(sum) + static_cast<double>(largest);
}

Position compareColumns(const Column& a, const Column& b, std::int32_t next) {
    Eigen::Index topA = 0;
    Eigen::Index topB = 0;
    const float largestA = a.maxCoeff(&topA);
    const float largestB = b.maxCoeff(&topB);
    const double sumA = logSum(a, largestA);
    const double sumB = logSum(b, largestB);
    Position position;
    position.sameTop = topA == topB;
    position.logA = static_cast<double>(a[next]) - sumA;
    position.logB = static_cast<double>(b[next]) - sumB;
    for (Eigen::Index i = 0; i < a.size(); ++i) {
        const double logP = static_cast<double>(a[i]) - sumA;
        const double logQ = static_cast<double>(b[i]) - sumB;
        position.divergence += std::exp(logP) * (logP - logQ);
    }
    position.divergence = std::max(0.0, position.divergence);  // rounding
    return position;
}

void requireNumbers(std::span<const Position> positions, const Model& a, const Model& b) {
    for (const Position& position : positions) {
        if (!std::isfinite(position.logA) || !std::isfinite(position.logB)) {
            const Model& model = std::isfinite(position.logA) ? b : a;
            throw Error("a log-likelihood is not finite", model.sourcePath().string(),
                        "its weights contain NaN or infinity, or its computations overflow; "
                        "--weights-only shows which layers differ");
        }
    }
}

PredictionDifference summary(const std::vector<Position>& positions) {
    PredictionDifference result;
    double logA = 0;
    double logB = 0;
    std::vector<double> divergences;
    for (const Position& p : positions) {
        logA += p.logA;
        logB += p.logB;
        result.meanDivergence += p.divergence;
        result.top1Agreement += p.sameTop ? 1 : 0;
        divergences.push_back(p.divergence);
    }
    const auto count = static_cast<double>(positions.size());
    result.positions = static_cast<std::int64_t>(positions.size());
    result.meanDivergence /= count;
    result.top1Agreement /= count;
    result.perplexityA = std::exp(-logA / count);
    result.perplexityB = std::exp(-logB / count);
    std::sort(divergences.begin(), divergences.end());
    result.maxDivergence = divergences.back();
    result.p99Divergence = divergences[static_cast<std::size_t>(0.99 * (count - 1))];
    return result;
}

}  // namespace

std::vector<LayerDifference> compareWeights(const Model& a, const Model& b, ThreadPool& pool) {
    std::vector<LayerDifference> result;
    for (const LayerInfo& layer : a.layers()) {
        const LayerInfo& other = b.layerInfo(layer.name);
        if (layer.d1 != other.d1 || layer.d2 != other.d2) {
            throw Error(fmt::format("is ({}, {}) in one model and ({}, {}) in the other", layer.d1,
                                    layer.d2, other.d1, other.d2),
                        layer.name, "compare models of the same architecture");
        }
        result.push_back({layer.name, layer.d1, layer.d2, 0});
    }
    if (b.layers().size() != result.size()) {
        throw Error("the models have different numbers of layers", b.sourcePath().string(),
                    "compare models of the same architecture");
    }
    pool.run(static_cast<std::int64_t>(result.size()), [&](std::int64_t task) {
        LayerDifference& layer = result[static_cast<std::size_t>(task)];
        const Eigen::MatrixXf weightA = a.weight(layer.name);
        const Eigen::MatrixXf weightB = b.weight(layer.name);
        const double norm = weightA.cast<double>().norm();
        const double difference = (weightA.cast<double>() - weightB.cast<double>()).norm();
        layer.relativeError = difference == 0 ? 0 : difference / norm;
    });
    return result;
}

std::optional<PredictionDifference> comparePredictions(
    const Model& a, const Model& b, ThreadPool& pool, std::span<const std::int32_t> ids,
    std::int64_t context, const ProgressCallback& progress, const std::stop_token& stop) {
    if (a.config().vocabularySize != b.config().vocabularySize) {
        throw Error(fmt::format("the vocabularies have {} and {} tokens", a.config().vocabularySize,
                                b.config().vocabularySize),
                    b.sourcePath().string(), "compare models that share a tokenizer");
    }
    if (context < 4) {
        throw Error("the context must be at least 4 tokens", "--context", "512 is typical");
    }
    const std::int64_t chunks = static_cast<std::int64_t>(ids.size()) / context;
    if (chunks == 0) {
        throw Error(fmt::format("the text has only {} tokens, fewer than one chunk", ids.size()),
                    "compare", "give a longer text or a smaller --context");
    }
    const Stopwatch clock;
    ForwardPass passA(a, pool);
    ForwardPass passB(b, pool);
    std::vector<Position> positions(static_cast<std::size_t>(chunks * (context - 1)));
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
        if (stop.stop_requested()) {
            return std::nullopt;
        }
        const auto part = ids.subspan(static_cast<std::size_t>(chunk * context),
                                      static_cast<std::size_t>(context));
        const Eigen::MatrixXf hiddenA = passA.hiddenStates(part, context);
        const Eigen::MatrixXf hiddenB = passB.hiddenStates(part, context);
        for (std::int64_t first = 0; first < context - 1; first += kColumnsPerTile) {
            const std::int64_t columns = std::min(kColumnsPerTile, context - 1 - first);
            const Eigen::MatrixXf logitsA = passA.logits(hiddenA.middleCols(first, columns));
            const Eigen::MatrixXf logitsB = passB.logits(hiddenB.middleCols(first, columns));
            pool.run(columns, [&](std::int64_t c) {
                positions[static_cast<std::size_t>(chunk * (context - 1) + first + c)] =
                    compareColumns(logitsA.col(c), logitsB.col(c),
                                   part[static_cast<std::size_t>(first + c + 1)]);
            });
        }
        requireNumbers(std::span(positions).subspan(static_cast<std::size_t>(chunk * (context - 1)),
                                                    static_cast<std::size_t>(context - 1)),
                       a, b);
        if (progress) {
            const double seconds = clock.seconds();
            const auto done = static_cast<double>(chunk + 1);
            progress({"compare", (chunk + 1) * context, chunks * context, seconds,
                      seconds / done * (static_cast<double>(chunks) - done)});
        }
    }
    return summary(positions);
}

}  // namespace cospadi
