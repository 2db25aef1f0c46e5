// `cospadi bench serving` and `cospadi load` on small runs: what is measured is kept with the runs,
// tabled, and not measured again.
#include <QtTest>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/core/cli_under_test.h"
#include "tests/registered_test.h"

namespace tst_cli_serving {

using nlohmann::json;

namespace {

constexpr const char* kPercentiles[] = {"first_token_seconds", "per_token_seconds",
                                        "request_seconds"};

const json& recordOf(const json& run, const std::string& mode) {
    const json& records = run.at("records");
    return *std::find_if(records.begin(), records.end(),
                         [&](const json& record) { return record.at("mode") == mode; });
}

}  // namespace

class TestCliServing : public QObject, CliUnderTest {
    Q_OBJECT

    QStringList bench(const QStringList& runs) const {
        return QStringList{"bench", "serving"} + runs +
               QStringList{"--users", "1,2",      "--prompts", "1,4",   "--tokens",
                           "5",       "--rounds", "2",         "--json"};
    }

  private slots:
    void initTestCase() { QVERIFY(isValid()); }

    void bothStudiesAreKeptWithTheRun() {
        const CliOutcome run_ = run(compress({"--layers", "attn_k", "--out", place("small")}));
        QVERIFY2(run_.exitCode == 0, qPrintable(run_.error));
        const CliOutcome made = run(bench({place("small"), model()}));
        QVERIFY2(made.exitCode == 0, qPrintable(made.error));
        const json runs = made.object()["runs"];
        QCOMPARE(runs.size(), std::size_t{2});  // and the dense one
        for (const json& one : runs) {
            const json alone = recordOf(one, "synchronous");
            QCOMPARE(alone["points"].size(), std::size_t{2});
            for (const json& point : alone["points"]) {
                QCOMPARE(point["generated_tokens"].get<int>(), 2 * 5);
                QVERIFY(point["tokens_per_second"].get<double>() > 0);
            }
            const json served = recordOf(one, "asynchronous");
            QCOMPARE(served["points"].size(), std::size_t{4});
            for (const json& point : served["points"]) {
                QCOMPARE(point["requests"].get<int>(), 2 * point["users"].get<int>());
                QVERIFY(point["generated_tokens"].get<int>() > 0);
                QCOMPARE(point["cached_tokens"].get<int>(), 0);
                for (const char* times : kPercentiles) {
                    const json& percentiles = point[times];
                    if (!percentiles["p50"].is_null()) {
                        QVERIFY(percentiles["p50"] <= percentiles["p90"]);
                        QVERIFY(percentiles["p90"] <= percentiles["p99"]);
                    }
                }
            }
        }
        const CliOutcome again = run(bench({place("small"), model()}));
        QVERIFY2(again.exitCode == 0, qPrintable(again.error));
        QVERIFY(again.object() == made.object());

        const json grid = run({"report", "--preset", "serving-grid", "--json"}).object();
        const auto rowOf = [&](const std::string& method, int users) {
            return *std::find_if(grid["rows"].begin(), grid["rows"].end(), [&](const json& row) {
                return row.at("method").get<std::string>().starts_with(method) &&
                       row.at("users") == users;
            });
        };
        QCOMPARE(rowOf("dense", 2)["prompt 4"].get<double>(),
                 recordOf(runs[1], "asynchronous")["points"][3]["tokens_per_second"].get<double>());
        QCOMPARE(rowOf("cospadi-free", 1)["prompt 1"].get<double>(),
                 recordOf(runs[0], "asynchronous")["points"][0]["tokens_per_second"].get<double>());
    }

    void badInputIsNamed() {
        const auto refused = [&](const QStringList& arguments, int exitCode, const char* says) {
            const CliOutcome outcome = run(arguments);
            QVERIFY2(outcome.exitCode == exitCode && outcome.error.contains(says),
                     qPrintable(outcome.error));
        };
        refused({"bench", "serving"}, 2, "no run is given");
        refused({"bench", "store", "somewhere"}, 2, "somewhere");
        refused({"bench", "serving", "nobody"}, 1, "nobody");
        refused({"bench", "serving", model(), "--prompts", "1,0"}, 2, "--prompts");
        refused({"bench", "serving", model(), "--mode", "half"}, 2, "half");
        refused({"load", "ftp://here"}, 2, "ftp://here");
        refused({"load", "http://127.0.0.1:1"}, 1, "127.0.0.1:1");
        refused({"load", "http://127.0.0.1:1", "--users", "0"}, 2, "--users");
    }
};

COSPADI_TEST(TestCliServing)

}  // namespace tst_cli_serving

#include "tst_cli_serving.moc"
