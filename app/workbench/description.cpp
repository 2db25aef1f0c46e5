#include "app/workbench/description.h"

#include <QTextStream>
#include <algorithm>

#include "app/command_line/completion.h"
#include "app/command_line/manual_page.h"
#include "cospadi_version.h"

namespace cospadi::app {

namespace {

constexpr int kUnknownShell = 2;

cli::CommandDescription describe(const QCommandLineParser& parser,
                                 const QList<QCommandLineOption>& options) {
    cli::CommandDescription program;
    program.name = "cospadi-workbench";
    program.help = parser.applicationDescription().toStdString();
    program.options.push_back(
        {{}, "MODEL", {}, "A GGUF file, a Hugging Face folder, or the word default"});
    for (const QCommandLineOption& option : options) {
        if (option.flags().testFlag(QCommandLineOption::HiddenFromHelp)) {
            continue;
        }
        cli::OptionDescription described;
        for (const QString& name : option.names()) {
            described.names.push_back((name.size() > 1 ? "--" : "-") + name.toStdString());
        }
        described.value = option.valueName().toStdString();
        described.help = option.description().toStdString();
        if (!option.defaultValues().isEmpty()) {
            described.help += " [" + option.defaultValues().join(',').toStdString() + "]";
        }
        program.options.push_back(std::move(described));
    }
    return program;
}

}  // namespace

QList<QCommandLineOption> descriptionOptions() {
    QCommandLineOption manual(QStringLiteral("manual"));
    QCommandLineOption completion(QStringLiteral("completion"), QString(), QStringLiteral("SHELL"));
    manual.setFlags(QCommandLineOption::HiddenFromHelp);
    completion.setFlags(QCommandLineOption::HiddenFromHelp);
    return {manual, completion};
}

bool asksForDescription(int argc, char** argv) {
    return std::any_of(argv + 1, argv + argc, [](const char* word) {
        return qstrcmp(word, "--manual") == 0 || qstrcmp(word, "--completion") == 0;
    });
}

int printDescription(const QCommandLineParser& parsed, const QList<QCommandLineOption>& options) {
    const cli::CommandDescription program = describe(parsed, options);
    QTextStream out(stdout);
    if (parsed.isSet(QStringLiteral("manual"))) {
        out << QString::fromStdString(cli::manualPage(program, COSPADI_VERSION, "cospadi"));
        return 0;
    }
    const std::string shell = parsed.value(QStringLiteral("completion")).toStdString();
    const auto& shells = cli::completionShells();
    if (std::find(shells.begin(), shells.end(), shell) == shells.end()) {
        QTextStream(stderr) << "cospadi-workbench: --completion: bash, zsh or fish\n";
        return kUnknownShell;
    }
    out << QString::fromStdString(cli::completionScript(shell, program));
    return 0;
}

}  // namespace cospadi::app
