// Words have their room: labels of axes and legends of maps, forms and bars at larger words, and an
// ellipsis where words do not fit.
#include <QApplication>
#include <QCategoryAxis>
#include <QHelpEvent>
#include <QImage>
#include <QLabel>
#include <QToolTip>
#include <QtTest>

#include "tests/registered_test.h"
#include "tests/ui/larger_words.h"
#include "ui/base/theme.h"
#include "ui/charts/curve_chart.h"
#include "ui/charts/heat_map.h"
#include "ui/pages/tables/table_content_form.h"
#include "ui/pages/tables/table_layout_form.h"
#include "ui/widgets/bytes_bar.h"
#include "ui/widgets/command_palette.h"
#include "ui/widgets/elided_label.h"

namespace tst_room_for_words {

using namespace cospadi;
using namespace cospadi::ui;

class TestRoomForWords : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }
    void init() { applyTheme(*qApp); }

    void largerWordsDoNotOverlap_data() {
        QTest::addColumn<double>("scale");
        QTest::newRow("usual") << 1.0;
        QTest::newRow("half as large again") << 1.5;
    }
    void largerWordsDoNotOverlap() {
        QFETCH(double, scale);
        const LargerWords larger(scale);
        for (const bool logarithmic : {false, true}) {
            CurveChart chart;
            chart.resize(600, 250);
            chart.setLogarithmicAxes({logarithmic, logarithmic});
            chart.show();
            QVERIFY(QTest::qWaitForWindowExposed(&chart));
            Curve curve;
            curve.points = logarithmic ? QList<QPointF>{{1e-6, 1e-13}, {1e3, 1}}
                                       : QList<QPointF>{{0, 0}, {100000, 100000}};
            chart.setCurves({curve});
            (void)chart.grab();  // lays it out
            const QRectF plot = chart.chart()->plotArea();
            for (const auto direction : {Qt::Horizontal, Qt::Vertical}) {
                auto* axis = static_cast<QCategoryAxis*>(chart.chart()->axes(direction).first());
                const QFontMetricsF metrics(axis->labelsFont());
                const bool isX = direction == Qt::Horizontal;
                const QStringList labels = axis->categoriesLabels();
                QVERIFY(labels.size() > 1);
                double before = -1e9;
                for (const QString& label : labels) {
                    const double at = (axis->endValue(label) - axis->min()) /
                                      (axis->max() - axis->min()) *
                                      (isX ? plot.width() : plot.height());
                    const double half =
                        (isX ? metrics.horizontalAdvance(label) : metrics.height()) / 2;
                    QVERIFY2(at - half >= before, qPrintable(labels.join(' ')));
                    before = at + half;
                }
            }
        }
    }

    void legendsOfMapsHoldTheirNumbers() {
        const LargerWords larger(1.5);
        HeatMapData data;
        data.rows = QStringList{"attn_q"};
        data.columns = QStringList{"0", "1"};
        data.values = {-1.23e-5, 4.56e-5};
        HeatMap map;
        map.resize(500, 200);
        map.setData(data);
        map.show();
        const QImage image = map.grab().toImage();
        for (int y = 0; y < image.height(); ++y) {
            for (int x = image.width() - 4; x < image.width(); ++x) {
                QCOMPARE(image.pixelColor(x, y), theme().panel);
            }
        }
    }

    void whatHoldsWordsGrowsWithThem() {
        const auto sizes = [] {
            BytesBar bar;
            return QList<int>{CommandPalette({}).width(), CommandPalette({}).height(),
                              TableContentForm().minimumWidth(), TableLayoutForm().minimumWidth(),
                              bar.sizeHint().height()};
        };
        const QList<int> usual = sizes();
        const LargerWords larger(1.5);
        const QList<int> now = sizes();
        for (qsizetype i = 0; i < now.size(); ++i) {
            QVERIFY2(now[i] > 1.3 * usual[i],
                     qPrintable(QString("%1: %2 %3").arg(i).arg(usual[i]).arg(now[i])));
        }
    }

    // Words that do not fit end in an ellipsis and stand whole in the tip, with what it says
    // anyway.
    void cutWordsEndInAnEllipsis() {
        const QString words = QStringLiteral("30 of 210 matrices done · a name of some length");
        ElidedLabel label(words);
        label.setToolTip("so far");
        label.resize(120, 24);
        label.show();
        QVERIFY(QTest::qWaitForWindowExposed(&label));
        QVERIFY(label.isCut());
        QCOMPARE(label.text(), words);  // to readers
        QLabel asCut(label.fontMetrics().elidedText(words, Qt::ElideRight, 120));
        asCut.resize(label.size());
        QVERIFY(asCut.text().endsWith(QChar(0x2026)));
        QCOMPARE(label.grab().toImage(), asCut.grab().toImage());
        const auto tip = [&label] {
            QHelpEvent help(QEvent::ToolTip, {5, 5}, label.mapToGlobal(QPoint(5, 5)));
            QApplication::sendEvent(&label, &help);
            return QToolTip::text();
        };
        QCOMPARE(tip(), words + "\nso far");
        QToolTip::hideText();
        label.resize(900, 24);
        QVERIFY(!label.isCut());
        label.showProblem("no");
        const QImage red = label.grab().toImage();
        label.showWords("no");
        QVERIFY(label.grab().toImage() != red);
    }
};

COSPADI_TEST(TestRoomForWords)

}  // namespace tst_room_for_words

#include "tst_room_for_words.moc"
