// `cospadi-workbench --manual` and `--completion SHELL`: what man and shells are told of the
// window's options, made of these themselves.
#pragma once

#include <QCommandLineOption>
#include <QCommandLineParser>
#include <QList>
#include <QString>

namespace cospadi::app {

// Options by which a build asks; not for people.
QList<QCommandLineOption> descriptionOptions();
bool asksForDescription(int argc, char** argv);

// Prints what `parsed` asks for; returns the program's exit code.
int printDescription(const QCommandLineParser& parsed, const QList<QCommandLineOption>& options);

}  // namespace cospadi::app
