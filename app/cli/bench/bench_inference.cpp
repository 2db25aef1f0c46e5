#include "app/cli/bench/bench_inference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "app/cli/bench/bench_checks.h"
#include "app/cli/run_command.h"
#include "core/base/bfloat16.h"
#include "core/base/short_float.h"
#include "core/base/stopwatch.h"
#include "core/dictionary/budget.h"
#include "core/exports/compressed_model.h"
#include "core/methods/layer_groups.h"
#include "core/methods/sparse_dictionary/sparse_method.h"
#include "core/model/forward.h"
#include "core/model/shared_factors.h"
#include "core/packed/packed_kernels.h"

namespace cospadi::cli {

namespace {

constexpr double kDecodeTarget = 1.45;
constexpr double kBytesDecodeTarget = 1.8;
constexpr double kPrefillTarget = 1.0;
constexpr std::int64_t kContext = 16;  // tokens that a user has before decoding is measured

// Packed, Packed8: atoms, bits of coefficients and of dictionaries as those accountings have them.
// Grouped: two of every four atoms of a column. Shared: by layers of six blocks, as `--effort best`
// has it.
enum class Form { Dense, LowRank, SparseDictionary, Packed, Packed8, Grouped, Shared };
constexpr Form kForms[] = {Form::Dense,  Form::LowRank, Form::SparseDictionary,
                           Form::Packed, Form::Packed8, Form::Grouped,
                           Form::Shared};
constexpr NmPattern kGroupedCodes{2, 4};
constexpr const char* kSharing = "all-6";
constexpr double kSharedRho = 3;

const char* name(Form form) {
    switch (form) {
        case Form::Dense:
            return "dense";
        case Form::LowRank:
            return "low rank";
        case Form::SparseDictionary:
            return "sparse dictionary";
        case Form::Packed:
            return "sparse dictionary, packed";
        case Form::Packed8:
            return "sparse dictionary, packed8";
        case Form::Grouped:
            return "sparse dictionary, 2:4 codes";
        case Form::Shared:
            return "sparse dictionary, shared";
    }
    return "unknown";
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

// N of every M rows in random places.
Eigen::MatrixXf randomGroupedCodes(std::int64_t k, const NmPattern& pattern, std::int64_t cols,
                                   std::mt19937& random) {
    Eigen::MatrixXf codes(k, cols);
    for (std::int64_t first = 0; first < k; first += pattern.group) {
        codes.middleRows(first, pattern.group) =
            randomCodes(pattern.group, pattern.kept, cols, random);
    }
    return codes;
}

// As values of so many bits are stored.
void roundTo(Eigen::MatrixXf& codes, int bits) {
    if (!ShortFloat::exists(bits)) {
        return;
    }
    const ShortFloat format(bits);
    for (float& value : codes.reshaped()) {
        value = format.rounded(50 * value);  // about 1, as the largest code of an atom
    }
}

Accounting accountingOf(Form form) {
    switch (form) {
        case Form::Packed:
            return Accounting::Packed;
        case Form::Packed8:
            return Accounting::Packed8;
        default:
            return Accounting::Eq11;
    }
}

Eigen::MatrixXf randomDictionary(std::int64_t rows, const SparseBudget& budget,
                                 std::mt19937& random) {
    if (budget.dictionaryBits > 8) {
        return randomBf16(rows, budget.k, random);
    }
    std::uniform_int_distribution<int> integer(-127, 127);
    return Eigen::MatrixXf::NullaryExpr(
        rows, budget.k, [&] { return std::ldexp(static_cast<float>(integer(random)), -12); });
}

MatrixOptions optionsOf(Form form, double cr) {
    MatrixOptions options;
    options.cr = cr;
    options.accounting = accountingOf(form);
    if (form == Form::Grouped) {
        setOwnOption(options, "code_pattern", kGroupedCodes.name());
    } else if (form == Form::Shared) {
        setOwnOption(options, kGroups, kSharing);
        options.rho = kSharedRho;
    }
    return options;
}

using Layers = std::vector<std::unique_ptr<PackedLayer>>;  // of a unit

// Time depends on shapes, density and bits alone, so the values are random.
Layers makeSparse(const MatrixOptions& options, const LayerUnit& unit, std::mt19937& random) {
    const MatrixOptions own = optionsOfUnit(options, unit);
    const LayerInfo shape = unit.shape();
    const SparseBudget budget = sparseBudgetOf(own, shape.d1, shape.d2);
    const bool output = sideOf(own, shape.d1, shape.d2) == DictionarySide::Output;
    const Eigen::MatrixXf dictionary =
        randomDictionary(output ? shape.d2 : shape.d1, budget, random);
    Layers layers;
    SharedFactors shared;
    for (const LayerInfo& layer : unit.layers) {
        const std::int64_t columns = output ? layer.d1 : layer.d2;
        Eigen::MatrixXf codes = budget.codes.isGrouped()
                                    ? randomGroupedCodes(budget.k, budget.codes, columns, random)
                                    : randomCodes(budget.k, budget.s, columns, random);
        roundTo(codes, budget.coefficientBits);
        layers.push_back(
            std::make_unique<SparseDictionaryLayer>(dictionary, codes, output, 0, budget.codes));
        shared.share(unit.id(), *layers.back());
    }
    return layers;
}

Layers makeForm(Form form, const LayerUnit& unit, double cr, std::mt19937& random) {
    if (form != Form::Dense && form != Form::LowRank) {
        return makeSparse(optionsOf(form, cr), unit, random);
    }
    const LayerInfo& layer = unit.layers.front();
    Layers alone;
    if (form == Form::Dense) {
        alone.push_back(
            std::make_unique<PackedDenseLayer>(randomBf16(layer.d1, layer.d2, random), 0));
    } else {
        const std::int64_t rank = lowRankBudget(layer.d1, layer.d2, cr, Accounting::Eq11).rank;
        alone.push_back(std::make_unique<LowRankLayer>(randomBf16(layer.d1, rank, random),
                                                       randomBf16(rank, layer.d2, random), 0));
    }
    return alone;
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

std::vector<std::int32_t> someIds(std::int64_t count) {
    std::vector<std::int32_t> ids;
    for (std::int64_t i = 0; i < count; ++i) {
        ids.push_back(static_cast<std::int32_t>(100 + 7 * i % 400));
    }
    return ids;
}

using Rates = std::vector<std::vector<double>>;  // [form][round]

// The default model with all layers of one form.
class Contender {
  public:
    Contender(const std::string& word, Form form, double cr, ThreadPool& pool)
        : m_model(loadModelOrRun(word)), m_pass(m_model, pool) {
        std::mt19937 random(42);
        const std::vector<LayerInfo> infos = m_model.layers();
        for (const LayerUnit& unit : unitsOf(optionsOf(form, cr), infos)) {
            Layers made = makeForm(form, unit, cr, random);
            for (std::size_t i = 0; i < made.size(); ++i) {
                const PackedLayer::Factor common = made[i]->commonFactor();
                m_bytes += static_cast<double>(made[i]->memoryBytes() -
                                               (i > 0 && common != nullptr ? common->bytes() : 0));
                m_model.replaceLayer(unit.layers[i].name, std::move(made[i]));
            }
        }
    }
    double bytes() const { return m_bytes; }  // in memory, of what is shared once

    // Tokens a second through all blocks, without the head, which is the same for all forms.
    double prefill(std::int64_t tokens) {
        KeyValueCache cache(m_model.config());
        const std::vector<std::int32_t> ids = someIds(tokens);
        const Stopwatch clock;
        m_pass.extend(std::vector<Continuation>{{&cache, ids}});
        return static_cast<double>(tokens) / clock.seconds();
    }

    double decode(std::int64_t users, int steps) {
        std::vector<KeyValueCache> caches(static_cast<std::size_t>(users),
                                          KeyValueCache(m_model.config()));
        step(caches, someIds(kContext));
        const std::vector<std::int32_t> next = someIds(1);
        const Stopwatch clock;
        for (int i = 0; i < steps; ++i) {
            step(caches, next);
        }
        return static_cast<double>(users * steps) / clock.seconds();
    }

  private:
    void step(std::vector<KeyValueCache>& caches, std::span<const std::int32_t> ids) {
        std::vector<Continuation> batch;
        batch.reserve(caches.size());
        for (KeyValueCache& cache : caches) {
            batch.push_back({&cache, ids});
        }
        m_pass.extend(batch);
    }

    Model m_model;
    ForwardPass m_pass;
    double m_bytes = 0;
};

}  // namespace

int benchInference(const Session& session, const std::string& word, double cr, bool quick) {
    ThreadPool pool;
    const std::vector<std::int64_t> prompts =
        quick ? std::vector<std::int64_t>{64} : std::vector<std::int64_t>{1, 16, 64, 256};
    const std::vector<std::int64_t> users =
        quick ? std::vector<std::int64_t>{1} : std::vector<std::int64_t>{1, 2, 4, 8, 16};
    const int rounds = quick ? 3 : 15;
    const double memory = readRate(pool);
    ProgressLine line;
    std::vector<std::unique_ptr<Contender>> contenders;
    for (const Form form : kForms) {
        line.show({name(form), static_cast<std::int64_t>(contenders.size()),
                   static_cast<std::int64_t>(std::size(kForms)), 0, -1},
                  "loading");
        contenders.push_back(std::make_unique<Contender>(word, form, cr, pool));
    }
    // Form after form within each round, so that what else the machine does meets all alike. The
    // first round warms up.
    const auto measure = [&](const auto& once) {
        Rates rates(contenders.size());
        for (int round = 0; round <= rounds; ++round) {
            for (std::size_t form = 0; form < contenders.size(); ++form) {
                const double rate = once(*contenders[form]);
                if (round > 0) {
                    rates[form].push_back(rate);
                }
            }
        }
        return rates;
    };
    std::vector<Rates> decode;   // [users]
    std::vector<Rates> prefill;  // [prompts]
    const auto count = static_cast<std::int64_t>(users.size() + prompts.size());
    const auto isCancelled = [&](const std::string& what) {
        line.show({what, static_cast<std::int64_t>(decode.size() + prefill.size()), count, 0, -1},
                  "");
        return session.signals.token().stop_requested();
    };
    for (const std::int64_t number : users) {
        if (isCancelled(fmt::format("decode, {} users", number))) {
            return kCancelled;
        }
        decode.push_back(measure([&](Contender& c) { return c.decode(number, quick ? 8 : 16); }));
    }
    for (const std::int64_t tokens : prompts) {
        if (isCancelled(fmt::format("prefill, {} tokens", tokens))) {
            return kCancelled;
        }
        prefill.push_back(measure([&](Contender& c) { return c.prefill(tokens); }));
    }
    line.clear();
    std::vector<Check> checks;
    const auto compare = [&](const std::string& what, Form form, double target,
                             const Rates& rates) {
        const std::vector<double>& own = rates[static_cast<std::size_t>(form)];
        const double ratio = medianRatio(own, rates[0]);
        checks.push_back({what, median(own), "tokens/s", "dense bfloat16", median(rates[0]), ratio,
                          target, ratio >= target});
    };
    for (const Form form : kForms) {
        if (form == Form::Dense) {
            continue;
        }
        const bool held = form == Form::SparseDictionary || form == Form::Packed8;
        const double target = form == Form::Packed8 ? kBytesDecodeTarget : kDecodeTarget;
        for (std::size_t i = 0; i < users.size(); ++i) {
            compare(fmt::format("decode, {}, {} users", name(form), users[i]), form,
                    held && users[i] == 1 ? target : 0, decode[i]);
        }
        for (std::size_t i = 0; i < prompts.size(); ++i) {
            compare(fmt::format("prefill, {}, {} tokens", name(form), prompts[i]), form,
                    held ? kPrefillTarget : 0, prefill[i]);
        }
    }
    for (std::size_t form = 0; form < contenders.size(); ++form) {
        const double rate = contenders[form]->bytes() * median(decode[0][form]);
        checks.push_back({fmt::format("bytes read in decoding, {}", name(kForms[form])), rate / 1e9,
                          "GB/s", "reading memory, same run", memory / 1e9, rate / memory, 0,
                          true});
    }
    std::string notes = fmt::format(
        "{}, all layers, CR {}, ρ 2, shared by {} ρ {}; blocks alone, without the head; {} "
        "threads, {}; medians of {} "
        "rounds; layers in memory:",
        word, cr, kSharing, kSharedRho, pool.threadCount(), cospadi::name(bestPackedInstructions()),
        rounds);
    for (std::size_t form = 0; form < contenders.size(); ++form) {
        notes += fmt::format("{} {} {:.1f} MB", form > 0 ? ";" : "", name(kForms[form]),
                             contenders[form]->bytes() / 1e6);
    }
    return publishChecks(session, checks, notes + '\n');
}

}  // namespace cospadi::cli
