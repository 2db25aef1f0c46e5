// Two runs beside each other on the Pattern page: what differs, against codes written by hand,
// which runs there are to choose from, and by what they are called.
#include <QComboBox>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QRegularExpression>
#include <QScopeGuard>
#include <QSemaphore>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QThreadPool>
#include <QtTest>

#include "core/store/run_specification.h"
#include "tests/registered_test.h"
#include "tests/ui/hand_written_patterns.h"
#include "ui/charts/difference_map.h"
#include "ui/charts/map_legend.h"
#include "ui/charts/pattern_view.h"
#include "ui/models/run_looks.h"
#include "ui/pages/pattern/pattern_maps.h"
#include "ui/pages/pattern/pattern_page.h"
#include "ui/widgets/run_chooser.h"

namespace tst_pattern_comparison {

using namespace cospadi;
using namespace cospadi::ui;

namespace {

// A map as rows of letters, by the colours of its legend: first, second, both; white is '.'.
QStringList letters(const QImage& image, const QList<LegendEntry>& legend) {
    QStringList rows;
    for (int y = 0; y < image.height(); ++y) {
        QString row;
        for (int x = 0; x < image.width(); ++x) {
            const QColor colour = image.pixelColor(x, y);
            QChar letter = colour == QColor(Qt::white) ? QLatin1Char('.') : QLatin1Char('?');
            for (int i = 0; i < 3; ++i) {
                letter = colour == legend[i].colours.first() ? QLatin1Char("ABx"[i]) : letter;
            }
            row += letter;
        }
        rows << row;
    }
    return rows;
}

}  // namespace

class TestPatternComparison : public QObject {
    Q_OBJECT

  private slots:
    void theDifferenceIsColoured() {
        PatternDifference difference;
        difference.rows = 2;
        difference.columns = 3;
        difference.firstAtom = {0, 1};
        difference.secondAtom = {0, -1};
        difference.where = {0, 1, 2, 3, 3, 3};  // column after column
        difference.valueDifference = {0, 0, 0, 2.5F, -2, 0};
        difference.scale = 2;
        const auto legend = differenceLegend(difference, DifferenceLook::Masks);
        QCOMPARE(legend.size(), 3);
        QCOMPARE(letters(differencePyramid(difference, DifferenceLook::Masks, {}, {})[0], legend),
                 (QStringList{".Bx", "Axx"}));
        QCOMPARE(letters(differencePyramid(difference, DifferenceLook::Masks, {1, 0}, {2, 1, 0})[0],
                         legend),
                 (QStringList{"xxA", "xB."}));

        const auto values = differenceLegend(difference, DifferenceLook::Values);
        const QImage image = differencePyramid(difference, DifferenceLook::Values, {}, {})[0];
        const QList<QColor>& run = values.last().colours;
        QCOMPARE(image.pixelColor(1, 1), run.last());   // beyond + scale
        QCOMPARE(image.pixelColor(2, 0), run.first());  // − scale
        QCOMPARE(image.pixelColor(2, 1), run[1]);       // equal
        QVERIFY(values.last().words.contains(QLocale().toString(2.0, 'g', 2)));

        QCOMPARE(differenceCsv(difference),
                 QStringLiteral("first_atom,second_atom,column,in,difference\n"
                                "1,,0,first,\n0,0,1,second,\n1,,1,both,2.5\n0,0,2,both,-2\n"
                                "1,,2,both,0\n"));
    }

