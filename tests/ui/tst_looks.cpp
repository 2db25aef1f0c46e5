// Looks that can be computed: contrast of the palettes (WCAG 2.1), colours for eyes that lack a
// kind of cone (Machado, Oliveira and Fernandes 2009, severity 1), legends that show dashes, ticks
// and numbers in one format, headings at one height, columns of one width, and all that at larger
// words.
#include <QApplication>
#include <QCategoryAxis>
#include <QChart>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QHelpEvent>
#include <QImage>
#include <QLabel>
#include <QPushButton>
#include <QStandardItemModel>
#include <QTableView>
#include <QToolTip>
#include <QVBoxLayout>
#include <QtTest>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <set>

#include "tests/registered_test.h"
#include "tests/ui/each_theme.h"
#include "tests/ui/larger_words.h"
#include "ui/base/format.h"
#include "ui/base/theme.h"
#include "ui/charts/axis_ticks.h"
#include "ui/charts/curve_chart.h"
#include "ui/charts/curve_legend.h"
#include "ui/charts/curve_legend_entry.h"
#include "ui/charts/difference_map.h"
#include "ui/charts/export_button.h"
#include "ui/charts/heat_map.h"
#include "ui/models/grouped_runs_model.h"
#include "ui/models/matrix_table_model.h"
#include "ui/models/report_table_model.h"
#include "ui/models/runs_table_model.h"
#include "ui/models/sample_table_model.h"
#include "ui/models/sample_text.h"
#include "ui/models/series_look.h"
#include "ui/models/sweep_matrix_model.h"
#include "ui/models/task_board_model.h"
#include "ui/pages/tables/table_content_form.h"
#include "ui/pages/tables/table_layout_form.h"
#include "ui/widgets/bytes_bar.h"
#include "ui/widgets/card.h"
#include "ui/widgets/command_palette.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/row_table.h"

namespace tst_looks {

using namespace cospadi;
using namespace cospadi::ui;

namespace {

using Triple = std::array<double, 3>;

Triple linear(const QColor& colour) {
    const auto part = [](double c) {
        return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    return {part(colour.redF()), part(colour.greenF()), part(colour.blueF())};
}

double contrast(const QColor& a, const QColor& b) {
    const auto luminance = [](const QColor& colour) {
        const auto [red, green, blue] = linear(colour);
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const auto [low, high] = std::minmax({luminance(a), luminance(b)});
    return (high + 0.05) / (low + 0.05);
}

// CIE L*a*b* (D65) as somebody sees it whose vision is this matrix.
Triple seen(const QColor& colour, const std::array<Triple, 3>& vision) {
    const Triple given = linear(colour);
    Triple rgb{};
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
            rgb[i] += vision[i][j] * given[j];
        }
        rgb[i] = std::clamp(rgb[i], 0.0, 1.0);
    }
    const auto root = [](double t) {
        return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116;
    };
    const double x = root((0.4124564 * rgb[0] + 0.3575761 * rgb[1] + 0.1804375 * rgb[2]) / 0.95047);
    const double y = root(0.2126729 * rgb[0] + 0.7151522 * rgb[1] + 0.0721750 * rgb[2]);
    const double z = root((0.0193339 * rgb[0] + 0.1191920 * rgb[1] + 0.9503041 * rgb[2]) / 1.08883);
    return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

double distance(const Triple& a, const Triple& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

}  // namespace

class TestLooks : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }
    void init() { applyTheme(*qApp); }

    // Black on white is 21, a colour on itself 1: the measure itself.
    void contrastIsThatOfTheStandard() {
        QVERIFY(qAbs(contrast(Qt::black, Qt::white) - 21) < 1e-9);
        QVERIFY(qAbs(contrast(QColor("#777777"), Qt::white) - 4.48) < 0.005);  // as WCAG tools say
        QCOMPARE(contrast(Qt::red, Qt::red), 1.0);
    }

