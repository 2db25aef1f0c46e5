// Charts on their way into files: the size that was asked for, in each format; the print look; the
// data behind them; and a folder that cannot be written to.
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QProcess>
#include <QPushButton>
#include <QRegularExpression>
#include <QSettings>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <QtTest>
#include <cmath>

#include "tests/registered_test.h"
#include "ui/base/theme.h"
#include "ui/charts/curve_chart.h"
#include "ui/charts/export_dialog.h"
#include "ui/charts/small_multiples.h"

namespace tst_chart_export {

using namespace cospadi::ui;

namespace {

QByteArray contents(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

class TestExport : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

    static void fill(CurveChart& chart) {
        chart.setAxisTitles("iteration", "error");
        chart.setLogarithmic(true);
        QList<Curve> curves;
        for (int i = 0; i < 3; ++i) {
            Curve curve;
            curve.name = QString("matrix, number %1").arg(i);
            curve.colour = theme().series[i];
            for (int x = 1; x <= 20; ++x) {
                curve.points.append(QPointF(x, 0.1 / (x + i)));
            }
            curves.append(curve);
        }
        chart.setCurves(curves);
        chart.resize(640, 400);
    }

    ExportOptions options(ExportFormat format) const {
        ExportOptions options;
        options.format = format;
        options.size = QSize(480, 300);
        return options;
    }

    // figure.tex in a paper, where LaTeX and pgfplots are there.
    void drawByLatex() const {
        const QString latex = QStandardPaths::findExecutable("pdflatex");
        if (latex.isEmpty()) {
            return;
        }
        QFile paper(m_folder.filePath("paper.tex"));
        QVERIFY(paper.open(QIODevice::WriteOnly));
        paper.write(
            "\\documentclass{article}\\usepackage{pgfplots}\\usepgfplotslibrary{groupplots}"
            "\\pgfplotsset{compat=1.16}\\begin{document}\\input{figure.tex}\\end{document}\n");
        paper.close();
        QProcess process;
        process.setWorkingDirectory(m_folder.path());
        process.start(latex, {"-halt-on-error", "-interaction=nonstopmode", "paper.tex"});
        QVERIFY(process.waitForFinished(120000));
        const QByteArray told = process.readAllStandardOutput();
        if (!told.contains("pgfplots.sty' not found")) {
            QVERIFY2(process.exitCode() == 0, told.right(1500).constData());
        }
    }

  private slots:
    void initTestCase() {
        QVERIFY(m_folder.isValid());
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder.path());
        QCoreApplication::setOrganizationName("cospadi-test");
        applyTheme(*qApp);
    }

    void picturesHaveTheSizeThatWasAskedFor() {
        CurveChart chart;
        fill(chart);
        const ExportSource source = chart.exportSource("error");
        const QString svg = m_folder.filePath("a.svg");
        QCOMPARE(writeExport(source, options(ExportFormat::Svg), svg), QString());
        QCOMPARE(QSvgRenderer(svg).viewBox().size(), QSize(480, 300));
        const QString png = m_folder.filePath("a.png");
        QCOMPARE(writeExport(source, options(ExportFormat::Png), png), QString());
        QCOMPARE(QImage(png).size(), QSize(1440, 900));
        const QString pdf = m_folder.filePath("a.pdf");
        QCOMPARE(writeExport(source, options(ExportFormat::Pdf), pdf), QString());
        // 480 × 300 pixels of 1/96 inch are 360 × 225 points.
        const QRegularExpression box(
            R"(/MediaBox \[0(\.\d+)? 0(\.\d+)? 360(\.\d+)? 225(\.\d+)?\])");
        QVERIFY(box.match(QString::fromLatin1(contents(pdf))).hasMatch());
    }

