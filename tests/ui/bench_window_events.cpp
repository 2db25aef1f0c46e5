// The longest turn of the UI thread while an engine sends 1,000 events a second, and the engine
// that does so.
#include <QElapsedTimer>
#include <QTabWidget>
#include <QTest>
#include <chrono>
#include <iostream>
#include <string>
#include <thread>

#include "tests/ui/bench_clock.h"
#include "tests/ui/bench_results.h"
#include "tests/ui/bench_window_parts.h"
#include "ui/engine/engine_client.h"
#include "ui/engine/run_controller.h"
#include "ui/main_window.h"
#include "ui/pages/monitor/monitor_page.h"

namespace bench_window {

using namespace cospadi;
using namespace cospadi::ui;

namespace {

constexpr int kEventsASecond = 1000;
constexpr int kStreamSeconds = 8;
constexpr int kMatrices = 20;

}  // namespace

// As docs/formats.md has the engine's messages.
int playEngine() {
    std::string line;
    std::getline(std::cin, line);
    std::cout << R"({"id":1,"result":{"version":"bench","device":"cpu","cores":2}})" << std::endl;
    std::getline(std::cin, line);
    std::cout << R"({"id":2,"result":{"run":"r","directory":"/nowhere"}})" << std::endl;
    std::cout << R"({"event":"run_started","request":2,"run":"r","matrices":20,"finished":0})"
              << std::endl;
    std::string usage = "[";
    for (int i = 0; i < 64; ++i) {
        usage += (i == 0 ? "" : ",") + std::to_string(1000 - 10 * i);
    }
    usage += "]";
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kEventsASecond * kStreamSeconds; ++i) {
        std::this_thread::sleep_until(begin +
                                      std::chrono::microseconds(1'000'000LL * i / kEventsASecond));
        const int matrix = i % kMatrices;
        const int iteration = i / kMatrices + 1;
        std::cout << R"({"event":"iteration","request":2,"run":"r","matrix":"blk.)" << matrix
                  << R"(.ffn_up","iteration":)" << iteration << R"(,"relative_error":)"
                  << 0.1 + 1.0 / (iteration + matrix) << R"(,"dead_atoms":0,"usage_entropy":0.97,)"
                  << R"("phase":"ksvd","seconds":0.01,"t":)" << 0.001 * i << R"(,"usage":)" << usage
                  << "}" << std::endl;
    }
    std::cout
        << R"({"event":"run_finished","request":2,"run":"r","status":"cancelled","seconds":1})"
        << std::endl;
    std::getline(std::cin, line);
    return 0;
}

void streamOfEvents(WatchedApplication& application, Results& results) {
    MainWindow window;
    window.resize(1440, 900);
    window.show();
    window.pages().tabs->setCurrentWidget(window.pages().monitor);
    (void)QTest::qWaitForWindowExposed(&window);
    window.services().engine->setProgram(QCoreApplication::applicationFilePath(), {"--engine"});
    QTest::qWait(500);  // first paints
    window.services().run->start(RunSpecification{});
    (void)QTest::qWaitFor([&] { return !window.services().run->trace().matrices().isEmpty(); },
                          10000);
    application.longest = {};
    const double before = threadSeconds();
    QElapsedTimer clock;
    clock.start();
    (void)QTest::qWaitFor([&] { return !window.services().run->isActive(); }, 60000);
    const double share = (threadSeconds() - before) / (1e-3 * static_cast<double>(clock.elapsed()));
    qsizetype points = 0;
    for (const MatrixTrace& matrix : window.services().run->trace().matrices()) {
        points += matrix.error.size();
    }
    results.add(QStringLiteral("longest turn of the UI thread, 1,000 events/s"), 50,
                application.longest,
                QStringLiteral("%1 events drawn, %2 % of one core")
                    .arg(points)
                    .arg(100 * share, 0, 'f', 0));
}

}  // namespace bench_window
