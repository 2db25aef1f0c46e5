#include "core/report/breakdown_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/methods/method.h"
#include "core/report/run_dimensions.h"
#include "core/report/run_labels.h"
#include "core/report/run_metrics.h"
#include "core/report/run_places.h"
#include "core/report/source_note.h"
#include "core/store/matrix_totals.h"
#include "core/store/method_label.h"
#include "core/store/run_directory.h"
#include "core/tensors/safetensors.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

// How the dictionary is updated, in the paper's words where it has them (fast: decision 1).
std::string updateOf(const RunRow& run) {
    const std::optional<RunSpecification> specification = specificationOf(run);
    if (!specification) {
        return "";
    }
    const RunSpecification used = effective(*specification);
    const Method& method = methodOf(used);
    if (!method.uses("solver")) {
        return method.phases(used).dictionary;
    }
    if (used.solver == Solver::Fast) {
        return "least squares, extrapolated";
    }
    const std::string coded = used.coder == Coder::Lasso ? ", coded by LASSO" : "";
    switch (used.update) {
        case DictionaryUpdate::Mod:
            return "MOD" + coded;
        case DictionaryUpdate::Online:
            return "online" + coded;
        case DictionaryUpdate::KsvdExact:
            return "K-SVD, exact SVD" + coded;
        case DictionaryUpdate::KsvdSketch:
            return "K-SVD, randomised SVD" + coded;
        case DictionaryUpdate::KsvdPower:
            break;
    }
    return fmt::format("K-SVD, {} power iterations{}", used.powerIterations, coded);
}

std::string iterationsSetting(const RunRow& run) {
    const std::map<std::string, std::string> settings = settingsOf(run);
    const auto found = settings.find("iterations");
    return found == settings.end() ? "" : found->second;
}

struct StoredBytes {
    std::int64_t dictionary = 0, values = 0, mask = 0;
};

bool addFile(const fs::path& file, StoredBytes& sum) {
    const SafetensorsFile contents = SafetensorsFile::open(file);
    bool isSparse = false;
    for (const TensorView& tensor : contents.tensors()) {
        const auto bytes = static_cast<std::int64_t>(tensor.bytes.size());
        const auto is = [&](const char* what) { return tensor.name.ends_with(what); };
        if (is(".dictionary") || is(".exponents") || is(".dictionary_scales")) {
            sum.dictionary += bytes;
            isSparse = true;
        } else if (is(".values") || is(".values_scales")) {
            sum.values += bytes;
        } else if (is(".mask")) {
            sum.mask += bytes;
        }
    }
    return isSparse;
}

// Active atoms in per cent, multiplications a token in millions, and their share of the dense ones.
std::vector<ReportCell> inferenceCells(const std::vector<MatrixRow>& matrices) {
    const double multiplications = totalMultiplications(matrices);
    if (multiplications == 0) {
        return std::vector<ReportCell>(3);
    }
    double atoms = 0;
    double active = 0;
    for (const MatrixRow& matrix : matrices) {
        atoms += static_cast<double>(matrix.k);
        active += static_cast<double>(matrix.activeAtoms);
    }
    return {100 * active / atoms, multiplications / 1e6,
            multiplications / denseMultiplications(matrices)};
}

bool areOfSeveralModels(const std::vector<RunRow>& runs) {
    return std::any_of(runs.begin(), runs.end(), [&](const RunRow& run) {
        return modelIdentity(run) != modelIdentity(runs.front());
    });
}

std::string modelBlock(const RunRow& run) { return modelLabel(run) + " " + modelIdentity(run); }

// Of the same model, layers, CR and ρ: solvers that are compared with each other.
std::string solverGroup(const RunRow& run) {
    return fmt::format("{} {} {} {}", modelBlock(run), layersLabel(run), run.cr, run.rho);
}

ReportRow solverRow(const RunPlace& place, const Measure& measure, RunPlaces& places) {
    const RunRow& run = *place.runs.front();
    const auto mean = [&](const char* metric) {
        return places.mean(
            place, [&, metric](const RunRow& one) { return metricOf(one, metric, measure); });
    };
    return {{layersLabel(run), run.cr, rhoCell(run), methodLabel(run), updateOf(run),
             iterationsSetting(run), mean("error"), mean("seconds"), mean("perplexity")},
            solverGroup(run),
            false,
            modelBlock(run)};
}

std::vector<RunRow> runsOnShow(const RunPlaces& places) {
    std::vector<RunRow> runs;
    for (const RunPlace& place : places.places()) {
        for (const RunRow* run : place.runs) {
            runs.push_back(*run);
        }
    }
    return runs;
}

}  // namespace

