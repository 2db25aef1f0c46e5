// The workbench: options, look, one window. `--screenshot FILE` shows the window, waits until the
// model and the runs are there, writes a picture of it and quits; with --run it waits for the run.
// `--screenshots DIR` does an ablation of its own and leaves pictures of every page, light and
// dark.
// `--figure` draws a table as a chart, `--figure-saved` a saved figure from the runs there are.
#include <QApplication>
#include <QCommandLineParser>
#include <QDir>
#include <QFileInfo>
#include <QLocale>
#include <QPalette>
#include <QSettings>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTextStream>
#include <QTimer>
#include <memory>

#include "app/workbench/description.h"
#include "app/workbench/figure.h"
#include "app/workbench/screenshots.h"
#include "core/store/locations.h"
#include "cospadi_version.h"
#include "ui/base/desktop_theme.h"
#include "ui/base/first_window.h"
#include "ui/base/language.h"
#include "ui/base/point_numbers.h"
#include "ui/base/preferences.h"
#include "ui/base/theme.h"
#include "ui/dialogs/welcome_guide.h"
#include "ui/engine/run_controller.h"
#include "ui/main_window.h"
#include "ui/open_model.h"
#include "ui/pages/model/model_panel.h"
#include "ui/planned_runs.h"
#include "ui/window_dialogs.h"
#include "ui/window_session.h"

namespace {

constexpr int kUsageError = 2;
constexpr int kSettleMilliseconds = 600;  // layout, first paint, charts

void takeScreenshot(cospadi::ui::MainWindow& window, const QString& path) {
    QTimer::singleShot(kSettleMilliseconds, &window, [&window, path] {
        const bool written = window.grab().save(path);
        if (!written) {
            QTextStream(stderr) << "cospadi-workbench: cannot write " << path << '\n';
        }
        window.services().run->cancel();
        QCoreApplication::exit(written ? 0 : 1);
    });
}

// Once, as soon as `share` of the run's matrices is finished, or the run has ended early.
void takeScreenshotDuringRun(cospadi::ui::MainWindow& window, const QString& path, double share) {
    auto* run = window.services().run;
    const auto once = std::make_shared<bool>(false);
    const auto look = [&window, run, path, share, once] {
        const bool there =
            run->trace().expected() > 0 && static_cast<double>(run->trace().finished()) >=
                                               share * static_cast<double>(run->trace().expected());
        if (!*once && (there || !run->isActive())) {
            *once = true;
            takeScreenshot(window, path);
        }
    };
    QObject::connect(run, &cospadi::ui::RunController::traceChanged, &window, look);
    QObject::connect(run, &cospadi::ui::RunController::failed, &window, look);
    QObject::connect(run, &cospadi::ui::RunController::runFinished, &window, look);
}

}  // namespace

