// What a Python script says.
#pragma once

#include <QProcess>
#include <QString>
#include <QStringList>

// Its output, trimmed, or its errors where it failed. The arguments follow it as sys.argv[1:].
inline QString runPython(const QString& interpreter, const QString& script,
                         const QStringList& arguments) {
    QProcess process;
    process.start(interpreter, QStringList{"-c", script} + arguments);
    process.waitForFinished(300'000);
    const QString errors = process.readAllStandardError();
    return process.exitCode() == 0 ? QString(process.readAllStandardOutput()).trimmed() : errors;
}