    // Two runs of one matrix: run B has A's atoms 1 and 0, one entry more, one less, another value,
    // and an atom of its own.
    void twoRunsAndTheirDifference() {
        QTemporaryDir folder;
        const RunRow a = writePatternRun(
            folder, "run-a",
            handWrittenFactors({0, 1, 2}, {{1, 2, 0, 0}, {3, 0, 4, 5}, {0, 0, 0, 6}}));
        const RunRow b = writePatternRun(
            folder, "run-b",
            handWrittenFactors({1, 0, 5}, {{3, 0, 2, 5}, {1, 0, 7, 0}, {0, 8, 0, 0}}));
        PatternPage page;
        page.resize(1000, 700);
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
        page.setRuns({a, b});
        page.showRun(QString::fromStdString(a.directory));
        QTRY_VERIFY(!page.view()->isEmpty());
        QCOMPARE(page.view()->image().size(), QSize(4, 3));
        // Three atoms of eight entries, six coefficients.
        const QRegularExpression mults("multiplications per token</td><td[^>]*><b>30</b>");
        QTRY_VERIFY2(page.facts().contains(mults), qPrintable(page.facts()));
        PatternMaps* maps = page.maps();
        QVERIFY(!maps->difference()->isVisible());
        auto* beside = page.findChild<QComboBox*>("patternBeside");
        beside->setCurrentIndex(beside->findData(QString::fromStdString(b.directory)));
        QTRY_VERIFY(maps->difference()->isVisible() && !maps->difference()->isEmpty());
        auto* legend = maps->findChild<MapLegend*>();
        QVERIFY(legend != nullptr);
        // Laid out: entries that do not fit into a line have another.
        QTRY_VERIFY(legend->isVisible() &&
                    legend->height() >= legend->heightForWidth(legend->width()));
        const auto colours = differenceLegend({}, DifferenceLook::Masks);
        // Rows by use: A's atoms 1, 0, 2, then B's own.
        QCOMPARE(letters(maps->difference()->image(), colours),
                 (QStringList{"x.xx", "xAB.", "...A", ".B.."}));
        QTRY_COMPARE(page.view()->image().size(), QSize(4, 4));  // row by row beside each other
        QCOMPARE(page.secondView()->image().size(), QSize(4, 4));
        QCOMPARE(page.secondView()->image().pixelIndex(1, 3), 255);
        QCOMPARE(page.view()->image().pixelIndex(1, 3), 0);

        QSignalSpy words(maps, &PatternMaps::pointedAt);
        emit maps->difference()->pointedAt(0, 2);  // atom 1, column 2: 4 here, 2 there
        QVERIFY2(words.last()[0].toString().contains("in both"),
                 qPrintable(words.last()[0].toString()));
        emit maps->difference()->pointedAt(3, 1);
        QVERIFY(words.last()[0].toString().contains("only in the second run"));
        emit maps->difference()->pointedAt(-1, -1);
        QVERIFY(words.last()[0].toString().isEmpty());

        auto* look = page.findChild<QComboBox*>("patternDifferenceLook");
        const QColor both = maps->difference()->image().pixelColor(2, 0);
        // While the picture is made, the one that stands keeps the legend that belongs to it.
        const QImage masks = legend->grab().toImage();
        // Qt paints large pictures with the same pool, and would wait for it: nothing is painted
        // then.
        page.setUpdatesEnabled(false);
        QSemaphore gate;
        QThreadPool* pool = QThreadPool::globalInstance();
        const int threads = pool->maxThreadCount();
        for (int i = 0; i < threads; ++i) {
            pool->start([&gate] { gate.acquire(); });
        }
        auto open = qScopeGuard([&] { gate.release(threads); });  // also where a check fails
        look->setCurrentIndex(1);
        QTest::qWait(20);
        QCOMPARE(maps->difference()->image().pixelColor(2, 0), both);
        QCOMPARE(legend->grab().toImage(), masks);
        open.dismiss();
        gate.release(threads);
        page.setUpdatesEnabled(true);
        QTRY_VERIFY(maps->difference()->image().pixelColor(2, 0) != both);
        QTRY_VERIFY(legend->grab().toImage() != masks);
        const ExportSource source = maps->differenceSource();
        QVERIFY(source.csv().contains("\n1,0,2,both,2\n"));
        QVERIFY(source.csv().contains("\n,2,1,second,\n"));
        for (const ExportFormat format :
             {ExportFormat::Svg, ExportFormat::Pdf, ExportFormat::Png}) {
            const QString path = folder.filePath("difference." + suffixOf(format));
            QCOMPARE(writeExport(source, {format, QSize(500, 400)}, path), QString());
            QVERIFY(QFile(path).size() > 1000);
        }
        beside->setCurrentIndex(0);
        QVERIFY(!maps->difference()->isVisible());
        QTRY_COMPARE(page.view()->image().size(), QSize(4, 3));
    }

    // Of very many, the list has the newest, and those that somebody has named or starred.
    void aLongListOfRunsIsCutButForThoseThatAreKnown() {
        std::vector<RunRow> runs;
        for (std::size_t i = 0; i < 2 * kMostListedRuns; ++i) {
            RunRow run;
            run.id = "run-" + std::to_string(i);
            run.directory = "/runs/" + run.id;
            runs.push_back(run);
        }
        const auto last = static_cast<std::ptrdiff_t>(runs.size()) - 1;
        runs[runs.size() - 1].tags = {"name:the best"};
        runs[runs.size() - 2].starred = true;
        QComboBox box;
        listRuns(&box, runs, QStringLiteral("/runs/run-300"));
        QCOMPARE(static_cast<std::size_t>(box.count()), kMostListedRuns + 3);
        QVERIFY(box.findText("the best") > 0);
        for (const std::ptrdiff_t kept : {std::ptrdiff_t{0}, std::ptrdiff_t{300}, last - 1}) {
            QVERIFY(box.findData("/runs/run-" + QString::number(kept)) >= 0);
        }
        QCOMPARE(box.findData("/runs/run-301"), -1);
    }

    // In captions, facts and the legend two runs are called by what they differ in.
    void comparedRunsAreCalledByWhatTheyDifferIn() {
        QTemporaryDir folder;
        const auto factors = handWrittenFactors({0, 1}, {{1, 2}, {3, 0}});
        RunRow a = writePatternRun(folder, "run-a", factors);
        RunRow b = writePatternRun(folder, "run-b", factors);
        RunSpecification plan;
        plan.rho = 2;
        a.specification = toJson(plan).dump();
        plan.rho = 3;
        b.specification = toJson(plan).dump();
        b.tags = {"name:the best"};
        const QStringList names = namesBeside({a, b});
        QVERIFY2(names[0].contains(QString::fromUtf8("ρ 2")), qPrintable(names[0]));
        QCOMPARE(names[1], QString("the best"));
        PatternPage page;
        page.resize(1000, 700);
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
        page.setRuns({a, b});
        page.showRun(QString::fromStdString(a.directory));
        QTRY_VERIFY(!page.view()->isEmpty());
        auto* beside = page.findChild<QComboBox*>("patternBeside");
        QVERIFY(beside->itemText(1).endsWith(", " + names[0]));
        QCOMPARE(beside->itemData(1, Qt::ToolTipRole).toString(), QString("run-a"));
        beside->setCurrentIndex(beside->findText("the best"));
        QTRY_VERIFY(page.facts().contains("the best"));
        QVERIFY(page.facts().contains(names[0]));
        QStringList captions;
        for (const QLabel* label : page.maps()->findChildren<QLabel*>("muted")) {
            captions << label->text();
        }
        QVERIFY2(captions.join('|').contains("second run: the best"),
                 qPrintable(captions.join('|')));
        const auto legend = differenceLegend({}, DifferenceLook::Masks, {"A", "B"});
        QCOMPARE(legend[0].words, QString("only in the first run (A)"));
        QCOMPARE(legend[1].words, QString("only in the second run (B)"));
    }
};

COSPADI_TEST(TestPatternComparison)

}  // namespace tst_pattern_comparison

#include "tst_pattern_comparison.moc"
