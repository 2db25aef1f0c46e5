#include "core/serving/token_choice.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/error.h"
#include "core/model/float_kernels.h"

namespace cospadi {

namespace {

struct Candidate {
    std::int32_t id;
    double weight;
};

// [0, 1) with 53 bits; std::uniform_real_distribution differs between standard libraries.
double uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11U) * 0x1.0p-53; }

std::int32_t likeliest(const Logits& logits) {
    Eigen::Index best = 0;
    logits.maxCoeff(&best);
    return static_cast<std::int32_t>(best);
}

}  // namespace

std::int32_t chooseToken(const Logits& logits, const SamplingOptions& sampling,
                         std::mt19937_64& random) {
    if (sampling.temperature <= 0) {
        return likeliest(logits);
    }
    const double highest = static_cast<double>(logits.maxCoeff());
    std::vector<double> weights(static_cast<std::size_t>(logits.size()));
    double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const double logit = static_cast<double>(logits[static_cast<Eigen::Index>(i)]);
        weights[i] = std::exp((logit - highest) / sampling.temperature);
        sum += weights[i];
    }
    // Tokens below (1 − p)/V together weigh less than 1 − p: the nucleus lies in the others, and
    // only those have to be sorted.
    const double floor =
        sampling.topP >= 1 ? 0.0 : (1 - sampling.topP) * sum / static_cast<double>(weights.size());
    std::vector<Candidate> candidates;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (weights[i] >= floor && weights[i] > 0) {
            candidates.push_back({static_cast<std::int32_t>(i), weights[i]});
        }
    }
    double kept = sum;
    if (sampling.topP < 1) {
        std::stable_sort(
            candidates.begin(), candidates.end(),
            [](const Candidate& a, const Candidate& b) { return a.weight > b.weight; });
        kept = 0;
        std::size_t count = 0;
        while (count < candidates.size() && (count == 0 || kept < sampling.topP * sum)) {
            kept += candidates[count++].weight;
        }
        candidates.resize(count);
    }
    if (candidates.empty()) {  // NaN: scoreToken() refuses it
        return likeliest(logits);
    }
    double point = uniform(random) * kept;
    for (const Candidate& candidate : candidates) {
        point -= candidate.weight;
        if (point < 0) {
            return candidate.id;
        }
    }
    return candidates.back().id;  // rounding
}

TokenScore scoreToken(const Logits& logits, std::int32_t id, int topTokens) {
    const double sum = logSumExp(logits.data(), logits.size());
    if (!std::isfinite(sum)) {
        throw Error("the model computed non-finite numbers", "logits",
                    "check for damaged weights with `cospadi compare`");
    }
    const auto value = [&](std::int32_t token) { return static_cast<double>(logits[token]) - sum; };
    TokenScore score;
    score.id = id;
    score.logProbability = value(id);
    if (topTokens == 1) {
        const std::int32_t best = likeliest(logits);
        score.top.emplace_back(best, value(best));
    } else if (topTokens > 1) {
        std::vector<std::int32_t> order(static_cast<std::size_t>(logits.size()));
        for (std::size_t i = 0; i < order.size(); ++i) {
            order[i] = static_cast<std::int32_t>(i);
        }
        const auto count = std::min(order.size(), static_cast<std::size_t>(topTokens));
        const auto end = order.begin() + static_cast<std::ptrdiff_t>(count);
        std::partial_sort(order.begin(), end, order.end(), [&](std::int32_t a, std::int32_t b) {
            return logits[a] > logits[b] || (logits[a] == logits[b] && a < b);
        });
        for (auto token = order.begin(); token != end; ++token) {
            score.top.emplace_back(*token, value(*token));
        }
    }
    return score;
}

}  // namespace cospadi