    void whatIsReadStandsOut_data() { eachTheme(); }
    void whatIsReadStandsOut() {
        QFETCH(bool, dark);
        applyTheme(*qApp, dark);
        const Theme& t = theme();
        for (const QColor& ground : {t.window, t.panel, t.stripe}) {
            for (const QColor& text : {t.text, t.muted, t.accent, t.good, t.warning, t.error}) {
                QVERIFY2(contrast(text, ground) >= 4.5,
                         qPrintable(QString("%1 on %2: %3")
                                        .arg(text.name(), ground.name())
                                        .arg(contrast(text, ground))));
            }
        }
        QVERIFY(contrast(t.accentText, t.accent) >= 4.5);
        QVERIFY(contrast(t.text, t.button) >= 4.5 && contrast(t.text, t.accentSoft) >= 4.5);
        const QPalette palette = QApplication::palette();
        QVERIFY(contrast(palette.color(QPalette::ToolTipText),
                         palette.color(QPalette::ToolTipBase)) >= 4.5);
        // What is disabled, the frames of boxes, curves that give the context.
        for (const QColor& ground : {t.window, t.panel, t.stripe, t.button}) {
            for (const QColor& sign : {t.faint, t.outline}) {
                QVERIFY2(contrast(sign, ground) >= 3,
                         qPrintable(QString("%1 on %2: %3")
                                        .arg(sign.name(), ground.name())
                                        .arg(contrast(sign, ground))));
            }
        }
        for (const auto group : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
            QCOMPARE(palette.color(QPalette::Disabled, group), t.faint);
        }
        QVERIFY(contrast(t.background, t.panel) >= 3);
        // What is asked for in an empty field, and runs that were put aside.
        RunRow archived;
        archived.archived = true;
        RunsTableModel runs;
        runs.setRuns({archived});
        const auto aside =
            runs.index(0, RunsTableModel::NameColumn).data(Qt::ForegroundRole).value<QColor>();
        for (const QColor& text : {palette.color(QPalette::PlaceholderText), aside}) {
            for (const auto ground : {QPalette::Base, QPalette::AlternateBase}) {
                QVERIFY2(contrast(text, palette.color(ground)) >= 4.5, qPrintable(text.name()));
            }
        }
        for (const QColor& bar : {t.dictionary, t.values, t.mask}) {
            QVERIFY2(contrast(bar, t.panel) >= 3 && contrast(bar, t.stripe) >= 3,
                     qPrintable(bar.name()));
        }
        for (const QColor& colour : t.series) {
            QVERIFY2(contrast(colour, t.panel) >= 3, qPrintable(colour.name()));
        }
    }

    // Two curves that somebody cannot tell apart by colour are drawn with other dashes.
    void seriesAreToldApartByEverybody_data() { eachTheme(); }
    void seriesAreToldApartByEverybody() {
        QFETCH(bool, dark);
        applyTheme(*qApp, dark);
        constexpr double kAlike = 10;  // ΔE*ab
        const std::array<Triple, 3> visions[] = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                                                 {{{0.152286, 1.052583, -0.204868},
                                                   {0.114503, 0.786281, 0.099216},
                                                   {-0.003882, -0.048116, 1.051998}}},
                                                 {{{0.367322, 0.860646, -0.227968},
                                                   {0.280085, 0.672501, 0.047413},
                                                   {-0.011820, 0.042940, 0.968881}}},
                                                 {{{1.255528, -0.076749, -0.178779},
                                                   {-0.078411, 0.930809, 0.147602},
                                                   {0.004733, 0.691367, 0.303900}}}};
        int alike = 0;
        for (int i = 0; i < theme().series.size(); ++i) {
            for (int j = 0; j < i; ++j) {
                Curve first;
                Curve second;
                setSeriesLook(first, j);
                setSeriesLook(second, i);
                const auto haveOtherPens = [&] {
                    bool areOthers = first.pen != second.pen &&
                                     leadingPen(first.colour) != leadingPen(second.colour);
                    for (int which = 1; which <= kMostCompanions; ++which) {
                        areOthers = areOthers && companionPen(first.colour, which) !=
                                                     companionPen(second.colour, which);
                    }
                    return areOthers;
                };
                for (const auto& vision : visions) {
                    if (distance(seen(first.colour, vision), seen(second.colour, vision)) <
                        kAlike) {
                        ++alike;
                        QVERIFY2(haveOtherPens(),
                                 qPrintable(first.colour.name() + ' ' + second.colour.name()));
                    }
                }
            }
        }
        QVERIFY(alike > 0);  // else dashes would not be needed
        QCOMPARE(distance(seen(Qt::white, visions[0]), {100, 0, 0}) < 0.1, true);
    }

