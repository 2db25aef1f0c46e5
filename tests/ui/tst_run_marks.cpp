// What users mark on the Runs page, as the store keeps it: stars, tags, notes, the archive, names,
// colours, and the baseline that others are shown beside.
#include <QInputDialog>
#include <QLineEdit>
#include <QSignalSpy>
#include <QtTest>

#include "tests/registered_test.h"
#include "tests/ui/runs_page_fixture.h"
#include "ui/charts/curve_chart.h"
#include "ui/models/run_looks.h"
#include "ui/models/runs_table_model.h"
#include "ui/pages/runs/runs_comparison.h"
#include "ui/pages/runs/runs_list.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/sources/run_marks.h"

namespace tst_run_marks {

using namespace cospadi;
using namespace cospadi::ui;

class TestRunMarks : public QObject, RunsPageFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { writeRuns(); }
    void init() { openPage(); }

    void starByAClick() {
        table()->scrollTo(cell("llm-2", RunsTableModel::StarColumn));
        QTest::mouseClick(table()->viewport(), Qt::LeftButton, {},
                          table()->visualRect(cell("llm-2", RunsTableModel::StarColumn)).center());
        QTRY_VERIFY(stored("llm-2").starred);
        QTRY_COMPARE(cell("llm-2", RunsTableModel::StarColumn).data().toString(), "★");
        QVERIFY(!stored("dense").starred);
    }

    void tagsAndNotesInPlace() {
        QAbstractItemModel* model = table()->model();
        QVERIFY(model->setData(cell("llm-2", RunsTableModel::TagsColumn), "paper,  b ,"));
        QTRY_COMPARE(stored("llm-2").tags, (std::vector<std::string>{"b", "paper"}));
        QVERIFY(model->setData(cell("llm-2", RunsTableModel::TagsColumn), "paper"));
        QTRY_COMPARE(stored("llm-2").tags, (std::vector<std::string>{"paper"}));
        QVERIFY(model->setData(cell("llm-2", RunsTableModel::NoteColumn), "odd in block 3"));
        QTRY_COMPARE(stored("llm-2").note, std::string("odd in block 3"));
        auto* filter = find<QLineEdit>("runsFilter");
        filter->setText("odd block");
        QTRY_COMPARE(model->rowCount(), 1);
        filter->clear();
        // Many at once, from the menu.
        m_page->list()->select({"dense", "ours---2"});
        entry("runsMark", "Add a tag…")->trigger();
        auto* dialog = m_page->findChild<QInputDialog*>("tagDialog");
        QVERIFY(dialog != nullptr);
        dialog->setTextValue("both");
        dialog->accept();
        QTRY_COMPARE(stored("dense").tags, (std::vector<std::string>{"both"}));
        QTRY_COMPARE(stored("ours---2").tags, (std::vector<std::string>{"both"}));
    }

    // A tag may hold a comma (the command line allows it): shown in quotation marks, and editing
    // its neighbours leaves it whole.
    void aTagWithACommaStaysOne() {
        writeTag({"llm--3"}, "4 bit, later");
        m_page->refresh();
        const auto shown = [&] {
            return cell("llm--3", RunsTableModel::TagsColumn).data().toString();
        };
        QTRY_COMPARE(shown(), QString("\"4 bit, later\""));
        QVERIFY(table()->model()->setData(cell("llm--3", RunsTableModel::TagsColumn),
                                          shown() + ", paper"));
        QTRY_COMPARE(stored("llm--3").tags, (std::vector<std::string>{"4 bit, later", "paper"}));
    }

    void archivedRunsStepAside() {
        QSignalSpy changed(m_page.get(), &RunsPage::runsChanged);
        m_page->list()->select({"llm--3"});
        entry("runsMark", "Archive")->trigger();
        QTRY_COMPARE(table()->model()->rowCount(), 4);
        QTRY_VERIFY(!changed.isEmpty());
        QCOMPARE(changed.last()[0].value<std::vector<RunRow>>().size(), std::size_t{4});
        entry("runsView", "Show archived runs")->trigger();
        QTRY_COMPARE(table()->model()->rowCount(), 5);
        m_page->list()->select({"llm--3"});
        QTRY_VERIFY(stored("llm--3").archived);
        // In the order in which they were asked for, however quickly.
        entry("runsMark", "Restore from archive")->trigger();
        for (int i = 0; i < 5; ++i) {
            entry("runsMark", "Archive")->trigger();
            entry("runsMark", "Restore from archive")->trigger();
        }
        entry("runsMark", "Star")->trigger();  // the last to be written
        QTRY_VERIFY(stored("llm--3").starred);
        QVERIFY(!stored("llm--3").archived);
    }

