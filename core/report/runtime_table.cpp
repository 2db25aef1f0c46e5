#include "core/report/runtime_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "core/base/error.h"
#include "core/methods/method.h"
#include "core/report/published.h"
#include "core/report/run_labels.h"
#include "core/report/run_places.h"
#include "core/store/matrix_totals.h"
#include "core/store/method_label.h"
#include "core/store/run_settings.h"

namespace cospadi {

namespace {

constexpr const char* kNoPhase = "–";

// "Sparse coding (OMP)", as the paper names it, with what the run's solver does.
std::string componentName(const char* phase, const char* how) {
    return *how == '\0' ? phase : fmt::format("{} ({})", phase, how);
}

struct Component {
    std::string name;
    double seconds = unknownNumber;
};

std::vector<Component> componentsOf(const RunRow& run, const std::vector<MatrixRow>& matrices,
                                    const std::optional<PhaseTotals>& totals) {
    const std::optional<RunSpecification> specification = specificationOf(run);
    const PhaseNames names =
        specification ? specification->method->phases(effective(*specification)) : PhaseNames();
    double total = 0;
    for (const MatrixRow& matrix : matrices) {
        total += matrix.seconds;
    }
    const PhaseTotals known =
        totals.value_or(PhaseTotals{unknownNumber, unknownNumber, unknownNumber, total, 0});
    return {{componentName("Sparse coding", names.coding), known.coding},
            {componentName("Dictionary update", names.dictionary), known.dictionary},
            {"Misc. overhead", known.rest},
            {"Total", known.total}};
}

void addRun(const RunRow& run, const std::vector<MatrixRow>& matrices, ReportTable& table) {
    const std::optional<PhaseTotals> totals = phaseTotals(matrices);
    const std::vector<Component> components = componentsOf(run, matrices, totals);
    const double total = components.back().seconds;
    const std::string block = "run " + run.id;
    for (const Component& component : components) {
        const bool isKnown = std::isfinite(component.seconds);
        const auto orSign = [&](double value) {
            return isKnown ? ReportCell(value) : ReportCell(std::string(kNoPhase));
        };
        const bool iterates = totals && totals->iterations > 0;
        table.rows.push_back(
            {{methodLabel(run), modelLabel(run), layersLabel(run), run.cr, component.name,
              orSign(component.seconds / 60), orSign(100 * component.seconds / total),
              iterates ? ReportCell(component.seconds / static_cast<double>(totals->iterations))
                       : ReportCell(std::string(kNoPhase))},
             block,
             false,
             block});
    }
}

void addPublished(ReportTable& table) {
    const PublishedTable published = publishedTable("runtime-breakdown");
    const std::string block = "paper";
    for (const PublishedRow& row : published.rows) {
        const auto component =
            std::find_if(row.settings.begin(), row.settings.end(),
                         [](const auto& setting) { return setting.first == "component"; });
        const auto value = [&](const char* key) {
            const auto found = row.values.find(key);
            return found == row.values.end() ? ReportCell() : ReportCell(found->second);
        };
        table.rows.push_back(
            {{fmt::format("{} (paper)", row.methodText), row.model, ReportCell(), ReportCell(),
              component == row.settings.end() ? ReportCell() : ReportCell(component->second),
              value("time"), value("share"), ReportCell()},
             block,
             true,
             block});
    }
    table.notes.push_back(
        fmt::format("(paper): Table {}, as printed. {}", published.number, published.note));
}

}  // namespace

ReportTable runtimeReport(const RunStore& store, const std::vector<RunRow>& runs) {
    ReportTable table;
    table.columns = {{"method"},
                     {"model"},
                     {"layers"},
                     {"cr", ColumnKind::Number, 2, BestValue::None, false, true},
                     {"component"},
                     {"time (min)", ColumnKind::Number, 2},
                     {"share (%)", ColumnKind::Number, 1},
                     {"s/iteration", ColumnKind::Number, 4}};
    std::vector<RunRow> compressed = runs;
    std::erase_if(compressed, [](const RunRow& run) { return run.matrices == 0; });
    std::set<std::string> told = labelledSettings();
    told.insert({"model", "layers", "cr"});
    const RunPlaces places(
        compressed,
        [](const RunRow& run) {
            return fmt::format("{} {} {} {}", modelLabel(run), layersLabel(run), run.cr,
                               methodLabel(run));
        },
        std::move(told));
    bool anyPhases = false;
    bool anySigns = false;
    for (const RunPlace& place : places.places()) {
        const RunRow& run = *place.runs.front();
        const std::vector<MatrixRow> matrices = store.matrices(run.id);
        const bool tells = phaseTotals(matrices).has_value();
        anyPhases = anyPhases || tells;
        anySigns = anySigns || !tells;
        addRun(run, matrices, table);
    }
    if (!anyPhases) {
        throw Error("no matching finished run has phase times", "runtime",
                    "make one with cospadi compress default --layers ffn_up --solver ksvd; runs "
                    "of older programs, and methods without iterations, have none");
    }
    table.notes = places.notes();
    table.notes.push_back(
        "time: of the matrices, one after the other (less wall time if several run at once), "
        "without calibration and allocation; s/iteration: of one matrix");
    table.notes.push_back(
        "misc. overhead: reading, whitening, first dictionary, errors, rounding, storing, "
        "measuring");
    if (anySigns) {
        table.notes.push_back(
            fmt::format("{}: a method without iterations, or a run of an older program", kNoPhase));
    }
    addPublished(table);
    return table;
}

}  // namespace cospadi
