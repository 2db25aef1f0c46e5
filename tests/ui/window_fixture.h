// What the tests of the whole window share: a home of its own for runs, index and settings, the
// real engine, and a small model that is in the repository.
#pragma once

#include <QAction>
#include <QDir>
#include <QFile>
#include <QLocale>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>
#include <memory>

#include "core/methods/method.h"
#include "core/store/run_specification.h"
#include "ui/base/preferences.h"
#include "ui/base/theme.h"
#include "ui/engine/engine_client.h"
#include "ui/engine/run_controller.h"
#include "ui/engine/run_queue.h"
#include "ui/main_window.h"
#include "ui/open_model.h"
#include "ui/pages/model/model_panel.h"
#include "ui/pages/plan/plan_panel.h"
#include "ui/planned_runs.h"
#include "ui/widgets/message_bar.h"

namespace cospadi::ui {

inline const QString kSmallModel = COSPADI_TEST_DATA "/oracle/arch/a_llama_gqa";

// Before the first window of a program.
inline void useHomeOfItsOwn(const QTemporaryDir& home) {
    qunsetenv("COSPADI_RUNS");
    qunsetenv("COSPADI_THREADS");
    qputenv("XDG_DATA_HOME", home.filePath("data").toUtf8());
    qputenv("XDG_CACHE_HOME", home.filePath("cache").toUtf8());
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, home.path());
    QCoreApplication::setOrganizationName("cospadi-test");
    QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    Preferences::load().apply();
    applyTheme(*qApp);
}

// A window on the screen with the small model open; nullptr where that failed.
inline std::unique_ptr<MainWindow> openWindow() {
    auto window = std::make_unique<MainWindow>();
    window->show();
    QSignalSpy loaded(window.get(), &MainWindow::modelLoaded);
    window->openModel()->load(kSmallModel);
    const bool shown = QTest::qWaitForWindowExposed(window.get()) &&
                       (loaded.count() == 1 || loaded.wait()) && loaded[0][0].toBool();
    window->activateWindow();
    return shown && QTest::qWaitForWindowActive(window.get()) ? std::move(window) : nullptr;
}

inline QPushButton* buttonOf(const QWidget& widget, const QString& text) {
    for (QPushButton* button : widget.findChildren<QPushButton*>()) {
        if (QString(button->text()).remove('&') == text && !button->isHidden()) {
            return button;
        }
    }
    return nullptr;
}

// What stands before and after every test function: a window with the small model, in a home in
// which nothing was done yet.
class WindowFixture {
  protected:
    void makeHome() {
        QVERIFY(m_home.isValid());
        useHomeOfItsOwn(m_home);
    }

    void openOne() {
        m_window = openWindow();
        QVERIFY(m_window != nullptr);
    }

    void forgetEverything() {
        m_window.reset();
        QSettings().clear();
        QDir(m_home.filePath("data")).removeRecursively();
        Preferences().apply();
        applyTheme(*qApp);
    }

    // The message bar's button, once it is offered.
    QPushButton* offered(const QString& text) const {
        return buttonOf(*m_window->pages().messages, text);
    }

    // Of a menu, by the beginning of its words.
    QAction* action(const QString& words) const {
        for (QAction* action : m_window->findChildren<QAction*>()) {
            if (action->text().remove('&').startsWith(words)) {
                return action;
            }
        }
        return nullptr;
    }

    // The small model with a tokenizer, which texts and tasks need.
    QString modelThatReads() const {
        const QString folder = m_home.filePath("data/model");
        QDir().mkpath(folder);
        for (const char* file : {"config.json", "model.safetensors"}) {
            QFile::copy(kSmallModel + '/' + file, folder + '/' + file);
        }
        QFile::copy(COSPADI_TEST_DATA "/fuzz/byte_level.json", folder + "/tokenizer.json");
        return folder;
    }

    void load(const QString& model) const {
        QSignalSpy loaded(m_window.get(), &MainWindow::modelLoaded);
        m_window->openModel()->load(model);
        QTRY_COMPARE(loaded.count(), 1);
        QVERIFY(loaded[0][0].toBool());
    }

    void startRun(const RunSpecification& plan) const {
        m_window->pages().plan->setSpecification(plan);
        m_window->plannedRuns()->start();
    }

    QTemporaryDir m_home;
    std::unique_ptr<MainWindow> m_window;
};

// A data-free run of the small model; many iterations of K-SVD last as long as a test wants.
inline RunSpecification planOf(int iterations) {
    RunSpecification plan;
    plan.method = &methodFromName("cospadi-free");
    plan.solver = iterations > 0 ? Solver::Ksvd : Solver::Fast;
    plan.iterations = iterations;
    return plan;
}

// With COSPADI_SCREENSHOTS=DIR a picture of the window is left there.
inline void picture(MainWindow& window, const QString& name) {
    const QString folder = qEnvironmentVariable("COSPADI_SCREENSHOTS");
    if (!folder.isEmpty()) {
        QTest::qWait(300);
        QVERIFY(window.grab().save(folder + '/' + name + ".png"));
    }
}

}  // namespace cospadi::ui
