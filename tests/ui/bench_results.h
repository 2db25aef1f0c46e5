// The table that bench_window prints: what was measured, its target, and whether that holds.
#pragma once

#include <QString>
#include <QTextStream>
#include <cstdio>

#include "tests/ui/bench_clock.h"

namespace bench_window {

inline constexpr int kMissed = 3;

class Results {
  public:
    // Milliseconds. A target holds by the clock, or by processor time where others had the cores.
    void add(const QString& what, double target, const Span& span, const QString& note = {}) {
        const bool byClock = span.clock <= target;
        const bool holds = byClock || span.processor <= target;
        m_missed = m_missed || !holds;
        m_out << QStringLiteral("%1 %2 ms %3 ms %4 ms  %5%6\n")
                     .arg(what, -52)
                     .arg(target, 7, 'f', 0)
                     .arg(span.clock, 8, 'f', 1)
                     .arg(span.processor, 8, 'f', 1)
                     .arg(byClock ? QStringLiteral("holds")
                          : holds ? QStringLiteral("holds by processor time")
                                  : QStringLiteral("MISSED"),
                          note.isEmpty() ? QString() : QStringLiteral("; ") + note);
        m_out.flush();
    }
    // Nothing was measured, because there was not what is to be measured.
    void fail(const QString& what) {
        m_missed = true;
        m_out << what << QStringLiteral("  MISSED\n");
        m_out.flush();
    }
    void head() {
        m_out << QStringLiteral("%1 %2 %3 %4\n")
                     .arg(QStringLiteral("what"), -52)
                     .arg(QStringLiteral("target"), 10)
                     .arg(QStringLiteral("clock"), 11)
                     .arg(QStringLiteral("processor"), 11);
    }
    int exitCode() const { return m_missed ? kMissed : 0; }

  private:
    QTextStream m_out{stdout};
    bool m_missed = false;
};

}  // namespace bench_window
