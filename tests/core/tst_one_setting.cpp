// Which runs differ from one in a single setting.
#include <QtTest>

#include "core/report/one_setting.h"
#include "tests/registered_test.h"

namespace tst_one_setting {

using namespace cospadi;

namespace {

RunRow runOf(const std::string& id, double cr, double rho, std::int64_t seed = 1) {
    RunRow run;
    run.id = id;
    run.directory = "/runs/" + id;
    run.model = "/m/a.gguf";
    run.method = "cospadi";
    run.solver = "ksvd";
    run.accounting = "eq11";
    run.cr = cr;
    run.rho = rho;
    run.iterations = 10;
    run.seed = seed;
    return run;
}

std::vector<std::string> told(const OneSetting& setting) {
    std::vector<std::string> words;
    for (const RunOfValue& value : setting.values) {
        words.push_back(value.words + " " + value.run);
    }
    return words;
}

}  // namespace

class TestOneSetting : public QObject {
    Q_OBJECT

  private slots:
    // Under eq 11 the bits of a coefficient follow from ρ: that is no second difference.
    void valuesInTheirOrder() {
        const RunRow own = runOf("own", 0.2, 2);
        const auto found = runsApartInOne(
            own, {runOf("more", 0.2, 3), own, runOf("newer", 0.2, 1.5), runOf("older", 0.2, 1.5),
                  runOf("other", 0.3, 2), runOf("both", 0.3, 3), runOf("twin", 0.2, 2)});
        QCOMPARE(found.size(), std::size_t{2});
        QCOMPARE(found[0].name, std::string("rho"));
        QCOMPARE(told(found[0]), (std::vector<std::string>{"ρ 1.5 newer", "ρ 2 own", "ρ 3 more"}));
        QCOMPARE(found[1].name, std::string("cr"));
        QCOMPARE(told(found[1]), (std::vector<std::string>{"CR 0.2 own", "CR 0.3 other"}));
        QCOMPARE(found[1].values[1].directory, std::string("/runs/other"));
    }

    void aSeedIsASetting() {
        const RunRow own = runOf("own", 0.2, 2, 10);
        const auto found = runsApartInOne(own, {runOf("nine", 0.2, 2, 9)});
        QCOMPARE(found.size(), std::size_t{1});
        QCOMPARE(told(found[0]), (std::vector<std::string>{"seed 9 nine", "seed 10 own"}));
    }

    void nobodyWhereMoreDiffers() {
        RunRow other = runOf("other", 0.2, 2);
        other.method = "svd-llm";
        const auto found = runsApartInOne(runOf("own", 0.2, 2), {other, runOf("both", 0.3, 2, 7)});
        QVERIFY(found.empty());
    }
};

COSPADI_TEST(TestOneSetting)

}  // namespace tst_one_setting

#include "tst_one_setting.moc"
