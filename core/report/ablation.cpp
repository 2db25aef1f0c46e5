#include "core/report/ablation.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/report/ablation_entries.h"
#include "core/report/ablation_groups.h"
#include "core/report/run_dimensions.h"
#include "core/report/run_kinds.h"
#include "core/report/run_labels.h"
#include "core/report/run_names.h"
#include "core/report/run_places.h"
#include "core/store/run_settings.h"

namespace cospadi {

namespace {

class Ablation {
  public:
    Ablation(const std::vector<RunRow>& runs, const AblationAxes& axes,
             const SettingWording& wording)
        : m_axes(axes), m_wording(wording), m_entries(runs, axes) {}

    AblationPlot plot() {
        AblationPlot plot;
        plot.axes = m_axes;
        plot.words = m_entries.words();
        plot.best = m_entries.y().best();
        plot.isMeasuredX = m_entries.isMeasuredX();
        plot.notes = m_entries.y().notes();
        fill(plot, groupsOf(m_entries));
        addNotes(plot);
        return plot;
    }

  private:
    // Of measured x: those that differ in seeds alone are one point.
    std::vector<AblationPoint> pointsOf(const AblationGroup& group) {
        std::map<std::pair<double, RunSettings>, std::vector<const AblationEntry*>> places;
        for (const AblationEntry* entry : group.entries) {
            places[{m_entries.isMeasuredX() ? 0 : entry->xNumber,
                    m_entries.isMeasuredX() ? entry->rest : RunSettings()}]
                .push_back(entry);
        }
        std::vector<AblationPoint> points;
        for (const auto& [place, here] : places) {
            std::vector<SeedValue> xs;
            std::vector<SeedValue> ys;
            AblationPoint point;
            for (const AblationEntry* entry : here) {
                xs.push_back({entry->seed, entry->xNumber, entry->run});
                ys.push_back(
                    {entry->seed, entry->y, entry->run, m_entries.y().standardError(*entry->run)});
                point.runs.push_back(entry->run->id);
            }
            point.x = m_entries.isMeasuredX() ? meanOverSeeds(xs).cell.mean : place.first;
            const SeedMean mean = meanOverSeeds(ys);
            m_repetitions += mean.repetitions;
            point.y = mean.cell;
            points.push_back(std::move(point));
        }
        std::stable_sort(points.begin(), points.end(),
                         [](const AblationPoint& a, const AblationPoint& b) { return a.x < b.x; });
        return points;
    }

    void fill(AblationPlot& plot, const std::vector<AblationGroup>& groups) {
        std::vector<std::pair<std::string, RunSettings>> looks;  // of curves, in all plots
        std::vector<NamedKind> kinds;
        std::vector<AblationValue> curves;
        std::vector<RunSettings> rests;
        const auto placeOf = [](auto& list, const auto& value) {
            const auto known = std::find(list.begin(), list.end(), value);
            const auto place = static_cast<std::size_t>(known - list.begin());
            if (known == list.end()) {
                list.push_back(value);
            }
            return place;
        };
        std::vector<std::size_t> lookOf;  // a group's
        std::vector<std::pair<std::size_t, std::size_t>> hues;
        for (const AblationGroup& group : groups) {
            RunSettings rest = group.rest;
            rest["method"] = group.label;
            const std::size_t look = placeOf(looks, std::pair(settingText(group.curve), rest));
            if (look == kinds.size()) {
                kinds.push_back({group.label, group.rest, group.entries.front()->run->id});
                const std::size_t kind = placeOf(rests, rest);
                hues.emplace_back(m_axes.curve.empty() ? kind : placeOf(curves, group.curve),
                                  m_axes.curve.empty() ? 0 : kind);
            }
            lookOf.push_back(look);
        }
        const std::vector<std::string> names = namesOfCurves(kinds, looks);
        for (std::size_t i = 0; i < groups.size(); ++i) {
            const AblationGroup& group = groups[i];
            const std::string title = m_axes.facet.empty() ? "" : words(m_axes.facet, group.facet);
            if (plot.facets.empty() || plot.facets.back().title != title) {
                plot.facets.push_back({title, {}});
            }
            const auto& [hue, dash] = hues[lookOf[i]];
            const RunRow& any = *group.entries.front()->run;
            plot.facets.back().curves.push_back(
                {names[lookOf[i]], hue, dash, !m_entries.isMeasuredX() && plot.words.empty(),
                 layersLabel(any) + '\n' + modelIdentity(any), pointsOf(group)});
        }
    }

