// Parallel coordinates: brushes by mouse and keyboard, gaps, what the files hold, and speed.
#include <QImage>
#include <QPainter>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/registered_test.h"
#include "ui/base/format.h"
#include "ui/base/theme.h"
#include "ui/charts/line_density.h"
#include "ui/charts/parallel_coordinates.h"
#include "ui/models/run_axes.h"

namespace tst_parallel_coordinates {

using namespace cospadi;
using namespace cospadi::ui;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

QList<ParallelAxis> someAxes() {
    return {{"method", {"svd", "cospadi"}, false}, {"error", {}, false}, {"bytes", {}, true}};
}

QList<ParallelLine> someLines() {
    return {{"a", "run a", {0, 0.1, 1e3}},
            {"b", "run b", {1, 0.3, 1e4}},
            {"c", "run c", {1, 0.5, 1e6}},
            {"d", "run d", {1, kNaN, 1e5}}};
}

}  // namespace

class TestParallelCoordinates : public QObject {
    Q_OBJECT

    std::unique_ptr<ParallelCoordinates> m_chart;

    // Where a share of an axis' height lies: the widget centres its plot, so ends are found by ink.
    void drag(double x, double from, double to) {
        QTest::mousePress(m_chart.get(), Qt::LeftButton, {}, QPoint(int(x), int(from)));
        QTest::mouseMove(m_chart.get(), QPoint(int(x), int((from + to) / 2)));
        QTest::mouseMove(m_chart.get(), QPoint(int(x), int(to)));
        QTest::mouseRelease(m_chart.get(), Qt::LeftButton, {}, QPoint(int(x), int(to)));
    }

  private slots:
    void initTestCase() { applyTheme(*qApp); }

    void init() {
        m_chart = std::make_unique<ParallelCoordinates>();
        m_chart->resize(600, 300);
        m_chart->setData(someAxes(), someLines());
        m_chart->show();
    }

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

    // Where a label stands there is nothing of the lines that run below it.
    void labelsAreNotCrossed_data() {
        QTest::addColumn<bool>("print");
        QTest::newRow("screen") << false;
        QTest::newRow("print") << true;
    }
    void labelsAreNotCrossed() {
        QFETCH(bool, print);
        const QSize size(600, 300);
        const auto picture = [&](double method) {
            QList<ParallelLine> lines = someLines().mid(0, 3);
            for (ParallelLine& line : lines) {
                line.values[0] = method;
            }
            ParallelCoordinates chart;
            chart.resize(size);
            chart.setData(someAxes(), lines);
            chart.setHighlighted({{"a", {}}, {"b", {}}, {"c", {}}});
            if (!print) {
                return chart.grab().toImage().convertToFormat(QImage::Format_RGB32);
            }
            QImage image(size, QImage::Format_RGB32);
            QPainter painter(&image);
            chart.exportSource("runs").draw(painter, size, true);
            return image;
        };
        const QFont font = print ? exportFont(m_chart->font()) : m_chart->font();
        const QFontMetricsF metrics(font);
        const double top = 2 * metrics.height() + 4;
        const double bottom = size.height() - metrics.height() / 2 - 4;
        const QImage without = picture(kNaN);  // the lines begin at the second axis
        const QStringList methods = someAxes()[0].categories;
        for (int method = 0; method < methods.size(); ++method) {
            const QImage with = picture(method);
            QVERIFY(with != without);
            const double y = bottom - (method + 0.5) / 2 * (bottom - top);
            const QRect label = QRectF(60 + 7, y - metrics.height() / 2,
                                       metrics.horizontalAdvance(methods[method]), metrics.height())
                                    .toRect()
                                    .adjusted(1, 1, -1, -1);
            QCOMPARE(with.copy(label), without.copy(label));
        }
    }

    void axesAreChosenAndOrdered() {
        ParallelRuns runs{someAxes(), someLines()};
        const ParallelRuns other = arranged(runs, {"bytes", "none of them"}, {"error"});
        QCOMPARE(other.axes.size(), 2);
        QCOMPARE(other.axes[0].name, QString("bytes"));
        QCOMPARE(other.axes[1].name, QString("method"));
        QCOMPARE(other.lines.size(), 4);
        QCOMPARE(other.lines[2].key, QString("c"));
        QCOMPARE(other.lines[2].values, (QList<double>{1e6, 1}));
        // By what an axis is kept by, and by its name, as earlier versions kept it.
        runs.axes[1].key = "relative-error";
        runs.axes[2].key = "layer-bytes";
        const ParallelRuns kept = arranged(runs, {"layer-bytes", "error"}, {"method"});
        QCOMPARE(kept.axes.size(), 2);
        QCOMPARE(kept.axes[0].name, QString("bytes"));
    }

