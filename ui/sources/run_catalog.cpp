#include "ui/sources/run_catalog.h"

#include <QCollator>
#include <QDir>
#include <algorithm>

#include "core/base/resources.h"
#include "core/store/locations.h"
#include "core/store/run_directory.h"
#include "core/store/run_store.h"

namespace cospadi::ui {

std::filesystem::path currentRunsDirectory() { return runsDirectory(); }

RunCatalog readRunCatalog(const std::filesystem::path& runsDirectory) {
    RunStore store = RunStore::open(storePath());
    RunCatalog catalog;
    if (std::filesystem::exists(runsDirectory)) {
        for (const std::string& warning : store.importTree(runsDirectory).warnings) {
            catalog.warnings << QString::fromStdString(warning);
        }
    }
    catalog.runs = store.list();
    // The index may still know runs whose directory the user has deleted.
    std::erase_if(catalog.runs,
                  [](const RunRow& run) { return !std::filesystem::exists(run.directory); });
    return catalog;
}

std::vector<RunCurves> readRunCurves(const std::vector<RunRow>& runs) {
    const RunStore store = RunStore::open(storePath(), RunStore::Access::ReadOnly);
    std::vector<RunCurves> curves;
    for (const RunRow& run : runs) {
        RunCurves next;
        next.run = run;
        next.matrices = readRunDirectory(run.directory).matrices;
        next.iterations = store.iterations(run.id);
        curves.push_back(std::move(next));
    }
    return curves;
}

QStringList finishedMatrices(const QString& runDirectory) {
    QStringList names;
    const QDir folder(runDirectory + QStringLiteral("/matrices"));
    for (const QString& file : folder.entryList({QStringLiteral("*.safetensors")}, QDir::Files)) {
        names << file.chopped(static_cast<int>(qstrlen(".safetensors")));
    }
    QCollator natural;
    natural.setNumericMode(true);
    std::sort(names.begin(), names.end(), natural);
    return names;
}

std::filesystem::path matrixFile(const QString& runDirectory, const QString& matrix) {
    return std::filesystem::path(runDirectory.toStdString()) / "matrices" /
           (matrix.toStdString() + ".safetensors");
}

QString perplexityText() {
    return QString::fromStdString(resourcePath("texts/wikitext2_test.txt").string());
}

}  // namespace cospadi::ui
