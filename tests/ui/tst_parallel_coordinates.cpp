// Parallel coordinates by mouse and keyboard: brushes and what they are told to, lines from value
// to value, axes that are moved.
#include <QImage>
#include <QSignalSpy>
#include <QtTest>

#include "tests/registered_test.h"
#include "tests/ui/parallel_chart_fixture.h"
#include "ui/base/format.h"
#include "ui/base/theme.h"
#include "ui/charts/parallel_coordinates.h"

namespace tst_parallel_coordinates {

using namespace cospadi;
using namespace cospadi::ui;

class TestParallelCoordinates : public QObject, ParallelChartFixture {
    Q_OBJECT

    // Where a share of an axis' height lies: the widget centres its plot, so ends are found by ink.
    void drag(double x, double from, double to) {
        QTest::mousePress(m_chart.get(), Qt::LeftButton, {}, QPoint(int(x), int(from)));
        QTest::mouseMove(m_chart.get(), QPoint(int(x), int((from + to) / 2)));
        QTest::mouseMove(m_chart.get(), QPoint(int(x), int(to)));
        QTest::mouseRelease(m_chart.get(), Qt::LeftButton, {}, QPoint(int(x), int(to)));
    }

  private slots:
    void initTestCase() { applyTheme(*qApp); }
    void init() { showChart(); }

    void brushesHoldTogether() {
        QSignalSpy brushed(m_chart.get(), &ParallelCoordinates::brushed);
        QCOMPARE(m_chart->passing(), (QSet<QString>{"a", "b", "c", "d"}));
        m_chart->setBrush(1, 0.2, 0.6);  // what has no error is not inside
        QCOMPARE(m_chart->passing(), (QSet<QString>{"b", "c"}));
        m_chart->setBrush(2, 5e3, 5e5);  // a logarithmic axis takes its own values
        QCOMPARE(m_chart->passing(), (QSet<QString>{"b"}));
        QCOMPARE(brushed.count(), 2);
        // New runs, the same axes: the brushes stay; an axis that goes takes its brush along.
        m_chart->setData(someAxes(), someLines().mid(0, 2));
        QCOMPARE(m_chart->passing(), (QSet<QString>{"b"}));
        m_chart->setData(someAxes().mid(0, 1), someLines());
        QVERIFY(!m_chart->isBrushed());
        QCOMPARE(brushed.count(), 4);  // of both: whoever filters by the brushes looks again
    }

    void byMouse() {
        // The middle axis stands in the middle; the upper half of it holds errors over 0.3.
        drag(300, 40, 140);
        QVERIFY(m_chart->isBrushed());
        QVERIFY(m_chart->passing().contains("c"));
        QVERIFY(!m_chart->passing().contains("a"));
        QTest::mouseClick(m_chart.get(), Qt::LeftButton, {}, QPoint(300, 200));
        QVERIFY(!m_chart->isBrushed());
        drag(220, 40, 140);  // between two axes
        QVERIFY(!m_chart->isBrushed());
    }

    void byKeyboard() {
        m_chart->setFocus();
        QTest::keyClick(m_chart.get(), Qt::Key_Right);  // to the error
        for (int i = 0; i < 8; ++i) {
            QTest::keyClick(m_chart.get(), Qt::Key_Up);
        }
        QCOMPARE(m_chart->passing(), (QSet<QString>{"b", "c"}));
        for (int i = 0; i < 8; ++i) {
            QTest::keyClick(m_chart.get(), Qt::Key_Down, Qt::ShiftModifier);
        }
        QCOMPARE(m_chart->passing(), (QSet<QString>{"b"}));
        QTest::keyClick(m_chart.get(), Qt::Key_Delete);
        QVERIFY(!m_chart->isBrushed());
    }