    std::string words(const std::string& setting, const AblationValue& value) const {
        return m_wording(setting, value ? std::optional(settingText(value)) : std::nullopt);
    }

    // By the value of the curve's setting, and what else they differ in.
    std::vector<std::string> namesOfCurves(
        const std::vector<NamedKind>& kinds,
        const std::vector<std::pair<std::string, RunSettings>>& looks) const {
        if (m_axes.curve.empty()) {
            return namesOf(kinds, m_entries.told(), m_wording);
        }
        std::vector<NamedKind> rests;  // each once
        std::vector<RunSettings> known;
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            if (std::find(known.begin(), known.end(), looks[i].second) == known.end()) {
                known.push_back(looks[i].second);
                rests.push_back(kinds[i]);
            }
        }
        const std::vector<std::string> others = namesOf(rests, m_entries.told(), m_wording);
        std::vector<std::string> names;
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            const AblationValue value = looks[i].first.empty()
                                            ? AblationValue()
                                            : AblationValue(ReportCell(looks[i].first));
            names.push_back(words(m_axes.curve, value));
            const auto rest = std::find(known.begin(), known.end(), looks[i].second);
            const std::string& other = others[static_cast<std::size_t>(rest - known.begin())];
            if (rests.size() > 1 && !other.empty()) {
                names.back() += ", " + other;
            }
        }
        return names;
    }

    void addNotes(AblationPlot& plot) const {
        plot.hasWhitened = m_entries.hasWhitened();
        plot.hasPlain = m_entries.hasPlain();
        if (m_entries.withoutX() > 0) {
            plot.notes.push_back(withoutX());
        }
        if (m_repetitions > 0) {
            plot.notes.push_back(Phrase{kRepetitionsNote});
        }
        if ((m_axes.y == "error" || m_axes.x == "error") && plot.hasPlain && plot.hasWhitened) {
            plot.notes.push_back(
                Phrase{"errors of data-free methods are of the plain weight, the others whitened"});
        }
    }

    Phrase withoutX() const {
        const std::int64_t runs = m_entries.withoutX();
        const std::string count = std::to_string(runs);
        if (m_axes.x == "rho") {
            return runs == 1 ? Phrase{"1 run without a numeric ρ is left out"}
                             : Phrase{"%1 runs without a numeric ρ are left out", {count}};
        }
        return runs == 1 ? Phrase{"1 run without %1 is left out", {m_axes.x}}
                         : Phrase{"%1 runs without %2 are left out", {count, m_axes.x}};
    }

    const AblationAxes& m_axes;
    const SettingWording& m_wording;
    AblationEntries m_entries;
    std::int64_t m_repetitions = 0;
};

}  // namespace

std::vector<std::string> variedSettings(const std::vector<RunRow>& runs) {
    std::map<std::string, std::set<std::string>> values;
    for (const RunRow& run : runs) {
        values["method"].insert(methodLabel(run));
        for (const auto& [setting, value] : settingsOf(run)) {
            if (setting != "method") {
                values[setting].insert(value);
            }
        }
    }
    std::vector<std::string> names;
    for (const auto& [setting, known] : values) {
        if (known.size() > 1) {
            names.push_back(setting);
        }
    }
    return names;
}

AblationPlot ablation(const std::vector<RunRow>& runs, const AblationAxes& axes,
                      const SettingWording& wording) {
    return Ablation(runs, axes, wording).plot();
}

}  // namespace cospadi
