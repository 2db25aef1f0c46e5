// The table of where the time goes: its parts add up, methods without phases have a sign, the
// paper's rows are as printed.
#include <QtTest>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/report/report.h"
#include "own_folder.h"
#include "report_fixture.h"
#include "tests/registered_test.h"

namespace tst_report_runtime {

using namespace cospadi;
using nlohmann::json;
using report_fixture::noteAbout;
using report_fixture::storedRun;
using report_fixture::withSettings;

namespace {

MatrixRow matrix(const char* name, double seconds, double coding, double dictionary) {
    MatrixRow row;
    row.name = name;
    row.seconds = seconds;
    row.codingSeconds = coding;
    row.dictionarySeconds = dictionary;
    row.iterations = 5;
    return row;
}

RunRecord record(RunRow run, std::vector<MatrixRow> matrices) {
    RunRecord made;
    run.matrices = static_cast<std::int64_t>(matrices.size());
    run.directory = "/nowhere/" + run.id;
    made.run = std::move(run);
    made.matrices = std::move(matrices);
    return made;
}

RunRow at(RunRow run, const char* created) {
    run.created = created;
    return run;
}

const std::vector<const char*> kColumns = {"method",    "model",      "layers",    "cr",
                                           "component", "time (min)", "share (%)", "s/iteration"};

}  // namespace

class TestReportRuntime : public QObject, OwnFolder {
    Q_OBJECT

    RunStore storeOf(const char* name, const std::vector<RunRecord>& records) {
        RunStore store = RunStore::open(place(name));
        store.importRecords(records);
        return store;
    }

    static std::string text(const ReportTable& table, std::size_t row, std::size_t column) {
        return std::get<std::string>(table.rows[row].cells[column]);
    }

    static double number(const ReportTable& table, std::size_t row, std::size_t column) {
        return std::get<double>(table.rows[row].cells[column]);
    }

  private slots:
    void initTestCase() { QVERIFY(m_folder.isValid()); }

    void laidOutLikeThePapers() {
        RunRow ksvd = withSettings(storedRun("cospadi", 0.2, 2, 1, 0), {{"solver", "ksvd"}});
        ksvd.solver = "ksvd";
        const RunStore store =
            storeOf("own", {record(at(ksvd, "2026-11-21T04:00:03Z"),
                                   {matrix("a", 100, 30, 60), matrix("b", 200, 60, 90)}),
                            record(at(storedRun("svd-llm", 0.2, 2, 1, 0), "2026-11-21T04:00:02Z"),
                                   {matrix("a", 6, unknownNumber, unknownNumber)}),
                            record(at(storedRun("cospadi", 0.2, 2, 1, 0), "2026-11-21T04:00:01Z"),
                                   {matrix("a", 12, 6, 3)})});
        const ReportTable table = buildReport(store, "runtime");
        QCOMPARE(table.columns.size(), kColumns.size());
        for (std::size_t c = 0; c < kColumns.size(); ++c) {
            QCOMPARE(table.columns[c].name, std::string(kColumns[c]));
        }
        QCOMPARE(table.rows.size(), std::size_t{4 * 4});
        QCOMPARE(text(table, 0, 4), std::string("Sparse coding (OMP)"));
        QCOMPARE(text(table, 1, 4), std::string("Dictionary update (K-SVD)"));
        QCOMPARE(text(table, 2, 4), std::string("Misc. overhead"));
        QCOMPARE(text(table, 3, 4), std::string("Total"));
        // 90 of 300 s, 150 and what is left; ten iterations.
        const double minutes[] = {1.5, 2.5, 1, 5};
        const double shares[] = {30, 50, 20, 100};
        const double iteration[] = {9, 15, 6, 30};
        for (std::size_t row = 0; row < 4; ++row) {
            QCOMPARE(number(table, row, 5), minutes[row]);
            QCOMPARE(number(table, row, 6), shares[row]);
            QCOMPARE(number(table, row, 7), iteration[row]);
        }
        // One sign where there are no phases; the total is known.
        QCOMPARE(text(table, 4, 0), std::string("svd-llm"));
        QCOMPARE(text(table, 4, 4), std::string("Sparse coding"));
        for (std::size_t row = 4; row < 7; ++row) {
            QCOMPARE(text(table, row, 5), std::string("–"));
            QCOMPARE(text(table, row, 6), std::string("–"));
            QCOMPARE(text(table, row, 7), std::string("–"));
        }
        QCOMPARE(number(table, 7, 5), 0.1);
        QCOMPARE(number(table, 7, 6), 100.0);
        QVERIFY(!noteAbout(table, "–: ").empty());
        QCOMPARE(text(table, 8, 4), std::string("Sparse coding (pursuit)"));
        QCOMPARE(text(table, 9, 4), std::string("Dictionary update (least squares)"));
        // Of every block the parts are the whole.
        for (const std::size_t first : {0, 8}) {
            for (const std::size_t column : {5, 6, 7}) {
                QCOMPARE(number(table, first, column) + number(table, first + 1, column) +
                             number(table, first + 2, column),
                         number(table, first + 3, column));
            }
        }
    }

