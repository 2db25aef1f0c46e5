// The maps of the Pattern page: two runs beside each other and what differs, against codes written
// by hand; views that show the same place.
#include <QComboBox>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QPushButton>
#include <QRegularExpression>
#include <QScopeGuard>
#include <QScrollBar>
#include <QSemaphore>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTemporaryDir>
#include <QThreadPool>
#include <QtTest>
#include <filesystem>

#include "core/forms/matrix_file.h"
#include "core/store/run_specification.h"
#include "tests/registered_test.h"
#include "ui/charts/difference_map.h"
#include "ui/charts/linked_views.h"
#include "ui/charts/map_legend.h"
#include "ui/charts/map_side.h"
#include "ui/charts/pattern_pyramid.h"
#include "ui/charts/pattern_view.h"
#include "ui/models/run_looks.h"
#include "ui/pages/pattern/pattern_maps.h"
#include "ui/pages/pattern/pattern_page.h"
#include "ui/widgets/run_chooser.h"

namespace tst_pattern_maps {

using namespace cospadi;
using namespace cospadi::ui;

namespace {

// Orthogonal atoms; D's columns of `atoms` in that order, each a unit vector.
SparseDictionaryFactors factorsOf(const std::vector<int>& atoms,
                                  const std::vector<std::vector<float>>& codes) {
    SparseDictionaryFactors factors;
    factors.dictionary = Eigen::MatrixXf::Zero(8, static_cast<Eigen::Index>(atoms.size()));
    factors.codes = Eigen::MatrixXf::Zero(static_cast<Eigen::Index>(atoms.size()),
                                          static_cast<Eigen::Index>(codes[0].size()));
    for (std::size_t i = 0; i < atoms.size(); ++i) {
        factors.dictionary(atoms[i], static_cast<Eigen::Index>(i)) = 1;
        for (std::size_t j = 0; j < codes[i].size(); ++j) {
            factors.codes(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = codes[i][j];
        }
    }
    factors.s = factors.codes.rows();
    return factors;
}

RunRow writeRun(const QTemporaryDir& folder, const char* id,
                const SparseDictionaryFactors& factors) {
    RunRow run;
    run.id = id;
    run.directory = folder.filePath(id).toStdString();
    run.method = "cospadi";
    run.matrices = 1;
    std::filesystem::create_directories(run.directory + "/matrices");
    MatrixRecord record;
    record.name = "blk.0.attn_q";
    record.kind = "attn_q";
    record.d1 = factors.dictionary.rows();
    record.d2 = factors.codes.cols();
    record.k = factors.codes.rows();
    record.s = factors.s;
    writeMatrixFile(run.directory + "/matrices/blk.0.attn_q.safetensors", *storedWeight(factors),
                    record);
    return run;
}

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

QList<QImage> flatMap(int width, int height) {
    QImage image(width, height, QImage::Format_RGB32);
    image.fill(Qt::white);
    return colourPyramid(image);
}

}  // namespace

class TestPatternMaps : public QObject {
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

    // Farther away the colours mix instead of vanishing: the mean of each 2 × 2.
    void smallerLevelsMixColours() {
        QImage image(300, 2, QImage::Format_RGB32);
        image.fill(Qt::white);
        image.setPixelColor(0, 0, QColor(0, 0, 0));
        image.setPixelColor(1, 1, QColor(255, 0, 0));
        const QList<QImage> levels = colourPyramid(image);
        QCOMPARE(levels.size(), 2);
        QCOMPARE(levels[1].size(), QSize(150, 1));
        QCOMPARE(levels[1].pixelColor(0, 0), QColor(191, 128, 128));
        QCOMPARE(levels[1].pixelColor(1, 0), QColor(Qt::white));
    }

    void viewsShowTheSamePlace() {
        PatternView first;
        PatternView second;
        for (PatternView* view : {&first, &second}) {
            view->resize(300, 200);
            view->setPyramid(flatMap(2000, 1000));
            view->show();
            QVERIFY(QTest::qWaitForWindowExposed(view));
        }
        LinkedViews linked({&first, &second}, this);
        const auto agree = [&] {
            const QPointF apart = first.centre() - second.centre();
            return first.transform() == second.transform() && std::abs(apart.x()) <= 1.5 &&
                   std::abs(apart.y()) <= 1.5;
        };
        QVERIFY(agree());
        QSignalSpy told(&first, &PatternView::viewChanged);
        QTest::keyClick(&first, Qt::Key_Plus);
        QTest::keyClick(&first, Qt::Key_Plus);
        QVERIFY(!second.isFitted());
        QVERIFY(agree());
        first.zoom(8);
        first.horizontalScrollBar()->setValue(first.horizontalScrollBar()->maximum());
        QVERIFY(agree());
        QVERIFY(second.centre().x() > 1500);
        const auto own = told.count();
        second.verticalScrollBar()->setValue(20);  // and the other way round
        second.horizontalScrollBar()->setValue(30);
        QVERIFY(agree());
        QVERIFY(first.centre().x() < 500);
        QVERIFY2(told.count() - own <= 8, qPrintable(QString::number(told.count() - own)));
        QTest::keyClick(&second, Qt::Key_0);
        QVERIFY(first.isFitted() && second.isFitted());
    }

