// Charts on their way into files: the size that was asked for, in each format; the print look; the
// data behind them; and a folder that cannot be written to.
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <QtTest>

#include "tests/registered_test.h"
#include "ui/base/theme.h"
#include "ui/charts/curve_chart.h"
#include "ui/charts/export_dialog.h"

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