    // What is laid over curves has neither a colour of theirs nor a solid line; companions of one
    // colour are told apart.
    void whatStandsBesideIsToldApart() {
        QList<Curve> curves(12);
        for (int i = 0; i < 12; ++i) {
            setSeriesLook(curves[i], i);
        }
        for (int i = 0; i < 6; ++i) {
            Curve printed;
            setGuestLook(printed, curves);
            QVERIFY(printed.pen != Qt::SolidLine);
            for (const Curve& curve : std::as_const(curves)) {
                QVERIFY2(curve.colour != printed.colour, qPrintable(curve.colour.name()));
            }
            curves.append(printed);
        }
        for (const QColor& colour : theme().series) {
            QVERIFY(companionPen(colour, 1) != leadingPen(colour));
            QVERIFY(companionPen(colour, 2) != leadingPen(colour));
            QVERIFY(companionPen(colour, 1) != companionPen(colour, 2));
        }
        QCOMPARE(companionPen(theme().series[0], 1), Qt::DashLine);
        QCOMPARE(companionPen(theme().series[0], 2), Qt::DotLine);
    }

    void anEmptyBoxIsSeen_data() { eachTheme(); }
    void anEmptyBoxIsSeen() {
        QFETCH(bool, dark);
        applyTheme(*qApp, dark);
        QWidget panel;
        QPalette ground = panel.palette();
        ground.setColor(QPalette::Window, theme().panel);
        panel.setPalette(ground);
        panel.setAutoFillBackground(true);
        QCheckBox box(&panel);
        box.resize(box.sizeHint());
        panel.resize(60, 40);
        panel.show();
        const auto strongest = [&] {
            const QImage image = panel.grab().toImage();
            double most = 1;
            for (int y = 0; y < box.height(); ++y) {
                for (int x = 0; x < box.width(); ++x) {
                    most = std::max(most, contrast(image.pixelColor(x, y), theme().panel));
                }
            }
            return most;
        };
        QVERIFY2(strongest() >= 3, qPrintable(QString::number(strongest())));
        box.setChecked(true);
        QVERIFY2(strongest() >= 4.5, qPrintable(QString::number(strongest())));
    }

    void whatCannotBePressedHasNoColour() {
        for (const char* name : {"cancel", "pause", "open", "export"}) {
            const QImage image = icon(name)
                                     .pixmap(QSize(16, 16), QIcon::Disabled)
                                     .toImage()
                                     .convertToFormat(QImage::Format_ARGB32);
            int inked = 0;
            for (int y = 0; y < image.height(); ++y) {
                for (int x = 0; x < image.width(); ++x) {
                    const QColor pixel = image.pixelColor(x, y);
                    if (pixel.alpha() == 255) {
                        ++inked;
                        QVERIFY2(
                            std::abs(pixel.hsvSaturation() - theme().faint.hsvSaturation()) < 20,
                            name);
                    }
                }
            }
            QVERIFY2(inked > 0, name);
        }
    }

    // In a line, in two, beside the plot: which keeps half of the width, however long the names
    // are.
    void legendsLeaveRoomForThePlot() {
        CurveChart chart;
        chart.resize(500, 300);
        chart.show();
        QList<Curve> curves(3);
        for (Curve& curve : curves) {
            curve.points = {{1, 1}, {2, 3}};
        }
        const auto show = [&](const QStringList& names) {
            for (qsizetype i = 0; i < curves.size(); ++i) {
                curves[i].name = names[i];
                curves[i].colour = QColor::fromHsv(static_cast<int>(90 * i), 255, 128);
            }
            chart.setCurves(curves);
            return chart.legend().boundingRect().height() / legendLineHeight(chart.legend().font());
        };
        QCOMPARE(show({"W", "L W", "rank"}), 1.0);
        QVERIFY(chart.legend().isAbove());
        QCOMPARE(show({"W", "L W", QString(55, 'n')}), 2.0);
        QVERIFY(chart.legend().isAbove());
        QCOMPARE(show({QString(55, 'n'), QString(54, 'n'), QString(90, 'm')}), 3.0);
        QVERIFY(!chart.legend().isAbove());
        QVERIFY(chart.chart()->plotArea().width() > 180);
    }

