#include "app/cli/reproduce_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/child_process.h"
#include "core/base/error.h"
#include "core/base/shell_word.h"
#include "core/report/report.h"
#include "core/tensors/atomic_file.h"

namespace cospadi::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* kWorkbench = "cospadi-workbench";

// Beside this program, as they are built and installed; empty where it is not.
fs::path workbench() {
    std::error_code unreadable;
    const fs::path self = fs::read_symlink("/proc/self/exe", unreadable);
    const fs::path beside = self.parent_path() / kWorkbench;
    return !unreadable && fs::exists(beside, unreadable) ? beside : fs::path();
}

bool hasPoints(const ReproducedTable& made, const std::string& y) {
    const auto& columns = made.table.columns;
    const auto at = static_cast<std::size_t>(
        std::find_if(columns.begin(), columns.end(),
                     [&](const ReportColumn& column) { return column.name == y; }) -
        columns.begin());
    return std::any_of(made.table.rows.begin(), made.table.rows.end(), [at](const ReportRow& row) {
        return at < row.cells.size() && std::isfinite(numberIn(row.cells[at]));
    });
}

std::string fileWord(const std::string& title) {
    std::string word = title;
    std::replace_if(
        word.begin(), word.end(), [](char c) { return c == ' ' || c == '/' || c == ':'; }, '-');
    return word;
}

void draw(const Session& session, const ReproducedTable& made, const fs::path& folder,
          ReproducedFiles& files) {
    const fs::path program = workbench();
    const fs::path csv = folder / (made.name + ".csv");
    for (const std::string& y : made.figure->y) {
        if (!hasPoints(made, y)) {
            continue;
        }
        for (const char* suffix : {".svg", ".pdf"}) {
            const fs::path picture = folder / (made.name + "-" + fileWord(y) + suffix);
            ChildCommand command;
            command.arguments = figureArguments(*made.figure, y, csv, picture);
            command.environment = {{"QT_QPA_PLATFORM", "offscreen"}};
            std::vector<std::string> words = command.arguments;
            if (!program.empty()) {
                command.arguments.front() = program.string();
                if (runChild(
                        command, [](std::string_view) {}, session.signals.token())
                        .exitCode == 0) {
                    files.written.push_back(picture.string());
                    continue;
                }
            }
            std::transform(words.begin(), words.end(), words.begin(), shellWord);
            files.commands.push_back(fmt::format("{}", fmt::join(words, " ")));
        }
    }
}

}  // namespace

std::vector<std::string> figureArguments(const FigureShape& figure, const std::string& y,
                                         const fs::path& csv, const fs::path& picture) {
    std::vector<std::string> arguments = {
        kWorkbench, "--figure", csv.string(), "--x",   figure.x,        "--y",
        y,          "--series", kCurve,       "--out", picture.string()};
    if (std::find(figure.logY.begin(), figure.logY.end(), y) != figure.logY.end()) {
        arguments.emplace_back("--log-y");
    }
    return arguments;
}

ReproducedFiles writeReproduced(const Session& session, const fs::path& folder,
                                const std::vector<ReproducedTable>& tables) {
    std::error_code failed;
    fs::create_directories(folder, failed);
    if (failed) {
        throw Error(fmt::format("cannot be made: {}", failed.message()), folder.string(),
                    "name another folder with --out");
    }
    ReproducedFiles files;
    for (const ReproducedTable& made : tables) {
        for (const auto& [suffix, format] :
             {std::pair(".tex", ReportFormat::Latex), std::pair(".csv", ReportFormat::Csv),
              std::pair(".md", ReportFormat::Markdown)}) {
            const fs::path file = folder / (made.name + suffix);
            writeFileAtomically(file, render(made.table, format));
            files.written.push_back(file.string());
        }
        if (made.figure) {
            draw(session, made, folder, files);
        }
    }
    return files;
}

}  // namespace cospadi::cli
