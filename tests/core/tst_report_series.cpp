// The data behind charts as long tables: a metric over a setting, the Pareto front, errors over
// iterations and their means over matrices.
#include <QTemporaryDir>
#include <QtTest>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "core/report/report.h"
#include "core/report/series.h"
#include "tests/core/report_fixture.h"
#include "tests/registered_test.h"

namespace tst_report_series {

using namespace cospadi;
using namespace report_fixture;
namespace fs = std::filesystem;

class TestReportSeries : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

  private slots:
    void seriesAreLongTables() {
        const std::vector<RunRow> runs = {
            storedRun("cospadi", 0.2, 1.5, 1, 50.0), storedRun("cospadi", 0.2, 1.5, 2, 52.0),
            storedRun("cospadi", 0.2, 3, 1, 45.0), storedRun("svd-llm", 0.2, 2, 1, 358.0),
            storedRun("svd-llm", 0.4, 2, 1, 900.0)};
        const std::string rho =
            render(series(runs, {"metric-rho", "perplexity", ""}), ReportFormat::Csv);
        QCOMPARE(QString::fromStdString(rho),
                 QString("method,rho,perplexity,std,n\r\n"
                         "cospadi (fast),1.5,51,1.4142135623730951,2\r\n"
                         "cospadi (fast),3,45,0,1\r\n"));
        const ReportTable front = series(runs, {"pareto", "perplexity", ""});
        int best = 0;
        for (const ReportRow& row : front.rows) {
            const bool marked = std::get<std::int64_t>(row.cells.back()) == 1;
            best += marked ? 1 : 0;
            QCOMPARE(marked, numberIn(row.cells[6]) == 45.0 || numberIn(row.cells[6]) == 900.0);
        }
        QCOMPARE(best, 2);  // the fewest bytes, and the best at the next size
    }

    // A task says which way is better, whatever its metric is called.
    void theFrontIsTheTasks() {
        std::vector<RunRow> runs;
        for (const auto& [cr, loss] : {std::pair(0.2, 2.0), {0.3, 4.0}, {0.4, 3.0}}) {
            RunRow run = storedRun("cospadi", cr, 2, 1, 50);
            run.taskResults = {taskResult("wiki", loss, 10)};
            run.taskResults[0].metric = "nll";
            run.taskResults[0].higherIsBetter = false;
            runs.push_back(run);
        }
        const ReportTable front = series(runs, {"pareto", "wiki/nll", ""});
        QCOMPARE(front.rows.size(), 3u);
        for (const ReportRow& row : front.rows) {
            QCOMPARE(std::get<std::int64_t>(row.cells.back()),
                     std::int64_t{numberIn(row.cells[6]) == 4.0 ? 0 : 1});
        }
    }

    void errorsOverIterations() {
        RunRow run = storedRun("cospadi", 0.2, 2, 1, 50.0);
        run.directory = m_folder.filePath("iterations").toStdString();
        fs::create_directories(run.directory);
        std::ofstream(fs::path(run.directory) / "events.jsonl")
            << R"({"event":"iteration","matrix":"blk.0.ffn_up","phase":"general","iteration":1,)"
               R"("relative_error":0.5,"dead_atoms":0,"support_changes":3,"usage_entropy":1,)"
               R"("usage":[1],"seconds":0.25})"
               "\n";
        QCOMPARE(QString::fromStdString(render(series({run}, {"error-iteration", "perplexity", ""}),
                                               ReportFormat::Csv)),
                 QString("run,method,matrix,phase,iteration,error,seconds\r\n"
                         "%1,cospadi (fast),blk.0.ffn_up,general,1,0.5,0.25\r\n")
                     .arg(QString::fromStdString(run.id)));
        // Given a source, it asks that one; a float reads as it was written.
        SeriesOptions options;
        options.kind = "error-iteration";
        options.iterations = [](const RunRow&) {
            IterationSeries stored;
            MatrixIterations& m = stored.matrices.emplace_back();
            m.matrix = "x";
            m.phases = {{"ksvd", 1}};
            m.iteration = {7};
            m.relativeError = {0.1216F};
            m.seconds = {0.25F};
            return stored;
        };
        QCOMPARE(QString::fromStdString(render(series({run}, options), ReportFormat::Csv)),
                 QString("run,method,matrix,phase,iteration,error,seconds\r\n"
                         "%1,cospadi (fast),x,ksvd,7,0.1216,0.25\r\n")
                     .arg(QString::fromStdString(run.id)));
    }

