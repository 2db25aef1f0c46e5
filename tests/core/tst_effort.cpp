// `--effort`: what the words set, by the methods' own settings, and that whatever stands beside
// them counts.
#include <QtTest>
#include <nlohmann/json.hpp>

#include "core/allocation/allocation_rule.h"
#include "core/methods/method.h"
#include "core/store/effort.h"
#include "core/sweep/sweep_grid.h"
#include "tests/core/message_of.h"
#include "tests/registered_test.h"

namespace tst_effort {

using namespace cospadi;
using nlohmann::json;

namespace {

json read(const json& object) { return toJson(runSpecificationFromJson(object)); }

}  // namespace

class TestEffort : public QObject {
    Q_OBJECT

  private slots:
    void setsWhatItSays() {
        const json alone = {{"allocation", "knapsack"},
                            {"rho", "auto"},
                            {"iterations", 60},
                            {"calibration", {{"sequences", 256}}}};
        QCOMPARE(read({{"effort", "best"}}).dump(), read({{"groups", "all-6"},
                                                          {"group_metric", "probed"},
                                                          {"rho", 3},
                                                          {"calibration", {{"sequences", 256}}}})
                                                        .dump());
        // Where layers cannot share so, or shall not.
        for (const json& one :
             {json{{"solver", "ksvd"}}, json{{"accounting", "integers"}}, json{{"groups", "none"}},
              json{{"propagation", "target"}}, json{{"allocation", "knapsack"}},
              json{{"rho", "auto"}}, json{{"output_metric", "fisher"}}}) {
            json beside = one;
            beside["effort"] = "best";
            json expected = alone;
            expected.update(one);
            QCOMPARE(read(beside).dump(), read(expected).dump());
        }
        QCOMPARE(
            read({{"effort", "best"}, {"groups", "pairs"}}).dump(),
            read({{"groups", "pairs"}, {"iterations", 60}, {"calibration", {{"sequences", 256}}}})
                .dump());
        QCOMPARE(read({{"effort", "best"}, {"code_pattern", "2:4"}}).dump(),
                 read({{"code_pattern", "2:4"},
                       {"allocation", "knapsack"},
                       {"iterations", 60},
                       {"calibration", {{"sequences", 256}}}})
                     .dump());
        QCOMPARE(read({{"effort", "quick"}}).dump(),
                 read({{"iterations", 10}, {"calibration", {{"sequences", 16}}}}).dump());
        QCOMPARE(read({{"effort", "usual"}}).dump(), read(json::object()).dump());
    }

    void standsBehindWhatIsBesideIt() {
        const json beside = read({{"effort", "best"},
                                  {"allocation", "uniform"},
                                  {"rho", 3},
                                  {"iterations", 5},
                                  {"calibration", {{"sequences", 8}}}});
        QCOMPARE(beside.dump(),
                 read({{"rho", 3}, {"iterations", 5}, {"calibration", {{"sequences", 8}}}}).dump());
    }

    void setsNothingThatAMethodLacks() {
        QCOMPARE(read({{"method", "rtn"}, {"effort", "best"}}).dump(),
                 read({{"method", "rtn"}}).dump());
        QCOMPARE(read({{"method", "svd-llm"}, {"effort", "best"}}).dump(),
                 read({{"method", "svd-llm"},
                       {"allocation", "knapsack"},
                       {"calibration", {{"sequences", 256}}}})
                     .dump());
        for (const Method* method : methods()) {
            for (const char* effort : {"quick", "best"}) {
                const RunSpecification s =
                    runSpecificationFromJson({{"method", method->name()}, {"effort", effort}});
                const std::string problem = messageOf([&] { validate(s); });
                QVERIFY2(problem == "no error", (method->name() + (": " + problem)).c_str());
            }
        }
    }

    void isRecognised() {
        for (const Effort effort : {Effort::Quick, Effort::Usual, Effort::Best}) {
            RunSpecification s;
            s.cr = 0.4;
            s.iterations = 7;
            QVERIFY(!effortOf(s));
            s = withEffort(s, effort);
            QVERIFY(effortOf(s) == effort);
            QCOMPARE(s.cr, 0.4);
            // What does not count for the method is not looked at.
            s.method = &methodFromName("rtn");
            QVERIFY(effortOf(s) == Effort::Usual);
        }
    }

    void isASettingOfSweeps() {
        const std::vector<RunSpecification> runs =
            expandGrid({{"effort", {"quick", "usual", "best"}}, {"cr", {0.2, 0.4}}});
        QCOMPARE(runs.size(), std::size_t{6});
    }

    // Ratios that are given leave nothing to share out, and exclude a ρ that is chosen.
    void bestLeavesGivenRatiosAlone() {
        RunSpecification s;
        s.ratios = {{"blk.0.attn_q", 0.3}};
        applyEffort(Effort::Best, s);
        QCOMPARE(messageOf([&] { validate(s); }), std::string("no error"));
        QCOMPARE(s.calibration.sequences, 256);
    }

    void refusesOtherWords() {
        const std::string message = messageOf([] { effortFromName("hard"); });
        QVERIFY2(message.find("'hard'") != std::string::npos &&
                     message.find("quick, usual or best") != std::string::npos,
                 message.c_str());
    }
};

COSPADI_TEST(TestEffort)

}  // namespace tst_effort

#include "tst_effort.moc"
