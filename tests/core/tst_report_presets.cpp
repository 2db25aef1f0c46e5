// Tables of a store: the presets, the runs in the order of a list, answers to names that there are
// not. The store is filled from run directories written here by hand.
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/report/breakdown_tables.h"
#include "core/report/report.h"
#include "core/report/run_selection.h"
#include "core/store/run_store.h"
#include "core/tensors/safetensors_writer.h"
#include "tests/core/report_fixture.h"
#include "tests/registered_test.h"

namespace tst_report_presets {

using namespace cospadi;
using namespace report_fixture;
namespace fs = std::filesystem;
using nlohmann::json;

namespace {

struct Run {
    const char* id;
    const char* method;
    const char* solver;
    int iterations;
    const char* layers;
    double perplexity;  // 0 = not measured
    int context = 512;
    const char* status = "finished";
};

void writeRun(const fs::path& runs, const Run& run, int number) {
    const fs::path directory = runs / run.id;
    fs::create_directories(directory / "evaluations");
    std::string created = "2026-11-21T04:00:00Z";
    created[18] = static_cast<char>('0' + number);
    std::ofstream(directory / "run.json") << json{{"format", 1},
                                                  {"id", run.id},
                                                  {"created", created},
                                                  {"specification",
                                                   {{"model", "/m/smol_lm.gguf"},
                                                    {"method", run.method},
                                                    {"solver", run.solver},
                                                    {"iterations", run.iterations},
                                                    {"power_iterations", 8},
                                                    {"layers", run.layers},
                                                    {"cr", 0.2},
                                                    {"rho", 2.0}}}};
    const bool dense = std::string(run.method) == "dense";
    std::ofstream(directory / "result.json") << json{{"status", run.status},
                                                     {"seconds", 1.0 / 3.0},
                                                     {"bytes", dense ? 0 : 169'869'312},
                                                     {"dense_bytes", dense ? 0 : 212'336'640},
                                                     {"relative_error", 0.125},
                                                     {"matrices", json::array()}};
    if (run.perplexity > 0) {
        std::ofstream(directory / "evaluations" / "p.json")
            << json{{"kind", "perplexity"}, {"text_sha256", "cd"}, {"context", run.context},
                    {"max_tokens", 6144},   {"score", "all"},      {"perplexity", run.perplexity}};
    }
}

const std::vector<std::string> kPresets = {
    "demo",       "rho",           "iterations",   "solvers",  "storage",
    "runtime",    "pareto-bytes",  "paper-main",   "paper-ug", "coefficient-bits",
    "throughput", "serving-users", "serving-grid", "latency"};

}  // namespace

class TestReportPresets : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<RunStore> m_store;

  private slots:
    void initTestCase() {
        const fs::path root = m_folder.path().toStdString();
        const std::vector<Run> runs = {
            {"old-fast", "cospadi", "fast", 0, ".*", 99.0},
            {"fast", "cospadi", "fast", 0, ".*", 65.5},
            {"dense", "dense", "fast", 0, ".*", 33.8},
            {"llm", "svd-llm", "fast", 0, ".*", 358.0},
            {"svd", "svd", "fast", 0, ".*", 1e6, 2048},
            {"ksvd-part", "cospadi", "ksvd", 60, "blk\\.1\\.", 40.25},
            {"fast-part", "cospadi", "fast", 0, "blk\\.1\\.", 39.5},
            {"cancelled", "cospadi", "fast", 0, ".*", 1.0, 512, "cancelled"},
            {"untagged", "cospadi", "fast", 0, ".*", 2.0},
        };
        int number = 0;
        for (const Run& run : runs) {
            writeRun(root / "runs", run, number++);
        }
        m_store = std::make_unique<RunStore>(RunStore::open(root / "cospadi.sqlite"));
        QCOMPARE(m_store->importTree(root / "runs").imported, 9);
        for (const Run& run : runs) {
            if (std::string(run.id) != "untagged") {
                m_store->tag(run.id, "demo");
            }
        }
    }

    void demoCsvIsTheContract() {
        // The latest of each, dense first; svd was measured at another context, so it has no
        // perplexity here; a third in full digits.
        QCOMPARE(
            QString::fromStdString(render(buildReport(*m_store, "demo"), ReportFormat::Csv)),
            QString("method,layers,cr,rho,bytes,seconds,perplexity\r\n"
                    "dense,all,0,,212336640,0.3333333333333333,33.8\r\n"
                    "svd,all,0.2,,169869312,0.3333333333333333,\r\n"
                    "svd-llm,all,0.2,,169869312,0.3333333333333333,358\r\n"
                    "cospadi (fast),all,0.2,2,169869312,0.3333333333333333,65.5\r\n"
                    "cospadi (ksvd 60x8),blk\\.1\\.,0.2,2,169869312,0.3333333333333333,40.25\r\n"
                    "cospadi (fast),blk\\.1\\.,0.2,2,169869312,0.3333333333333333,39.5\r\n"));
    }

