#include "app/cli/figure_pictures.h"

#include <algorithm>
#include <string_view>
#include <system_error>

#include "core/base/child_process.h"

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

}  // namespace

std::vector<std::string> figureCommand(const FigureCurves& curves, const fs::path& csv,
                                       const fs::path& picture) {
    std::vector<std::string> words = {kWorkbench, "--figure", csv.string(), "--x",
                                      curves.x,   "--y",      curves.y,     "--quantities"};
    if (!curves.curve.empty()) {
        words.insert(words.end(), {"--series", curves.curve});
    }
    for (const std::string& condition : curves.where) {
        words.insert(words.end(), {"--where", condition});
    }
    words.insert(words.end(), {"--out", picture.string()});
    if (curves.isLogX) {
        words.emplace_back("--log-x");
    }
    if (curves.isLogY) {
        words.emplace_back("--log-y");
    }
    return words;
}

bool drawFigure(const Session& session, const FigureCurves& curves, const fs::path& csv,
                const fs::path& picture) {
    const fs::path program = workbench();
    if (program.empty()) {
        return false;
    }
    ChildCommand command;
    command.arguments = figureCommand(curves, csv, picture);
    command.arguments.front() = program.string();
    command.environment = {{"QT_QPA_PLATFORM", "offscreen"}};
    return runChild(
               command, [](std::string_view) {}, session.signals.token())
               .exitCode == 0;
}

std::string fileWord(const std::string& title) {
    std::string word = title;
    std::replace_if(
        word.begin(), word.end(), [](char c) { return c == ' ' || c == '/' || c == ':'; }, '-');
    return word;
}

}  // namespace cospadi::cli
