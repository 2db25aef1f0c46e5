#include "app/cli/bench/bench_forward.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/cli/bench/bench_checks.h"
#include "app/cli/bench/python_peer.h"
#include "app/cli/run_command.h"
#include "core/base/resources.h"
#include "core/base/stopwatch.h"
#include "core/base/temporary_folder.h"
#include "core/calibration/text_corpus.h"
#include "core/evaluation/perplexity.h"
#include "core/exports/compressed_model.h"
#include "core/model/forward.h"
#include "core/products/blas.h"
#include "core/tensors/atomic_file.h"

namespace cospadi::cli {

namespace {

namespace fs = std::filesystem;

// The machine's float32 GEMM rate, on products of the size that the forward pass makes. FLOP/s.
double gemmRate(ThreadPool& pool) {
    constexpr std::int64_t n = 1536;
    const Eigen::MatrixXf a = Eigen::MatrixXf::Random(n, n);
    const Eigen::MatrixXf b = Eigen::MatrixXf::Random(n, n);
    Eigen::MatrixXf c(n, n);
    double best = 0;
    for (int repeat = 0; repeat < 8; ++repeat) {
        const Stopwatch clock;
        gemm(pool, Op::Transpose, Op::None, n, n, n, 1, a.data(), n, b.data(), n, 0, c.data(), n);
        best = std::max(best, 2.0 * n * n * n / clock.seconds());
    }
    return best;
}

struct PeerResult {
    double tokensPerSecond = 0;
    double perplexity = 0;
    std::string version;
};

// The same float32 weights as a GGUF file, the same ids, the same number of threads.
PeerResult measurePeer(const std::string& model, const std::string& python,
                       std::span<const std::int32_t> ids, std::int64_t context, int threads,
                       int repeats) {
    const TemporaryFolder temporary = TemporaryFolder::unique("cospadi-bench");
    const fs::path& folder = temporary.path();
    const fs::path file = folder / "model.gguf";
    exportGguf(model, DType::F32, file);
    writeFileAtomically(folder / "ids.json",
                        nlohmann::json(std::vector<std::int32_t>(ids.begin(), ids.end())).dump());
    const nlohmann::json result =
        askPython(python, "llama_cpp_perplexity.py",
                  {file.string(), (folder / "ids.json").string(), std::to_string(context),
                   std::to_string(threads), std::to_string(repeats)},
                  "needs the package llama-cpp-python");
    return {result.at("tokens_per_second").get<double>(), result.at("perplexity").get<double>(),
            result.at("version").get<std::string>()};
}

}  // namespace

int benchForward(const Session& session, const std::string& name, const std::string& peerPython,
                 bool quick) {
    const Model model = loadModelOrRun(name);
    ThreadPool pool;
    PerplexityOptions options;
    options.maxTokens = quick ? 1024 : 2048;
    const int repeats = quick ? 2 : 4;
    std::vector<std::int32_t> ids = model.tokenizer().encode(readWholeText(namedText("wikitext2")));
    ids.resize(std::min(ids.size(), static_cast<std::size_t>(options.maxTokens)));
    ProgressLine line;
    double best = 0;
    double perplexity = 0;
    for (int repeat = 0; repeat < repeats; ++repeat) {
        const auto result = evaluatePerplexity(model, pool, ids, options, session.progress(line),
                                               session.signals.token());
        if (!result) {
            return kCancelled;
        }
        best = std::max(best, result->tokensPerSecond);
        perplexity = result->perplexity;
    }
    line.clear();
    ForwardPass forward(model, pool);
    const double flops = forward.floatingPointOperations(options.context, options.context - 1) /
                         static_cast<double>(options.context) * best;
    const double limit = gemmRate(pool);
    const double share = flops / limit;
    std::vector<Check> checks;
    if (peerPython.empty()) {
        checks.push_back({"forward and perplexity, float32", best, "tokens/s", "", 0, 0, 0, true});
    } else {
        const PeerResult peer =
            measurePeer(name, peerPython, ids, options.context, pool.threadCount(), repeats);
        const double ratio = best / peer.tokensPerSecond;
        checks.push_back({"forward and perplexity, float32", best, "tokens/s",
                          "llama.cpp, decoding alone (" + peer.version + ")", peer.tokensPerSecond,
                          ratio, 1, ratio >= 1});
        const double difference = std::abs(perplexity / peer.perplexity - 1);
        checks.push_back({"perplexity: both did the same", perplexity, "-", "llama.cpp",
                          peer.perplexity, difference, 1e-3, difference <= 1e-3});
    }
    checks.push_back({"forward: arithmetic rate", flops / 1e9, "GFLOP/s",
                      "GEMM 1536 cubed, same run", limit / 1e9, share, 0.5, share >= 0.5});
    return publishChecks(
        session, checks,
        fmt::format("{}, {} tokens in chunks of {}, {} threads, {}\n", name, options.maxTokens,
                    options.context, pool.threadCount(), blasDescription()));
}

}  // namespace cospadi::cli
