// The filter of runs as it is typed: what its terms mean, and what is said of those that mean
// nothing.
#include <QTemporaryDir>
#include <QtTest>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/report/run_selection.h"
#include "core/report/runs_table.h"
#include "core/store/run_condition.h"
#include "core/store/run_store.h"
#include "tests/core/report_fixture.h"
#include "tests/registered_test.h"

namespace tst_run_condition {

using namespace cospadi;
using namespace report_fixture;

class TestRunCondition : public QObject {
    Q_OBJECT

    static bool fitsAll(const RunRow& run, const std::string& text) {
        const RunFields fields = fieldsOf(run, run.evaluations.front().perplexity);
        for (const RunCondition& condition : conditionsIn(text)) {
            if (!fits(condition, fields)) {
                return false;
            }
        }
        return true;
    }

    static std::string problemOf(const std::string& text) {
        try {
            requireFields(conditionsIn(text), {"cr", "rho"});
        } catch (const Error& error) {
            return error.where() + " | " + error.problem() + " | " + error.hint();
        }
        return "";
    }

  private slots:
    void termsAreRead() {
        using enum Relation;
        QCOMPARE(conditionsIn("rho>=2 cr=0.2,0.3  method:ksvd tag!=x \"block 3\" ffn_up"),
                 (std::vector<RunCondition>{{"rho", AtLeast, {"2"}},
                                            {"cr", Is, {"0.2", "0.3"}},
                                            {"method", Holds, {"ksvd"}},
                                            {"tag", IsNot, {"x"}},
                                            {"", Holds, {"block 3"}},
                                            {"", Holds, {"ffn_up"}}}));
        QCOMPARE(conditionsIn("tag:\"4 bit, later\""),
                 (std::vector<RunCondition>{{"tag", Holds, {"4 bit, later"}}}));
        QCOMPARE(conditionsIn("\"a=b\""), (std::vector<RunCondition>{{"", Holds, {"a=b"}}}));
        QVERIFY(conditionsIn("   ").empty());
    }

    void textsCanBeTypedAgain() {
        for (const char* text : {"rho>=2", "cr=0.2,0.3", "tag:\"4 bit, later\"", "error<0.1",
                                 "seed!=7", "word", "\"two words\"", "date>2026-11-20"}) {
            const std::vector<RunCondition> conditions = conditionsIn(text);
            QCOMPARE(conditions.size(), std::size_t{1});
            QCOMPARE(textOf(conditions[0]), std::string(text));
        }
    }

    void runsFitOrNot_data() {
        QTest::addColumn<QString>("filter");
        QTest::addColumn<bool>("fits");
        const auto row = [](const char* filter, bool fits) {
            QTest::newRow(filter) << QString(filter) << fits;
        };
        row("rho>=2", true);
        row("rho>2", false);
        row("rho<=2.0", true);
        row("rho<2", false);
        row("cr=0.20", true);  // by value
        row("cr=0.1,0.2", true);
        row("cr=0.1,0.3", false);
        row("cr!=0.1", true);
        row("cr!=0.2", false);
        row("method=cospadi", true);
        row("method=cosp", false);
        row("method:COSP", true);
        row("method:fast", true);  // in its label
        row("calibration.sequences>=64 calibration.sequences<65", true);
        row("tag=paper", true);
        row("tag=late", false);
        row("tag:late", true);
        row("tag!=paper", false);
        row("status=finished", true);
        row("model=smol.gguf", true);
        row("perplexity<50.5", true);
        row("perplexity>50.5", false);
        row("bytes>7.9e5", true);
        row("multiplications<=1.5e6", true);
        row("multiplications<1.5e6", false);
        row("piqa/acc>0.7", true);
        row("arc/acc>0.1", false);  // never measured
        row("held-out-error<1", false);
        row("date>=2026-11-21", true);
        row("date>2026-11-21", false);  // later than that day
        row("date<2026-12", true);
        row("smol all.my", true);
        row("nowhere", false);
        row("\"see block 3\"", true);
    }

