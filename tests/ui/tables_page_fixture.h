// What the tests of the Tables page share: a store of five runs by two methods, and the page over
// it.
#pragma once

#include <QComboBox>
#include <QSignalSpy>
#include <QStringList>
#include <QTemporaryDir>
#include <QtTest>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "core/store/locations.h"
#include "core/store/run_store.h"
#include "tests/ui/child_of.h"
#include "ui/base/theme.h"
#include "ui/models/report_table_model.h"
#include "ui/pages/tables/table_preview.h"
#include "ui/pages/tables/tables_page.h"
#include "ui/widgets/message_bar.h"

namespace cospadi::ui {

class TablesPageFixture {
  protected:
    static RunRecord recordOf(const std::string& method, double cr, std::int64_t seed, double error,
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
        run.specification =
            nlohmann::json{{"model", run.model}, {"method", method}, {"solver", "fast"},
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

    void useOwnStore() {
        QVERIFY(m_folder.isValid());
        qputenv("COSPADI_RUNS", m_folder.filePath("runs").toUtf8());
        QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
        applyTheme(*qApp);
    }

    void writeRuns() {
        RunStore store = RunStore::open(storePath());
        store.importRecords(
            {recordOf("svd-llm", 0.2, 1, 0.25, 0.70), recordOf("svd-llm", 0.3, 1, 0.35, 0.65),
             recordOf("cospadi", 0.2, 1, 0.10, 0.76), recordOf("cospadi", 0.2, 2, 0.12, 0.78),
             recordOf("cospadi", 0.3, 1, 0.15, 0.73)});
    }

    void openPage() {
        m_page.reset();
        m_messages = std::make_unique<MessageBar>();
        m_page = std::make_unique<TablesPage>(m_messages.get());
        m_page->resize(1200, 700);
    }

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

    QTemporaryDir m_folder;
    std::unique_ptr<MessageBar> m_messages;
    std::unique_ptr<TablesPage> m_page;
};

}  // namespace cospadi::ui
