// Entries of `cospadi reproduce`: those that ship refer to what there is, wrong ones are refused by
// file and field, and their tables hold what was measured beside what the paper printed.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "core/base/error.h"
#include "core/methods/method.h"
#include "core/report/published.h"
#include "core/reproduce/comparison_table.h"
#include "core/reproduce/own_values.h"
#include "tests/core/own_folder.h"
#include "tests/core/report_fixture.h"
#include "tests/registered_test.h"

namespace tst_reproduce {

using namespace cospadi;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

const fs::path kResources = fs::path(COSPADI_SOURCE_DIR) / "resources";

// Of the default model's linear layers.
constexpr std::pair<std::int64_t, std::int64_t> kShapes[] = {
    {576, 576}, {576, 192}, {576, 1536}, {1536, 576}};

constexpr const char* kSound =
    "label: tab:ablation_data\nnumber: Table 1\nshows: a table\npublished: [ablation-data]\n"
    "protocol:\n  grid: {method: svd, cr: 0.2}\n"
    "outputs:\n  - rows: [method, cr]\n    values: [average, error]\n";

std::string refusalOf(const fs::path& file, const std::string& text) {
    std::ofstream(file) << text;
    try {
        readReproduction(file);
        return "accepted";
    } catch (const Error& error) {
        return error.what();
    }
}

std::string replacedIn(std::string text, const std::string& old, const std::string& fresh) {
    const std::size_t at = text.find(old);
    return at == std::string::npos ? "not found: " + old : text.replace(at, old.size(), fresh);
}

TaskResultRow taskResult(const char* task, const char* metric, double value, double error) {
    TaskResultRow row;
    row.task = task;
    row.metric = metric;
    row.value = value;
    row.standardError = error;
    row.samples = 25;
    return row;
}

ReproducedRun reproducedRun(const char* method, double cr, double error) {
    ReproducedRun run;
    run.specification.method = &methodFromName(method);
    run.specification.cr = cr;
    run.description = method;
    RunRow row = report_fixture::storedRun(method, cr, 2, 1, 30);
    row.relativeError = error;
    run.row = row;
    return run;
}

std::size_t columnAt(const ReportTable& table, const std::string& name) {
    return static_cast<std::size_t>(
        std::find_if(table.columns.begin(), table.columns.end(),
                     [&](const ReportColumn& column) { return column.name == name; }) -
        table.columns.begin());
}

}  // namespace

class TestReproduce : public QObject, OwnFolder {
    Q_OBJECT

  private slots:
    void everyTableAndFigureHasAnEntry() {
        std::map<std::string, std::string> numbers;  // by label
        for (const Reproduction& entry : reproductions(kResources / "reproduce")) {
            QVERIFY2(numbers.emplace(entry.label, entry.number).second, entry.label.c_str());
            QCOMPARE(entry.label.substr(4), entry.name);
        }
        for (const auto& file : fs::directory_iterator(kResources / "published")) {
            if (file.path().extension() != ".json") {
                continue;
            }
            const json published = json::parse(std::ifstream(file.path()));
            const auto found = numbers.find(published.at("label").get<std::string>());
            QVERIFY2(found != numbers.end(), file.path().c_str());
            QCOMPARE(found->second, "Table " + published.at("table").get<std::string>());
            numbers.erase(found);
        }
        std::set<std::string> figures;
        for (const auto& [label, number] : numbers) {
            figures.insert(label);
        }
        // Those of the paper's figures that show results.
        QVERIFY(figures == (std::set<std::string>{"fig:ablation_ks", "fig:ablation_quant",
                                                  "fig:KSVD_iters", "fig:small_models"}));
    }

    void everyRunOfTheDefaultModelCanBeStored() {
        for (const Reproduction& entry : reproductions(kResources / "reproduce")) {
            for (const ProtocolSize size : kProtocolSizes) {
                const Protocol& protocol = entry.protocol(size);
                if (protocol.sweep.grid.is_null()) {
                    continue;
                }
                for (const RunSpecification& run : expandGrid(protocol.sweep.grid)) {
                    for (const auto& [d1, d2] : kShapes) {
                        if (!isDense(run)) {
                            methodOf(run).requireShape(run, d1, d2);
                            QVERIFY2(isStorable(run, d1, d2), entry.name.c_str());
                        }
                    }
                }
                if (size == ProtocolSize::Full) {
                    const auto full = expandGrid(protocol.sweep.grid);
                    QVERIFY2(std::all_of(full.begin(), full.end(),
                                         [](const RunSpecification& run) {
                                             return isDense(run) ||
                                                    run.calibration.sequences == 256;
                                         }),
                             entry.name.c_str());
                }
            }
        }
    }

