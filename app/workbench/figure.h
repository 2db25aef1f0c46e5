// `cospadi-workbench --figure TABLE.csv --x COLUMN --y COLUMN … --out FILE.svg`: a chart of the
// window's look from a table, without the window; with `--figure-saved NAME` an ablation that was
// saved by name, from the runs there are now.
#pragma once

#include <QCommandLineParser>

namespace cospadi::app {

QList<QCommandLineOption> figureOptions();
bool asksForFigure(const QCommandLineParser& options);
// Writes it and returns the program's exit code; what is wrong goes to stderr.
int writeFigure(const QCommandLineParser& options);

}  // namespace cospadi::app