    // A name goes with the run, a colour stays with it in every chart.
    void runsHaveNamesAndColours() {
        compare("error against iteration");
        m_page->list()->select({"ours---2"});
        auto* menu = runMenu();
        QVERIFY(menu != nullptr);
        pick(menu, "Name…");
        auto* dialog = m_page->findChild<QInputDialog*>("nameDialog");
        QVERIFY(dialog != nullptr);
        dialog->setTextValue("the best");
        dialog->accept();
        QTRY_COMPARE(stored("ours---2").tags.back(), std::string("name:the best"));
        QTRY_COMPARE(cell("ours---2", RunsTableModel::NameColumn).data().toString(), "the best");
        QCOMPARE(ownName(stored("ours---2")), "the best");
        find<QLineEdit>("runsFilter")->setText("\"the best\"");
        QTRY_COMPARE(table()->model()->rowCount(), 1);
        find<QLineEdit>("runsFilter")->clear();
        pick(runMenu(), "Name…");
        dialog = m_page->findChild<QInputDialog*>("nameDialog");
        QCOMPARE(dialog->textValue(), "the best");
        dialog->setTextValue("");
        dialog->accept();
        QTRY_COMPARE(cell("ours---2", RunsTableModel::NameColumn).data().toString(), "ours---2");

        const QList<int> looks = looksOf({"a", "b", "c"});
        QCOMPARE(QSet<int>(looks.begin(), looks.end()).size(), 3);
        QCOMPARE(looksOf({"c", "a"}), (QList<int>{looks[2], looks[0]}));  // whoever stands beside
        // A start later, too; and another takes none of theirs.
        QSettings().sync();
        const QVariantMap kept = QSettings().value("runs/looks").toMap();
        QCOMPARE(kept.value("b").toInt(), looks[1]);
        QVERIFY(!looks.contains(looksOf({"a", "b", "c", "d"}).last()));
        // Read once, written as they change.
        QSettings().remove("runs/looks");
        QCOMPARE(looksOf({"a", "b", "c"}), looks);
        QVERIFY(!QSettings().contains("runs/looks"));
        looksOf({"a", "b", "c", "d", "e"});
        QCOMPARE(QSettings().value("runs/looks").toMap().value("b").toInt(), looks[1]);
        setOwnColour({"a"}, QColor("#123456"));
        Curve curve;
        setRunLook(curve, "a", looks[0]);
        QCOMPARE(curve.colour, QColor("#123456"));
        setOwnColour({"a"}, std::nullopt);
        setRunLook(curve, "a", looks[0]);
        QVERIFY(curve.colour != QColor("#123456"));
    }

    // Also such as were first drawn in charts of their own.
    void aNewRunTakesTheLookThatFewestHave() {
        const QList<int> first = looksOf({"apart-1"});
        const QList<int> second = looksOf({"apart-2"});
        QVERIFY(first != second);
        QCOMPARE(looksOf({"apart-1", "apart-2"}), first + second);
        QSet<int> met;
        for (int i = 0; i < 32; ++i) {
            met.insert(looksOf({QString("one-by-one-%1").arg(i)}).first());
        }
        QVERIFY2(met.size() > 24, qPrintable(QString::number(met.size())));
        // Of very many the oldest are forgotten, by what their ids begin with.
        QStringList many;
        for (int i = 0; i < 1100; ++i) {
            many << QString("0-%1").arg(i, 4, 10, QLatin1Char('0'));
        }
        looksOf(many.mid(0, 550));
        looksOf(many.mid(550));
        QCOMPARE(looksOf({"apart-1", "apart-2", "the newest"}).mid(0, 2), first + second);
        const QVariantMap kept = QSettings().value("runs/looks").toMap();
        QCOMPARE(kept.size(), 1000);
        QVERIFY(kept.contains("the newest") && kept.contains("0-1099"));
        QVERIFY(!kept.contains("0-0000"));
    }

    // Errors 0.11 and 0.12 against 0.25: −56 % and −52 %.
    void othersAreShownBesideTheBaseline() {
        m_page->list()->select({"llm-2"});
        pick(runMenu(), "Pin as baseline");
        const auto shown = [&](const char* run, int column) {
            return cell(run, column).data().toString();
        };
        QTRY_COMPARE(shown("ours---2", RunsTableModel::ErrorColumn), "0.1100  −56.0 %");
        QCOMPARE(shown("ours-2rho", RunsTableModel::ErrorColumn), "0.1200  −52.0 %");
        QCOMPARE(shown("llm--3", RunsTableModel::ErrorColumn), "0.4000  +60.0 %");
        QCOMPARE(shown("llm-2", RunsTableModel::ErrorColumn), "0.2500");
        QCOMPARE(shown("llm-2", RunsTableModel::NameColumn), "llm-2  (baseline)");
        QCOMPARE(shown("dense", RunsTableModel::ErrorColumn), "–");
        // As a line in the plot, and still there at the next start.
        compare("ablation: a value over a setting");
        m_page->list()->select({});
        choose("comparisonMetric", "error");
        choose("ablationX", "rho");
        choose("ablationCurve", "");
        const auto line = [&]() -> QList<QPointF> {
            for (const Curve& curve : m_page->comparisonChart()->curves()) {
                if (curve.name.startsWith("baseline: ")) {
                    return curve.points;
                }
            }
            return {};
        };
        QTRY_COMPARE(line(), (QList<QPointF>{{1.5, 0.25}, {2, 0.25}}));
        QVERIFY(m_page->comparisonChart()->valuesAt(2).first().contains("−56.0 %"));
        picture("runs-baseline");
        init();
        QCOMPARE(shown("ours---2", RunsTableModel::ErrorColumn), "0.1100  −56.0 %");
        m_page->list()->select({"llm-2"});
        pick(runMenu(), "Unpin baseline");
        QTRY_COMPARE(shown("ours---2", RunsTableModel::ErrorColumn), "0.1100");
    }
};

COSPADI_TEST(TestRunMarks)

}  // namespace tst_run_marks

#include "tst_run_marks.moc"