    // Whoever completes one deletes a line: the rest of it has to be sound already.
    void unavailableOnesHaveTheirRuns() {
        for (const Reproduction& entry : reproductions(kResources / "reproduce")) {
            if (!entry.unavailable.empty()) {
                QVERIFY2(!entry.full.sweep.grid.is_null(), entry.name.c_str());
                QVERIFY2(!entry.outputs.empty(), entry.name.c_str());
            }
        }
    }

    void wordsFindTheirEntry() {
        const std::vector<Reproduction> all = reproductions(kResources / "reproduce");
        for (const char* word : {"ablation_data", "tab:ablation_data", "1", "table 1"}) {
            const Reproduction* found = findReproduction(all, word);
            QVERIFY2(found != nullptr, word);
            QCOMPARE(found->label, std::string("tab:ablation_data"));
        }
        QCOMPARE(findReproduction(all, "fig:ksvd_iters")->name, std::string("KSVD_iters"));
        QVERIFY(findReproduction(all, "18") == nullptr);
        QVERIFY(findReproduction(all, "") == nullptr);
    }

    void wrongEntriesAreRefused() {
        QCOMPARE(refusalOf(place("entry.yaml"), kSound), std::string("accepted"));
        const auto refused = [&](const char* old, const char* fresh, const char* expected) {
            const std::string refusal =
                refusalOf(place("entry.yaml"), replacedIn(kSound, old, fresh));
            QVERIFY2(refusal.find("entry.yaml") != std::string::npos, refusal.c_str());
            QVERIFY2(refusal.find(expected) != std::string::npos, refusal.c_str());
        };
        refused("label: tab:", "label: ", "label");
        refused("rows: [method, cr]", "rows: [method, cr]\n    where: {method: 2}", "where.method");
        refused("shows: a table\n", "", "shows");
        refused("[ablation-data]", "[ablation-dat]", "not one of the paper's tables");
        refused("method: svd", "method: svvd", "svvd");
        refused("cr: 0.2", "cr: 2", "cr");
        refused("rows: [method, cr]", "row: [method, cr]", "row");
        refused("values: [average, error]", "values: [average, eror]", "eror");
        refused("- rows: [method, cr]\n    values: [average, error]", "- preset: nonsense",
                "nonsense");
        refused("protocol:", "protcol:", "protcol");
        refused(
            "outputs:", "stays_published: [{rows: [ReplaceMe], why: w}]\noutputs:", "ReplaceMe");
        refused("outputs:", "quick: {tasks: {names: [pica]}}\noutputs:", "pica");
        const auto derived = [&](const char* steps, const char* expected) {
            refused("outputs:", (std::string("  derive: ") + steps + "\noutputs:").c_str(),
                    expected);
        };
        derived("{slice: '('}", "protocol.derive.slice");
        derived("{slice: a, coefficient_bits: [12]}", "cannot be combined with a slice");
        derived("{coefficient_bits: [12, 16]}", "16 bits");
        derived("{coefficient_bits: [12, 12]}", "contains a value twice");
        derived("{coefficient_bits: [12], rounding: [up]}", "up");
        derived("{coefficient_bits: [12], rounding: []}", "protocol.derive.rounding");
        derived("{layers: a}", "protocol.derive.layers");
        derived("{slice: a, of: {cr: ['0.3']}}", "protocol.derive.of");
        derived("{slice: a, of: {cr: 0.2}}", "protocol.derive.of.cr");
        refused("values: [average, error]",
                "values: [average, error]\n    figure: {x: rho, y: [error]}", "rho");
        refused("values: [average, error]",
                "values: [average, error]\n    figure: {x: cr, y: [bytes]}", "bytes");
    }

