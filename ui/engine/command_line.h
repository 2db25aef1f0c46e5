// The `cospadi compress` command that does what the window is about to do: always on show, so that
// every run can be repeated on a cluster or in a script.
#pragma once

#include <QString>
#include <QStringList>

#include "core/store/run_specification.h"

namespace cospadi::ui {

// "cospadi" and compressWords() (core/store/compress_command.h), quoted for a POSIX shell where
// need be.
QString compressCommand(const RunSpecification& specification, const QString& runFile = {});

// The same as the words after `cospadi`, for QProcess.
QStringList compressArguments(const RunSpecification& specification, const QString& runFile = {});

// "cospadi …" of such words.
QString shellCommand(const QStringList& words);

QString shellQuoted(const QString& word);

}  // namespace cospadi::ui