    // Two runs of one matrix: run B has A's atoms 1 and 0, one entry more, one less, another value,
    // and an atom of its own.
    void twoRunsAndTheirDifference() {
        QTemporaryDir folder;
        const RunRow a = writeRun(folder, "run-a",
                                  factorsOf({0, 1, 2}, {{1, 2, 0, 0}, {3, 0, 4, 5}, {0, 0, 0, 6}}));
        const RunRow b = writeRun(folder, "run-b",
                                  factorsOf({1, 0, 5}, {{3, 0, 2, 5}, {1, 0, 7, 0}, {0, 8, 0, 0}}));
        PatternPage page;
        page.resize(1000, 700);
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
        page.setRuns({a, b});
        page.showRun(QString::fromStdString(a.directory));
        QTRY_VERIFY(!page.view()->isEmpty());
        QCOMPARE(page.view()->image().size(), QSize(4, 3));
        // Three atoms of eight entries, six coefficients.
        const QRegularExpression mults("multiplications a token</td><td[^>]*><b>30</b>");
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

    // A has four columns; atom 1 is used by columns 0, 2 and 3, column 3 uses atoms 2 and 1.
    void anAtomShowsItsColumnsAndAColumnItsAtoms() {
        QTemporaryDir folder;
        const RunRow a = writeRun(folder, "run-a",
                                  factorsOf({0, 1, 2}, {{1, 2, 0, 0}, {3, 0, 4, 5}, {0, 0, 0, 6}}));
        PatternPage page;
        page.resize(1200, 800);
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
        page.setRuns({a});
        QTRY_VERIFY(!page.view()->isEmpty());
        auto* entries = page.findChild<QTableView*>("chosenEntries");
        auto* kind = page.findChild<QComboBox*>("chosenKind");
        auto* place = page.findChild<QSpinBox*>("chosenPlace");
        QVERIFY(entries != nullptr && kind != nullptr && place != nullptr);
        const auto listed = [&] {
            QStringList rows;
            for (int row = 0; row < entries->model()->rowCount(); ++row) {
                rows << entries->model()->index(row, 0).data().toString() + ':' +
                            entries->model()->index(row, 1).data().toString();
            }
            return rows;
        };
        // Rows by use: atom 1, atom 0, atom 2. A click into the first row.
        const auto click = [&](int row, int column, Qt::KeyboardModifiers keys) {
            const QPoint at = page.view()->mapFromScene(QPointF(column + 0.5, row + 0.5));
            QTest::mouseClick(page.view()->viewport(), Qt::LeftButton, keys, at);
        };
        click(0, 1, Qt::NoModifier);
        QCOMPARE(kind->currentText(), QString("atom"));
        QCOMPARE(place->value(), 1);
        QCOMPARE(listed(), (QStringList{"3:5", "2:4", "0:3"}));
        const QAbstractItemModel& chosen = *entries->model();
        for (const int column : {0, 1}) {
            const auto alignment =
                chosen.headerData(column, Qt::Horizontal, Qt::TextAlignmentRole).toInt();
            QVERIFY((alignment & Qt::AlignRight) != 0);
            QCOMPARE(chosen.index(0, column).data(Qt::TextAlignmentRole).toInt(), alignment);
        }
        QTRY_COMPARE(entries->columnWidth(0), entries->columnWidth(1));
        QCOMPARE(page.view()->marks().row, 0);
        QCOMPARE(page.view()->marks().columns, (std::vector<bool>{true, false, true, true}));
        click(0, 3, Qt::ShiftModifier);
        QCOMPARE(kind->currentText(), QString("column"));
        QCOMPARE(listed(), (QStringList{"2:6", "1:5"}));
        QCOMPARE(page.view()->marks().column, 3);
        QCOMPARE(page.view()->marks().rows, (std::vector<bool>{true, false, true}));
        // From the column's first atom on to that atom, by the keyboard.
        emit entries->activated(entries->model()->index(0, 0));
        QCOMPARE(kind->currentText(), QString("atom"));
        QCOMPARE(listed(), QStringList{"3:6"});
        place->setValue(0);
        QCOMPARE(listed(), (QStringList{"1:2", "0:1"}));
        page.findChild<QPushButton*>("chooseNone")->click();
        QCOMPARE(page.view()->marks().row, -1);
        QVERIFY(page.view()->marks().columns.empty());

        const QString facts = page.findChild<QLabel*>("patternFacts")->text();
        QVERIFY2(facts.contains(">3 columns<") && facts.contains(">1 column<"), qPrintable(facts));
        QVERIFY2(facts.contains(">side<") && facts.contains(">input<"), qPrintable(facts));
        // Beside the bars: 3, 2 and 1 columns use the atoms in their rows.
        auto* bars = page.view()->parentWidget()->findChild<MapSide*>("rowBars");
        QVERIFY(bars != nullptr && bars->isVisible());
        const QPoint inRow = bars->mapFromGlobal(
            page.view()->viewport()->mapToGlobal(page.view()->mapFromScene(QPointF(0, 1.5))));
        QCOMPARE(bars->placeAt(QPointF(3, inRow.y())), 1);
        QTest::mouseClick(bars, Qt::LeftButton, {}, QPoint(3, inRow.y()));
        QCOMPARE(place->value(), 0);

        auto* look = page.findChild<QComboBox*>("patternLook");
        look->setCurrentIndex(2);  // both beside each other
        QTRY_VERIFY(page.secondView()->isVisible() && !page.secondView()->isEmpty());
        QCOMPARE(page.view()->image().pixelIndex(0, 0), 255);
        const QImage sizes = page.secondView()->image();
        QVERIFY(sizes.pixelIndex(3, 2) > sizes.pixelIndex(3, 0));  // 6 and 5
        QVERIFY(sizes.pixelIndex(3, 0) > sizes.pixelIndex(0, 0));  // 3
        QCOMPARE(sizes.pixelIndex(1, 0), 0);
        QVERIFY(page.maps()->exportSource().csv().contains("\n1,2,4\n"));
        look->setCurrentIndex(0);
        QTRY_VERIFY(!page.secondView()->isVisible());
    }

    // Arrows go from entry to entry; what each is stands below the map and is told to readers.
    void theKeyboardReadsTheMap() {
        QTemporaryDir folder;
        const RunRow run = writeRun(folder, "run-a", factorsOf({0, 1}, {{1, 2, 5}, {3, 0, 0}}));
        PatternPage page;
        page.resize(1000, 700);
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
        page.setRuns({run});
        QTRY_VERIFY(!page.view()->isEmpty());
        PatternView* view = page.view();
        QVERIFY(view->accessibleDescription().contains("2 rows by 3 columns"));
        QVERIFY((view->focusPolicy() & Qt::TabFocus) != 0);
        QSignalSpy told(page.maps(), &PatternMaps::pointedAt);
        const auto expect = [&](const QPoint& entry, const QString& words) {
            QCOMPARE(view->cursorEntry(), std::optional(entry));
            QCOMPARE(told.last()[0].toString(), words);
            QCOMPARE(view->accessibleDescription(), words);
        };
        QTest::keyClick(view, Qt::Key_Left);  // shows it where one looks
        // In the middle: of three columns, and of two rows either.
        QVERIFY(view->cursorEntry() && view->cursorEntry()->x() == 1);
        QTest::keyClick(view, Qt::Key_Home, Qt::ControlModifier);
        expect({0, 0}, "atom 0 (used by 3 columns), column 0 (uses 2 atoms): value 1");
        QTest::keyClick(view, Qt::Key_Right);
        expect({1, 0}, "atom 0 (used by 3 columns), column 1 (uses 1 atom): value 2");
        QTest::keyClick(view, Qt::Key_Down);
        expect({1, 1}, "atom 1 (used by 1 column), column 1 (uses 1 atom): no entry");
        QTest::keyClick(view, Qt::Key_PageUp);
        QTest::keyClick(view, Qt::Key_End);
        expect({2, 0}, "atom 0 (used by 3 columns), column 2 (uses 1 atom): value 5");
        QTest::keyClick(view, Qt::Key_Right);  // there is no more
        QCOMPARE(view->cursorEntry(), std::optional(QPoint(2, 0)));
        QTest::keyClick(view, Qt::Key_PageDown);
        QTest::keyClick(view, Qt::Key_Home);
        expect({0, 1}, "atom 1 (used by 1 column), column 0 (uses 2 atoms): value 3");

        QSignalSpy chosen(page.maps(), &PatternMaps::chosen);
        QTest::keyClick(view, Qt::Key_Return);
        QTest::keyClick(view, Qt::Key_Return, Qt::ShiftModifier);
        QCOMPARE(chosen.size(), 2);
        QCOMPARE(view->marks().column, 0);
        QTest::keyClick(view, Qt::Key_Escape);
        QVERIFY(!view->cursorEntry() && told.last()[0].toString().isEmpty());
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
        const auto factors = factorsOf({0, 1}, {{1, 2}, {3, 0}});
        RunRow a = writeRun(folder, "run-a", factors);
        RunRow b = writeRun(folder, "run-b", factors);
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

COSPADI_TEST(TestPatternMaps)

}  // namespace tst_pattern_maps

#include "tst_pattern_maps.moc"
