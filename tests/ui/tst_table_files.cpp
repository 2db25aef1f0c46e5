// Tables on disk: designs that are kept and found again, a damaged file of theirs, and LaTeX, which
// is judged by pdflatex.
#include <QComboBox>
#include <QFile>
#include <QFileDialog>
#include <QLineEdit>
#include <QProcess>
#include <QPushButton>
#include <QSpinBox>
#include <QStandardPaths>
#include <QTabBar>
#include <QtTest>

#include "tests/registered_test.h"
#include "tests/ui/tables_page_fixture.h"
#include "ui/models/report_table_model.h"
#include "ui/pages/tables/table_preview.h"
#include "ui/widgets/message_bar.h"

namespace tst_table_files {

using namespace cospadi;
using namespace cospadi::ui;

class TestTableFiles : public QObject, TablesPageFixture {
    Q_OBJECT

  private slots:
    void initTestCase() {
        useOwnStore();
        writeRuns();
    }
    void init() { openPage(); }

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

COSPADI_TEST(TestTableFiles)

}  // namespace tst_table_files

#include "tst_table_files.moc"
