// A table of the paper from own runs as the window makes it, with the real engine and a small
// model: the plan, Start, the table at the end; what another program made counts; Stop; bad words.
#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QProcess>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTabWidget>
#include <QtTest>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/report/report.h"
#include "core/store/locations.h"
#include "core/store/run_store.h"
#include "tests/core/oracle_data.h"
#include "tests/core/own_folder.h"
#include "tests/registered_test.h"
#include "tests/ui/nameless_widgets.h"
#include "ui/base/theme.h"
#include "ui/engine/engine_client.h"
#include "ui/main_window.h"
#include "ui/models/report_table_model.h"
#include "ui/models/reproduction_plan_model.h"
#include "ui/pages/tables/reproduce_dialog.h"
#include "ui/pages/tables/table_preview.h"

namespace tst_reproduce_dialog {

using namespace cospadi;
using namespace cospadi::ui;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr int kPatience = 120'000;

}  // namespace

class TestReproduceDialog : public QObject, OwnFolder {
    Q_OBJECT

    QString path(const char* name) const { return QString::fromStdString(place(name).string()); }

    void writeEntry(const char* name, const std::string& head, const std::string& grids) {
        std::ofstream(place("resources/reproduce") / name)
            << "label: tab:" << fs::path(name).stem().string() << "\n"
            << head << "published: [ablation-data]\nprotocol:\n  grid:\n    layers: attn_k\n"
            << "    grids:\n"
            << grids << "  evaluate: {text: " << place("text.txt").string() << ", context: 16}\n"
            << "outputs:\n  - rows: [method, cr]\n    values: [perplexity, error]\n"
            << "    figure: {x: cr, y: [error], curves: [method]}\n"
            << "  - name: plain\n    rows: [method, cr]\n    values: [perplexity, error]\n";
    }

    // With COSPADI_SCREENSHOTS=DIR.
    static void picture(QWidget& widget, const QString& name) {
        const QString folder = qEnvironmentVariable("COSPADI_SCREENSHOTS");
        if (!folder.isEmpty()) {
            for (const bool dark : {false, true}) {
                applyTheme(*qApp, dark);
                QCoreApplication::processEvents();
                QVERIFY(
                    widget.grab().save(folder + '/' + name + (dark ? "-dark" : "-light") + ".png"));
            }
            applyTheme(*qApp, false);
        }
    }

    static QStringList column(const ReproductionPlanModel& plan, int column) {
        QStringList words;
        for (int row = 0; row < plan.rowCount(); ++row) {
            words << plan.index(row, column).data().toString();
        }
        return words;
    }

    static QPushButton* startOf(const QDialog& dialog) {
        return dialog.findChild<QPushButton*>("primary");
    }

    static QString costOf(const QDialog& dialog) {
        return dialog.findChild<QLabel*>("reproduceCost")->text();
    }

  private slots:
    void initTestCase() {
        QCoreApplication::setOrganizationName(QStringLiteral("cospadi-test"));
        QSettings::setPath(QSettings::defaultFormat(), QSettings::UserScope, m_folder.path());
        if (const auto model = oracle::defaultModel()) {  // found before its folder is another one
            qputenv("COSPADI_DEFAULT_MODEL", model->c_str());
        }
        qputenv("XDG_DATA_HOME", path("data-home").toUtf8());
        qputenv("XDG_CACHE_HOME", path("cache").toUtf8());
        qputenv("COSPADI_RUNS", path("runs").toUtf8());
        fs::create_directories(place("runs"));
        fs::create_directories(place("model"));
        fs::create_directories(place("resources/reproduce"));
        const fs::path source = COSPADI_TEST_DATA "/oracle/arch/a_llama_gqa";
        for (const char* file : {"config.json", "model.safetensors"}) {
            fs::copy_file(source / file, place("model") / file);
        }
        fs::copy_file(COSPADI_TEST_DATA "/fuzz/byte_level.json", place("model") / "tokenizer.json");
        std::ofstream text(place("text.txt"));
        for (int i = 0; i < 60; ++i) {
            text << "line " << i * i << " of the text\n";
        }
        text.close();
        writeEntry("tiny.yaml", "number: Table 1\nshows: a small one\n",
                   "      - {method: dense}\n      - {method: [svd], cr: [0.2, 0.4]}\n");
        writeEntry("later.yaml",
                   "number: Table 2\nshows: another\nunavailable: \"no such method\"\n",
                   "      - {method: dense}\n");
        qputenv("COSPADI_RESOURCES", path("resources").toUtf8());
    }

