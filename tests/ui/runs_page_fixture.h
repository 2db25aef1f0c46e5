// What the tests of the Runs page share: a store of five runs of one model by three methods, the
// page over it, and the ways in which a user reaches its table, menus and charts.
#pragma once

#include <QAction>
#include <QComboBox>
#include <QHeaderView>
#include <QInputDialog>
#include <QMenu>
#include <QSettings>
#include <QTemporaryDir>
#include <QToolButton>
#include <QTreeView>
#include <QtTest>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "core/store/locations.h"
#include "core/store/run_store.h"
#include "tests/ui/child_of.h"
#include "ui/base/theme.h"
#include "ui/charts/parallel_coordinates.h"
#include "ui/models/runs_table_model.h"
#include "ui/pages/runs/runs_page.h"

namespace cospadi::ui {

// Entries of a menu that is made when it opens, by their words; "Columns>Model" in a submenu.
inline QAction* entryOf(QMenu* menu, const QString& path) {
    emit menu->aboutToShow();
    for (const QString& word : path.split('>')) {
        for (QAction* action : menu->actions()) {
            if (action->text() != word) {
                continue;
            }
            if (action->menu() == nullptr) {
                return action;
            }
            menu = action->menu();
            break;
        }
    }
    qFatal("there is no %s", qPrintable(path));
}

class RunsPageFixture {
  protected:
    static void writeRun(const std::string& id, const std::string& method, double cr, double rho,
                         double error, double accuracy) {
        using nlohmann::json;
        const std::filesystem::path directory = runsDirectory() / id;
        std::filesystem::create_directories(directory / "evaluations");
        std::ofstream(directory / "run.json")
            << json{{"format", 1},
                    {"id", id},
                    {"created", "2026-11-21T04:00:0" + std::to_string(id.size() % 10) + "Z"},
                    {"specification",
                     {{"model", "/m/smol.gguf"},
                      {"method", method},
                      {"solver", "fast"},
                      {"layers", ".*"},
                      {"cr", cr},
                      {"rho", rho},
                      {"iterations", 0},
                      {"seed", 42}}}};
        std::ofstream(directory / "result.json")
            << json{{"status", "finished"}, {"seconds", 10},           {"bytes", 1e6 * (1 - cr)},
                    {"dense_bytes", 1e6},   {"relative_error", error}, {"matrices", json::array()}};
        std::ofstream(directory / "evaluations" / "lm-eval-1.json")
            << json{{"kind", "lm-eval"},
                    {"tasks",
                     {{{"task", "piqa"},
                       {"version", "1.0"},
                       {"shots", 0},
                       {"samples", 100},
                       {"metrics",
                        {{{"metric", "acc_norm"},
                          {"filter", "none"},
                          {"value", accuracy},
                          {"stderr", 0.01},
                          {"higher_is_better", true}}}}}}}};
    }

    // Before the first page.
    void writeRuns() {
        QVERIFY(m_folder.isValid());
        qputenv("COSPADI_RUNS", m_folder.filePath("runs").toUtf8());
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder.path());
        QCoreApplication::setOrganizationName("cospadi-test");
        applyTheme(*qApp);
        writeRun("dense", "dense", 0, 2, 0, 0.70);
        writeRun("llm-2", "svd-llm", 0.2, 2, 0.25, 0.60);
        writeRun("llm--3", "svd-llm", 0.3, 2, 0.40, 0.55);
        writeRun("ours---2", "cospadi", 0.2, 2, 0.11, 0.66);
        writeRun("ours-2rho", "cospadi", 0.2, 1.5, 0.12, 0.65);
    }

    // As at every start of the program: what was remembered is there.
    void openPage() {
        m_page = std::make_unique<RunsPage>();
        m_page->resize(1400, 800);
        m_page->show();
        m_page->refresh();
        QTRY_VERIFY(m_page->model()->rowCount() >= 5);
    }

    template <typename Widget>
    Widget* find(const char* name) {
        return childOf<Widget>(*m_page, name);
    }

    QTreeView* table() { return find<QTreeView>("runsTable"); }

    QModelIndex cell(const QString& run, int column, const QModelIndex& parent = {}) {
        const QAbstractItemModel* model = table()->model();
        for (int row = 0; row < model->rowCount(parent); ++row) {
            const QModelIndex index = model->index(row, 0, parent);
            if (index.data(RunsTableModel::IdRole).toString() == run) {
                return index.siblingAtColumn(column);
            }
            const QModelIndex below = cell(run, column, index);
            if (below.isValid()) {
                return below;
            }
        }
        return {};
    }

    QAction* entry(const char* button, const QString& path) {
        return entryOf(find<QToolButton>(button)->menu(), path);
    }

    // What is on screen by the name, as the menu's entry asks for it.
    void saveAs(QAction* entry, const char* dialogName, const QString& name) {
        entry->trigger();
        auto* dialog = find<QInputDialog>(dialogName);
        dialog->setTextValue(name);
        dialog->accept();
        QTRY_VERIFY(m_page->findChild<QInputDialog*>(dialogName) == nullptr);
    }

    QStringList parallelAxes() {
        QStringList names;
        for (const ParallelAxis& axis : m_page->parallelView()->axes()) {
            names << axis.word();
        }
        return names;
    }

    QStringList shownColumns() {
        QStringList keys;
        const QHeaderView* header = table()->header();
        for (int place = 0; place < header->count(); ++place) {
            if (!header->isSectionHidden(header->logicalIndex(place))) {
                keys << m_page->model()->columnKey(header->logicalIndex(place));
            }
        }
        return keys;
    }

    void compare(const QString& words) {
        auto* box = find<QComboBox>("comparison");
        QVERIFY(box->findText(words) >= 0);
        box->setCurrentIndex(box->findText(words));
    }

    // Of the runs that are selected, as the right button or the menu key opens it.
    QMenu* runMenu() {
        emit table()->customContextMenuRequested(table()->rect().center());
        const auto menus = m_page->findChildren<QMenu*>("runMenu");
        return menus.isEmpty() ? nullptr : menus.last();
    }

    static void pick(QMenu* menu, const QString& words) {
        for (QAction* action : menu->actions()) {
            if (action->text() == words && action->isEnabled()) {
                menu->close();
                action->trigger();
                return;
            }
        }
        qFatal("there is no %s", qPrintable(words));
    }

    // Among what there is to choose from once the runs were looked at.
    void choose(const char* name, const QString& word) {
        auto* box = find<QComboBox>(name);
        QTRY_VERIFY(box->findData(word) >= 0);
        box->setCurrentIndex(box->findData(word));
    }

    RunRow stored(const QString& id) {
        return RunStore::open(storePath(), RunStore::Access::ReadOnly).find(id.toStdString());
    }

    // With COSPADI_SCREENSHOTS=DIR.
    void picture(const QString& name) {
        const QString folder = qEnvironmentVariable("COSPADI_SCREENSHOTS");
        if (!folder.isEmpty()) {
            QTest::qWait(100);
            QVERIFY(m_page->grab().save(folder + '/' + name + ".png"));
        }
    }

    QTemporaryDir m_folder;
    std::unique_ptr<RunsPage> m_page;
};

}  // namespace cospadi::ui