    // Page Up and Page Down: from line to line by their values on the axis, of those inside the
    // brushes, and to no line that has none there. What is told names the run and all its values.
    void linesByKeyboard() {
        m_chart->activateWindow();
        m_chart->setFocus();
        QTRY_VERIFY(m_chart->hasFocus());
        QTest::keyClick(m_chart.get(), Qt::Key_Right);  // to the error
        const auto told = [this](Qt::Key key) {
            QTest::keyClick(m_chart.get(), key);
            return m_chart->accessibleDescription();
        };
        QVERIFY2(told(Qt::Key_PageUp).startsWith("run a: "), qPrintable(told(Qt::Key_PageDown)));
        QVERIFY(told(Qt::Key_PageUp).startsWith("run b: "));
        const QString last = told(Qt::Key_PageUp);
        QVERIFY2(last.startsWith("run c: ") && last.contains("error 0.5") &&
                     last.contains(QStringLiteral("bytes 10⁶")),
                 qPrintable(last));
        QCOMPARE(told(Qt::Key_PageUp), last);
        QVERIFY(told(Qt::Key_PageDown).startsWith("run b: "));
        const QImage atB = m_chart->grab().toImage();
        QVERIFY(told(Qt::Key_PageDown).startsWith("run a: "));
        QVERIFY(m_chart->grab().toImage() != atB);
        m_chart->setBrush(1, 0.2, 0.6);
        QVERIFY(told(Qt::Key_PageDown).startsWith("run c: "));  // a is outside: from the other end
        // Ties in the order of the lines; a gap is said.
        m_chart->clearBrushes();
        QTest::keyClick(m_chart.get(), Qt::Key_Left);
        QVERIFY(told(Qt::Key_PageUp).startsWith("run d: "));
        QVERIFY(m_chart->accessibleDescription().contains("error " + kMissing));
    }

    // Shift+Left and Shift+Right, or its name dragged: the axis changes its place, and what is at
    // it is told.
    void axesAreMoved() {
        QSignalSpy moved(m_chart.get(), &ParallelCoordinates::axisMoved);
        m_chart->setFocus();
        QTest::keyClick(m_chart.get(), Qt::Key_Right);  // to the error
        QVERIFY2(m_chart->accessibleDescription().startsWith("axis error, 2 of 3: from 0.0"),
                 qPrintable(m_chart->accessibleDescription()));
        QVERIFY(m_chart->accessibleDescription().endsWith("4 runs inside"));
        QTest::keyClick(m_chart.get(), Qt::Key_Right, Qt::ShiftModifier);
        QCOMPARE(moved.takeFirst(), (QVariantList{1, 2}));
        QTest::keyClick(m_chart.get(), Qt::Key_Right, Qt::ShiftModifier);  // it is the last
        QVERIFY(moved.isEmpty());
        QTest::mousePress(m_chart.get(), Qt::LeftButton, {}, QPoint(300, 6));
        QTest::mouseMove(m_chart.get(), QPoint(100, 6));
        QTest::mouseRelease(m_chart.get(), Qt::LeftButton, {}, QPoint(70, 6));
        QCOMPARE(moved.takeFirst(), (QVariantList{1, 0}));
        QVERIFY(!m_chart->isBrushed());
        for (int i = 0; i < 20; ++i) {
            QTest::keyClick(m_chart.get(), Qt::Key_Up);  // a brush that ends above most
        }
        QVERIFY(m_chart->accessibleDescription().contains("brushed from"));
        while (!m_chart->accessibleDescription().contains("bytes")) {
            QTest::keyClick(m_chart.get(), Qt::Key_Right);
        }
        QVERIFY2(m_chart->accessibleDescription().contains(QStringLiteral(" · 10⁶")),
                 qPrintable(m_chart->accessibleDescription()));
    }

    // While a hand draws a brush, listeners are told now and then, and at the end for certain.
    void aMovingBrushIsToldNowAndThen() {
        QSignalSpy brushed(m_chart.get(), &ParallelCoordinates::brushed);
        QTest::mousePress(m_chart.get(), Qt::LeftButton, {}, QPoint(300, 40));
        for (int y = 50; y <= 140; ++y) {
            QTest::mouseMove(m_chart.get(), QPoint(300, y));
        }
        QVERIFY2(brushed.count() < 45, qPrintable(QString::number(brushed.count())));
        QTest::mouseRelease(m_chart.get(), Qt::LeftButton, {}, QPoint(300, 140));
        QVERIFY(brushed.count() >= 1);
        QVERIFY(m_chart->passing().contains("c"));
        const auto told = brushed.count();
        QTest::qWait(100);
        QCOMPARE(brushed.count(), told);
    }
};

COSPADI_TEST(TestParallelCoordinates)

}  // namespace tst_parallel_coordinates

#include "tst_parallel_coordinates.moc"