    // A piece of the line as long as that its dashes are seen: so many strokes.
    void legendsKeepDashes_data() {
        QTest::addColumn<Qt::PenStyle>("pen");
        QTest::addColumn<int>("least");
        QTest::addColumn<int>("most");
        QTest::newRow("solid") << Qt::SolidLine << 1 << 1;
        QTest::newRow("dashes") << Qt::DashLine << 2 << 4;
        QTest::newRow("dots") << Qt::DotLine << 5 << 12;
    }
    void legendsKeepDashes() {
        QFETCH(Qt::PenStyle, pen);
        QFETCH(int, least);
        QFETCH(int, most);
        CurveChart chart;
        chart.resize(500, 300);
        chart.show();
        Curve curve;
        curve.name = QStringLiteral("name");
        curve.points = {{1, 1}, {2, 3}};
        curve.colour = Qt::blue;
        curve.pen = pen;
        chart.setCurves({curve});
        const QRectF legend = chart.legend().mapRectToScene(chart.legend().boundingRect());
        QVERIFY(chart.legend().isAbove() && legend.width() > 30);
        QVERIFY(legend.bottom() <= chart.chart()->plotArea().top());
        const QImage image = chart.grab().toImage();
        int strokes = 0;
        for (int y = static_cast<int>(legend.top()); y < legend.bottom(); ++y) {
            int here = 0;
            bool wasInk = false;
            for (int x = static_cast<int>(legend.left()); x < legend.left() + 30; ++x) {
                const QColor pixel = image.pixelColor(x, y);
                const bool ink = pixel.blue() > 200 && pixel.red() < 140;
                here += ink && !wasInk ? 1 : 0;
                wasInk = ink;
            }
            strokes = std::max(strokes, here);
        }
        QVERIFY2(strokes >= least && strokes <= most, qPrintable(QString::number(strokes)));
    }

    void ticksAreInOneFormat() {
        const auto labels = [](const AxisTicks& axis) {
            QStringList all;
            for (const Tick& tick : axis.ticks) {
                all << tick.label;
            }
            return all;
        };
        const QStringList decades = labels(logarithmicTicks(1e-7, 1, 20));
        QVERIFY2(decades.contains("10⁻⁵") && decades.contains("10⁻²") && decades.contains("10⁰"),
                 qPrintable(decades.join(' ')));
        for (const QString& label : decades) {
            QVERIFY2(label.contains("10"), qPrintable(label));
        }
        const QStringList counts = labels(linearTicks(0, 100000, 3));
        QVERIFY2(counts.contains("100,000") && counts.contains("50,000") && counts.contains("0"),
                 qPrintable(counts.join(' ')));
        QCOMPARE(labels(linearTicks(-1, 1, 2)), QStringList({"−1", "0", "1"}));
        const QStringList small = labels(linearTicks(0, 3e-5, 4));
        QVERIFY2(small.contains("10⁻⁵") && small.contains("2 · 10⁻⁵") && small.contains("0"),
                 qPrintable(small.join(' ')));
        const QStringList errors = labels(logarithmicTicks(0.08, 0.3));
        QVERIFY2(errors.contains("0.1") && errors.contains("0.2"), qPrintable(errors.join(' ')));
        QLocale::setDefault(QLocale(QLocale::German));
        const QStringList german = labels(linearTicks(0, 100000, 3));
        const QStringList comma = labels(linearTicks(0, 0.4, 3));
        QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
        QVERIFY2(german.contains("100.000"), qPrintable(german.join(' ')));
        QVERIFY2(comma.contains("0,2"), qPrintable(comma.join(' ')));
        QCOMPARE(tickLabels({5e5, 1e6}),
                 (QStringList{QStringLiteral("5 · 10⁵"), QStringLiteral("10⁶")}));
    }