    // No label's name, and nothing but it, comes from the program: the entries are files.
    void aTableToItsEnd() {
        EngineClient engine;
        ReproductionWork work(&engine);
        ReproduceDialog dialog(&work, path("model"), "cpu");
        dialog.setAttribute(Qt::WA_DeleteOnClose, false);
        const QAbstractItemModelTester tester(dialog.plan());
        dialog.show();
        QTRY_VERIFY(!dialog.isBusy());
        auto* labels = dialog.findChild<QComboBox*>("reproduceLabel");
        QCOMPARE(labels->count(), 2);
        QVERIFY(!(labels->model()->flags(labels->model()->index(labels->findData("later"), 0)) &
                  Qt::ItemIsEnabled));
        dialog.choose("tiny", ProtocolSize::Full);
        QTRY_VERIFY(!dialog.isBusy());
        QVERIFY(namelessIn(dialog).isEmpty());
        QCOMPARE(dialog.plan()->rowCount(), 3);
        QVERIFY2(costOf(dialog).startsWith("3 of 3 runs missing"), qPrintable(costOf(dialog)));
        QCOMPARE(dialog.findChild<QLineEdit*>("reproduceCommand")->text(),
                 QString("cospadi reproduce tiny %1").arg(path("model")));
        picture(dialog, "plan");
        auto* tabs = dialog.findChild<QTabWidget*>("reproduceTabs");
        QCOMPARE(tabs->count(), 1);  // nothing is there that a table could show
        for (const auto& entry : fs::directory_iterator(place("runs"))) {
            QVERIFY2(!entry.is_directory(), entry.path().c_str());  // looking makes no run
        }

        QSignalSpy finished(&work, &ReproductionWork::finished);
        QTest::mouseClick(startOf(dialog), Qt::LeftButton);
        QVERIFY(work.isActive());
        QCOMPARE(startOf(dialog)->text(), QString("Stop"));
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
        QCOMPARE(finished[0][0].toInt(), 0);
        QTRY_VERIFY(!dialog.isBusy());
        QCOMPARE(column(*dialog.plan(), ReproductionPlanModel::StateColumn),
                 QStringList({"finished", "finished", "finished"}));
        QVERIFY2(costOf(dialog).startsWith("Nothing is missing"), qPrintable(costOf(dialog)));
        QVERIFY(!startOf(dialog)->isEnabled());

        // The table shows what the store has, and a curve stands beside it.
        QCOMPARE(tabs->currentIndex(), 1);
        QCOMPARE(tabs->tabText(1), QString("tiny"));
        QCOMPARE(tabs->tabText(2), QString("error"));
        QCOMPARE(tabs->tabText(3), QString("tiny-plain"));
        const auto* preview = qobject_cast<TablePreview*>(tabs->widget(3));
        QVERIFY(preview != nullptr);
        const RunStore store = RunStore::openForReading(storePath());
        const std::vector<RunRow> rows = store.list();
        QCOMPARE(static_cast<int>(rows.size()), 3);
        const std::string csv = render(preview->model()->table(), ReportFormat::Csv);
        for (const RunRow& row : rows) {
            QCOMPARE(static_cast<int>(row.evaluations.size()), 1);
            bool isThere = false;
            for (const ReportRow& own : preview->model()->table().rows) {
                for (const ReportCell& cell : own.cells) {
                    isThere = isThere || numberIn(cell) == row.evaluations[0].perplexity;
                }
            }
            QVERIFY2(isThere, csv.c_str());
            QVERIFY(row.tags == std::vector<std::string>{"reproduce:tiny"});
        }
        picture(dialog, "table");
        tabs->setCurrentIndex(2);
        picture(dialog, "figure");
    }

    // The command line finds the same plan, with nothing left to do.
    void theCommandFindsWhatTheWindowMade() {
        QProcess cli;
        cli.start(EngineClient::defaultProgram(),
                  {"reproduce", "tiny", path("model"), "--dry-run", "--json"});
        QVERIFY(cli.waitForFinished(kPatience));
        const json plan = json::parse(cli.readAllStandardOutput().toStdString());
        QCOMPARE(plan.at("missing").get<int>(), 0);
        QCOMPARE(static_cast<int>(plan.at("jobs").size()), 3);
    }