int main(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {  // pictures and descriptions need no display
        const QByteArray word(argv[i]);
        if ((word.startsWith("--screenshots") || word.startsWith("--figure") ||
             word == "--manual" || word == "--completion") &&
            !qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) {
            qputenv("QT_QPA_PLATFORM", "offscreen");
        }
    }
    QApplication application(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("cospadi-workbench"));
    QCoreApplication::setOrganizationName(QStringLiteral("cospadi"));
    QCoreApplication::setApplicationVersion(QStringLiteral(COSPADI_VERSION));
    QGuiApplication::setDesktopFileName(QStringLiteral("org.cospadi.Workbench"));

    QCommandLineParser options;
    options.setApplicationDescription(QStringLiteral(
        "The window of CoSpaDi: choose layers, watch the compression, compare runs."));
    const QList<QCommandLineOption> known{options.addHelpOption(), options.addVersionOption()};
    options.addPositionalArgument(
        QStringLiteral("MODEL"),
        QStringLiteral("A GGUF file, a Hugging Face folder, or the word default"),
        QStringLiteral("[MODEL]"));
    const QCommandLineOption runs(
        QStringLiteral("runs"),
        QStringLiteral("Keep runs in DIR [$COSPADI_RUNS, else the data directory]"),
        QStringLiteral("DIR"));
    const QCommandLineOption screenshot(
        QStringLiteral("screenshot"),
        QStringLiteral("Write a picture of the window to FILE and quit"), QStringLiteral("FILE"));
    const QCommandLineOption page(
        QStringLiteral("page"),
        QStringLiteral("Open with this page in front, by its name or number from 1: %1")
            .arg(cospadi::ui::pageNames().join(QStringLiteral(", "))),
        QStringLiteral("PAGE"));
    const QCommandLineOption screenshots(
        QStringLiteral("screenshots"),
        QStringLiteral("Write pictures of every page to DIR and quit; needs no display"),
        QStringLiteral("DIR"));
    const QCommandLineOption layers(
        QStringLiteral("layers"),
        QStringLiteral("Tick the layers whose name contains a match of REGEX"),
        QStringLiteral("REGEX"));
    const QCommandLineOption start(QStringLiteral("run"), QStringLiteral("Press Run at once"));
    const QCommandLineOption share(
        QStringLiteral("at"),
        QStringLiteral("With --run and --screenshot: when this share of the matrices is finished"),
        QStringLiteral("SHARE"), QStringLiteral("1"));
    const QCommandLineOption another(
        QStringLiteral("another-window"),
        QStringLiteral("Open a new window even if one with these settings and runs is open"));
    const QList<QCommandLineOption> own =
        QList<QCommandLineOption>{another, runs,   screenshot, screenshots,
                                  page,    layers, start,      share} +
        cospadi::app::figureOptions() + cospadi::app::descriptionOptions();
    options.addOptions(own);
    options.process(application);
    if (cospadi::app::asksForDescription(argc, argv)) {
        return cospadi::app::printDescription(options, known + own);
    }
    if (options.isSet(runs)) {
        // The engine and the store look here too.
        qputenv("COSPADI_RUNS", QDir(options.value(runs)).absolutePath().toUtf8());
    }
    if (cospadi::app::asksForFigure(options)) {
        const cospadi::ui::PointNumbers numbers;
        cospadi::ui::applyTheme(application, false);
        return cospadi::app::writeFigure(options);
    }
    const int front = cospadi::ui::indexOfPage(options.value(page));
    if (options.isSet(page) && front < 0) {
        QTextStream(stderr) << "cospadi-workbench: --page: there is no page '"
                            << options.value(page) << "'; there are "
                            << cospadi::ui::pageNames().join(QStringLiteral(", ")) << '\n';
        return kUsageError;
    }

    QTemporaryDir scratch;
    if (options.isSet(
            screenshots)) {  // runs and settings of its own: pictures do not depend on the user's
        qputenv("COSPADI_RUNS", scratch.filePath(QStringLiteral("runs")).toUtf8());
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, scratch.path());
    }
    const cospadi::ui::Preferences preferences = cospadi::ui::Preferences::load();
    preferences.apply();
    cospadi::ui::useLanguage(
        cospadi::ui::languageOf(preferences.language, QLocale::system().uiLanguages()));
    const QStringList words = options.positionalArguments();
    QString model = words.value(0);
    if (!model.isEmpty() && model != QLatin1String("default")) {
        model = QFileInfo(model).absoluteFilePath();
    }
    // Pictures and what is said of layers and runs are about a window of their own.
    const bool isAlone = options.isSet(screenshots) || options.isSet(screenshot) ||
                         options.isSet(layers) || options.isSet(start) || options.isSet(another);
    const QString itsRuns = QString::fromStdString(cospadi::runsDirectory().string());
    if (!isAlone &&
        cospadi::ui::FirstWindow::handOver(
            itsRuns, {model, options.value(page), qEnvironmentVariable("XDG_ACTIVATION_TOKEN")})) {
        return 0;
    }
    const bool isDarkPalette = QGuiApplication::palette().color(QPalette::Window).lightness() < 128;
    cospadi::ui::DesktopTheme desktop(isDarkPalette);
    cospadi::ui::applyTheme(application, preferences.isDark(desktop.isDark()));
    cospadi::ui::MainWindow window(&desktop);
    cospadi::ui::FirstWindow first(itsRuns);
    QObject::connect(&first, &cospadi::ui::FirstWindow::handed, &window,
                     &cospadi::ui::MainWindow::takeWords);
    if (!isAlone) {
        first.listen();
    }
    if (options.isSet(page)) {
        window.pages().tabs->setCurrentIndex(front);  // not where the last session left off
    }
    window.show();
    if (options.isSet(screenshots)) {
        takeAllScreenshots(window, options.value(screenshots));
    }
    QObject::connect(&window, &cospadi::ui::MainWindow::modelLoaded, &window, [&](bool loaded) {
        if (loaded && options.isSet(layers)) {
            window.pages().model->selectByRegex(options.value(layers));
        }
        if (loaded && options.isSet(start)) {
            window.plannedRuns()->start();
        }
        if (options.isSet(screenshot)) {
            window.services().run->isActive()
                ? takeScreenshotDuringRun(window, options.value(screenshot),
                                          options.value(share).toDouble())
                : takeScreenshot(window, options.value(screenshot));
        }
    });
    if (!options.isSet(screenshot) && !options.isSet(screenshots) &&
        cospadi::ui::WelcomeGuide::isDue()) {
        window.dialogs()->showGuide();
    }
    window.openModel()->load(model.isEmpty() ? cospadi::ui::WindowSession::model() : model);
    return QApplication::exec();
}
