#include "ui/sources/reproduction_source.h"

#include <algorithm>

#include "core/base/resources.h"
#include "core/reproduce/plan_here.h"
#include "core/store/locations.h"

namespace cospadi::ui {

std::vector<Reproduction> paperLabels() { return reproductions(resourcePath("reproduce")); }

PlannedLabel plannedLabel(const Reproduction& entry, ProtocolSize size, const QString& model,
                          const QString& device, const std::map<std::size_t, std::string>& holes) {
    requireAvailable(entry);
    PlannedLabel planned{planHere(entry, size, model.toStdString(), device.toStdString()), {}};
    const std::vector<PlannedRun>& runs = planned.plan.runs;
    const bool hasAny = runs.empty() || std::any_of(runs.begin(), runs.end(), [](const auto& run) {
                            return run.isTabled && run.job.state == JobState::Finished;
                        });
    if (hasAny) {
        const RunStore store = RunStore::openForReading(storePath());
        planned.tables = reproducedTables(
            store, entry, entry.protocol(size), modelNameOf(planned.plan, model.toStdString()),
            reproducedRuns(planned.plan, outcomesSoFar(planned.plan, store, holes), store));
    }
    return planned;
}

}  // namespace cospadi::ui
