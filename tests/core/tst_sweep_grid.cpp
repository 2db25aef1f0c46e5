// What a grid of a sweep means, and which are refused.
#include <QtTest>
#include <filesystem>
#include <fstream>
#include <set>

#include "core/methods/method.h"
#include "core/sweep/sweep_grid.h"
#include "sweep_fixture.h"
#include "tests/core/message_of.h"
#include "tests/registered_test.h"

namespace tst_sweep_grid {

using namespace cospadi;
using namespace cospadi::sweep_fixture;

class TestSweepGrid : public QObject, SweepFixture {
    Q_OBJECT

    fs::path write(const std::string& name, const std::string& text) const {
        const fs::path path = place(name.c_str());
        std::ofstream(path, std::ios::binary) << text;
        return path;
    }

  private slots:
    void init() { openFolder(); }

    void aGridIsEveryCombination() {
        const auto runs = expandGrid({{"method", {"svd", "cospadi"}},
                                      {"cr", {0.2, 0.3, 0.4}},
                                      {"rho", 3},
                                      {"calibration", {{"sequences", {8, 16}}, {"seed", 7}}}});
        QCOMPARE(static_cast<int>(runs.size()), 12);
        std::set<std::string> different;
        for (const RunSpecification& run : runs) {
            QCOMPARE(run.rho, 3.0);
            QCOMPARE(static_cast<int>(run.calibration.seed), 7);
            different.insert(toJson(run).dump());
        }
        QCOMPARE(static_cast<int>(different.size()), 12);
        const auto several = expandGrid(
            {{"cr", 0.3},
             {"grids", {{{"method", "svd"}}, {{"method", "cospadi"}, {"rho", {2, 4}}}}}});
        QCOMPARE(static_cast<int>(several.size()), 3);
        QCOMPARE(several[2].rho, 4.0);
        QCOMPARE(several[0].cr, 0.3);
    }

    // A grid that sets one field of `calibration` keeps the shared others.
    void sharedFieldsReachIntoNestedOnes() {
        const auto runs =
            expandGrid({{"calibration", {{"sequences", {8, 16}}, {"length", 256}}},
                        {"grids",
                         {{{"method", "svd-llm"}, {"calibration", {{"seed", {1, 2}}}}},
                          {{"method", "cospadi"}, {"calibration", {{"length", 128}}}}}}});
        QCOMPARE(static_cast<int>(runs.size()), 4 + 2);
        for (const RunSpecification& run : runs) {
            QVERIFY(run.calibration.sequences == 8 || run.calibration.sequences == 16);
            QCOMPARE(static_cast<int>(run.calibration.length),
                     run.method == &methodFromName("svd-llm") ? 256 : 128);
        }
        QCOMPARE(static_cast<int>(runs[3].calibration.seed), 2);
    }

    void yamlSaysTheSame() {
        const json fromJson = readGridFile(write(
            "g.json",
            "{\"model\": \"default\", \"method\": [\"svd\", \"cospadi\"], \"cr\": [0.2, 3e-1],"
            " \"layers\": \"7\", \"seed\": 5, \"calibration\": {\"sequences\": [8, 16]}}"));
        const json fromYaml = readGridFile(write("g.yaml",
                                                 "# a comment\n"
                                                 "model: default\n"
                                                 "method: [svd, cospadi]\n"
                                                 "cr:\n  - 0.2\n  - 3e-1\n"
                                                 "layers: \"7\"   # quoted: text\n"
                                                 "seed: 5\n"
                                                 "calibration: {sequences: [8, 16]}\n"));
        QCOMPARE(fromYaml, fromJson);
    }

    void badGridsAreNamed_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("says");
        QTest::newRow("unknown field") << "g.yaml"
                                       << "crr: 0.2"
                                       << "crr";
        QTest::newRow("unknown nested") << "g.yaml"
                                        << "calibration: {lenth: 3}"
                                        << "calibration.lenth";
        QTest::newRow("empty list") << "g.yaml"
                                    << "cr: []"
                                    << "cr: is an empty list";
        QTest::newRow("CR 0") << "g.yaml"
                              << "cr: [0.2, 0]"
                              << "cr";
        QTest::newRow("CR 1") << "g.yaml"
                              << "cr: [0.2, 1]"
                              << "cr";
        QTest::newRow("rho") << "g.yaml"
                             << "rho: 0.9"
                             << "rho";
        QTest::newRow("type") << "g.yaml"
                              << "cr: much"
                              << "cr";
        QTest::newRow("no map") << "g.yaml"
                                << "[1, 2]"
                                << "not an object";
        QTest::newRow("no grids") << "g.yaml"
                                  << "grids: 3"
                                  << "grids";
        QTest::newRow("syntax") << "g.yaml"
                                << "cr: [0.2\nrho: 2"
                                << "g.yaml, line";
        QTest::newRow("key twice") << "g.yaml"
                                   << "cr: 0.2\ncr: 0.3"
                                   << "occurs twice";
        QTest::newRow("bomb")
            << "g.yaml"
            << "a: &a [1,1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
               "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
               "d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
               "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\n"
               "f: [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n"
            << "too many values";
        QTest::newRow("json") << "g.json"
                              << "{\"cr\": "
                              << "g.json";
    }

    void badGridsAreNamed() {
        QFETCH(QString, file);
        QFETCH(QString, text);
        QFETCH(QString, says);
        const fs::path path = write(file.toStdString(), text.toStdString());
        const std::string message = messageOf([&] { expandGrid(readGridFile(path)); });
        QVERIFY2(QString::fromStdString(message).contains(says), message.c_str());
    }

    // Names of layers have dots, as the names of nested fields have in errors.
    void ratiosKeepTheNamesOfLayers() {
        const auto runs =
            expandGrid({{"method", "svd"}, {"seed", {1, 2}}, {"ratios", {{"blk.0.attn_q", 0.3}}}});
        QCOMPARE(static_cast<int>(runs.size()), 2);
        for (const RunSpecification& run : runs) {
            QCOMPARE(run.ratios.at("blk.0.attn_q"), 0.3);
        }
    }

    void anEvaluationIsTypedAndNullsAreAbsent() {
        const SweepFile file =
            sweepFile({{"name", nullptr}, {"evaluate", {{"max_tokens", nullptr}}}});
        QVERIFY(file.name.empty() && !file.grid.contains("name"));
        for (const char* field : {"context", "max_tokens"}) {
            const std::string message = messageOf([&] {
                sweepFile({{"evaluate", {{field, 64.9}}}});
            });
            QVERIFY2(message.find(std::string("evaluate.") + field) != std::string::npos,
                     message.c_str());
        }
    }

    void tooLargeGridsAreRefused() {
        const std::vector<int> seeds(400, 1);
        const json grid{{"seed", seeds}, {"iterations", seeds}};
        QVERIFY(messageOf([&] { expandGrid(grid); }).find("more than") != std::string::npos);
    }
};

COSPADI_TEST(TestSweepGrid)

}  // namespace tst_sweep_grid

#include "tst_sweep_grid.moc"