    // Wherever a value is told, it is written as ticks are.
    void numbersAreWrittenAsTicks() {
        QCOMPARE(formatNumber(1.5e8), QStringLiteral("1.5 · 10⁸"));
        QCOMPARE(formatNumber(9.99996e6), QStringLiteral("10⁷"));
        QCOMPARE(formatNumber(-2.5e-5), QStringLiteral("−2.5 · 10⁻⁵"));
        QCOMPARE(formatNumber(100000), QStringLiteral("100,000"));
        QCOMPARE(formatNumber(123456.7), QStringLiteral("123,457"));
        QCOMPARE(formatNumber(0.123456), QStringLiteral("0.1235"));
        QCOMPARE(formatNumber(0), QStringLiteral("0"));
        QCOMPARE(formatNumber(std::numeric_limits<double>::quiet_NaN()), kMissing);
        const QString large = QStringLiteral("1.5 · 10⁸");
        CurveChart chart;
        Curve curve;
        curve.points = {{1.5e8, 2.5e-5}};
        chart.setCurves({curve});
        QCOMPARE(chart.valuesAt(1.5e8), QStringList{QStringLiteral("2.5 · 10⁻⁵ (%1)").arg(large)});
        HeatMapData cell;
        cell.rows = QStringList{"r"};
        cell.columns = QStringList{"c"};
        cell.values = {1.5e8};
        HeatMap map;
        map.resize(400, 300);
        map.setData(cell);
        QVERIFY2(map.describe({200, 100}).endsWith(large), qPrintable(map.describe({200, 100})));
        PatternDifference difference;
        difference.scale = 1.5e8;
        const auto legend = differenceLegend(difference, DifferenceLook::Values, {}, false);
        QVERIFY2(legend.last().words.contains(large), qPrintable(legend.last().words));
        SweepMatrix sweep;
        sweep.rowNames = sweep.columnNames = {""};
        sweep.cells.resize(1);
        sweep.cells[0].run.status = "finished";
        sweep.cells[0].value = 1.5e8;
        SweepMatrixModel matrix;
        matrix.setMatrix(sweep, "perplexity");
        QCOMPARE(matrix.index(0, 0).data().toString(), large);
        matrix.setMatrix(sweep, "bytes");  // with their units
        QCOMPARE(matrix.index(0, 0).data().toString(), QStringLiteral("150 MB"));
        sweep.cells[0].value = 125;
        matrix.setMatrix(sweep, "seconds");
        QCOMPARE(matrix.index(0, 0).data().toString(), QStringLiteral("2 min 05 s"));
        QVERIFY(matrix.index(0, 0).data(Qt::ToolTipRole).toString().contains("2 min 05 s"));
    }

    void settingsAndCountsAreInTheUsersLocale() {
        RunRow run;
        run.method = "svd";
        run.cr = 0.25;
        cospadi::ui::RunSettings settings;
        settings.names = QStringList{"damping", "calibration_length", "sweep", "solver"};
        settings.values = {{"0.5", "12000", "2024", "fast"}, {"1e-05", "", "2025", "auto"}};
        RunsTableModel runs;
        QLocale::setDefault(QLocale(QLocale::German));
        runs.setRuns({run, run}, settings);
        QStringList cells{runs.index(0, RunsTableModel::CrColumn).data().toString()};
        for (int row = 0; row < 2; ++row) {
            for (int column = 0; column < 4; ++column) {
                cells << runs.index(row, RunsTableModel::ColumnCount + column).data().toString();
            }
        }
        const QString count = formatCount(49152);
        QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
        QCOMPARE(cells, (QStringList{"0,25", "0,5", "12.000", "2024", "fast",
                                     QStringLiteral("10⁻⁵"), kMissing, "2025", "auto"}));
        QCOMPARE(count, QString("49.152"));
        QCOMPARE(formatCount(49152), QString("49,152"));
    }

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

