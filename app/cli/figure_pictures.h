// Pictures of a table in a CSV file, drawn by cospadi-workbench where it stands beside this
// program.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/cli/session.h"

namespace cospadi::cli {

struct FigureCurves {
    std::string x, y, curve;              // columns
    std::vector<std::string> where = {};  // COLUMN=VALUE: only these rows
    bool isLogX = false;
    bool isLogY = false;
};

// The command that draws it, its program first.
std::vector<std::string> figureCommand(const FigureCurves& curves, const std::filesystem::path& csv,
                                       const std::filesystem::path& picture);

// False where no workbench stands beside this program, or it draws nothing of these.
bool drawFigure(const Session& session, const FigureCurves& curves,
                const std::filesystem::path& csv, const std::filesystem::path& picture);

// A title as part of a file's name.
std::string fileWord(const std::string& title);

}  // namespace cospadi::cli