    void runsFitOrNot() {
        QFETCH(QString, filter);
        QFETCH(bool, fits);
        RunRow run = storedRun("cospadi", 0.2, 2, 1, 50);
        run.created = "2026-11-21T04:00:00Z";
        run.tags = {"later", "paper"};
        run.note = "see block 3: all.my doubts";
        run.multiplications = 1'500'000;
        run.taskResults = {taskResult("piqa", 0.75, 100)};
        QCOMPARE(fitsAll(run, filter.toStdString()), fits);
    }

    // ρ does not belong to an SVD, and "auto" is no number.
    void whatARunLacksFitsNothing() {
        const RunRow svd = storedRun("svd-llm", 0.2, 2, 1, 300);
        QVERIFY(!fitsAll(svd, "rho>=1"));
        QVERIFY(!fitsAll(svd, "rho=2"));
        QVERIFY(fitsAll(svd, "rho!=2"));
        RunRow chosen = withSettings(storedRun("cospadi", 0.2, 2, 1, 50), {{"rho", "auto"}});
        chosen.rho = RunRow::kEachItsOwnRho;
        QVERIFY(!fitsAll(chosen, "rho>=0"));
        QVERIFY(fitsAll(chosen, "rho=auto"));
    }

    // Most runs are measured on one text; on another one, later, a run has a lower perplexity.
    // Which of them counts is one question for all terms, and for the list of what fits.
    void perplexitiesAreOfOneMeasure() {
        const QTemporaryDir folder;
        RunStore store = RunStore::open(folder.filePath("cospadi.sqlite").toStdString());
        const auto record = [](const char* id, const std::map<std::string, double>& perplexities) {
            RunRecord made;
            made.run = storedRun("cospadi", 0.2, 2, 1, 0);
            made.run.id = id;
            made.run.evaluations.clear();
            for (const auto& [text, perplexity] : perplexities) {
                EvaluationRow& row = made.run.evaluations.emplace_back();
                row.file = row.text = text;
                row.context = 512;
                row.perplexity = perplexity;
                row.created = text == "wiki" ? "2026-01-01" : "2027-01-01";
            }
            return made;
        };
        store.importRecords({record("a", {{"wiki", 25}, {"own", 60}}),
                             record("b", {{"wiki", 40}, {"own", 20}}), record("c", {{"wiki", 35}}),
                             record("d", {{"other", 10}})});
        for (const char* where : {"perplexity<30", "perplexity!=35 perplexity<30"}) {
            RunSelection selection;
            selection.where = conditionsIn(where);
            std::optional<Measure> measure;
            const std::vector<RunRow> runs = selectedRuns(store, selection, &measure);
            QCOMPARE(runs.size(), std::size_t{1});
            QCOMPARE(runs[0].id, std::string("a"));
            QVERIFY(measure.has_value());
            const ReportTable table = tableOfRuns(runs, measure);
            QCOMPARE(table.columns[9].name, std::string("perplexity"));
            QCOMPARE(numberIn(table.rows[0].cells[9]), 25.0);
        }
    }

    void wrongTermsAreNamed() {
        const auto says = [](const char* text, const char* term, const char* words) {
            const std::string problem = problemOf(text);
            return problem.starts_with(std::string(term) + " | ") &&
                   problem.find(words) != std::string::npos;
        };
        QVERIFY(says("cr=0.2 rho>=two", "rho>=two", "is not a number"));
        QVERIFY(says("cr=0.2 rho>=", "rho>=", "no value"));
        QVERIFY(says("=2", "=2", "no field"));
        QVERIFY(says("cr=0.2,,0.3", "cr=0.2,,0.3", "no value"));
        QVERIFY(says("rho!2", "rho!2", "!="));
        QVERIFY(says("tag:\"x", "tag:\"x", "not closed"));
        QVERIFY(says("cr=0.2 rhoo>=2", "rhoo>=2", "rho, run"));  // which there are
        QVERIFY(says("rhoo>=2", "rhoo>=2", "there are: bytes, cr"));
        QVERIFY(says("rho>=two", "rho>=two", "FIELD=VALUE"));  // what to write
    }
};

COSPADI_TEST(TestRunCondition)

}  // namespace tst_run_condition

#include "tst_run_condition.moc"