    void headingsStandAtOneHeight() {
        Card plain(QStringLiteral("Plain"));
        Card exporting(QStringLiteral("With Export"));
        exporting.headerRow()->addWidget(new ExportButton([] { return ExportSource(); }));
        int middles[2] = {};
        for (int i = 0; i < 2; ++i) {
            Card& card = i == 0 ? plain : exporting;
            card.body()->addStretch(1);
            card.resize(400, 200);
            card.show();
            QTest::qWait(1);
            const auto* heading = card.findChild<QLabel*>(QStringLiteral("heading"));
            middles[i] = heading->mapTo(&card, heading->rect().center()).y();
        }
        QVERIFY2(std::abs(middles[0] - middles[1]) <= 1,
                 qPrintable(QString("%1 %2").arg(middles[0]).arg(middles[1])));
    }

    void numbersShareOneWidth() {
        QStandardItemModel model(2, 4);
        const QStringList cells{"a name", "1", "1.42 MB", "≈ 1.5 s"};
        for (int column = 0; column < 4; ++column) {
            for (int row = 0; row < 2; ++row) {
                model.setItem(row, column, new QStandardItem(cells[column]));
            }
            model.setHeaderData(column, Qt::Horizontal,
                                int(column == 0 ? Qt::AlignLeft : Qt::AlignRight),
                                Qt::TextAlignmentRole);
        }
        std::unique_ptr<QTableView> table(makeRowTable("t", "t", &model));
        fitColumns(*table, 0);
        table->resize(600, 200);
        table->show();
        QTest::qWait(100);
        QCOMPARE(table->columnWidth(1), table->columnWidth(2));
        QCOMPARE(table->columnWidth(2), table->columnWidth(3));
        const int needed = table->fontMetrics().horizontalAdvance("1.42 MB");
        QVERIFY(table->columnWidth(2) >= needed + 10);
        int sum = 0;
        for (int column = 0; column < 4; ++column) {
            sum += table->columnWidth(column);
        }
        QVERIFY2(std::abs(sum - table->viewport()->width()) <= 1,
                 qPrintable(QString("%1 of %2").arg(sum).arg(table->viewport()->width())));
        // Where there is no room each has what it needs, and nothing is cut.
        table->resize(250, 200);
        QTest::qWait(100);
        QVERIFY(table->columnWidth(1) < table->columnWidth(2));
        QVERIFY(table->columnWidth(2) >= needed + 4);
        // What comes later counts, too.
        table->resize(700, 200);
        model.setItem(1, 3, new QStandardItem("a much longer number"));
        QTRY_VERIFY(table->columnWidth(3) >
                    table->fontMetrics().horizontalAdvance("a much longer number"));
        QTRY_COMPARE(table->columnWidth(1), table->columnWidth(3));
    }

