// How long the window takes from its start to its use, the end of the process included: the program
// starts itself.
#include <sys/resource.h>

#include <QApplication>
#include <QProcess>
#include <QTextStream>
#include <iostream>
#include <vector>

#include "tests/ui/bench_clock.h"
#include "tests/ui/bench_results.h"
#include "tests/ui/bench_window_parts.h"
#include "ui/main_window.h"
#include "ui/open_model.h"

namespace bench_window {

using namespace cospadi::ui;

// Says "usable" once the model is there and the window was painted with it.
int startOnce() {
    MainWindow window;
    window.show();
    int exitCode = 1;
    QObject::connect(&window, &MainWindow::modelLoaded, &window, [&](bool loaded) {
        window.repaint();
        exitCode = loaded ? 0 : 1;
        std::cout << (loaded ? "usable" : "no model") << std::endl;
        QCoreApplication::exit(exitCode);
    });
    window.openModel()->load(QStringLiteral("default"));
    return QApplication::exec();
}

void startOfTheWindow(Results& results) {
    std::vector<Span> spans;
    for (int i = 0; i < 5; ++i) {
        rusage before{};
        getrusage(RUSAGE_CHILDREN, &before);
        bool usable = false;
        Span span = timed([&] {
            QProcess process;
            process.start(QCoreApplication::applicationFilePath(), {QStringLiteral("--start")});
            usable = process.waitForReadyRead(30000) && process.readAll().startsWith("usable");
            process.waitForFinished(30000);
        });
        if (!usable) {
            QTextStream(stdout) << "start: the default model is not there (./run fetches it)\n";
            return;
        }
        rusage after{};
        getrusage(RUSAGE_CHILDREN, &after);
        const auto seconds = [](const timeval& t) {
            return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
        };
        span.processor = 1e3 * (seconds(after.ru_utime) + seconds(after.ru_stime) -
                                seconds(before.ru_utime) - seconds(before.ru_stime));
        spans.push_back(span);
    }
    results.add(QStringLiteral("start to usable window, default model"), 1000, median(spans),
                QStringLiteral("median of five, end of the process included"));
}

}  // namespace bench_window
