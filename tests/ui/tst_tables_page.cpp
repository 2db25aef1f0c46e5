// The Tables page as its user works it: what stands in the table, its layout by hand, its sources,
// its file. LaTeX is judged by pdflatex.
#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QProcess>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QStandardPaths>
#include <QTabBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QtTest>
#include <nlohmann/json.hpp>

#include "core/store/locations.h"
#include "core/store/run_store.h"
#include "tests/registered_test.h"
#include "tests/ui/child_of.h"
#include "tests/ui/nameless_widgets.h"
#include "ui/base/theme.h"
#include "ui/models/report_table_model.h"
#include "ui/pages/tables/table_preview.h"
#include "ui/pages/tables/tables_page.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/ordered_list.h"

namespace tst_tables_page {

using namespace cospadi;
using namespace cospadi::ui;
using nlohmann::json;

namespace {

RunRecord recordOf(const std::string& method, double cr, std::int64_t seed, double error,
                   double accuracy) {
    RunRecord record;
    RunRow& run = record.run;
    run.id = method + "-" + std::to_string(cr) + "-" + std::to_string(seed);
    run.directory = "/runs/" + run.id;
    run.created = "2026-11-21T04:00:00Z";
    run.status = "finished";
    run.model = "/m/smol.gguf";
    run.method = method;
    run.solver = "fast";
    run.layers = ".*";
    run.cr = cr;
    run.rho = 2;
    run.seed = seed;
    run.relativeError = error;
    run.layerBytes = 1000;
    run.denseBytes = 1250;
    run.seconds = 10;
    run.specification = json{{"model", run.model}, {"method", method}, {"solver", "fast"},
                             {"cr", cr},           {"rho", 2.0},       {"seed", seed}}
                            .dump();
    TaskResultRow row;
    row.file = "lm-eval.json";
    row.task = "piqa";
    row.metric = "acc_norm";
    row.filter = "none";
    row.value = accuracy;
    row.samples = 100;
    run.taskResults = {row};
    return record;
}

}  // namespace

class TestTablesPage : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<MessageBar> m_messages;
    std::unique_ptr<TablesPage> m_page;

    // With COSPADI_SCREENSHOTS=DIR.
    void picture(const QString& name) {
        const QString folder = qEnvironmentVariable("COSPADI_SCREENSHOTS");
        if (!folder.isEmpty()) {
            QVERIFY(m_page->grab().save(folder + '/' + name + ".png"));
        }
    }

    template <typename Widget>
    Widget* find(const char* name) {
        return childOf<Widget>(*m_page, name);
    }

    void waitFor(const std::function<void()>& change) {
        QSignalSpy made(m_page.get(), &TablesPage::made);
        change();
        QTRY_VERIFY(made.count() > 0 && !m_page->isBusy());
    }

    QStringList headings() {
        QStringList names;
        const ReportTableModel* model = m_page->preview()->model();
        for (int column = 0; column < model->columnCount(); ++column) {
            names << model->headerData(column, Qt::Horizontal).toString();
        }
        return names;
    }

    QString cell(int row, int column) {
        return m_page->preview()->model()->index(row, column).data().toString();
    }

    void choose(const char* name, const QString& data) {
        auto* box = find<QComboBox>(name);
        const int index = box->findData(data);
        QVERIFY2(index >= 0, qPrintable(data));
        box->setCurrentIndex(index);
    }

    void useError() {
        waitFor([this] {
            TableDesign design;
            design.metric = "error";
            m_page->setDesign(design);
        });
    }

  private slots:
    void initTestCase() {
        QVERIFY(m_folder.isValid());
        qputenv("COSPADI_RUNS", m_folder.filePath("runs").toUtf8());
        QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
        applyTheme(*qApp);
    }

    void init() {
        m_page.reset();
        m_messages = std::make_unique<MessageBar>();
        m_page = std::make_unique<TablesPage>(m_messages.get());
        m_page->resize(1200, 700);
    }

    void withoutRunsItSaysSo() {
        waitFor([this] { m_page->show(); });
        QVERIFY(find<EmptyState>("tableMessage")->text().contains("No runs are stored yet"));
        QVERIFY(!find<QPushButton>("tableExport")->isEnabled());
        picture("tables-empty");
        // The paper's tables need none.
        waitFor([this] { choose("tableSource", "published:main-results"); });
        QCOMPARE(m_page->preview()->model()->rowCount(), 14);
    }