    // Table 9 of ../shared/paper/cospadi.tex, tab:runtime_breakdown.
    void thePapersRowsAreAsPrinted() {
        const RunStore store =
            storeOf("paper", {record(storedRun("cospadi", 0.2, 2, 1, 0), {matrix("a", 12, 6, 3)})});
        const ReportTable table = buildReport(store, "runtime");
        const char* components[] = {"Sparse coding (OMP)", "Dictionary update (K-SVD)",
                                    "Misc. overhead", "Total"};
        const double minutes[] = {178.5, 467.6, 0.7, 646.8};
        const double shares[] = {27.6, 72.3, 0.1, 100};
        QCOMPARE(table.rows.size(), std::size_t{8});
        for (std::size_t i = 0; i < 4; ++i) {
            QCOMPARE(text(table, 4 + i, 0), std::string("CoSpaDi (paper)"));
            QCOMPARE(text(table, 4 + i, 1), std::string("1B-scale model"));
            QCOMPARE(text(table, 4 + i, 4), std::string(components[i]));
            QCOMPARE(number(table, 4 + i, 5), minutes[i]);
            QCOMPARE(number(table, 4 + i, 6), shares[i]);
        }
        QVERIFY(noteAbout(table, "Table 9").find("names neither model nor CR") !=
                std::string::npos);
        const std::string latex = render(table, ReportFormat::Latex);
        QVERIFY(latex.find("467.60 & 72.3") != std::string::npos);
    }

    // Means over seeds would not add up: the newest run is shown.
    void ofSeveralSeedsTheNewest() {
        const auto ksvd = [](int seed, const char* created) {
            RunRow run = withSettings(storedRun("cospadi", 0.2, 2, seed, 0), {{"solver", "ksvd"}});
            run.solver = "ksvd";
            return at(run, created);
        };
        const RunStore store =
            storeOf("seeds", {record(ksvd(1, "2026-11-21T04:00:01Z"), {matrix("a", 10, 8, 1)}),
                              record(ksvd(2, "2026-11-21T04:00:02Z"), {matrix("a", 20, 5, 10)})});
        const ReportTable table = buildReport(store, "runtime");
        QCOMPARE(table.rows.size(), std::size_t{8});
        QCOMPARE(number(table, 0, 6), 25.0);
        QCOMPARE(number(table, 3, 5), 20.0 / 60);
    }

    void nothingToldIsRefused() {
        const RunStore store =
            storeOf("old", {record(storedRun("cospadi", 0.2, 2, 1, 0),
                                   {matrix("a", 12, unknownNumber, unknownNumber)})});
        try {
            buildReport(store, "runtime");
            QFAIL("was made");
        } catch (const Error& error) {
            QVERIFY(std::string(error.what()).find("has phase times") != std::string::npos);
            QVERIFY(std::string(error.what()).find("cospadi compress") != std::string::npos);
        }
    }
};

COSPADI_TEST(TestReportRuntime)

}  // namespace tst_report_runtime

#include "tst_report_runtime.moc"
