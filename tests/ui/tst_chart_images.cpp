// Values as shades: patterns and their pyramid, maps of errors.
#include <QPainter>
#include <QtTest>
#include <cmath>
#include <limits>
#include <map>

#include "tests/registered_test.h"
#include "ui/charts/heat_map.h"
#include "ui/charts/pattern_pyramid.h"
#include "ui/charts/pattern_view.h"
#include "ui/models/comparison_curves.h"

namespace tst_chart_images {

using namespace cospadi;
using namespace cospadi::ui;

class TestChartImages : public QObject {
    Q_OBJECT

  private slots:
    // The larger the darker, the smallest seen, all beyond the scale alike.
    void magnitudesAreShades() {
        const std::vector<float> values = {0, 0.001F, 1, -2, 3, -4};  // 2 × 3, column after column
        const QImage map = magnitudePyramid(values, 3, 2, 3, {})[0];
        QCOMPARE(map.size(), QSize(3, 2));
        QCOMPARE(map.pixelIndex(0, 0), 0);
        QVERIFY(map.pixelIndex(0, 1) > 40);
        QVERIFY(map.pixelIndex(1, 0) > map.pixelIndex(0, 1));
        QVERIFY(map.pixelIndex(1, 1) > map.pixelIndex(1, 0));
        QCOMPARE(map.pixelIndex(2, 0), 255);
        QCOMPARE(map.pixelIndex(2, 1), 255);
        // Even steps: a third and two thirds of the way up from the smallest.
        const int least = map.pixelIndex(0, 1);
        QVERIFY(std::abs(map.pixelIndex(1, 0) - (least + (255 - least) / 3.0)) <= 1);
        QVERIFY(std::abs(map.pixelIndex(1, 1) - (least + (255 - least) * 2 / 3.0)) <= 1);
        QCOMPARE(magnitudePyramid(values, 3, 2, 3, {1, -1}, {2, 1, 0})[0].pixelIndex(0, 0), 255);
        QCOMPARE(magnitudePyramid(values, 3, 2, 3, {1, -1}, {2, 1, 0})[0].pixelIndex(2, 1), 0);
    }

    // On a dark ground more ink is lighter; paper stays white.
    void shadesFollowTheGround() {
        const auto lightness = [](QRgb colour) { return qGray(colour); };
        for (const bool dark : {false, true}) {
            const QList<QRgb> colours = shadeColours(dark);
            QCOMPARE(colours.size(), 256);
            QCOMPARE(lightness(colours[0]) < 80, dark);
            for (int i = 1; i < 256; ++i) {
                const int step = lightness(colours[i]) - lightness(colours[i - 1]);
                QVERIFY(dark ? step >= 0 : step <= 0);
            }
            QVERIFY(std::abs(lightness(colours[255]) - lightness(colours[0])) > 120);
        }
        QImage map(1, 1, QImage::Format_Indexed8);
        map.setColorTable(shadeColours(true));
        map.setPixel(0, 0, 0);
        QCOMPARE(onPaper(map).pixelColor(0, 0), QColor(Qt::white));
    }

    void pyramidShowsPatternAndDensity() {
        const int k = 300;
        const int d2 = 500;
        std::vector<std::uint8_t> entries(std::size_t{k} * d2, 0);
        for (std::size_t j = 0; j < d2; ++j) {
            entries[j * k + 7] = 1;  // atom 7 is used by all columns
        }
        std::vector<std::int64_t> order(k);
        for (int i = 0; i < k; ++i) {
            order[static_cast<std::size_t>(i)] = (i + 7) % k;
        }
        const QList<QImage> plain = patternPyramid(entries, k, d2, {});
        const QList<QImage> sorted = patternPyramid(entries, k, d2, order);
        QCOMPARE(plain[0].size(), QSize(d2, k));
        QCOMPARE(plain[0].pixelIndex(3, 7), 255);
        QCOMPARE(plain[0].pixelIndex(3, 6), 0);
        QCOMPARE(sorted[0].pixelIndex(3, 0), 255);
        QCOMPARE(plain[1].size(), QSize(250, 150));
        QCOMPARE(plain[1].pixelIndex(0, 3), 128);  // half of a 2 × 2 cell
        QVERIFY(plain.last().width() <= 256 && plain.last().height() <= 256);
        QVERIFY(patternPyramid({}, 0, 0, {}).isEmpty());
    }

    void errorMapHasAPlaceForEveryMatrix() {
        RunCurves run;
        for (const auto& [block, kind, error] :
             std::initializer_list<std::tuple<int, const char*, double>>{
                 {10, "attn_q", 0.1}, {10, "ffn_up", 0.2}, {2, "attn_q", 0.3}}) {
            MatrixRow matrix;
            matrix.block = block;
            matrix.kind = kind;
            matrix.relativeError = error;
            run.matrices.push_back(matrix);
        }
        const HeatMapData map = errorMap(run);
        QCOMPARE(map.rows, (QStringList{"attn_q", "ffn_up"}));
        QCOMPARE(map.columns, (QStringList{"2", "10"}));  // as numbers, not as words
        QCOMPARE(map.at(0, 0), 0.3);
        QCOMPARE(map.at(0, 1), 0.1);
        QVERIFY(std::isnan(map.at(1, 0)));
        HeatMap widget;
        widget.resize(400, 300);
        widget.setData(map);
        QVERIFY(widget.describe(QPointF(0, 0)).isEmpty());
        QSet<QString> seen;
        for (int x = 0; x < 400; x += 4) {
            for (int y = 0; y < 300; y += 4) {
                seen.insert(widget.describe(QPointF(x, y)));
            }
        }
        seen.remove(QString());
        QCOMPARE(seen.size(), 3);
        QCOMPARE(widget.exportSource("map").csv().count('\n'), 4);
    }