    void whatIsMissingIsOneSign() {
        const double nothing = std::numeric_limits<double>::quiet_NaN();
        for (const QString& text : {formatBytes(nothing), formatDuration(-1), formatError(nothing),
                                    formatPercent(nothing)}) {
            QCOMPARE(text, kMissing);
        }
        RunTrace trace;
        trace.apply({{"event", "matrix_started"}, {"matrix", "blk.0.attn_q"}});
        MatrixTableModel model(&trace);
        model.sync();
        QCOMPARE(model.rowCount(), 1);
        for (const int column : {MatrixTableModel::ErrorColumn, MatrixTableModel::DeadColumn,
                                 MatrixTableModel::TimeColumn}) {
            QCOMPARE(model.index(0, column).data().toString(), kMissing);
        }
        ReportTableModel report;
        ReportTable table;
        table.columns = {{"method"}, {"error", ColumnKind::Number}, {"size", ColumnKind::Bytes}};
        table.rows = {{{"dense", nothing, std::monostate()}, ""}};
        report.setTable(table);
        QCOMPARE(report.index(0, 1).data().toString(), kMissing);
        QCOMPARE(report.index(0, 2).data().toString(), kMissing);
        // What never ran took no time, not 0 s of it.
        RunRow dense;
        dense.method = "dense";
        dense.seconds = 0;
        RunRow failed;
        failed.method = "svd";
        failed.seconds = 0;
        failed.layerBytes = 0;
        TaskResultRow accuracy;
        accuracy.task = "piqa";
        accuracy.metric = "acc";
        dense.taskResults = {accuracy};
        RunsTableModel runs;
        runs.setRuns({dense, failed});
        for (const int row : {0, 1}) {
            for (const int column : {RunsTableModel::BytesColumn, RunsTableModel::SecondsColumn}) {
                QCOMPARE(runs.index(row, column).data().toString(), kMissing);
            }
        }
        TaskBoardModel board;
        board.setStored({dense});
        QCOMPARE(board.index(0, TaskBoardModel::PerplexityColumn).data().toString(), kMissing);
        GroupedRunsModel groups(&runs);
        groups.setGroupColumn(RunsTableModel::MethodColumn);
        for (const int column : {RunsTableModel::ErrorColumn, RunsTableModel::PerplexityColumn}) {
            QCOMPARE(groups.index(0, column).data().toString(), kMissing);
        }
        // Items of a task: no mark, no choice, no second model, fewer scores than choices.
        TaskSample sample;
        sample.acc = nothing;
        sample.chosen = -1;
        sample.continuations = {"a", "b"};
        sample.logLikelihoods = {-12.5};
        SampleTableModel items;
        items.setSamples({sample}, {});
        for (const int column : {SampleTableModel::FirstColumn, SampleTableModel::SecondColumn,
                                 SampleTableModel::ChangeColumn}) {
            QCOMPARE(items.index(0, column).data().toString(), kMissing);
        }
        const QString scores = sampleHtml(sample, nullptr);
        QVERIFY2(scores.contains(QStringLiteral(">−12.500<")), qPrintable(scores));
        QVERIFY2(scores.contains(QStringLiteral(">–<")), qPrintable(scores));
        QCOMPARE(formatFixed(nothing, 2), kMissing);
    }

    void emptyTablesAndMapsSayWhatWillStandThere() {
        QStandardItemModel model(0, 2);
        std::unique_ptr<QTableView> table(makeRowTable("t", "t", &model));
        sayWhenEmpty(*table, "Rows come here.");
        table->resize(400, 200);
        table->show();
        const auto* words = table->viewport()->findChild<QLabel*>();
        QVERIFY(words != nullptr && words->isVisible());
        QCOMPARE(words->text(), QString("Rows come here."));
        QCOMPARE(words->geometry(), table->viewport()->rect());
        model.appendRow(new QStandardItem("a"));
        QVERIFY(!words->isVisible());
        model.removeRow(0);
        QVERIFY(words->isVisible());
        HeatMap map;
        map.resize(400, 200);
        const QImage blank = map.grab().toImage();
        map.setEmptyText("Cells come here.");
        QCOMPARE(map.accessibleDescription(), QString("Cells come here."));
        QVERIFY(map.grab().toImage() != blank);
        HeatMapData data;
        data.rows = data.columns = QStringList{"a"};
        data.values = {1};
        map.setData(data);
        QVERIFY(map.accessibleDescription().startsWith("1 by 1 cells"));
        map.setData({});
        QCOMPARE(map.accessibleDescription(), QString("Cells come here."));
    }

    // Neither the paper nor a colour of the scale.
    void cellsWithoutAValueAreHatched() {
        HeatMapData data;
        data.rows = QStringList{"r"};
        data.columns = QStringList{"0", "1"};
        data.values = {1, std::numeric_limits<double>::quiet_NaN()};
        HeatMap map;
        map.resize(400, 300);
        map.setData(data);
        const QImage image = map.grab().toImage();
        std::set<QRgb> colours;
        for (int x = 240; x < 270; ++x) {  // within the second cell
            colours.insert(image.pixel(x, 100));
        }
        QVERIFY(colours.size() > 1);
        QVERIFY(colours.count(theme().panel.rgb()) == 1);
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

COSPADI_TEST(TestLooks)

}  // namespace tst_looks

#include "tst_looks.moc"
