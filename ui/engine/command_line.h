// The `cospadi compress` command that does what the window is about to do: always on show, so that
// every run can be repeated on a cluster or in a script.
#pragma once

#include <QString>
#include <QStringList>

#include "core/store/run_specification.h"

namespace cospadi::ui {

// Quoted for a POSIX shell where need be. Options at their defaults are left out, except the
// method, the layers, CR and ρ.
QString compressCommand(const RunSpecification& specification);

// The same as the words after `cospadi`, for QProcess.
QStringList compressArguments(const RunSpecification& specification);

QString shellQuoted(const QString& word);

}  // namespace cospadi::ui
