// The stations of tst_workbench_end_to_end that follow those of end_to_end_first_runs.h: runs that
// are listed and compared, figures and tables, perplexity, a run that is cancelled and resumed.
#pragma once

#include <QFile>
#include <QMenu>
#include <QXmlStreamReader>

#include "tests/ui/end_to_end_first_runs.h"
#include "tests/ui/window_fixture.h"
#include "ui/charts/curve_chart.h"
#include "ui/charts/heat_map.h"
#include "ui/pages/pattern/pattern_page.h"
#include "ui/pages/plan/plan_panel.h"
#include "ui/pages/runs/runs_page.h"

namespace cospadi::ui {

class EndToEndStoredRuns : public EndToEndFirstRuns {
    Q_OBJECT

  protected:
    // Of a picture as SVG; −1 where it is none.
    static int linesIn(const QString& path) {
        QFile file(path);
        if (!file.open(QIODevice::ReadOnly)) {
            return -1;
        }
        QXmlStreamReader xml(&file);
        int lines = 0;
        while (!xml.atEnd()) {
            lines +=
                xml.readNext() == QXmlStreamReader::StartElement &&
                (xml.name() == QLatin1String("path") || xml.name() == QLatin1String("polyline"));
        }
        return xml.hasError() ? -1 : lines;
    }

  private slots:
    void listsAndComparesTheRuns() {
        goTo(m_window->pages().runs);
        RunsPage* page = m_window->pages().runs;
        QTRY_COMPARE(page->model()->rowCount(), 3);
        QCOMPARE(QString::fromStdString(page->model()->run(0).id),
                 m_window->services().run->runId());
        auto* table = find<QTreeView>("runsTable");
        table->clearSelection();
        for (int row = 0; row < 2; ++row) {
            QTest::mouseClick(table->viewport(), Qt::LeftButton, Qt::ControlModifier,
                              table->visualRect(table->model()->index(row, 0)).center());
        }
        QCOMPARE(page->selectedRuns().size(), std::size_t{2});
        QTRY_COMPARE_WITH_TIMEOUT(page->comparisonChart()->curves().size(), 2, 60000);
        picture("5-runs");
        auto* comparison = find<QComboBox>("comparison");
        choose(comparison, 1);
        QTRY_VERIFY(page->errorMapView()->isVisible());
        QCOMPARE(page->errorMapView()->data().values.size(), 1);
        choose(comparison, 0);
        auto* filter = find<QLineEdit>("runsFilter");
        type(filter, "no such run");
        QTRY_COMPARE(table->model()->rowCount(), 0);
        type(filter, "svd-llm");
        QTRY_COMPARE(table->model()->rowCount(), 1);
        type(filter, "");
        QTRY_COMPARE(table->model()->rowCount(), 3);
    }

    void fitsASmallScreen() {
        // With a model open and runs listed, when every page has its contents.
        QStringList tooLarge;
        for (int page = 0; page < m_window->pages().tabs->count(); ++page) {
            const QSize least = m_window->pages().tabs->widget(page)->minimumSizeHint();
            if (least.width() > 1020 || least.height() > 420) {
                tooLarge << QString("%1 needs %2 x %3")
                                .arg(m_window->pages().tabs->tabText(page))
                                .arg(least.width())
                                .arg(least.height());
            }
        }
        QVERIFY2(tooLarge.isEmpty(), qPrintable(tooLarge.join("; ")));
        // What the window really does when it is made so small.
        m_window->resize(1024, 600);
        QTRY_COMPARE(m_window->size(), QSize(1024, 600));
        picture("small");
        m_window->resize(1440, 900);
    }

    void exportsFigures() {
        QVERIFY(linesIn(exportFrom(m_window->pages().monitor, "error.svg", 0)) > 0);
        QFile pdf(exportFrom(m_window->pages().runs, "comparison.pdf", 1));
        QVERIFY(pdf.open(QIODevice::ReadOnly));
        QVERIFY(pdf.readAll().startsWith("%PDF-"));
        QImage pattern(exportFrom(m_window->pages().pattern, "pattern.png", 2));
        QVERIFY(pattern.width() > 1000);
        QFile csv(exportFrom(m_window->pages().monitor, "error.csv", 3));
        QVERIFY(csv.open(QIODevice::ReadOnly));
        QVERIFY(csv.readAll().contains("blk.0.attn_k"));
        readMessages({"^Saved .*error\\.csv"});  // each in the place of the one before
    }

    void exportsATable() {
        goTo(m_window->pages().runs);
        // The menu keeps the button's click until it is closed: chosen from a timer.
        QTimer chooser;
        connect(&chooser, &QTimer::timeout, this, [&chooser] {
            if (auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget())) {
                chooser.stop();
                QTest::keyClick(menu, Qt::Key_Down);
                QTest::keyClick(menu, Qt::Key_Return);
            }
        });
        chooser.start(20);
        QTest::mouseClick(find<QPushButton>("exportTable"), Qt::LeftButton);
        const QString path = m_folder.filePath("runs.tex");
        saveTableAs(path);
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray text = file.readAll();
        QVERIFY(text.contains("\\toprule") && text.contains("svd-llm"));
        readMessages({"^Saved .*runs\\.tex"});
    }

    void measuresPerplexity() {
        goTo(m_window->pages().runs);
        selectRun("finished");
        QTest::mouseClick(find<QPushButton>("measurePerplexity"), Qt::LeftButton);
        const auto measured = [this] {
            const RunsTableModel& runs = *m_window->pages().runs->model();
            for (int row = 0; row < runs.rowCount(); ++row) {
                if (runs.perplexity(row) > 1) {
                    return true;
                }
            }
            return false;
        };
        QTRY_VERIFY_WITH_TIMEOUT(measured(), 120000);
        readMessages({"^Perplexity [0-9.,]+ on WikiText-2"});
    }

    void asksBeforeClosingAndResumesACancelledRun() {
        goTo(m_window->pages().plan);
        choose(find<QComboBox>("method"), 0);
        RunController* run = m_window->services().run;
        QSignalSpy finished(run, &RunController::runFinished);
        QTest::mouseClick(button("Run"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(run->state(), RunController::State::Running, 30000);
        QTRY_VERIFY_WITH_TIMEOUT(!run->trace().matrices().isEmpty(), 60000);
        QVERIFY(!m_window->close());  // nothing modal: the question stands in the window
        QVERIFY2(isTold({"A run is in progress"}), qPrintable(messages().join(" | ")));
        QTest::mouseClick(button("Cancel"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 60000);
        QCOMPARE(finished[0][0].toString(), "cancelled");
        QTRY_VERIFY2(isTold({"The run was cancelled", "Nothing is running any more"}),
                     qPrintable(messages().join(" | ")));
        QPushButton* stay = buttonOf(*m_window->pages().messages, "Keep open");
        QVERIFY(stay != nullptr);
        QTest::mouseClick(stay, Qt::LeftButton);
        goTo(m_window->pages().runs);
        QTRY_COMPARE(m_window->pages().runs->model()->rowCount(), 4);
        selectRun("cancelled");
        QTRY_VERIFY(find<QPushButton>("resumeRun")->isEnabled());
        QTest::mouseClick(find<QPushButton>("resumeRun"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, 120000);
        QCOMPARE(finished[1][0].toString(), "finished");
        readMessages({"The run is finished"});
    }
};

}  // namespace cospadi::ui
