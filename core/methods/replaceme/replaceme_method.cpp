#include "core/methods/replaceme/replaceme_method.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "core/base/error.h"

namespace cospadi {

namespace {

constexpr const char* kBlocks = "blocks";
constexpr double kMostLeftOut = 1000;
constexpr double kRoundedUp = 1e-9;  // of a block: what rounding adds to cr · blocks

class ReplaceMeMethod final : public BlockMethod {
  public:
    const char* name() const override { return "replaceme"; }
    const char* title() const override { return "ReplaceMe"; }
    const char* summary() const override {
        return "fewer blocks, with a linear map folded into the layer before the removed ones";
    }
    const char* source() const override { return "ReplaceMe (arXiv 2505.02819)"; }

    const std::vector<std::string>& settings() const override {
        static const std::vector<std::string> all = {"cr", kBlocks, "ridge"};
        return all;
    }

    const std::vector<Option>& ownOptions() const override {
        static const std::vector<Option> own = {{kBlocks,
                                                 std::int64_t{0},
                                                 0,
                                                 kMostLeftOut,
                                                 {},
                                                 "n",
                                                 "Blocks left out",
                                                 "Number of consecutive blocks to remove from the "
                                                 "model; 0: as implied by the compression ratio",
                                                 "2505.02819"}};
        return own;
    }

    bool hasRatio(const MatrixOptions& options) const override {
        return wholeOption(options, kBlocks) == 0;
    }

    std::int64_t blocksLeftOut(const MatrixOptions& options, std::int64_t blocks) const override {
        const bool byRatio = hasRatio(options);
        const auto left = byRatio ? static_cast<std::int64_t>(std::ceil(
                                        options.cr * static_cast<double>(blocks) - kRoundedUp))
                                  : wholeOption(options, kBlocks);
        if (left < 1 || left >= blocks) {
            throw Error(
                fmt::format(
                    "{} of {} blocks cannot be removed: at least one must remain before them", left,
                    blocks),
                byRatio ? "cr" : kBlocks,
                blocks < 2 ? std::string("the model has too few blocks for this method")
                           : fmt::format("remove 1 to {}", blocks - 1));
        }
        return left;
    }

    void requireModel(const MatrixOptions& options, const ModelConfig& config,
                      std::int64_t tokens) const override {
        if (config.hasBias("ffn_down")) {
            throw Error("ffn_down has a bias, which T would also have to change", config.name,
                        "use a method that compresses layers");
        }
        if (options.ridge == 0 && tokens < config.hiddenSize) {
            throw Error(fmt::format("{} tokens do not determine a map of {} × {}", tokens,
                                    config.hiddenSize, config.hiddenSize),
                        "calibration", "give more sequences, or a ridge such as 1e-3");
        }
    }

    Eigen::MatrixXd transform(const MatrixOptions& options, const RowSums& sums) const override {
        const Eigen::Index size = sums.outputs.rows();
        const double mean = sums.outputs.trace() / static_cast<double>(size);
        Eigen::MatrixXd map = Eigen::MatrixXd::Identity(size, size);
        if (mean == 0) {
            return map;  // the MLP gives out nothing to make anything of
        }
        const double alpha = options.ridge * mean;
        Eigen::MatrixXd metric = sums.outputs;
        metric.diagonal().array() += alpha;
        const Eigen::LLT<Eigen::MatrixXd> factor(metric);
        if (factor.info() != Eigen::Success) {
            throw Error(fmt::format("the outputs of {} tokens do not determine T: MᵀM is not "
                                    "positive definite",
                                    sums.tokens),
                        "ridge", "give a ridge such as 1e-3, or more calibration text");
        }
        map += factor.solve(sums.cross - alpha * Eigen::MatrixXd::Identity(size, size));
        return map;
    }
};

}  // namespace

const BlockMethod& replaceMeMethod() {
    static const ReplaceMeMethod method;
    return method;
}

}  // namespace cospadi