    // A last column where some run has them, nothing in the rows of others.
    void heldOutErrorsStandLast() {
        RunRow held = storedRun("cospadi", 0.2, 2, 1, 50.0);
        held.heldOutError = 0.25;
        const RunRow other = storedRun("cospadi", 0.2, 3, 1, 50.0);
        SeriesOptions options;
        options.kind = "error-iteration";
        options.iterations = [&](const RunRow& run) {
            IterationSeries stored;
            for (const float error : {0.5F, 0.25F}) {
                MatrixIterations& m = stored.matrices.emplace_back();
                m.matrix = error > 0.3F ? "x" : "y";
                m.phases = {{"general", 1}};
                m.iteration = {1};
                m.relativeError = {error};
                m.seconds = {0.25F};
                if (run.id == held.id) {
                    m.heldOutError = {error * 1.5F};
                }
            }
            return stored;
        };
        QCOMPARE(QString::fromStdString(render(series({held, other}, options), ReportFormat::Csv)),
                 QString("run,method,matrix,phase,iteration,error,seconds,held-out-error\r\n"
                         "%1,cospadi (fast),x,general,1,0.5,0.25,0.75\r\n"
                         "%1,cospadi (fast),y,general,1,0.25,0.25,0.375\r\n"
                         "%2,cospadi (fast),x,general,1,0.5,0.25,\r\n"
                         "%2,cospadi (fast),y,general,1,0.25,0.25,\r\n")
                     .arg(QString::fromStdString(held.id), QString::fromStdString(other.id)));
        options.kind = "mean-error-iteration";
        const ReportTable means = series({held}, options);
        QCOMPARE(means.rows.size(), 1u);
        QCOMPARE(numberIn(means.rows[0].cells[3]), 0.375);
        QCOMPARE(numberIn(means.rows[0].cells.back()), 0.5625);
        const ReportTable rho = series({held, other}, {"metric-rho", "held-out-error", ""});
        QCOMPARE(rho.rows.size(), 1u);  // of that which has one
        QCOMPARE(numberIn(rho.rows[0].cells[2]), 0.25);
    }

    // Two matrices of 3 and 1 iterations: the mean goes on over both.
    void meansKeepMatricesThatEnded() {
        IterationSeries stored;
        const auto add = [&](const char* name, std::vector<float> errors) {
            MatrixIterations& m = stored.matrices.emplace_back();
            m.matrix = name;
            for (std::size_t i = 0; i < errors.size(); ++i) {
                m.iteration.push_back(static_cast<std::int64_t>(i) + 1);
                m.seconds.push_back(0.25F);
            }
            m.relativeError = std::move(errors);
        };
        add("blk.0.attn_q", {0.5F, 0.25F, 0.125F});
        add("blk.0.attn_k", {1.0F});
        const std::vector<MeanError> means = meanErrors(stored);
        QCOMPARE(means.size(), 3u);
        const double expected[] = {0.75, 0.625, 0.5625};
        for (std::size_t i = 0; i < 3; ++i) {
            QCOMPARE(means[i].error, expected[i]);
            QCOMPARE(static_cast<int>(means[i].matrices), 2);
            QCOMPARE(static_cast<int>(means[i].ended), i == 0 ? 0 : 1);
        }
        SeriesOptions options;
        options.kind = "mean-error-iteration";
        options.iterations = [&](const RunRow&) { return stored; };
        const ReportTable table = series({storedRun("cospadi", 0.2, 2, 1, 50.0)}, options);
        QCOMPARE(table.rows.size(), 3u);
        QVERIFY(!noteAbout(table, "keep their last error").empty());
    }
};

COSPADI_TEST(TestReportSeries)

}  // namespace tst_report_series

#include "tst_report_series.moc"