    // An empty cell says why: one run was measured at another context.
    void demoTellsItsMeasure() {
        const ReportTable table = buildReport(*m_store, "demo");
        QVERIFY(noteAbout(table, "perplexity: ").find("context 512, first 6144 tokens") !=
                std::string::npos);
        QVERIFY(noteAbout(table, "of other measures").starts_with("1 runs have only"));
    }

    // Updates by the papers' words; each model is ranked for itself, and told where there are two.
    void solversOfEveryMethod() {
        std::vector<RunRow> runs = {storedRun("compot", 0.2, 2, 1, 60),
                                    storedRun("rocket", 0.2, 2, 1, 70),
                                    storedRun("cospadi", 0.2, 2, 1, 40),
                                    withSettings(storedRun("cospadi", 0.2, 2, 1, 45),
                                                 {{"solver", "ksvd"}, {"update", "mod"}})};
        const auto updatesIn = [](const ReportTable& table, std::size_t column) {
            std::map<std::string, std::string> updates;
            for (const ReportRow& row : table.rows) {
                updates[std::get<std::string>(row.cells[column])] =
                    std::get<std::string>(row.cells[column + 1]);
            }
            return updates;
        };
        const ReportTable one = solversReport(runs);
        QCOMPARE(one.columns[0].name, std::string("layers"));
        QCOMPARE(updatesIn(one, 3), (std::map<std::string, std::string>{
                                        {"compot", "Procrustes"},
                                        {"rocket", "least squares"},
                                        {"cospadi (fast)", "least squares, extrapolated"},
                                        {"cospadi (mod 60)", "MOD"}}));
        QVERIFY(!noteAbout(one, "perplexity: wiki.txt, context 512, all tokens").empty());
        QVERIFY(noteAbout(one, "of other measures").empty());

        runs[1].evaluations.front().context = 128;
        RunRow other = withSettings(storedRun("cospadi", 0.2, 2, 1, 10),
                                    {{"model", "/m/tiny.gguf"}, {"model_sha256", "ef"}});
        other.model = "/m/tiny.gguf";
        other.modelSha256 = "ef";
        runs.push_back(other);
        const ReportTable two = solversReport(runs);
        QCOMPARE(two.columns[0].name, std::string("model"));
        QCOMPARE(two.rows.size(), 5u);
        QVERIFY(noteAbout(two, "of other measures").starts_with("1 runs have only"));
        const auto ranks = rankCells(two);
        for (std::size_t row = 0; row < two.rows.size(); ++row) {
            const double perplexity = numberIn(two.rows[row].cells.back());
            QCOMPARE(ranks[row].back(), perplexity == 40 ? 1 : perplexity == 45 ? 2 : 0);
            QCOMPARE(std::get<std::string>(two.rows[row].cells[0]),
                     std::string(perplexity == 10 ? "tiny.gguf" : "smol.gguf"));
        }
    }

    void bestIsBoldWithinTheSameLayers() {
        const std::string markdown = render(buildReport(*m_store, "demo"), ReportFormat::Markdown);
        QCOMPARE(QString::fromStdString(markdown).count("**"), 4);
        QVERIFY(markdown.find("| **65.50** |") != std::string::npos);
        QVERIFY(markdown.find("| **39.50** |") != std::string::npos);
        const std::string latex = render(buildReport(*m_store, "demo"), ReportFormat::Latex);
        QVERIFY(latex.find("\\textbf{65.50}") != std::string::npos);
        QVERIFY(latex.find("blk\\textbackslash{}.1") != std::string::npos);
        QVERIFY(latex.find("& 169.9 MB &") != std::string::npos);
    }

    void tableOfRunsKeepsTheOrder() {
        const ReportTable table = tableOfRuns({m_store->find("untagged"), m_store->find("dense")});
        QCOMPARE(table.rows.size(), 2u);
        QCOMPARE(std::get<std::string>(table.rows[0].cells[0]), std::string("untagged"));
        QCOMPARE(std::get<std::string>(table.rows[0].cells[1]), std::string("smol_lm.gguf"));
        QCOMPARE(std::get<double>(table.rows[0].cells[7]), 0.125);
        QVERIFY(render(table, ReportFormat::Latex).find("smol\\_lm.gguf") != std::string::npos);
    }