    // Over the blocks and kinds of both, one range of colours, the difference where both have one.
    void errorMapsOfTwoRunsAreCompared() {
        const auto runOf = [](std::initializer_list<std::tuple<int, const char*, double>> errors) {
            RunCurves run;
            for (const auto& [block, kind, error] : errors) {
                MatrixRow matrix;
                matrix.block = block;
                matrix.kind = kind;
                matrix.relativeError = error;
                run.matrices.push_back(matrix);
            }
            return run;
        };
        const ErrorMapPair pair = errorMaps(runOf({{0, "attn_q", 0.25}, {1, "ffn_up", 0.5}}),
                                            runOf({{0, "attn_q", 0.75}, {2, "attn_q", 0.125}}));
        for (const HeatMapData& map : {pair.first, pair.second, pair.difference}) {
            QCOMPARE(map.rows, (QStringList{"attn_q", "ffn_up"}));
            QCOMPARE(map.columns, (QStringList{"0", "1", "2"}));
        }
        QCOMPARE(pair.first.least, 0.125);
        QCOMPARE(pair.second.greatest, 0.75);
        QCOMPARE(pair.difference.at(0, 0), 0.5);
        QVERIFY(std::isnan(pair.difference.at(0, 2)));
        QVERIFY(std::isnan(pair.difference.at(1, 1)));
        QVERIFY(std::isnan(pair.difference.at(1, 0)));
        // The same number has the same colour in both; the sign of a difference is a colour.
        HeatMapData one;
        one.rows = QStringList{"attn_q"};
        one.columns = QStringList{"0", "1"};
        one.values = {0.25, 0.5};
        const auto colours = [](const HeatMapData& data) {
            HeatMap widget;
            widget.resize(400, 200);
            widget.setData(data);
            const QImage picture = widget.grab().toImage();
            QList<QColor> found;
            for (int x = 0; x < 400; ++x) {
                const QString words = widget.describe(QPointF(x, 60));
                if (words.startsWith(" 0") && found.isEmpty()) {
                    found << picture.pixelColor(x + 8, 60);
                } else if (words.startsWith(" 1") && found.size() == 1) {
                    found << picture.pixelColor(x + 8, 60);
                }
            }
            return found;
        };
        const QList<QColor> alone = colours(one);
        QCOMPARE(alone.size(), 2);
        HeatMapData wider = one;
        wider.least = 0.25;
        wider.greatest = 1;
        QCOMPARE(colours(wider)[0], alone[0]);  // the least in both
        QVERIFY(colours(wider)[1] != alone[1]);
        HeatMapData difference = one;
        difference.isDifference = true;
        difference.values = {-0.5, 0.5};
        const QList<QColor> signs = colours(difference);
        QVERIFY(signs[0].green() > signs[0].red() && signs[1].red() > signs[1].green());
    }

    // Beside the colours, upwards, on the screen and in files.
    void legendsSayWhatTheirNumbersAre() {
        HeatMapData data;
        data.rows = QStringList{"attn_q"};
        data.columns = QStringList{"3"};
        data.values = {0.5};
        const auto inked = [](const HeatMapData& drawn) {  // rows with ink along the right edge
            HeatMap map;
            map.resize(400, 300);
            map.setData(drawn);
            QImage image(400, 300, QImage::Format_RGB32);
            QPainter painter(&image);
            map.exportSource("map").draw(painter, image.size(), true);
            int rows = 0;
            for (int y = 0; y < image.height(); ++y) {
                bool isInked = false;
                for (int x = 376; x < image.width(); ++x) {
                    isInked = isInked || qGray(image.pixel(x, y)) < 192;
                }
                rows += isInked ? 1 : 0;
            }
            return rows;
        };
        const int numbers = inked(data);
        data.valueTitle = "whitened relative error";
        const int titled = inked(data);
        QVERIFY2(titled > numbers + 60, qPrintable(QString("%1, %2").arg(numbers).arg(titled)));
    }

    void heatMapsAreReadByKeyboard() {
        HeatMapData data;
        data.rowTitle = "kind";
        data.columnTitle = "block";
        data.valueTitle = "plain relative error";
        data.rows = QStringList{"attn_q", "ffn_up"};
        data.columns = QStringList{"3", "4"};
        data.values = {0.5, 0.25, std::numeric_limits<double>::quiet_NaN(), 0.125};
        HeatMap map;
        map.resize(400, 200);
        map.setData(data);
        QSignalSpy chosen(&map, &HeatMap::chosen);
        QTest::keyClick(&map, Qt::Key_Return);  // there is no cell yet
        QVERIFY(chosen.isEmpty());
        QTest::keyClick(&map, Qt::Key_Down);
        QCOMPARE(map.accessibleDescription(), QString("block 3, attn_q: plain relative error 0.5"));
        QTest::keyClick(&map, Qt::Key_Right);
        QCOMPARE(map.accessibleDescription(),
                 QString("block 4, attn_q: plain relative error 0.25"));
        QTest::keyClick(&map, Qt::Key_Right);  // the end
        QTest::keyClick(&map, Qt::Key_Down);
        QCOMPARE(map.accessibleDescription(),
                 QString("block 4, ffn_up: plain relative error 0.125"));
        QTest::keyClick(&map, Qt::Key_Return);
        QCOMPARE(chosen.takeFirst(), (QVariantList{1, 1}));
        QTest::keyClick(&map, Qt::Key_Left);
        QCOMPARE(map.accessibleDescription(), QString("block 3, ffn_up: plain relative error –"));
        QTest::keyClick(&map, Qt::Key_Return);
        QVERIFY(chosen.isEmpty());
    }
};

COSPADI_TEST(TestChartImages)

}  // namespace tst_chart_images

#include "tst_chart_images.moc"
