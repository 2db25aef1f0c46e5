#include "app/cli/reproduce_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/cli/figure_pictures.h"
#include "core/base/error.h"
#include "core/base/folder_path.h"
#include "core/base/shell_word.h"
#include "core/report/report.h"
#include "core/tensors/atomic_file.h"

namespace cospadi::cli {

namespace {

namespace fs = std::filesystem;

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

void draw(const Session& session, const ReproducedTable& made, const fs::path& folder,
          ReproducedFiles& files) {
    const fs::path csv = folder / (made.name + ".csv");
    const std::vector<std::string>& logY = made.figure->logY;
    for (const std::string& y : made.figure->y) {
        if (!hasPoints(made, y)) {
            continue;
        }
        FigureCurves curves{made.figure->x, y, kCurve};
        curves.isLogY = std::find(logY.begin(), logY.end(), y) != logY.end();
        for (const char* suffix : {".svg", ".pdf"}) {
            const fs::path picture = folder / (made.name + "-" + fileWord(y) + suffix);
            if (drawFigure(session, curves, csv, picture)) {
                files.written.push_back(picture.string());
            } else {
                files.commands.push_back(shellLine(figureCommand(curves, csv, picture)));
            }
        }
    }
}

}  // namespace

ReproducedFiles writeReproduced(const Session& session, const fs::path& folder,
                                const std::vector<ReproducedTable>& tables) {
    createFolder(folder, "choose another folder with --out");
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