    // A patch of the full protocol: what it does not name stays.
    void smallerSizesChangeWhatTheyName() {
        const fs::path file = place("entry.yaml");
        std::ofstream(file) << replacedIn(
            kSound, "outputs:",
            "  evaluate: {text: wikitext2, context: 64}\n  differs: [one]\n"
            "overnight: {evaluate: {max_tokens: 256}}\nquick:\n"
            "  grid: {layers: attn_k}\n  evaluate: {max_tokens: 128}\n  differs: [two]\noutputs:");
        const Reproduction entry = readReproduction(file);
        const RunSpecification full = expandGrid(entry.full.sweep.grid).front();
        const RunSpecification quick = expandGrid(entry.quick.sweep.grid).front();
        QCOMPARE(full.layers, std::string(".*"));
        QCOMPARE(quick.layers, std::string("attn_k"));
        QCOMPARE(quick.cr, full.cr);
        QCOMPARE(entry.full.sweep.evaluate.options.maxTokens, std::int64_t{0});
        QCOMPARE(entry.quick.sweep.evaluate.options.maxTokens, std::int64_t{128});
        QCOMPARE(entry.quick.sweep.evaluate.options.context, std::int64_t{64});
        QVERIFY(entry.full.differs == std::vector<std::string>{"one"});
        QVERIFY(entry.quick.differs == (std::vector<std::string>{"one", "two"}));
        const Protocol& overnight = entry.protocol(ProtocolSize::Overnight);
        QCOMPARE(expandGrid(overnight.sweep.grid).front().layers, std::string(".*"));
        QCOMPARE(overnight.sweep.evaluate.options.maxTokens, std::int64_t{256});
        QVERIFY(overnight.differs == std::vector<std::string>{"one"});
    }

    void sizesHaveWords() {
        for (const ProtocolSize size : kProtocolSizes) {
            QVERIFY(protocolSizeFromName(name(size)) == size);
        }
        QVERIFY_EXCEPTION_THROWN(protocolSizeFromName("huge"), Error);
    }

    // Its numbers are the model's: all layers, but where a table is about a slow solver; and it
    // says so where a night forbids more.
    void overnightIsOfTheWholeModelOrSaysWhatOf() {
        for (const Reproduction& entry : reproductions(kResources / "reproduce")) {
            if (entry.overnight.sweep.grid.is_null()) {
                continue;
            }
            const auto runs = expandGrid(entry.overnight.sweep.grid);
            const bool isWhole = std::all_of(runs.begin(), runs.end(), [](const auto& run) {
                return isDense(run) || run.layers == ".*";
            });
            const auto& differs = entry.overnight.differs;
            const bool saysSo = std::any_of(differs.begin(), differs.end(), [](const auto& words) {
                return words.starts_with("Overnight: ") && words.find(" alone") != words.npos;
            });
            QVERIFY2(isWhole != saysSo, entry.name.c_str());
            QVERIFY2(entry.full.tasks.tasks.empty() || entry.overnight.tasks.limit > 0,
                     entry.name.c_str());
        }
    }

    void ownAndPublishedStandTogether() {
        const fs::path file = place("entry.yaml");
        std::ofstream(file) << replacedIn(kSound, "[average, error]", "[average, wikitext, error]");
        const Reproduction entry = readReproduction(file);
        std::vector<ReproducedRun> runs = {reproducedRun("svd", 0.2, 0.25),
                                           reproducedRun("svd-llm", 0.2, 0.125),
                                           reproducedRun("svd", 0.3, 0.5)};
        runs[0].row->taskResults = {taskResult("piqa", "acc_norm", 0.5, 0.06),
                                    taskResult("race", "acc", 0.75, 0.08)};
        runs[1].row->taskResults = {taskResult("piqa", "acc_norm", 0.625, 0)};
        runs[2].row.reset();
        runs[2].hole = "failed: no room";
        const ReportTable table = comparisonTable(entry, entry.outputs.front(), "mine", runs);
        const std::size_t average = columnAt(table, "average");
        const std::size_t error = columnAt(table, "error");
        const std::size_t state = columnAt(table, "state");
        QVERIFY(state < table.columns.size());
        QCOMPARE(table.rows.size(), std::size_t{3 + 13});  // the paper's Table 1 has 13
        // The dense model's, then by ratio, own ones first.
        const auto modelAt = [&](std::size_t row) {
            return std::get<std::string>(table.rows[row].cells.front());
        };
        QVERIFY(modelAt(0).find("paper") != std::string::npos);
        QCOMPARE(modelAt(1), std::string("mine"));
        QCOMPARE(modelAt(2), std::string("mine"));
        QVERIFY(modelAt(3).find("paper") != std::string::npos);
        QCOMPARE(modelAt(7), std::string("mine"));
        // (50 + 75)/2 per cent, ± √(6² + 8²)/2; the second run lacks a task of the two.
        const auto& mean = std::get<MeanCell>(table.rows[1].cells[average]);
        QCOMPARE(mean.mean, 62.5);
        QCOMPARE(mean.standardError, 5.0);
        QVERIFY(std::isnan(numberIn(table.rows[2].cells[average])));
        QCOMPARE(numberIn(table.rows[1].cells[error]), 0.25);
        QCOMPARE(numberIn(table.rows[2].cells[error]), 0.125);
        QCOMPARE(std::get<std::string>(table.rows[7].cells[state]), std::string("failed: no room"));
        QVERIFY(std::isnan(numberIn(table.rows[7].cells[error])));
        // Best values are found among one's own: the lower error of the two at CR 0.2.
        const auto ranks = rankCells(table);
        QCOMPARE(ranks[2][error], 1);
        QVERIFY(ranks[1][error] != 1);
        QVERIFY(table.rows[1].group != table.rows[3].group);
    }