    // The more, the darker on paper; what has no value is grey.
    void linesAreColouredByAValue() {
        m_chart->setColourAxis("bytes");
        const ExportSource source = m_chart->exportSource("runs");
        QImage image(600, 300, QImage::Format_RGB32);
        {
            QPainter painter(&image);
            source.draw(painter, image.size(), true);
        }
        // Runs a (least) and c (most) reach the last axis at its lower and its upper end.
        const auto inkIn = [&](int top, int bottom) {
            int darkest = 255;
            for (int x = 490; x < 518; ++x) {
                for (int y = top; y < bottom; ++y) {
                    darkest = std::min(darkest, qGray(image.pixel(x, y)));
                }
            }
            return darkest;
        };
        QVERIFY2(inkIn(24, 80) + 40 < inkIn(240, 295),
                 qPrintable(QString("%1 %2").arg(inkIn(24, 80)).arg(inkIn(240, 295))));
        QVERIFY(inkIn(240, 295) < 220);  // and that is seen
    }

    void filesHoldWhatStandsThere() {
        m_chart->setBrush(1, 0.2, 0.6);
        m_chart->setHighlighted({{"b", {theme().series[0]}}});
        const ExportSource source = m_chart->exportSource("runs");
        m_chart->clearBrushes();  // later changes are not in the file
        QCOMPARE(source.csv(), QString("run,inside,method,error,bytes\n"
                                       "a,0,svd,0.10000000000000001,1000\n"
                                       "b,1,cospadi,0.29999999999999999,10000\n"
                                       "c,1,cospadi,0.5,1000000\n"
                                       "d,0,cospadi,,100000\n"));
        QTemporaryDir folder;
        for (const ExportFormat format :
             {ExportFormat::Svg, ExportFormat::Pdf, ExportFormat::Png}) {
            ExportOptions options;
            options.format = format;
            options.size = QSize(400, 200);
            const QString path = folder.filePath("runs." + suffixOf(format));
            QCOMPARE(writeExport(source, options, path), QString());
            QVERIFY(QFileInfo(path).size() > 500);
        }
        QList<double> inks;
        // Words are as large in a fine picture as in a coarse one.
        const auto ink = [&](double scale) {
            ExportOptions options;
            options.format = ExportFormat::Png;
            options.size = QSize(400, 200);
            options.pngScale = scale;
            const QString path = folder.filePath("scaled.png");
            QVERIFY2(writeExport(source, options, path).isEmpty(), "cannot write");
            const QImage image(path);
            double dark = 0;
            for (int y = 0; y < image.height(); ++y) {
                for (int x = 0; x < image.width(); ++x) {
                    dark += 1 - qGray(image.pixel(x, y)) / 255.0;
                }
            }
            inks << dark / (image.width() * image.height());
        };
        ink(1);
        ink(3);
        QVERIFY2(std::abs(inks[1] / inks[0] - 1) < 0.25,
                 qPrintable(QString("%1 and %2").arg(inks[0]).arg(inks[1])));
        QFile svg(folder.filePath("runs.svg"));
        QVERIFY(svg.open(QIODevice::ReadOnly));
        QXmlStreamReader xml(&svg);
        QStringList words;
        while (!xml.atEnd()) {
            if (xml.readNext() == QXmlStreamReader::Characters) {
                words << xml.text().toString().trimmed();
            }
        }
        QVERIFY(!xml.hasError());
        QVERIFY(words.contains("error") && words.contains("cospadi"));
        QImage png(folder.filePath("runs.png"));
        QCOMPARE(png.size(), QSize(1200, 600));
        QCOMPARE(png.pixelColor(2, 2), QColor(Qt::white));  // print, whatever the window looks like
    }