    // A run that is gone is a hole beside the others until it is made again.
    void whatIsMissingIsAHole() {
        const auto rows = RunStore::openForReading(storePath()).list();
        const auto svd =
            std::find_if(rows.begin(), rows.end(), [](const RunRow& row) { return row.cr == 0.4; });
        QVERIFY(svd != rows.end());
        fs::remove_all(svd->directory);
        EngineClient engine;
        ReproductionWork work(&engine);
        ReproduceDialog dialog(&work, path("model"), "cpu");
        dialog.setAttribute(Qt::WA_DeleteOnClose, false);
        dialog.choose("tiny", ProtocolSize::Full);
        dialog.show();
        QTRY_VERIFY(!dialog.isBusy());
        QVERIFY2(costOf(dialog).startsWith("1 of 3 runs missing"), qPrintable(costOf(dialog)));
        QCOMPARE(dialog.plan()->index(2, ReproductionPlanModel::StateColumn).data().toString(),
                 QString("to make"));
        const auto* preview = dialog.findChild<TablePreview*>();
        QVERIFY(preview != nullptr);
        QVERIFY(render(preview->model()->table(), ReportFormat::Csv).find("not made yet") !=
                std::string::npos);
        QSignalSpy cancelled(&work, &ReproductionWork::cancelled);
        QSignalSpy finished(&work, &ReproductionWork::finished);
        startOf(dialog)->click();
        startOf(dialog)->click();  // Stop, before or in the run
        QTRY_COMPARE_WITH_TIMEOUT(cancelled.count() + finished.count(), 1, kPatience);
        QTRY_VERIFY(!dialog.isBusy());
        if (dialog.plan()->plan().missing() > 0) {
            startOf(dialog)->click();
            QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
            QTRY_VERIFY(!dialog.isBusy());
        }
        QVERIFY(costOf(dialog).startsWith("Nothing is missing"));
    }

    // Every label that ships, its smaller version, of the model that it is for.
    void shippedLabelsArePlanned() {
        if (!oracle::defaultModel()) {
            QSKIP("the default model is absent: ./run fetches it");
        }
        qputenv("COSPADI_RESOURCES", COSPADI_SOURCE_DIR "/resources");
        EngineClient engine;
        ReproductionWork work(&engine);
        ReproduceDialog dialog(&work, "default", "cpu");
        dialog.setAttribute(Qt::WA_DeleteOnClose, false);
        dialog.show();
        const auto* labels = dialog.findChild<QComboBox*>("reproduceLabel");
        QVERIFY(labels->count() > 15);
        int withRuns = 0;
        for (const Reproduction& entry : paperLabels()) {
            if (!entry.unavailable.empty()) {
                continue;
            }
            dialog.choose(QString::fromStdString(entry.name), ProtocolSize::Quick);
            QTRY_VERIFY_WITH_TIMEOUT(!dialog.isBusy(), kPatience);
            const int runs = dialog.plan()->rowCount();
            QVERIFY2(runs > 0 || costOf(dialog) == "It needs no runs.",
                     qPrintable(QString::fromStdString(entry.name) + ": " + costOf(dialog)));
            QCOMPARE(startOf(dialog)->isEnabled(), runs > 0);
            withRuns += runs > 0 ? 1 : 0;
        }
        QVERIFY(withRuns > 10);
        dialog.choose("ablation_data", ProtocolSize::Quick);
        QTRY_VERIFY_WITH_TIMEOUT(!dialog.isBusy(), kPatience);
        picture(dialog, "shipped");
        qputenv("COSPADI_RESOURCES", path("resources").toUtf8());
    }

    void theTablesPageOpensIt() {
        MainWindow window;
        window.show();
        auto* button = window.findChild<QPushButton*>("makeFromOwnRuns");
        QVERIFY(button != nullptr);
        button->click();
        button->click();
        const auto dialogs = window.findChildren<ReproduceDialog*>();
        QCOMPARE(dialogs.size(), 1);
        QCOMPARE(dialogs[0]->question().model, QString("default"));
        dialogs[0]->close();
        QTRY_COMPARE(window.findChildren<ReproduceDialog*>().size(), 0);
    }

    void whatCannotBeMadeIsSaid() {
        EngineClient engine;
        ReproductionWork work(&engine);
        ReproduceDialog dialog(&work, path("nowhere"), "cpu");
        dialog.setAttribute(Qt::WA_DeleteOnClose, false);
        dialog.choose("tiny", ProtocolSize::Full);
        dialog.show();
        QTRY_VERIFY(!dialog.isBusy());
        QVERIFY2(costOf(dialog).contains("nowhere"), qPrintable(costOf(dialog)));
        QVERIFY(!startOf(dialog)->isEnabled());
        auto* model = dialog.findChild<QLineEdit*>("reproduceModel");
        model->clear();
        emit model->editingFinished();
        QVERIFY(costOf(dialog).contains("no model is named"));
        // The engine refuses as the command does.
        QSignalSpy failed(&work, &ReproductionWork::failed);
        work.start({"later", path("model"), ProtocolSize::Full});
        QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, kPatience);
        QVERIFY(failed[0][0].value<EngineError>().message.contains("no such method"));
        QVERIFY(!work.isActive());
    }
};

COSPADI_TEST(TestReproduceDialog)

}  // namespace tst_reproduce_dialog

#include "tst_reproduce_dialog.moc"
