#include "ui/sources/run_catalog.h"

#include <QDir>
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/store/locations.h"
#include "core/store/run_condition.h"
#include "core/store/run_directory.h"
#include "core/store/run_settings.h"
#include "core/store/run_store.h"

namespace cospadi::ui {

std::filesystem::path currentRunsDirectory() { return runsDirectory(); }

namespace {

// These have columns of their own.
const char* const kKnown[] = {"method", "model", "layers", "cr", "rho"};

RunSettings settingsOfAll(const std::vector<RunRow>& runs) {
    std::vector<std::map<std::string, std::string>> fields;
    std::set<std::string> names;
    for (const RunRow& run : runs) {
        std::map<std::string, std::string> own = settingsOf(run);
        for (const char* known : kKnown) {
            own.erase(known);
        }
        for (const std::string& tag : run.tags) {
            if (tag.starts_with(kSweepTag)) {
                own["sweep"] = tag.substr(std::string(kSweepTag).size());
            }
        }
        for (const TaskResultRow& result : run.taskResults) {
            own[result.task + "/" + result.metric] =
                QString::number(result.value, 'f', 4).toStdString();
        }
        for (const auto& [name, value] : own) {
            names.insert(name);
        }
        fields.push_back(std::move(own));
    }
    RunSettings settings;
    for (const std::string& name : names) {
        settings.names << QString::fromStdString(name);
    }
    for (const auto& own : fields) {
        QStringList values;
        for (const std::string& name : names) {
            const auto found = own.find(name);
            values << (found == own.end() ? QString() : QString::fromStdString(found->second));
        }
        settings.values.push_back(std::move(values));
    }
    return settings;
}

}  // namespace

RunCatalog readRunCatalog(const std::filesystem::path& runsDirectory) {
    RunStore store = RunStore::open(storePath());
    RunCatalog catalog;
    if (std::filesystem::exists(runsDirectory)) {
        for (const std::string& warning : store.importTree(runsDirectory).warnings) {
            catalog.warnings << QString::fromStdString(warning);
        }
    }
    RunFilter all;
    all.includeArchived = true;
    all.multiplications = true;
    catalog.runs = store.list(all);
    // The index may still know runs whose directory the user has deleted.
    std::erase_if(catalog.runs,
                  [](const RunRow& run) { return !std::filesystem::exists(run.directory); });
    catalog.settings = settingsOfAll(catalog.runs);
    catalog.rates = MeasuredRates::ofThisMachine(store, "");
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
    // By the block's number: whether a collator knows numbers depends on the locale.
    const auto key = [](const QString& name) {
        return std::pair(name.section(QLatin1Char('.'), 1, 1).toInt(), name);
    };
    std::sort(names.begin(), names.end(),
              [&key](const QString& a, const QString& b) { return key(a) < key(b); });
    return names;
}

std::filesystem::path matrixFile(const QString& runDirectory, const QString& matrix) {
    return std::filesystem::path(runDirectory.toStdString()) / "matrices" /
           (matrix.toStdString() + ".safetensors");
}

}  // namespace cospadi::ui