    // Words are as large in every form, whatever the resolution of its paper.
    void aPngShowsWhatTheSvgShows() {
        CurveChart chart;
        fill(chart);
        const ExportSource source = chart.exportSource("error");
        const QString svg = m_folder.filePath("same.svg");
        const QString png = m_folder.filePath("same.png");
        QCOMPARE(writeExport(source, options(ExportFormat::Svg), svg), QString());
        QCOMPARE(writeExport(source, options(ExportFormat::Png), png), QString());
        const QSize size(480, 300);
        QImage drawn(size, QImage::Format_RGB32);
        drawn.fill(Qt::white);
        QPainter painter(&drawn);
        painter.setRenderHint(QPainter::Antialiasing);
        QSvgRenderer(svg).render(&painter, QRectF(QPointF(0, 0), size));
        painter.end();
        const QImage written =
            QImage(png).scaled(size, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
        double apart = 0;
        double ink = 0;
        for (int y = 0; y < size.height(); ++y) {
            for (int x = 0; x < size.width(); ++x) {
                apart += std::abs(qGray(drawn.pixel(x, y)) - qGray(written.pixel(x, y)));
                ink += 255 - qGray(drawn.pixel(x, y));
            }
        }
        QVERIFY2(apart < 0.25 * ink, qPrintable(QString("%1 of %2").arg(apart).arg(ink)));
    }

    void printTellsCurvesApartByTheirDashes() {
        CurveChart chart;
        fill(chart);
        const auto dashesOf = [&](bool print) {
            ExportOptions how = options(ExportFormat::Svg);
            how.print = print;
            const QString path = m_folder.filePath("dashes.svg");
            if (!writeExport(chart.exportSource("error"), how, path).isEmpty()) {
                return QSet<QString>{};
            }
            QSet<QString> dashes;
            QXmlStreamReader xml(contents(path));
            while (!xml.atEnd()) {
                if (xml.readNext() == QXmlStreamReader::StartElement &&
                    xml.attributes().hasAttribute("stroke-dasharray")) {
                    dashes.insert(xml.attributes().value("stroke-dasharray").toString());
                }
            }
            return xml.hasError() ? QSet<QString>{} : dashes;
        };
        QVERIFY(dashesOf(true).size() >= 2);  // of three curves the first is solid
        QVERIFY(dashesOf(false).isEmpty());
    }

    void dataAreThereInFull() {
        CurveChart chart;
        fill(chart);
        const QString path = m_folder.filePath("a.csv");
        QCOMPARE(writeExport(chart.exportSource("error"), options(ExportFormat::Csv), path),
                 QString());
        const QStringList lines = QString::fromUtf8(contents(path)).split('\n');
        QCOMPARE(lines.first(), "curve,iteration,error,point");
        QCOMPARE(lines.size(), 1 + 60 + 1);
        QVERIFY(lines[1].startsWith("\"matrix, number 0\",1,"));
        QCOMPARE(lines[1].section(',', 3, 3).toDouble(), 0.1);
    }

    // Every point by its coordinates; LaTeX, where it is there, draws it.
    void pgfplotsHoldsTheCoordinates() {
        Curve line;
        line.name = QString::fromUtf8("ρ 2, CR 20 %");
        line.points = {{1, 0.5}, {2, 0.25}, {4, 0}};
        line.deviations = {0.01, 0.02, 0.03};
        line.style = Curve::Style::LineAndPoints;
        Curve context;
        context.points = {{1, 2}, {4, 3}};
        context.highlighted = false;
        CurveChart chart;
        chart.setAxisTitles("k_active", "error");
        chart.setLogarithmic(true);
        chart.setCurves({line, context});
        const ExportSource source = chart.exportSource("figure");
        QVERIFY(bool(source.tikz));
        const QString text = source.tikz(pixelsOfMillimetres(QSizeF(84, 60)));
        QVERIFY2(text.contains("(1,0.5) +- (0,0.01)\n  (2,0.25) +- (0,0.02)\n};"),
                 qPrintable(text));  // 0 has no logarithm
        QVERIFY(text.contains("forget plot"));
        QVERIFY(text.contains("  (1,2)\n  (4,3)\n"));
        QVERIFY(text.contains("\\addlegendentry{$\\rho$ 2, CR 20 \\%}"));
        QVERIFY(text.contains("xlabel={k\\_active}"));
        QVERIFY(text.contains("ymode=log") && !text.contains("xmode=log"));
        QVERIFY(QRegularExpression("width=(83\\.[5-9]|84\\.[0-5])mm").match(text).hasMatch());
        const QString path = m_folder.filePath("figure.tex");
        QCOMPARE(writeExport(source, options(ExportFormat::Tikz), path), QString());
        QVERIFY(contents(path).contains("\\begin{axis}"));
        drawByLatex();
    }

    // One legend, one range, and the words of each edge once; no plot need have every curve.
    void pgfplotsHoldsChartsBesideEachOther() {
        Curve first;
        first.name = "CR 0.2";
        first.points = {{1.5, 0.1}, {3, 0.2}};
        first.deviations = {0.01, 0.02};
        first.style = Curve::Style::LineAndPoints;
        Curve second = first;
        second.name = "CR 0.3";
        second.points = {{1.5, 0.3}, {3, 0.4}};
        Curve none = second;
        none.points.clear();
        none.deviations.clear();
        SmallMultiples charts;
        charts.setMultiples(
            {{"attn_q", {first, none}}, {"50 %", {first, second}}, {"ffn", {first}}},
            {"rho", "error", {}, {false, true}, false});
        const ExportSource source = charts.exportSource("figure");
        QVERIFY(bool(source.tikz));
        const QString text = source.tikz(pixelsOfMillimetres(QSizeF(120, 90)));
        QVERIFY2(text.contains("\\usepgfplotslibrary{groupplots}"), qPrintable(text));
        QVERIFY2(text.contains("group size=2 by 2"), qPrintable(text));
        QCOMPARE(text.count("\\nextgroupplot["), 3);
        QVERIFY(text.contains("\\nextgroupplot[title={50 \\%}"));
        QCOMPARE(text.count("(1.5,0.1) +- (0,0.01)\n  (3,0.2) +- (0,0.02)\n};"), 3);
        QCOMPARE(text.count("(1.5,0.3) +- (0,0.01)"), 1);
        QCOMPARE(text.count("\\addplot+[forget plot"), 4);
        QCOMPARE(text.count("\\addlegendentry{"), 2);
        QCOMPARE(text.count("\\addlegendentry{CR 0.3}"), 1);
        // Below the upper left one stands another, below the upper right one none.
        QCOMPARE(text.count("xlabel={rho}"), 2);
        QCOMPARE(text.count("ylabel={error}"), 2);
        QVERIFY(text.contains("ymode=log") && !text.contains("xmode=log"));
        const auto end = [&](const char* name) {
            const QRegularExpression number(QString("%1=([0-9.e-]+)").arg(name));
            return number.match(text).captured(1).toDouble();
        };
        QVERIFY(end("xmin") < 1.5 && end("xmin") > 1.4 && end("xmax") > 3 && end("xmax") < 3.1);
        QVERIFY(end("ymin") < 0.09 && end("ymin") > 0.07 && end("ymax") > 0.42 &&
                end("ymax") < 0.5);
        const QString path = m_folder.filePath("figure.tex");
        QCOMPARE(writeExport(source, options(ExportFormat::Tikz), path), QString());
        QVERIFY(contents(path).contains("\\begin{groupplot}"));
        drawByLatex();
    }

    // A preset of a venue: its column's width, words of 8 pt in the file.
    void aVenueHasItsWidthAndItsWords() {
        ExportSource source;
        source.name = "words";
        source.screenSize = QSize(300, 200);
        QSize drawn;
        QTransform scale;
        source.draw = [&](QPainter& painter, const QSize& size, bool) {
            drawn = size;
            scale = painter.transform();
        };
        auto* dialog = new ExportDialog(source);
        auto* sizes = dialog->findChild<QComboBox*>("exportSize");
        QCOMPARE(dialog->options().fontPoints, 0.0);
        sizes->setCurrentIndex(sizes->findText("ICML: one column, 8 pt"));
        const ExportOptions options = dialog->options();
        QCOMPARE(options.fontPoints, 8.0);
        QCOMPARE(options.size, pixelsOfMillimetres(QSizeF(82, 58)));
        delete dialog;
        QImage image(400, 300, QImage::Format_RGB32);
        QPainter painter(&image);
        drawExport(source, options, options.size, painter);
        // What a word of the window comes to: its pixels, scaled, are 8 pt of 96 dots an inch.
        const double pixels = QFontInfo(exportFont(qApp->font())).pixelSize();
        QVERIFY(std::abs(pixels * scale.m11() * 72 / 96 - 8) < 0.4);
        QVERIFY(std::abs(drawn.width() * scale.m11() - options.size.width()) <= 1);
    }

    void aDarkWindowStillPrintsOnWhite() {
        applyTheme(*qApp, true);
        CurveChart chart;
        fill(chart);
        const QString path = m_folder.filePath("dark.png");
        QCOMPARE(writeExport(chart.exportSource("error"), options(ExportFormat::Png), path),
                 QString());
        QCOMPARE(QImage(path).pixelColor(2, 2), QColor(Qt::white));
        applyTheme(*qApp, false);
    }

    void saysWhyNothingWasWritten() {
        CurveChart chart;
        fill(chart);
        for (const ExportFormat format :
             {ExportFormat::Svg, ExportFormat::Pdf, ExportFormat::Png, ExportFormat::Csv}) {
            QVERIFY(!writeExport(chart.exportSource("error"), options(format),
                                 "/nowhere/at/all/error.svg")
                         .isEmpty());
        }
    }

    void dialogWritesWhatItShows() {
        CurveChart chart;
        fill(chart);
        auto* dialog = new ExportDialog(chart.exportSource("error"));
        QSignalSpy exported(dialog, &ExportDialog::exported);
        QSignalSpy gone(dialog, &QObject::destroyed);
        dialog->show();
        auto* formats = dialog->findChild<QComboBox*>("exportFormat");
        formats->setCurrentIndex(2);
        QVERIFY(dialog->path().endsWith("error.png"));
        dialog->findChild<QDoubleSpinBox*>("exportWidth")->setValue(127);  // 5 inches
        dialog->findChild<QLineEdit*>("exportPath")->setText(m_folder.filePath("dialog.png"));
        dialog->findChild<QPushButton*>("exportSave")->click();
        QCOMPARE(exported.count(), 1);
        QCOMPARE(QImage(m_folder.filePath("dialog.png")).width(), 5 * 96 * 3);
        QTRY_COMPARE(gone.count(), 1);
    }

    void dialogAsksBeforeItReplaces() {
        CurveChart chart;
        fill(chart);
        QFile earlier(m_folder.filePath("mine.csv"));
        QVERIFY(earlier.open(QIODevice::WriteOnly));
        earlier.write("earlier");
        earlier.close();
        auto* dialog = new ExportDialog(chart.exportSource("error"));
        QSignalSpy exported(dialog, &ExportDialog::exported);
        QSignalSpy gone(dialog, &QObject::destroyed);
        dialog->show();
        dialog->findChild<QComboBox*>("exportFormat")->setCurrentIndex(3);
        dialog->findChild<QLineEdit*>("exportPath")->setText(earlier.fileName());
        auto* save = dialog->findChild<QPushButton*>("exportSave");
        save->click();
        QCOMPARE(exported.count(), 0);
        QVERIFY(dialog->findChild<QLabel*>("exportProblem")->text().contains("mine.csv"));
        QVERIFY(earlier.open(QIODevice::ReadOnly));
        QCOMPARE(earlier.readAll(), QByteArray("earlier"));
        earlier.close();
        save->click();
        QCOMPARE(exported.count(), 1);
        QVERIFY(earlier.open(QIODevice::ReadOnly));
        QVERIFY(earlier.readAll().startsWith("curve,"));
        QTRY_COMPARE(gone.count(), 1);
    }

    void dialogStaysWhereItCannotWrite() {
        CurveChart chart;
        fill(chart);
        ExportDialog* dialog = new ExportDialog(chart.exportSource("error"));
        dialog->show();
        dialog->findChild<QLineEdit*>("exportPath")->setText("/nowhere/error.svg");
        QSignalSpy failed(dialog, &ExportDialog::failed);
        dialog->findChild<QPushButton*>("exportSave")->click();
        QCOMPARE(failed.count(), 1);
        QVERIFY(dialog->isVisible());
        QVERIFY(dialog->findChild<QLabel*>("exportProblem")->text().contains("Nothing was saved"));
        dialog->close();
    }
};

COSPADI_TEST(TestExport)

}  // namespace tst_chart_export

#include "tst_chart_export.moc"