    void linesAreCounted() {
        LineDensity density;
        density.reset(QSize(6, 4));
        density.add(QLineF(0.5, 1.5, 5.5, 1.5), 1);    // across the second row
        density.add(QLineF(2.5, -9.5, 2.5, 99.5), 1);  // down the third column, and beyond
        density.add(QLineF(0.5, 1.5, qQNaN(), 1.5), 1);
        for (int y = 0; y < 4; ++y) {
            for (int x = 0; x < 6; ++x) {
                QCOMPARE(density.countAt(x, y), (y == 1 ? 1 : 0) + (x == 2 ? 1 : 0));
            }
        }
        QImage image(6, 4, QImage::Format_RGB32);
        image.fill(Qt::white);
        density.paintOver(image, QColor(0, 0, 0, 51));  // a fifth
        QCOMPARE(image.pixelColor(0, 0), QColor(Qt::white));
        QVERIFY(std::abs(image.pixelColor(0, 1).red() - 204) <= 1);  // 255 · 0.8
        QVERIFY(std::abs(image.pixelColor(2, 1).red() - 163) <= 1);  // 255 · 0.8²
        density.add(QLineF(0.5, 1.5, 5.5, 1.5), -1);
        density.add(QLineF(2.5, -9.5, 2.5, 99.5), -1);
        for (int i = 0; i < 24; ++i) {
            QCOMPARE(density.countAt(i % 6, i / 6), 0);
        }
    }

    // Very many lines are counted, and a brush that moves only changes the counts: whatever way it
    // took, the picture is that of a chart that was brushed so from the beginning.
    void manyLinesLookTheSameWhateverTheBrushDid() {
        QList<ParallelLine> lines;
        for (int i = 0; i < 1500; ++i) {
            lines.append(
                {QString::number(i),
                 QString(),
                 {double(i % 2), i % 7 == 0 ? kNaN : 0.001 * (i * 37 % 1000), 1e3 + i * 91.0}});
        }
        m_chart->setData(someAxes(), lines);
        const QImage whole = m_chart->grab().toImage();
        m_chart->setBrush(1, 0.2, 0.4);
        (void)m_chart->grab();
        m_chart->setBrush(1, 0.3, 0.9);
        m_chart->setBrush(2, 1e4, 1e5);
        const QImage brushed = m_chart->grab().toImage();
        QVERIFY(brushed != whole);
        ParallelCoordinates fresh;
        fresh.resize(m_chart->size());
        fresh.setData(someAxes(), lines);
        fresh.setBrush(1, 0.3, 0.9);
        fresh.setBrush(2, 1e4, 1e5);
        QCOMPARE(fresh.grab().toImage(), brushed);
        m_chart->clearBrushes();
        QCOMPARE(m_chart->grab().toImage(), whole);
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

    void axesOfRuns() {
        RunRow low;
        low.id = "low";
        low.method = "svd-llm";
        low.status = "finished";
        low.cr = 0.2;
        low.layerBytes = 8'000'000;
        low.relativeError = 0.3;
        low.seconds = 2;
        RunRow ours = low;
        ours.id = "ours";
        ours.method = "cospadi";
        ours.solver = "fast";
        ours.rho = 1.5;
        low.rho = 2;
        ours.seconds = 200;
        const ParallelRuns runs = parallelRuns({ours, low});
        QStringList names;
        for (const ParallelAxis& axis : runs.axes) {
            names << axis.name;
        }
        QCOMPARE(names, (QStringList{"method", "CR", "ρ", "iterations", "MB", "seconds",
                                     "whitened relative error"}));
        low.method = "rtn";  // data-free
        QCOMPARE(parallelRuns({ours, low}).axes.last().name,
                 QString("relative error (plain where data-free)"));
        QCOMPARE(parallelRuns({low}).axes.last().name, QString("plain relative error"));
        QCOMPARE(runs.axes[0].categories, (QStringList{"svd-llm", "cospadi (fast)"}));
        QCOMPARE(runs.lines[0].values[0], 1.0);
        QCOMPARE(runs.lines[0].values[2], 1.5);
        QVERIFY(std::isnan(runs.lines[1].values[2]));  // ρ is nothing to a low rank
        QCOMPARE(runs.lines[0].values[4], 8.0);
        QVERIFY(runs.axes[5].logarithmic && !runs.axes[6].logarithmic);
        QVERIFY(parallelRuns({}).axes.isEmpty());
    }
};

COSPADI_TEST(TestParallelCoordinates)

}  // namespace tst_parallel_coordinates

#include "tst_parallel_coordinates.moc"
