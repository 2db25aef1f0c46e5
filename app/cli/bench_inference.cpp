#include "app/cli/bench_inference.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "app/cli/bench_checks.h"
#include "app/cli/run_command.h"
#include "core/base/bfloat16.h"
#include "core/base/stopwatch.h"
#include "core/dictionary/budget.h"
#include "core/linalg/packed_kernels.h"
#include "core/methods/compress_matrix.h"
#include "core/model/forward.h"
#include "core/pipeline/compressed_model.h"

namespace cospadi::cli {

namespace {

constexpr double kDecodeTarget = 1.25;
constexpr double kPrefillTarget = 1.0;
constexpr std::int64_t kContext = 16;  // tokens that a user has before decoding is measured

enum class Form { Dense, LowRank, SparseDictionary };
constexpr Form kForms[] = {Form::Dense, Form::LowRank, Form::SparseDictionary};

const char* name(Form form) {
    return form == Form::Dense ? "dense" : form == Form::LowRank ? "low rank" : "sparse dictionary";
}

Eigen::MatrixXf randomBf16(std::int64_t rows, std::int64_t cols, std::mt19937& random) {
    std::normal_distribution<float> normal(0, 0.02F);
    return Eigen::MatrixXf::NullaryExpr(rows, cols, [&] { return roundedToBf16(normal(random)); });
}

// s non-zeros in random places of every column.
Eigen::MatrixXf randomCodes(std::int64_t k, std::int64_t s, std::int64_t cols,
                            std::mt19937& random) {
    Eigen::MatrixXf codes = randomBf16(k, cols, random);
    std::vector<std::int64_t> rows(static_cast<std::size_t>(k));
    std::iota(rows.begin(), rows.end(), 0);
    for (std::int64_t j = 0; j < cols; ++j) {
        std::shuffle(rows.begin(), rows.end(), random);
        for (auto i = static_cast<std::size_t>(s); i < rows.size(); ++i) {
            codes(rows[i], j) = 0;
        }
    }
    return codes;
}

// Time depends on shapes and density alone, so the values are random.
std::unique_ptr<LinearLayer> makeForm(Form form, const LayerInfo& layer, double cr,
                                      std::mt19937& random) {
    if (form == Form::Dense) {
        return std::make_unique<Bf16Layer>(randomBf16(layer.d1, layer.d2, random), 0);
    }
    if (form == Form::LowRank) {
        const std::int64_t rank = lowRankBudget(layer.d1, layer.d2, cr).rank;
        return std::make_unique<LowRankLayer>(randomBf16(layer.d1, rank, random),
                                              randomBf16(rank, layer.d2, random), 0);
    }
    MatrixOptions options;
    options.cr = cr;
    const SparseBudget budget = sparseBudgetOf(options, layer.d1, layer.d2);
    const bool output = sideOf(options, layer.d1, layer.d2) == DictionarySide::Output;
    return std::make_unique<SparseDictionaryLayer>(
        randomBf16(output ? layer.d2 : layer.d1, budget.k, random),
        randomCodes(budget.k, budget.s, output ? layer.d1 : layer.d2, random), output, 0);
}

// Bytes a second that all threads together read from memory too large for the cache.
double readRate(ThreadPool& pool) {
    constexpr std::int64_t kPart = 1 << 20;
    const std::vector<std::uint64_t> memory(static_cast<std::size_t>(64 * kPart), 1);  // 512 MiB
    const std::int64_t parts = static_cast<std::int64_t>(memory.size()) / kPart;
    std::vector<std::uint64_t> sums(static_cast<std::size_t>(parts));
    double best = 0;
    for (int repeat = 0; repeat < 4; ++repeat) {
        const Stopwatch clock;
        pool.run(parts, [&](std::int64_t part) {
            const auto begin = memory.begin() + part * kPart;
            sums[static_cast<std::size_t>(part)] =
                std::accumulate(begin, begin + kPart, std::uint64_t{0});
        });
        best = std::max(
            best, static_cast<double>(memory.size() * sizeof(std::uint64_t)) / clock.seconds());
    }
    return best;
}

// Tokens a second through all blocks, without the head, which is the same for all forms.
class Throughput {
  public:
    Throughput(const Model& model, ThreadPool& pool, int repeats)
        : m_model(model), m_pass(model, pool), m_repeats(repeats) {}

    double prefill(std::int64_t tokens) {
        double best = 0;
        for (int repeat = 0; repeat <= m_repeats; ++repeat) {  // the first one warms up
            KeyValueCache cache(m_model.config());
            const std::vector<std::int32_t> ids = someIds(tokens);
            const Stopwatch clock;
            m_pass.extend(std::vector<Continuation>{{&cache, ids}});
            best = std::max(best, static_cast<double>(tokens) / clock.seconds());
        }
        return best;
    }

