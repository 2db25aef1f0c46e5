// Tables of tokens a second: own rates in the layouts of the paper, its numbers beside them.
#include <QtTest>
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <string>

#include "core/base/error.h"
#include "core/report/throughput_table.h"
#include "core/store/throughput.h"
#include "tests/core/own_folder.h"
#include "tests/core/report_fixture.h"
#include "tests/registered_test.h"

namespace tst_report_throughput {

using namespace cospadi;

namespace {

std::size_t columnAt(const ReportTable& table, const std::string& name) {
    std::size_t at = 0;
    while (at < table.columns.size() && table.columns[at].name != name) {
        ++at;
    }
    return at;
}

// NaN where the table has no such row or column.
double valueAt(const ReportTable& table, const std::string& model, double cr,
               const std::string& rowColumn, const std::string& row, const std::string& column) {
    const std::size_t at = columnAt(table, column);
    const std::size_t naming = columnAt(table, rowColumn);
    for (const ReportRow& one : table.rows) {
        const double ratio = numberIn(one.cells[columnAt(table, "cr")]);
        const ReportCell& cell = one.cells[naming];
        const std::string text = std::holds_alternative<std::string>(cell)
                                     ? std::get<std::string>(cell)
                                     : std::to_string(std::llround(numberIn(cell)));
        const bool sameRatio = std::isnan(cr) ? std::isnan(ratio) : ratio == cr;
        if (std::get<std::string>(one.cells[0]).starts_with(model) && sameRatio &&
            text.starts_with(row)) {
            return at < one.cells.size() ? numberIn(one.cells[at]) : std::nan("");
        }
    }
    return std::nan("");
}

}  // namespace

class TestReportThroughput : public QObject, OwnFolder {
    Q_OBJECT

    RunRow measured(const char* method, double cr, ThroughputMode mode, std::int64_t tokens,
                    const std::vector<std::array<std::int64_t, 3>>& usersPromptRate) {
        RunRow run = report_fixture::storedRun(method, cr, 2, 1, 30);
        run.directory = place(run.id).string();
        ThroughputRecord record;
        record.mode = mode;
        record.tokens = tokens;
        record.rounds = 1;
        record.threads = 2;
        record.cpu = "a processor";
        for (const auto& [users, prompt, rate] : usersPromptRate) {
            ThroughputPoint point;
            point.users = users;
            point.prompt = prompt;
            point.requests = users;
            point.generated = 2 * rate;
            point.seconds = 2;
            point.firstToken = {0.1, 0.2, 0.3};
            recordThroughput(run.directory, record, point);
        }
        return run;
    }

  private slots:
    void initTestCase() { QVERIFY(m_folder.isValid()); }

    // The printed means are those of the printed rates.
    void promptsDownMethodsAcross() {
        const auto mode = ThroughputMode::Synchronous;
        const ReportTable table =
            throughputTable({measured("cospadi", 0.4, mode, 64, {{1, 1, 40}, {1, 16, 20}}),
                             measured("svd-llm", 0.4, mode, 64, {{1, 1, 50}, {1, 16, 30}}),
                             measured("dense", 0, mode, 64, {{1, 1, 10}, {1, 16, 12}})},
                            ThroughputLayout::Prompts);
        const auto own = [&](double cr, const char* prompt, const char* method) {
            return valueAt(table, "smol", cr, "prompt", prompt, method);
        };
        QCOMPARE(own(0.4, "16", "cospadi"), 20.0);
        QCOMPARE(own(0.4, "1", "svd-llm"), 50.0);
        QCOMPARE(own(0.4, "mean", "cospadi"), 30.0);
        QCOMPARE(own(0.4, "mean", "svd-llm"), 40.0);
        QCOMPARE(own(std::nan(""), "mean", "dense"), 11.0);
        const auto paper = [&](double cr, const char* prompt, const char* method) {
            return valueAt(table, "Llama-3-8B (paper", cr, "prompt", prompt, method);
        };
        QCOMPARE(paper(0.3, "256", "cospadi"), 44.0);
        for (const auto& [cr, lowRank, sparse] :
             {std::tuple(0.3, 50.4, 45.6), std::tuple(0.4, 53.3, 48.0),
              std::tuple(0.5, 52.5, 50.5)}) {
            QVERIFY(std::abs(paper(cr, "mean", "svd-llm") - lowRank) <= 0.05 + 1e-9);
            QVERIFY(std::abs(paper(cr, "mean", "cospadi") - sparse) <= 0.05 + 1e-9);
        }
        QVERIFY(table.bestAlong == BestAlong::Row);
    }

    void usersAcross() {
        const auto mode = ThroughputMode::Asynchronous;
        const std::vector<RunRow> runs = {
            measured("cospadi", 0.6, mode, 64, {{1, 1, 40}, {16, 1, 300}, {1, 16, 30}}),
            measured("dense", 0, mode, 64, {{1, 1, 50}})};
        const ReportTable users = throughputTable(runs, ThroughputLayout::Users);
        QCOMPARE(valueAt(users, "smol", 0.6, "method", "cospadi", "16 users"), 300.0);
        QCOMPARE(valueAt(users, "smol", std::nan(""), "method", "dense", "1 user"), 50.0);
        QVERIFY(std::isnan(valueAt(users, "smol", std::nan(""), "method", "dense", "16 users")));
        QCOMPARE(valueAt(users, "Llama-3-8B", 0.6, "method", "cospadi", "16 users"), 1515.0);
        QCOMPARE(valueAt(users, "Llama-3-8B", std::nan(""), "method", "dense", "8 users"), 589.0);
        const ReportTable grid = throughputTable(runs, ThroughputLayout::Grid);
        QCOMPARE(valueAt(grid, "smol", 0.6, "users", "1", "prompt 16"), 30.0);
        QCOMPARE(valueAt(grid, "Llama-3-8B", 0.6, "users", "4", "prompt 128"), 401.0);
        const ReportTable latency = throughputTable(runs, ThroughputLayout::Latency);
        QCOMPARE(latency.rows.size(), std::size_t{4});
        QCOMPARE(numberIn(latency.rows[0].cells[columnAt(latency, "first token p90 (ms)")]), 200.0);
    }

    // Rates of 8 tokens and of 64 are other measures.
    void otherMeasuresAreLeftOut() {
        const auto mode = ThroughputMode::Asynchronous;
        const ReportTable table =
            throughputTable({measured("cospadi", 0.6, mode, 8, {{1, 1, 99}}),
                             measured("cospadi", 0.5, mode, 64, {{1, 1, 40}, {4, 1, 50}})},
                            ThroughputLayout::Users);
        QVERIFY(std::isnan(valueAt(table, "smol", 0.6, "method", "cospadi", "1 user")));
        QCOMPARE(valueAt(table, "smol", 0.5, "method", "cospadi", "1 user"), 40.0);
        const auto tells = [&](const char* words) {
            return std::any_of(table.notes.begin(), table.notes.end(), [&](const auto& note) {
                return note.find(words) != std::string::npos;
            });
        };
        QVERIFY(tells("1 records are left out"));
        QVERIFY(tells("64 tokens generated"));
        bool refused = false;
        try {
            throughputTable({measured("cospadi", 0.6, mode, 8, {})}, ThroughputLayout::Prompts);
        } catch (const Error& error) {
            refused = std::string(error.what()).find("bench serving") != std::string::npos;
        }
        QVERIFY(refused);
    }
};

COSPADI_TEST(TestReportThroughput)

}  // namespace tst_report_throughput

#include "tst_report_throughput.moc"
