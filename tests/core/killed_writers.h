// Commands of which every call that changes a file may be the last (kill_at_call.cpp), started
// again until they are done.
#pragma once

#include <QtTest>
#include <algorithm>
#include <functional>
#include <string>

#include "tests/core/cli_under_test.h"
#include "tests/core/oracle_data.h"
#include "tests/core/timeless_contents.h"

class KilledWriters : public CliUnderTest {
  protected:
    int m_points = 40;
    int m_killed = 0;
    int m_done = 0;

    struct Writer {
        const char* name;
        std::function<void()> prepare;  // a fresh place for one attempt
        QStringList command;
        std::function<void()> afterKill;  // checks; may choose what is done next
        std::function<void()> again;      // until it is done; empty: the command
        std::function<void()> compare;
    };

    // The calls that an undisturbed command makes.
    long callsOf(const QStringList& command) {
        const QString file = place("calls");
        QFile::remove(file);
        environment.insert("LD_PRELOAD", COSPADI_KILL_AT_CALL);
        environment.insert("COSPADI_KILL_COUNT", file);
        const CliOutcome outcome = run(command);
        environment.remove("LD_PRELOAD");
        environment.remove("COSPADI_KILL_COUNT");
        return outcome.exitCode == 0 ? std::stol("0" + oracle::text(file.toStdString())) : 0;
    }

    bool killedAt(const QStringList& command, long call) {
        environment.insert("LD_PRELOAD", COSPADI_KILL_AT_CALL);
        environment.insert("COSPADI_KILL_AT", QString::number(call));
        const CliOutcome outcome = run(command);
        environment.remove("LD_PRELOAD");
        environment.remove("COSPADI_KILL_AT");
        return outcome.exitCode == -1;
    }

    void exercise(const Writer& writer) {
        constexpr int kWriters = 10;  // of tst_kill_points, which share the points
        writer.prepare();
        const long calls = callsOf(writer.command);
        QVERIFY2(calls > 3, writer.name);
        const int points = std::max(1, (m_points + kWriters - 1) / kWriters);
        for (int point = 0; point < points; ++point) {
            // Spread evenly; the last call is among them.
            const long call = 1 + (calls - 1) * (point + 1) / points;
            const QByteArray where = QByteArray(writer.name) + " at call " +
                                     QByteArray::number(qlonglong(call)) + " of " +
                                     QByteArray::number(qlonglong(calls));
            writer.prepare();
            m_killed += killedAt(writer.command, call) ? 1 : 0;
            ++m_done;
            const QString broken =
                timeless_contents::firstBroken(environment.value("COSPADI_RUNS").toStdString());
            QVERIFY2(broken.isEmpty(), where + ": " + broken.toUtf8());
            if (writer.afterKill) {
                writer.afterKill();
            }
            if (writer.again) {
                writer.again();
            } else {
                const CliOutcome outcome = run(writer.command);
                QVERIFY2(outcome.exitCode == 0, where + ": " + outcome.error.toUtf8());
            }
            writer.compare();
            if (QTest::currentTestFailed()) {
                qWarning("%s", where.constData());
                return;
            }
        }
    }

    void requireSame(const QString& expected, const QString& found) {
        const QString difference =
            timeless_contents::firstDifference(expected.toStdString(), found.toStdString());
        QVERIFY2(difference.isEmpty(), qPrintable(difference));
    }
};
