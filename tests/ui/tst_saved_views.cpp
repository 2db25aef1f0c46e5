// Views of the Runs page that are saved by name: filter, groups, columns, comparison, and the axes
// of parallel coordinates.
#include <QComboBox>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLineEdit>
#include <QtTest>

#include "tests/registered_test.h"
#include "tests/ui/runs_page_fixture.h"
#include "ui/charts/parallel_coordinates.h"
#include "ui/models/saved_views.h"
#include "ui/pages/runs/runs_page.h"

namespace tst_saved_views {

using namespace cospadi;
using namespace cospadi::ui;

class TestSavedViews : public QObject, RunsPageFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { writeRuns(); }
    void init() { openPage(); }

    void viewsAreSaved() {
        auto* filter = find<QLineEdit>("runsFilter");
        filter->setText("cr=0.2");
        entry("runsView", "Group by>Method")->trigger();
        compare("ablation: a value over a setting");
        choose("comparisonMetric", "error");
        choose("ablationX", "rho");
        saveAs(entry("runsView", "Saved views>Save this view…"), "viewDialog", "ρ at 0.2");
        const QStringList columns = shownColumns();
        filter->clear();
        entry("runsView", "Group by>Nothing")->trigger();
        entry("runsView", "Columns>Model")->trigger();
        compare("error by matrix");
        choose("ablationX", "cr");
        init();  // another start
        entry("runsView", "Saved views>ρ at 0.2")->trigger();
        QCOMPARE(find<QLineEdit>("runsFilter")->text(), "cr=0.2");
        QCOMPARE(shownColumns(), columns);
        QCOMPARE(table()->model()->rowCount(), 2);  // groups: svd-llm, cospadi
        QCOMPARE(find<QComboBox>("comparison")->currentText(), "ablation: a value over a setting");
        QCOMPARE(find<QComboBox>("ablationX")->currentData().toString(), "rho");
        entry("runsView", "Saved views>Forget>ρ at 0.2")->trigger();
        QVERIFY(savedViewNames().isEmpty());
        entry("runsView", "Group by>Nothing")->trigger();
    }

    // Which there are, in which order, and what colours the lines. A view of an earlier version
    // leaves all of it as it stands.
    void viewsKeepTheAxesOfParallelCoordinates() {
        compare("parallel coordinates");
        const qsizetype place = parallelAxes().indexOf("error");
        QVERIFY(place > 1);
        emit m_page->parallelView()->axisMoved(static_cast<int>(place), 0);
        entry("parallelAxes", "seconds")->trigger();
        choose("parallelColour", "error");
        const QStringList chosen = parallelAxes();
        QCOMPARE(chosen.first(), "error");
        QVERIFY(!chosen.contains("seconds"));
        saveAs(entry("runsView", "Saved views>Save this view…"), "viewDialog", "by error");
        emit m_page->parallelView()->axisMoved(0, 2);
        entry("parallelAxes", "seconds")->trigger();
        choose("parallelColour", "");
        compare("error by matrix");
        init();  // another start
        entry("runsView", "Saved views>by error")->trigger();
        QCOMPARE(find<QComboBox>("comparison")->currentText(), "parallel coordinates");
        QCOMPARE(parallelAxes(), chosen);
        QCOMPARE(find<QComboBox>("parallelColour")->currentData().toString(), "error");
        QVERIFY(!entry("parallelAxes", "seconds")->isChecked());

        QJsonObject views =
            QJsonDocument::fromJson(QSettings().value("runs/views").toString().toUtf8()).object();
        QJsonObject earlier = views["by error"].toObject();
        earlier.remove("axes");
        earlier.remove("sweep");
        views["earlier"] = earlier;
        QSettings().setValue("runs/views", QString::fromUtf8(QJsonDocument(views).toJson()));
        QVERIFY(!savedView("earlier").parallel && !savedView("earlier").sweep);
        emit m_page->parallelView()->axisMoved(0, 1);
        const QStringList moved = parallelAxes();
        compare("error by matrix");
        entry("runsView", "Saved views>earlier")->trigger();
        QCOMPARE(find<QComboBox>("comparison")->currentText(), "parallel coordinates");
        QCOMPARE(parallelAxes(), moved);
        QCOMPARE(find<QComboBox>("parallelColour")->currentData().toString(), "error");
    }
};

COSPADI_TEST(TestSavedViews)

}  // namespace tst_saved_views

#include "tst_saved_views.moc"