    void fillTheStore() {
        RunStore store = RunStore::open(storePath());
        store.importRecords(
            {recordOf("svd-llm", 0.2, 1, 0.25, 0.70), recordOf("svd-llm", 0.3, 1, 0.35, 0.65),
             recordOf("cospadi", 0.2, 1, 0.10, 0.76), recordOf("cospadi", 0.2, 2, 0.12, 0.78),
             recordOf("cospadi", 0.3, 1, 0.15, 0.73)});
    }

    void everyWidgetHasAName() {
        waitFor([this] { m_page->show(); });
        const QStringList nameless = namelessIn(*m_page);
        QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join("\n")));
    }

    void showsThePivot() {
        waitFor([this] { m_page->show(); });
        const QAbstractItemModelTester tester(
            m_page->preview()->model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        // No perplexity was measured: the page begins with what there is, and says what to do where
        // a user asks for it.
        waitFor([this] { choose("tableMetric", "perplexity"); });
        QVERIFY(find<EmptyState>("tableMessage")->text().contains("perplexity"));
        waitFor([this] { choose("tableMetric", "error"); });
        QCOMPARE(headings(), (QStringList{"method", "CR 0.2", "CR 0.3"}));
        QCOMPARE(cell(0, 1), QString("0.2500"));
        QCOMPARE(cell(1, 1), QString("0.1100 ± 0.0141 (n=2)"));
        QVERIFY(m_page->preview()->model()->index(1, 1).data(Qt::FontRole).value<QFont>().bold());
        QVERIFY(
            m_page->preview()->model()->index(0, 1).data(Qt::FontRole).value<QFont>().underline());
        QVERIFY(m_page->preview()->command().contains("report --rows method --columns cr"));
    }

    void looksAsAsked() {
        m_page->show();
        useError();
        waitFor([this] { find<QSpinBox>("tableDecimals")->setValue(2); });
        waitFor([this] { find<QCheckBox>("tableDeviations")->setChecked(false); });
        QCOMPARE(cell(1, 1), QString("0.11"));
        waitFor([this] { find<QCheckBox>("tableSecond")->setChecked(false); });
        QVERIFY(
            !m_page->preview()->model()->index(0, 1).data(Qt::FontRole).value<QFont>().underline());
        waitFor([this] { find<QCheckBox>("tableBest")->setChecked(false); });
        QVERIFY(!m_page->preview()->model()->index(1, 1).data(Qt::FontRole).value<QFont>().bold());
        QVERIFY2(m_page->preview()->command().endsWith("--decimals 2 --no-best --no-second "
                                                       "--no-deviation"),
                 qPrintable(m_page->preview()->command()));
    }

    void orderByKeys() {
        m_page->show();
        useError();
        auto* list = find<OrderedList>("tableColumnOrder")->list();
        list->setFocus();
        list->setCurrentRow(2);
        waitFor([list] { QTest::keyClick(list, Qt::Key_Up, Qt::AltModifier); });
        QCOMPARE(headings(), (QStringList{"method", "CR 0.3", "CR 0.2"}));
        QCOMPARE(list->currentRow(), 1);  // the same column is still in hand
        // A drag ends as a move of its row.
        waitFor([list] {
            QVERIFY(list->model()->moveRow(QModelIndex(), 0, QModelIndex(), list->count()));
        });
        QCOMPARE(headings(), (QStringList{"CR 0.3", "CR 0.2", "method"}));
        waitFor([list] {
            QVERIFY(list->model()->moveRow(QModelIndex(), list->count() - 1, QModelIndex(), 0));
        });
        QCOMPARE(headings(), (QStringList{"method", "CR 0.3", "CR 0.2"}));
        auto* rows = find<OrderedList>("tableRowOrder")->list();
        rows->setCurrentRow(0);
        waitFor([this] { find<OrderedList>("tableRowOrder")->moveCurrent(1); });
        QCOMPARE(cell(0, 0), QString("cospadi (fast)"));
        // Left out, and back again with everything else.
        waitFor([list] { list->item(1)->setCheckState(Qt::Unchecked); });
        QCOMPARE(headings(), (QStringList{"method", "CR 0.2"}));
        QCOMPARE(cell(0, 0), QString("cospadi (fast)"));
        waitFor([this] { find<QPushButton>("tableReset")->click(); });
        QCOMPARE(headings(), (QStringList{"method", "CR 0.2", "CR 0.3"}));
        QCOMPARE(list->item(1)->checkState(), Qt::Checked);
    }

    void settingsAreAddedAndRemoved() {
        m_page->show();
        useError();
        auto* rows = find<OrderedList>("tableRows");
        QAction* seed = nullptr;
        for (QAction* action : rows->findChild<QMenu*>()->actions()) {
            QVERIFY(action->text() != "method");  // it stands there already
            seed = action->text() == "seed" ? action : seed;
        }
        QVERIFY(seed != nullptr);
        waitFor([seed] { seed->trigger(); });
        QCOMPARE(headings(), (QStringList{"method", "seed", "CR 0.2", "CR 0.3"}));
        QCOMPARE(m_page->preview()->model()->rowCount(), 3);
        waitFor([rows] { rows->moveCurrent(-1); });
        QCOMPARE(headings(), (QStringList{"seed", "method", "CR 0.2", "CR 0.3"}));
        auto* columns = find<OrderedList>("tableColumns");
        columns->list()->setCurrentRow(0);
        waitFor([columns] { QTest::keyClick(columns->list(), Qt::Key_Delete); });
        QCOMPARE(headings(), (QStringList{"seed", "method", "error"}));
        QVERIFY(m_page->preview()->command().contains("--no-columns"));
    }

    void renamesWhereItStands() {
        m_page->show();
        useError();
        ReportTableModel* model = m_page->preview()->model();
        waitFor([model] { QVERIFY(model->setData(model->index(1, 0), "CoSpaDi", Qt::EditRole)); });
        QCOMPARE(cell(1, 0), QString("CoSpaDi"));
        waitFor([model] { QVERIFY(model->setData(model->index(1, 0), "Ours", Qt::EditRole)); });
        QCOMPARE(cell(1, 0), QString("Ours"));
        waitFor(
            [this] { find<OrderedList>("tableColumnOrder")->list()->item(1)->setText("20 %"); });
        QCOMPARE(headings(), (QStringList{"method", "20 %", "CR 0.3"}));
        waitFor([model] { QVERIFY(model->setData(model->index(1, 0), "", Qt::EditRole)); });
        QCOMPARE(cell(1, 0), QString("cospadi (fast)"));
        QVERIFY(!model->setData(model->index(1, 1), "0", Qt::EditRole));  // numbers are measured
    }

    void filtersAndBadNumbers() {
        m_page->show();
        useError();
        waitFor([this] { find<QLineEdit>("tableCr")->setText("0.3"); });
        QCOMPARE(headings(), (QStringList{"method", "CR 0.3"}));
        waitFor([this] { find<QLineEdit>("tableCr")->setText("0.3 zero"); });
        QVERIFY(find<EmptyState>("tableMessage")->text().contains("CR"));
        waitFor([this] { find<QLineEdit>("tableCr")->clear(); });
        waitFor([this] { choose("tableMethod", "svd-llm"); });
        QCOMPARE(m_page->preview()->model()->rowCount(), 1);
    }

    void thePaperBeside() {
        m_page->show();
        waitFor([this] {
            TableDesign design;
            design.metric = "piqa/acc_norm";
            design.beside = {"3"};
            m_page->setDesign(design);
        });
        QCOMPARE(m_page->preview()->model()->rowCount(), 2 + 6);  // three rows for each model
        QVERIFY(m_page->preview()->source().contains("arXiv:2509.22075"));
        picture("tables-beside");
    }

    void savedAndFoundAgain() {
        m_page->show();
        useError();
        waitFor([this] { find<QSpinBox>("tableDecimals")->setValue(1); });
        find<QLineEdit>("tableName")->setText("mine");
        QTest::mouseClick(find<QPushButton>("saveTable"), Qt::LeftButton);
        QVERIFY(m_messages->text().contains("mine"));
        init();  // another page, as after a new start
        waitFor([this] { m_page->show(); });
        auto* saved = find<QComboBox>("savedTables");
        QCOMPARE(saved->count(), 2);
        saved->setCurrentIndex(1);
        waitFor([saved] { emit saved->activated(1); });
        QCOMPARE(cell(0, 1), QString("0.2"));
        QCOMPARE(find<QSpinBox>("tableDecimals")->value(), 1);
        QTest::mouseClick(find<QPushButton>("forgetTable"), Qt::LeftButton);
        QCOMPARE(saved->count(), 1);
        QVERIFY(savedTables(savedTablesPath()).empty());
    }

    void aDamagedFileIsNamed() {
        const QString path = QString::fromStdString(savedTablesPath().string());
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{]");
        file.close();
        waitFor([this] { m_page->show(); });
        QVERIFY2(m_messages->text().contains("tables.json"), qPrintable(m_messages->text()));
        useError();
        QCOMPARE(m_page->preview()->model()->rowCount(), 2);  // the rest works
        find<QLineEdit>("tableName")->setText("mine");
        QTest::mouseClick(find<QPushButton>("saveTable"), Qt::LeftButton);
        QVERIFY(m_messages->text().contains("Nothing was saved"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), QByteArray("{]"));
        QVERIFY(file.remove());
    }

    // Two settings across stand in two lines, the first over all columns that share it.
    void headingsOfTwoLines() {
        m_page->resize(1200, 700);
        m_page->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_page.get()));
        const auto heightOf = [this](const QStringList& across) {
            waitFor([&] {
                TableDesign design;
                design.metric = "piqa/acc_norm";
                design.rows = {"rho"};
                design.columns.clear();
                for (const QString& dimension : across) {
                    design.columns.push_back(dimension.toStdString());
                }
                m_page->setDesign(design);
            });
            return find<QTableView>("tableView")->horizontalHeader()->height();
        };
        const int one = heightOf({"method"});
        const int two = heightOf({"cr", "method"});
        QVERIFY(two > 1.5 * one);
        picture("tables-two-lines");
        QSet<int> widths;  // of numbers
        const std::vector<ReportColumn>& columns = m_page->preview()->model()->table().columns;
        for (std::size_t column = 0; column < columns.size(); ++column) {
            if (columns[column].kind != ColumnKind::Text) {
                widths << find<QTableView>("tableView")->columnWidth(static_cast<int>(column));
            }
        }
        QCOMPARE(widths.size(), 1);
        const ReportTableModel* model = m_page->preview()->model();
        const auto shared = [&](int column) {
            return model->headerData(column, Qt::Horizontal, ReportTableModel::SharedHeadingRole)
                .toString();
        };
        QStringList over;
        for (int column = 0; column < model->columnCount(); ++column) {
            over << shared(column);
        }
        const auto first = over.indexOf("CR 0.2");
        QVERIFY2(first > 0 && over[first + 1] == "CR 0.2", qPrintable(over.join('|')));
        QCOMPARE(headings()[first], QString("svd-llm"));
        QCOMPARE(headings()[0], QString::fromUtf8("ρ"));
        QVERIFY(over[0].isEmpty());
        QCOMPARE(model->headerData(static_cast<int>(first), Qt::Horizontal, Qt::AccessibleTextRole)
                     .toString(),
                 QString("CR 0.2, svd-llm"));
        auto* tabs = find<QTabBar>("tableFormats");
        tabs->setCurrentIndex(1);
        QVERIFY(m_page->preview()->source().contains("\\multicolumn{2}{c}{CR 0.2}"));
        tabs->setCurrentIndex(0);
    }

    void savedAsLatexThatCompiles() {
        m_page->show();
        waitFor([this] {
            TableDesign design;
            design.metric = "piqa/acc_norm";
            design.beside = {"3"};
            m_page->setDesign(design);
        });
        auto* tabs = find<QTabBar>("tableFormats");
        tabs->setCurrentIndex(1);
        m_page->resize(1024, 480);
        picture("tables-latex-small");
        QTest::mouseClick(find<QPushButton>("tableExport"), Qt::LeftButton);
        auto* dialog = m_page->findChild<QFileDialog*>("exportTableDialog");
        QVERIFY(dialog != nullptr);
        QVERIFY(!dialog->testOption(QFileDialog::DontConfirmOverwrite));
        const QString path = m_folder.filePath("table.tex");
        emit dialog->fileSelected(path);
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray latex = file.readAll();
        QVERIFY(latex.contains("\\toprule"));
        delete dialog;
        const QString compiler = QStandardPaths::findExecutable("pdflatex");
        if (compiler.isEmpty()) {
            QSKIP("no pdflatex on this machine");
        }
        QFile whole(m_folder.filePath("whole.tex"));
        QVERIFY(whole.open(QIODevice::WriteOnly));
        whole.write(
            "\\documentclass{article}\\usepackage{booktabs}\\begin{document}\n"
            "\\input{table.tex}\n\\end{document}\n");
        whole.close();
        QProcess process;
        process.setWorkingDirectory(m_folder.path());
        process.start(compiler, {"-halt-on-error", "-interaction=nonstopmode", "whole.tex"});
        QVERIFY(process.waitForFinished(60000));
        QVERIFY2(process.exitCode() == 0, process.readAllStandardOutput().right(1500).constData());
    }
};

COSPADI_TEST(TestTablesPage)

}  // namespace tst_tables_page

#include "tst_tables_page.moc"
