// `cospadi runs diff`: what two runs have in common and what not: settings, environment, results.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "app/cli/result_json.h"
#include "app/cli/runs.h"
#include "core/base/error.h"
#include "core/lm_eval/paired_test.h"
#include "core/report/report.h"
#include "core/report/run_metrics.h"
#include "core/store/locations.h"
#include "core/store/run_settings.h"
#include "core/store/run_store.h"

namespace cospadi::cli {

namespace {

using nlohmann::json;
using Fields = std::map<std::string, std::string>;

constexpr const char* kPerplexity = "perplexity";

struct Difference {
    std::string field, a, b;
};

// Fields of either that are not equal; "-" where one has none.
std::vector<Difference> differences(const Fields& a, const Fields& b) {
    std::vector<Difference> found;
    for (const auto& [field, value] : a) {
        const auto other = b.find(field);
        if (other == b.end() || other->second != value) {
            found.push_back({field, value, other == b.end() ? "-" : other->second});
        }
    }
    for (const auto& [field, value] : b) {
        if (!a.contains(field)) {
            found.push_back({field, "-", value});
        }
    }
    return found;
}

std::string text(const char* title, const std::vector<Difference>& differences) {
    std::string lines = fmt::format("{}\n", title);
    for (const Difference& d : differences) {
        lines += fmt::format("  {:<26} {:>24}  {:>24}\n", d.field, d.a, d.b);
    }
    return lines + (differences.empty() ? "  the same in both\n" : "");
}

json differencesJson(const std::vector<Difference>& differences) {
    json rows = json::array();
    for (const Difference& d : differences) {
        rows.push_back({{"field", d.field}, {"a", d.a}, {"b", d.b}});
    }
    return rows;
}

// A number that both came to, and the test of the items where there is one.
struct Result {
    std::string name;
    double a, b;
    std::string measure = {};  // in words, of a perplexity
    std::optional<PairedTest> paired = {};
    std::optional<PairedBootstrap> bootstrap = {};
};

Result testedResult(const RunRow& a, const TaskResultRow& rowA, const RunRow& b,
                    const TaskResultRow& rowB) {
    Result result{rowA.task + "/" + rowA.metric, rowA.value, rowB.value};
    if (const auto values = storedPairs(a, rowA, b, rowB)) {
        result.paired = pairedTest(*values);
        result.bootstrap = pairedBootstrap(*values);
    }
    return result;
}

// One of each text, context and number of tokens that either was measured on.
std::vector<Result> perplexities(const RunRow& a, const RunRow& b) {
    std::vector<Result> found;
    for (const RunRow* run : {&a, &b}) {
        for (const EvaluationRow& evaluation : run->evaluations) {
            const Measure measure = perplexityMeasure(evaluation);
            const auto of = [&](const RunRow& one) { return metricOf(one, kPerplexity, measure); };
            const bool isNew = std::isfinite(of(*run)) && (run == &a || !std::isfinite(of(a)));
            if (isPerplexity(evaluation) && isNew) {
                found.push_back({kPerplexity, of(a), of(b), inEnglish(measure.label)});
            }
        }
    }
    return found;
}

std::vector<Result> results(const RunRow& a, const RunRow& b) {
    std::vector<Result> found = perplexities(a, b);
    for (const std::string& metric : metricNames()) {
        if (metric == kPerplexity) {
            continue;
        }
        const Measure measure = commonMeasure({a, b}, metric);
        const double x = metricOf(a, metric, measure);
        const double y = metricOf(b, metric, measure);
        if (std::isfinite(x) || std::isfinite(y)) {
            found.push_back({metric, x, y});
        }
    }
    for (const TaskResultRow& row : a.taskResults) {
        for (const TaskResultRow& other : b.taskResults) {
            if (row.measuresSameAs(other)) {
                found.push_back(testedResult(a, row, b, other));
            }
        }
    }
    return found;
}

std::string titleOf(const Result& result) {
    return result.measure.empty() ? result.name
                                  : fmt::format("{} ({})", result.name, result.measure);
}

std::string text(const std::vector<Result>& results) {
    std::size_t width = 26;
    for (const Result& r : results) {
        width = std::max(width, titleOf(r).size());
    }
    std::string lines = "results\n";
    bool tested = false;
    for (const Result& r : results) {
        const auto number = [](double value) {
            return std::isfinite(value) ? fmt::format("{:.6g}", value) : std::string("-");
        };
        lines +=
            fmt::format("  {:<{}} {:>24}  {:>24}", titleOf(r), width, number(r.a), number(r.b));
        if (r.paired) {
            lines += fmt::format(
                "  {:+.4f} (stderr {:.4f}), {} items: {} right in A alone, {} in "
                "B alone, p {:.3g}; 95 % [{:+.4f}, {:+.4f}]",
                r.paired->difference, r.paired->standardError, r.paired->items, r.paired->onlyFirst,
                r.paired->onlySecond, r.paired->pValue, r.bootstrap->low, r.bootstrap->high);
        }
        lines += "\n";
        tested = tested || r.paired;
    }
    if (tested) {
        lines += fmt::format(
            "  p: exact McNemar test over the items answered by both; 95 %: interval of the "
            "difference B − A, bootstrap over the same items, {} resamples\n",
            kBootstrapResamples);
    }
    return lines;
}

json resultsJson(const std::vector<Result>& results) {
    json rows = json::array();
    for (const Result& r : results) {
        json row{{"metric", r.name}, {"a", numberOrNull(r.a)}, {"b", numberOrNull(r.b)}};
        if (!r.measure.empty()) {
            row["measure"] = r.measure;
        }
        if (r.paired) {
            row["paired"] = {
                {"items", r.paired->items},          {"only_a", r.paired->onlyFirst},
                {"only_b", r.paired->onlySecond},    {"difference", r.paired->difference},
                {"stderr", r.paired->standardError}, {"p_value", r.paired->pValue}};
            row["bootstrap"] = {
                {"items", r.bootstrap->items}, {"difference", r.bootstrap->difference},
                {"low", r.bootstrap->low},     {"high", r.bootstrap->high},
                {"level", kBootstrapLevel},    {"resamples", r.bootstrap->resamples},
                {"seed", kBootstrapSeed}};
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

int diff(const Session& session, const std::string& wordA, const std::string& wordB) {
    const RunStore store = RunStore::openForReading(storePath());
    const RunRow a = store.find(wordA);
    const RunRow b = store.find(wordB);
    const auto settings = differences(settingsOf(a), settingsOf(b));
    const auto environment = differences(store.environment(a.id), store.environment(b.id));
    const std::vector<Result> numbers = results(a, b);
    session.print(fmt::format("A: {}  {}\nB: {}  {}\n\n{}\n{}\n{}", a.id, methodLabel(a), b.id,
                              methodLabel(b), text("relevant settings", settings),
                              text("environment", environment), text(numbers)),
                  {{"a", a.id},
                   {"b", b.id},
                   {"settings", differencesJson(settings)},
                   {"environment", differencesJson(environment)},
                   {"results", resultsJson(numbers)}});
    return kOk;
}

}  // namespace

void addRunsDiff(Command runs, Session& session) {
    const Command command = runs.addCommand(
        "diff", "Compare two runs: settings, environment, results, tasks item by item");
    auto a = std::make_shared<std::string>();
    auto b = std::make_shared<std::string>();
    command.addOption("A", *a, "Id, a beginning of it, or the run's directory").required();
    command.addOption("B", *b, "The other run: likewise").required();
    finishCommand(command, session, [&session, a, b] { return diff(session, *a, *b); });
}

}  // namespace cospadi::cli