    double decode(std::int64_t users, int steps) {
        std::vector<KeyValueCache> caches;
        for (std::int64_t user = 0; user < users; ++user) {
            caches.emplace_back(m_model.config());
        }
        const std::vector<std::int32_t> context = someIds(kContext);
        const std::vector<std::int32_t> next = someIds(1);
        step(caches, context);
        double best = 0;
        for (int repeat = 0; repeat < m_repeats; ++repeat) {
            const Stopwatch clock;
            for (int i = 0; i < steps; ++i) {
                step(caches, next);
            }
            best = std::max(best, static_cast<double>(users * steps) / clock.seconds());
        }
        return best;
    }

  private:
    static std::vector<std::int32_t> someIds(std::int64_t count) {
        std::vector<std::int32_t> ids;
        for (std::int64_t i = 0; i < count; ++i) {
            ids.push_back(static_cast<std::int32_t>(100 + 7 * i % 400));
        }
        return ids;
    }

    void step(std::vector<KeyValueCache>& caches, std::span<const std::int32_t> ids) {
        std::vector<Continuation> batch;
        for (KeyValueCache& cache : caches) {
            batch.push_back({&cache, ids});
        }
        m_pass.extend(batch);
    }

    const Model& m_model;
    ForwardPass m_pass;
    int m_repeats;
};

}  // namespace

int benchInference(const Session& session, const std::string& word, double cr, bool quick) {
    Model model = loadModelOrRun(word);
    const std::vector<LayerInfo> layers = model.layers();
    ThreadPool pool;
    const std::vector<std::int64_t> prompts =
        quick ? std::vector<std::int64_t>{64} : std::vector<std::int64_t>{16, 64, 256};
    const std::vector<std::int64_t> users =
        quick ? std::vector<std::int64_t>{1} : std::vector<std::int64_t>{1, 2, 4, 8, 16};
    const int repeats = quick ? 2 : 4;
    const double memory = readRate(pool);
    struct Row {
        std::vector<double> prefill, decode;
        double bytes = 0;
    };
    std::vector<Row> rows;
    ProgressLine line;
    for (const Form form : kForms) {
        std::mt19937 random(42);
        Row& row = rows.emplace_back();
        for (const LayerInfo& layer : layers) {
            if (session.signals.token().stop_requested()) {
                return kCancelled;
            }
            auto made = makeForm(form, layer, cr, random);
            row.bytes += static_cast<double>(made->memoryBytes());
            model.replaceLayer(layer.name, std::move(made));
        }
        line.show({name(form), static_cast<std::int64_t>(rows.size()), 3, 0, -1}, "");
        Throughput measured(model, pool, repeats);
        for (const std::int64_t count : users) {
            row.decode.push_back(measured.decode(count, quick ? 8 : 16));
        }
        for (const std::int64_t count : prompts) {
            row.prefill.push_back(measured.prefill(count));
        }
    }
    line.clear();
    std::vector<Check> checks;
    const auto compare = [&](const Row& row, Form form) {
        const bool held = form == Form::SparseDictionary;
        for (std::size_t i = 0; i < users.size(); ++i) {
            const double ratio = row.decode[i] / rows[0].decode[i];
            const double target = held && users[i] == 1 ? kDecodeTarget : 0;
            checks.push_back({fmt::format("decode, {}, {} users", name(form), users[i]),
                              row.decode[i], "tokens/s", "dense bfloat16", rows[0].decode[i], ratio,
                              target, ratio >= target});
        }
        for (std::size_t i = 0; i < prompts.size(); ++i) {
            const double ratio = row.prefill[i] / rows[0].prefill[i];
            const double target = held ? kPrefillTarget : 0;
            checks.push_back({fmt::format("prefill, {}, {} tokens", name(form), prompts[i]),
                              row.prefill[i], "tokens/s", "dense bfloat16", rows[0].prefill[i],
                              ratio, target, ratio >= target});
        }
    };
    compare(rows[1], Form::LowRank);
    compare(rows[2], Form::SparseDictionary);
    for (std::size_t form = 0; form < rows.size(); ++form) {
        const double rate = rows[form].bytes * rows[form].decode[0];
        checks.push_back({fmt::format("bytes read in decoding, {}", name(kForms[form])), rate / 1e9,
                          "GB/s", "reading memory, same run", memory / 1e9, rate / memory, 0,
                          true});
    }
    return publishChecks(
        session, checks,
        fmt::format("{}, all {} layers, CR {}, ρ 2; blocks alone, without the head; {} threads, "
                    "{}; layers in memory: dense {:.1f} MB, low rank {:.1f} MB, sparse dictionary "
                    "{:.1f} MB\n",
                    word, layers.size(), cr, pool.threadCount(),
                    cospadi::name(bestPackedInstructions()), rows[0].bytes / 1e6,
                    rows[1].bytes / 1e6, rows[2].bytes / 1e6));
}

}  // namespace cospadi::cli
