// How parallel coordinates are drawn: labels that no line crosses, lines that are coloured by a
// value, very many that are counted by pixel, and what the files hold.
#include <QImage>
#include <QPainter>
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <QtTest>
#include <algorithm>
#include <cmath>

#include "tests/registered_test.h"
#include "tests/ui/parallel_chart_fixture.h"
#include "ui/base/theme.h"
#include "ui/charts/line_density.h"
#include "ui/charts/parallel_coordinates.h"

namespace tst_parallel_drawing {

using namespace cospadi;
using namespace cospadi::ui;

class TestParallelDrawing : public QObject, ParallelChartFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { applyTheme(*qApp); }
    void init() { showChart(); }

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
};

COSPADI_TEST(TestParallelDrawing)

}  // namespace tst_parallel_drawing

#include "tst_parallel_drawing.moc"
