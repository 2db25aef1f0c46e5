// The clocks of bench_window: a span by the clock and of this thread's processor time, the median
// of several, and the longest turn of the UI thread.
#pragma once

#include <time.h>

#include <QApplication>
#include <QElapsedTimer>
#include <algorithm>
#include <vector>

namespace bench_window {

inline double threadSeconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Span {
    double clock = 0;      // milliseconds, as the next
    double processor = 0;  // of this thread
};

template <typename Work>
Span timed(const Work& work) {
    QElapsedTimer clock;
    clock.start();
    const double before = threadSeconds();
    work();
    return {1e-6 * static_cast<double>(clock.nsecsElapsed()), 1e3 * (threadSeconds() - before)};
}

inline Span median(std::vector<Span> spans) {
    const auto middle = [&](double Span::*of) {
        std::sort(spans.begin(), spans.end(),
                  [of](const Span& a, const Span& b) { return a.*of < b.*of; });
        return spans[spans.size() / 2].*of;
    };
    return {middle(&Span::clock), middle(&Span::processor)};
}

// An application that knows how long its longest turn was: while it lasts, nobody is answered.
class WatchedApplication : public QApplication {
  public:
    using QApplication::QApplication;
    Span longest;

    bool notify(QObject* receiver, QEvent* event) override {
        if (m_inside) {
            return QApplication::notify(receiver, event);
        }
        m_inside = true;
        bool result = false;
        const Span turn = timed([&] { result = QApplication::notify(receiver, event); });
        m_inside = false;
        longest.clock = std::max(longest.clock, turn.clock);
        longest.processor = std::max(longest.processor, turn.processor);
        return result;
    }

  private:
    bool m_inside = false;
};

}  // namespace bench_window
