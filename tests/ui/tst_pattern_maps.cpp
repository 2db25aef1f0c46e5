// The maps of the Pattern page: colours that mix farther away, views that show the same place, an
// atom with its columns and a column with its atoms, by mouse and by keyboard.
#include <QComboBox>
#include <QImage>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <optional>

#include "tests/registered_test.h"
#include "tests/ui/hand_written_patterns.h"
#include "ui/charts/linked_views.h"
#include "ui/charts/map_side.h"
#include "ui/charts/pattern_pyramid.h"
#include "ui/charts/pattern_view.h"
#include "ui/pages/pattern/pattern_maps.h"
#include "ui/pages/pattern/pattern_page.h"

namespace tst_pattern_maps {

using namespace cospadi;
using namespace cospadi::ui;

namespace {

QList<QImage> flatMap(int width, int height) {
    QImage image(width, height, QImage::Format_RGB32);
    image.fill(Qt::white);
    return colourPyramid(image);
}

}  // namespace

class TestPatternMaps : public QObject {
    Q_OBJECT

  private slots:
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

    // A has four columns; atom 1 is used by columns 0, 2 and 3, column 3 uses atoms 2 and 1.
    void anAtomShowsItsColumnsAndAColumnItsAtoms() {
        QTemporaryDir folder;
        const RunRow a = writePatternRun(
            folder, "run-a",
            handWrittenFactors({0, 1, 2}, {{1, 2, 0, 0}, {3, 0, 4, 5}, {0, 0, 0, 6}}));
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

    // Behind another page as well: what somebody chose stays until the live run is chosen.
    void aLiveRunDoesNotReplaceTheChosenOne() {
        QTemporaryDir folder;
        const auto write = [&](const char* id) {
            return writePatternRun(folder, id, handWrittenFactors({0, 1}, {{1, 2}, {3, 0}}));
        };
        const RunRow first = write("run-a");
        const RunRow second = write("run-b");
        const QString live = QString::fromStdString(write("run-c").directory);
        const QString next = QString::fromStdString(write("run-d").directory);
        PatternPage page;
        page.show();
        page.setRuns({first, second});
        QTRY_VERIFY(!page.view()->isEmpty());
        auto* runs = page.findChild<QComboBox*>("patternRun");
        const auto choose = [&](const QString& directory) {
            runs->setCurrentIndex(runs->findData(directory));
            emit runs->activated(runs->currentIndex());  // as from its list
        };
        const QString chosen = QString::fromStdString(second.directory);
        choose(chosen);
        page.hide();
        page.addFinishedMatrix(live);
        QCOMPARE(runs->currentData().toString(), chosen);
        QVERIFY(runs->findData(live) >= 0);
        QTRY_VERIFY(!page.view()->isEmpty());
        choose(live);
        page.addFinishedMatrix(live);
        page.addFinishedMatrix(next);
        QCOMPARE(runs->currentData().toString(), next);
        page.showRun(chosen);
        QTRY_VERIFY(!page.view()->isEmpty());
        page.addFinishedMatrix(live);
        QCOMPARE(runs->currentData().toString(), chosen);
    }

    // Arrows go from entry to entry; what each is stands below the map and is told to readers.
    void theKeyboardReadsTheMap() {
        QTemporaryDir folder;
        const RunRow run =
            writePatternRun(folder, "run-a", handWrittenFactors({0, 1}, {{1, 2, 5}, {3, 0, 0}}));
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
};

COSPADI_TEST(TestPatternMaps)

}  // namespace tst_pattern_maps

#include "tst_pattern_maps.moc"
