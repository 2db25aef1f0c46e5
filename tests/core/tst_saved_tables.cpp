// Designs of tables kept in a file: found again, replaced, forgotten, and a file that is damaged,
// which is left as it is.
#include <QtTest>
#include <fstream>
#include <vector>

#include "core/base/error.h"
#include "core/report/report_arguments.h"
#include "core/report/table_design.h"
#include "tests/core/own_folder.h"
#include "tests/registered_test.h"

namespace tst_saved_tables {

using namespace cospadi;

namespace {

TableDesign fullDesign() {
    TableDesign design;
    design.name = "Table 1, \"main\"";
    design.rows = {"model", "method"};
    design.columns = {"rho", "cr"};
    design.metric = "piqa/acc_norm";
    design.runs.filter.method = "cospadi";
    design.runs.filter.tag = "paper";
    design.runs.filter.starredOnly = true;
    design.runs.filter.limit = 7;
    design.runs.layers = ".*";
    design.runs.cr = {0.2, 0.3};
    design.runs.rho = {1.5};
    design.beside = {"3", "main-llama3-8b"};
    design.layout = {.decimals = 3,
                     .best = false,
                     .second = true,
                     .deviations = false,
                     .standardErrors = true,
                     .caption = "A caption with 50 %",
                     .label = "tab:main",
                     .rowOrder = {"b", "a"},
                     .columnOrder = {"cr 0.3"},
                     .hidden = {"c"},
                     .renamed = {{"x", "ρ = y"}}};
    return design;
}

bool sameDesign(const TableDesign& a, const TableDesign& b) {
    return a.name == b.name && a.layout == b.layout && reportArguments(a) == reportArguments(b);
}

}  // namespace

class TestSavedTables : public QObject, OwnFolder {
    Q_OBJECT

  private slots:
    void designsAreFoundAgain() {
        const auto designs = place("deep/tables.json");
        QVERIFY(savedTables(designs).empty());
        saveTable(designs, fullDesign());
        TableDesign second;
        second.name = "plain";
        saveTable(designs, second);
        TableDesign changed = fullDesign();
        changed.layout.decimals.reset();
        changed.layout.second.reset();
        saveTable(designs, changed);  // in the place of the first
        const std::vector<TableDesign> found = savedTables(designs);
        QCOMPARE(static_cast<int>(found.size()), 2);
        QVERIFY(sameDesign(found[0], changed));
        QVERIFY(sameDesign(found[1], second));
        QVERIFY(!sameDesign(found[0], fullDesign()));
        forgetTable(designs, "plain");
        QCOMPARE(static_cast<int>(savedTables(designs).size()), 1);
        try {
            savedTable(designs, "plain");
            QFAIL("was found");
        } catch (const Error& error) {
            QVERIFY2(QString(error.what()).contains("Table 1"), error.what());
        }
        QVERIFY_THROWS_EXCEPTION(Error, saveTable(designs, TableDesign()));
    }

    void damagedFiles_data() {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("says");
        QTest::newRow("no JSON") << QByteArray("{") << "not an object";
        QTest::newRow("a list") << QByteArray("[]") << "not an object";
        QTest::newRow("newer") << QByteArray(R"({"format": 2, "tables": []})") << "format 2";
        QTest::newRow("no tables") << QByteArray(R"({"format": 1})") << "tables";
        QTest::newRow("no name") << QByteArray(R"({"format": 1, "tables": [{}]})") << "name";
        QTest::newRow("rows are text")
            << QByteArray(R"({"format": 1, "tables": [{"name": "t", "rows": "cr"}]})") << "rows";
        QTest::newRow("digits")
            << QByteArray(R"({"format": 1, "tables": [{"name": "t", "decimals": 99}]})")
            << "decimals";
        QTest::newRow("runs")
            << QByteArray(R"({"format": 1, "tables": [{"name": "t", "runs": {"cr": "all"}}]})")
            << "cr";
    }

    void damagedFiles() {
        QFETCH(QByteArray, content);
        QFETCH(QString, says);
        const auto designs = place("damaged.json");
        std::ofstream(designs) << content.toStdString();
        TableDesign mine;
        mine.name = "mine";
        try {
            saveTable(designs, mine);
            QFAIL("was taken");
        } catch (const Error& error) {
            const QString text = error.what();
            QVERIFY2(text.contains(says) && text.contains("damaged.json"), error.what());
        }
        QFile untouched(QString::fromStdString(designs.string()));
        QVERIFY(untouched.open(QIODevice::ReadOnly));
        QCOMPARE(untouched.readAll(), content);
    }
};

COSPADI_TEST(TestSavedTables)

}  // namespace tst_saved_tables

#include "tst_saved_tables.moc"