    void everyPresetFilters() {
        for (const std::string& preset : kPresets) {
            RunSelection nothing;
            nothing.filter.tag = "nosuch";
            bool refused = false;
            try {
                buildReport(*m_store, preset, nothing);
            } catch (const Error&) {
                refused = true;
            }
            QVERIFY2(refused, preset.c_str());
        }
        RunSelection part;
        part.layers = "blk\\.1\\.";
        QCOMPARE(buildReport(*m_store, "demo", part).rows.size(), 2u);
        QCOMPARE(buildReport(*m_store, "rho", part).rows.size(), 2u);
        QCOMPARE(buildReport(*m_store, "pareto-bytes", part).rows.size(), 3u);  // and the source
        QCOMPARE(reportPresets().size(), kPresets.size());
    }

    // No run has what its method does not ask for, whatever run.json says; the dense model, with
    // which all are compared, stays with every ratio.
    void ratiosAndRhoAreOfWhatHasThem() {
        const auto methodsOf = [&](const RunSelection& selection) {
            std::set<std::string> methods;
            for (const RunRow& run : selectedRuns(*m_store, selection)) {
                methods.insert(run.method);
            }
            return methods;
        };
        RunSelection byRatio;
        byRatio.cr = {0.3};
        QCOMPARE(methodsOf(byRatio), std::set<std::string>{"dense"});
        byRatio.cr = {0.2};
        QCOMPARE(methodsOf(byRatio), (std::set<std::string>{"cospadi", "dense", "svd", "svd-llm"}));
        RunSelection byRho;
        byRho.rho = {2};
        QCOMPARE(methodsOf(byRho), std::set<std::string>{"cospadi"});
        QVERIFY(std::isnan(m_store->find("dense").cr) && std::isnan(m_store->find("llm").rho));
    }

    // Integers of a dictionary and of values have scales beside them.
    void storageCountsScales() {
        const fs::path root = fs::path(m_folder.path().toStdString()) / "integers";
        writeRun(root / "runs", {"whole", "cospadi", "fast", 0, ".*", 0}, 0);
        const std::vector<std::byte> bytes(64);
        std::vector<TensorToWrite> tensors;
        for (const auto& [name, size] : {std::pair("dictionary", 64),
                                         {"dictionary_scales", 8},
                                         {"values", 32},
                                         {"values_scales", 4},
                                         {"mask", 16}}) {
            tensors.push_back({std::string("blk.0.ffn_up.") + name,
                               DType::U8,
                               {size},
                               std::span(bytes).first(static_cast<std::size_t>(size))});
        }
        fs::create_directories(root / "runs" / "whole" / "matrices");
        writeSafetensors(root / "runs" / "whole" / "matrices" / "blk.0.ffn_up.safetensors",
                         tensors);
        RunStore store = RunStore::open(root / "cospadi.sqlite");
        store.importTree(root / "runs");
        const ReportTable table = buildReport(store, "storage");
        QCOMPARE(table.rows.size(), 1u);
        const std::vector<ReportCell>& cells = table.rows[0].cells;
        QCOMPARE(std::get<std::int64_t>(cells[6]), std::int64_t{72});
        QCOMPARE(std::get<std::int64_t>(cells[7]), std::int64_t{36});
        QCOMPARE(std::get<std::int64_t>(cells[8]), std::int64_t{16});
        QCOMPARE(std::get<std::int64_t>(cells[9]), std::int64_t{124});
    }

    void wrongNamesAreAnswered() {
        const auto messageOf = [](const std::function<void()>& action) {
            try {
                action();
            } catch (const Error& error) {
                return std::string(error.what());
            }
            return std::string("no error");
        };
        QCOMPARE(messageOf([&] { buildReport(*m_store, "dmeo"); }),
                 std::string("--preset: there is no report preset \"dmeo\" (there are: demo, rho, "
                             "iterations, solvers, storage, runtime, pareto-bytes, paper-main, "
                             "paper-ug, coefficient-bits, throughput, serving-users, serving-grid, "
                             "latency)"));
        QCOMPARE(messageOf([] { reportFormatFromName("pdf"); }),
                 std::string("--format: there is no report format \"pdf\""
                             " (there are: csv, md, latex, table)"));
        const fs::path empty = fs::path(m_folder.path().toStdString()) / "empty.sqlite";
        QVERIFY(messageOf([&] {
                    buildReport(RunStore::open(empty), "demo");
                }).find("no finished run is tagged demo") != std::string::npos);
    }
};

COSPADI_TEST(TestReportPresets)

}  // namespace tst_report_presets

#include "tst_report_presets.moc"
