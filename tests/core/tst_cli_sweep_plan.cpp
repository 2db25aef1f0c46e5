// What a sweep's plan comes to from the command line: fields of a file and flags beside them, the
// memory that what is left will take, and jobs that are refused for what is theirs alone.
#include <QFile>
#include <QtTest>
#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/core/cli_small_runs.h"
#include "tests/core/cli_under_test.h"
#include "tests/registered_test.h"

namespace tst_cli_sweep_plan {

using cli_runs::kModel;
using nlohmann::json;

class TestCliSweepPlan : public QObject, CliUnderTest {
    Q_OBJECT

    QString written(const QString& name, const json& grid) const {
        const QString path = place(name);
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly)) {
            qFatal("%s cannot be written", qPrintable(path));
        }
        file.write(QByteArray::fromStdString(grid.dump()));
        return path;
    }

    json planned(const QStringList& sweep) const {
        return run(QStringList{"sweep"} + sweep + QStringList{"--dry-run", "--json"}).object();
    }

    // Why each job is refused, by the value of a field; empty where it is not.
    std::map<double, std::string> refusals(const QStringList& sweep, const char* field) const {
        std::map<double, std::string> reasons;
        const json plan = planned(sweep);
        for (const json& job : plan.at("jobs")) {
            reasons[job.at("specification").at(field).get<double>()] = job.value("error", "");
        }
        return reasons;
    }

    QStringList calibrated(const QStringList& more) const {
        return QStringList{model(), "--calibration", text(), "--sequences", "8", "--length", "32"} +
               more;
    }

  private slots:
    void initTestCase() { QVERIFY(isValid()); }

    void fieldsWithoutAnObjectAreRefused_data() {
        QTest::addColumn<QString>("file");  // its calibration
        QTest::addColumn<QStringList>("flags");
        QTest::addColumn<QString>("field");
        QTest::newRow("a text") << R"("/some/text.txt")" << QStringList{"--sequences", "4"}
                                << "calibration.sequences";
        QTest::newRow("a list") << R"(["/a.txt", "/b.txt"])"
                                << QStringList{"--calibration", "/c.txt"} << "calibration.text";
        QTest::newRow("a number") << "7" << QStringList{"--set", "calibration.length=8"}
                                  << "calibration.length";
    }

    // A part of it that is typed has nowhere to go.
    void fieldsWithoutAnObjectAreRefused() {
        QFETCH(QString, file);
        QFETCH(QStringList, flags);
        QFETCH(QString, field);
        const QString path =
            written("flat.json", {{"model", kModel.toStdString()},
                                  {"method", "svd"},
                                  {"calibration", json::parse(file.toStdString())}});
        const CliOutcome outcome = run(QStringList{"sweep", path, "--dry-run", "--json"} + flags);
        QCOMPARE(outcome.exitCode, 1);
        const json error = outcome.object().at("error");
        QCOMPARE(error.at("where").get<std::string>(), std::string("calibration"));
        QVERIFY2(
            error.at("message").get<std::string>().find(field.toStdString()) != std::string::npos,
            error.dump().c_str());
        QVERIFY(!error.at("hint").get<std::string>().empty());
    }

    // Its other parts stay what the file says, also where it says that there are none.
    void partsOfAFieldAreReplacedOneByOne() {
        const auto calibrationOf = [&](const json& calibration) {
            const QString path = written("parts.json", {{"model", model().toStdString()},
                                                        {"method", "cospadi"},
                                                        {"layers", "attn_k"},
                                                        {"calibration", calibration}});
            const json plan = planned({path, "--calibration", text(), "--sequences", "3"});
            return plan.at("jobs").at(0).at("specification").at("calibration");
        };
        json told = calibrationOf({{"sequences", 8}, {"length", 40}});
        QCOMPARE(told.at("sequences").get<int>(), 3);
        QCOMPARE(told.at("length").get<int>(), 40);
        QCOMPARE(told.at("text").get<std::string>(), text().toStdString());
        told = calibrationOf(nullptr);
        QCOMPARE(told.at("sequences").get<int>(), 3);
    }

    // docs/formats.md, "A sweep": flags replace fields, in whichever of its grids they stand, and
    // however they are written.
    void flagsReplaceFieldsOfEveryGrid() {
        const json grids =
            json::array({{{"method", "svd"}, {"cr", {0.2, 0.3}}},
                         {{"method", "cospadi"}, {"cr", 0.2}, {"calibration", {{"sequences", 8}}}},
                         {{"method", "cospadi"}, {"rho", 3}, {"calibration.sequences", 8}}});
        const QString path = written("grids.json", {{"model", model().toStdString()},
                                                    {"layers", "attn_k"},
                                                    {"calibration.sequences", 16},
                                                    {"grids", grids}});
        const json plan = planned(
            {path, "--cr", "0.4", "--calibration", text(), "--sequences", "3", "--length", "32"});
        std::multiset<std::string> methods;
        for (const json& job : plan.at("jobs")) {
            const json& s = job.at("specification");
            QCOMPARE(s.at("cr").get<double>(), 0.4);
            methods.insert(s.at("method").get<std::string>());
            if (s.at("method") == "cospadi") {
                QCOMPARE(s.at("calibration").at("sequences").get<int>(), 3);
            }
        }
        // Both ratios of SVD are one; what was not typed still tells the other grids apart.
        QCOMPARE(methods, (std::multiset<std::string>{"cospadi", "cospadi", "svd"}));
    }

    // Memory is the most that one of the runs that are left takes, disk the sum over them.
    void memoryIsOfWhatIsLeft() {
        useRuns("memory/runs");
        const QStringList grid =
            calibrated({"--method", "svd,cospadi", "--cr", "0.4", "--layers", "attn_k"});
        const auto ofMethod = [](const json& plan, const char* field) {
            std::map<std::string, std::int64_t> values;
            for (const json& job : plan.at("jobs")) {
                values[job.at("specification").at("method")] = job.at(field);
            }
            return values;
        };
        const json whole = planned(grid);
        const auto memory = ofMethod(whole, "memory_bytes");
        const auto bytes = ofMethod(whole, "bytes");
        // Calibration holds Grams and activations that a plain SVD does without.
        QVERIFY(memory.at("cospadi") > memory.at("svd"));
        QCOMPARE(whole.at("memory_bytes").get<std::int64_t>(), memory.at("cospadi"));
        const auto both = bytes.at("cospadi") + bytes.at("svd");  // each rounded by itself
        QVERIFY(qAbs(whole.at("bytes").get<std::int64_t>() - both) <= 1);

        QStringList larger = grid;
        larger.replaceInStrings("svd,cospadi", "cospadi");
        QCOMPARE(run(QStringList{"sweep"} + larger).exitCode, 0);
        const json half = planned(grid);
        QCOMPARE(half.at("memory_bytes").get<std::int64_t>(), memory.at("svd"));
        QCOMPARE(half.at("bytes").get<std::int64_t>(), bytes.at("svd"));
        QCOMPARE(ofMethod(half, "memory_bytes"), memory);  // of each by itself it is still told

        QCOMPARE(run(QStringList{"sweep"} + grid).exitCode, 0);
        const json done = planned(grid);
        QCOMPARE(done.at("memory_bytes").get<std::int64_t>(), std::int64_t{0});
        QCOMPARE(done.at("bytes").get<std::int64_t>(), std::int64_t{0});
    }

    void jobsAreRefusedForTheirOwn_data() {
        QTest::addColumn<QString>("first");
        QTest::addColumn<QString>("second");
        QTest::newRow("what is refused comes last") << "%1"
                                                    << "%2";
        QTest::newRow("what is refused comes first") << "%2"
                                                     << "%1";
    }

    // Jobs that are alike but for one setting, which alone decides: neither takes the other's word.
    void jobsAreRefusedForTheirOwn() {
        QFETCH(QString, first);
        QFETCH(QString, second);
        const auto values = [&](const QString& fits, const QString& doesNot) {
            return (first + "," + second).arg(fits, doesNot);
        };
        // Of 2 blocks a share of 0.4 is one, ⌈0.8⌉; one of 0.6 is both, ⌈1.2⌉.
        const auto byRatio =
            refusals(calibrated({"--method", "replaceme", "--cr", values("0.4", "0.6")}), "cr");
        QCOMPARE(byRatio.size(), std::size_t{2});
        QCOMPARE(byRatio.at(0.4), std::string());
        QVERIFY2(byRatio.at(0.6).starts_with("cr: 2 of 2 blocks"), byRatio.at(0.6).c_str());

        const auto byBlocks =
            refusals(calibrated({"--method", "replaceme", "--blocks", values("1", "2")}), "blocks");
        QCOMPARE(byBlocks.size(), std::size_t{2});
        QCOMPARE(byBlocks.at(1), std::string());
        QVERIFY2(byBlocks.at(2).starts_with("blocks: 2 of 2 blocks"), byBlocks.at(2).c_str());

        // The text has no more tokens than bytes, 4,400: enough for 8 sequences of 32, not for
        // 1000.
        QVERIFY(QFileInfo(text()).size() < 1000 * 32);
        const auto byText = refusals(calibrated({"--method", "cospadi", "--layers", "attn_k",
                                                 "--cr", "0.4", "--refine", values("8", "1000")}),
                                     "refine");
        QCOMPARE(byText.size(), std::size_t{2});
        QCOMPARE(byText.at(8), std::string());
        QVERIFY2(byText.at(1000).starts_with(text().toStdString() + ": ") &&
                     byText.at(1000).find("32000 are needed") != std::string::npos,
                 byText.at(1000).c_str());
    }
};

COSPADI_TEST(TestCliSweepPlan)

}  // namespace tst_cli_sweep_plan

#include "tst_cli_sweep_plan.moc"
