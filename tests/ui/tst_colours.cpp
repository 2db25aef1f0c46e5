// Colours that can be told apart: contrast of the palettes (WCAG 2.1), series for eyes that lack a
// kind of cone (Machado, Oliveira and Fernandes 2009, severity 1), boxes and icons that are seen
// for what they are.
#include <QApplication>
#include <QCheckBox>
#include <QImage>
#include <QtTest>
#include <algorithm>
#include <array>
#include <cmath>

#include "tests/registered_test.h"
#include "tests/ui/each_theme.h"
#include "ui/base/theme.h"
#include "ui/models/curve.h"
#include "ui/models/runs_table_model.h"
#include "ui/models/series_look.h"

namespace tst_colours {

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

class TestColours : public QObject {
    Q_OBJECT

  private slots:
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
};

COSPADI_TEST(TestColours)

}  // namespace tst_colours

#include "tst_colours.moc"