ReportTable solversReport(const std::vector<RunRow>& stored) {
    ReportTable table;
    table.columns = {{"layers"},
                     {"cr", ColumnKind::Number, 2, BestValue::None, false, true},
                     {"rho", ColumnKind::Number, 1, BestValue::None, false, true},
                     {"solver"},
                     {"update"},
                     {"iterations"},
                     {"error", ColumnKind::Number, 4, BestValue::Lowest},
                     {"seconds", ColumnKind::Number, 1, BestValue::Lowest},
                     {"perplexity", ColumnKind::Number, 2, BestValue::Lowest}};
    std::vector<RunRow> runs = stored;
    std::erase_if(runs, [](const RunRow& run) { return !isSparse(run); });
    if (runs.empty()) {
        throw Error(
            "no matching finished run has a sparse dictionary", "solvers",
            "make some with cospadi sweep default --solver fast,ksvd --layers ffn_up --cr 0.2");
    }
    const Measure measure = commonMeasure(runs);
    const bool tellsModel = areOfSeveralModels(runs);
    if (tellsModel) {
        table.columns.insert(table.columns.begin(), {"model"});
    }
    std::set<std::string> told = labelledSettings();
    told.insert({"model", "layers", "cr", "rho"});
    RunPlaces places(
        runs, [](const RunRow& run) { return solverGroup(run) + methodLabel(run); },
        std::move(told));
    for (const RunPlace& place : places.places()) {
        ReportRow row = solverRow(place, measure, places);
        if (tellsModel) {
            row.cells.insert(row.cells.begin(), modelLabel(*place.runs.front()));
        }
        table.rows.push_back(std::move(row));
    }
    std::stable_sort(table.rows.begin(), table.rows.end(),
                     [](const ReportRow& a, const ReportRow& b) { return a.group < b.group; });
    table.notes = perplexityNotes(runsOnShow(places), measure);
    const std::vector<std::string> ofPlaces = places.notes();
    table.notes.insert(table.notes.end(), ofPlaces.begin(), ofPlaces.end());
    table.notes.push_back("iterations \"usual\": the solver's own schedule");
    return table;
}

ReportTable storageReport(const RunStore& store, const std::vector<RunRow>& runs) {
    ReportTable table;
    table.columns = {{"run"},
                     {"method"},
                     {"layers"},
                     {"cr", ColumnKind::Number, 2, BestValue::None, false, true},
                     {"accounting"},
                     {"dense", ColumnKind::Bytes},
                     {"dictionary", ColumnKind::Bytes},
                     {"values", ColumnKind::Bytes},
                     {"mask", ColumnKind::Bytes},
                     {"total", ColumnKind::Bytes},
                     {"active atoms (%)", ColumnKind::Number, 1},
                     {"mults a token (M)", ColumnKind::Number, 2},
                     {"mults / dense", ColumnKind::Number, 3}};
    std::vector<RunRow> shown;
    for (const RunRow& run : runs) {
        if (runIdIn(run.directory) != run.id) {
            continue;  // its files are gone
        }
        std::error_code missing;
        StoredBytes sum;
        bool isSparse = false;
        for (const auto& entry :
             fs::directory_iterator(fs::path(run.directory) / "matrices", missing)) {
            if (entry.path().extension() == ".safetensors") {
                isSparse = addFile(entry.path(), sum) || isSparse;
            }
        }
        if (isSparse) {
            table.rows.push_back({{run.id, methodLabel(run), layersLabel(run), run.cr,
                                   run.accounting, run.denseBytes, sum.dictionary, sum.values,
                                   sum.mask, sum.dictionary + sum.values + sum.mask},
                                  layersLabel(run),
                                  false});
            std::vector<ReportCell>& cells = table.rows.back().cells;
            const std::vector<ReportCell> inference = inferenceCells(store.matrices(run.id));
            cells.insert(cells.end(), inference.begin(), inference.end());
            shown.push_back(run);
        }
    }
    if (table.rows.empty()) {
        throw Error("no matching run has matrices with a sparse dictionary", "storage",
                    "make some with cospadi compress default --layers ffn_up");
    }
    table.notes.push_back("bytes as stored in the files, without their headers");
    table.notes.push_back(
        "mults: multiplications with these layers, O_SD,sparse-reuse = d1 K_active + s d2 each, "
        "the "
        "dense ones d1 d2 (the paper's appendix on inference complexity)");
    const std::vector<std::string> notes = sourceNotes(shown);
    table.notes.insert(table.notes.end(), notes.begin(), notes.end());
    return table;
}

}  // namespace cospadi