    // Unnormalised accuracies, as the paper's Table 5 prints them in parentheses.
    void plainAccuraciesHaveTheirAverage() {
        std::vector<RunRow> runs = {report_fixture::storedRun("svd", 0.2, 2, 1, 30),
                                    report_fixture::storedRun("svd", 0.3, 2, 1, 30)};
        runs[0].taskResults = {taskResult("piqa", "acc_norm", 0.5, 0.06),
                               taskResult("piqa", "acc", 0.625, 0.06),
                               taskResult("race", "acc", 0.75, 0.08)};
        runs[1].taskResults = {taskResult("piqa", "acc_norm", 0.5, 0.06),
                               taskResult("race", "acc", 0.75, 0.08)};
        const OwnValues values(runs);
        const auto mean = std::get<MeanCell>(values.of(runs[0], "average:acc"));
        QCOMPARE(mean.mean, 68.75);
        QCOMPARE(mean.standardError, 5.0);
        QCOMPARE(numberIn(values.of(runs[0], "average")), 62.5);
        QCOMPARE(numberIn(values.of(runs[0], "piqa:acc")), 62.5);
        QCOMPARE(numberIn(values.of(runs[1], "average")), 62.5);
        QVERIFY(std::isnan(numberIn(values.of(runs[1], "average:acc"))));
        QCOMPARE(values.notes({"average:acc"}).size(), std::size_t{1});
        QVERIFY(isOwnValue("average:acc") && !isOwnValue("average:other"));
        // None where no run has acc of a task.
        runs.erase(runs.begin());
        QVERIFY(OwnValues(runs).notes({"average:acc"}).empty());
    }

    // A figure has what `where` leaves of own runs and of the paper's rows, each at a place along
    // x.
    void figuresHaveTheirCurvesAlone() {
        const fs::path file = place("entry.yaml");
        std::ofstream(file) << replacedIn(
            kSound, "values: [average, error]",
            "where: {method: [svd, svd-llm]}\n    values: [average, error]\n"
            "    figure: {x: cr, y: [average], curves: [method]}");
        const Reproduction entry = readReproduction(file);
        const ReportTable table =
            comparisonTable(entry, entry.outputs.front(), "mine",
                            {reproducedRun("dense", 0, 0), reproducedRun("svd", 0.2, 0.25)});
        const std::size_t curve = columnAt(table, kCurve);
        std::multiset<std::string> curves;
        for (const ReportRow& row : table.rows) {
            curves.insert(std::get<std::string>(row.cells[curve]));
            QVERIFY(std::isfinite(numberIn(row.cells[columnAt(table, "cr")])));
        }
        // Of the paper's Table 1: either method at three ratios.
        QCOMPARE(curves.size(), std::size_t{7});
        QCOMPARE(curves.count("svd"), std::size_t{1});
        QCOMPARE(curves.count("paper: SVD"), std::size_t{3});
        QCOMPARE(curves.count("paper: SVD-LLM"), std::size_t{3});
    }
};

COSPADI_TEST(TestReproduce)

}  // namespace tst_reproduce

#include "tst_reproduce.moc"
