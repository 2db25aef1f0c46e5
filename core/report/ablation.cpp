#include "core/report/ablation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/report/measured_value.h"
#include "core/report/report.h"
#include "core/report/run_dimensions.h"
#include "core/report/run_kinds.h"
#include "core/report/run_names.h"
#include "core/report/run_places.h"
#include "core/store/method_label.h"
#include "core/store/run_settings.h"

namespace cospadi {

namespace {

using Value = std::optional<ReportCell>;

// The settings of a run that count but for some, and for what follows from these.
RunSettings settingsWithout(const RunRow& run, const std::set<std::string>& told) {
    std::optional<RunSpecification> specification = specificationOf(run);
    if (!specification) {
        return restOf(settingsOf(run), told);
    }
    const RunSpecification usual;
    specification->cr = told.contains("cr") ? usual.cr : specification->cr;
    if (told.contains("rho")) {
        specification->rho = usual.rho;
        specification->autoRho = false;
    }
    specification->iterations =
        told.contains("iterations") ? usual.iterations : specification->iterations;
    return restOf(settingsOf(*specification), told);
}

struct Entry {
    const RunRow* run;
    Value x, curve, facet;
    RunSettings rest;  // what must be equal for a line
    std::string label;
    std::string seed;
    double xNumber;
    double y;
};

// What is drawn as one curve, before it has a name.
struct Group {
    Value curve, facet;
    std::string label;
    RunSettings rest;
    std::vector<const Entry*> entries;  // the newest first
};

class Ablation {
  public:
    Ablation(const std::vector<RunRow>& runs, const AblationAxes& axes,
             const SettingWording& wording)
        : m_axes(axes), m_wording(wording), m_isMeasured(isMeasured(axes.x)), m_y(runs, axes.y) {
        if (m_isMeasured) {
            m_x.emplace(runs, axes.x);
        }
        std::vector<std::string> settings;
        for (const std::string& name : {m_isMeasured ? "" : axes.x, axes.curve, axes.facet}) {
            if (!name.empty()) {
                settings.push_back(name);
                m_told.insert(name);
            }
        }
        requireDimensions(runs, settings);
        m_besideLabels = m_told;
        m_besideLabels.merge(variedSeeds(runs));
        if (m_told.contains("method")) {
            m_told.merge(labelledSettings());
        }
        for (const RunRow& run : runs) {
            addEntry(run);
        }
        std::stable_sort(m_entries.begin(), m_entries.end(), [](const Entry& a, const Entry& b) {
            return a.run->created > b.run->created;
        });
    }

    AblationPlot plot() {
        AblationPlot plot;
        plot.axes = m_axes;
        plot.best = m_y.best();
        plot.isMeasuredX = m_isMeasured;
        plot.notes = m_y.notes();
        placeOnX(plot);
        std::vector<Group> groups = grouped();
        if (!plot.words.empty()) {
            joinThoseThatSayLess(groups);
        }
        fill(plot, groups);
        addNotes(plot);
        return plot;
    }

  private:
    void addEntry(const RunRow& run) {
        const double y = m_y.of(run);
        if (run.status != "finished" || !std::isfinite(y)) {
            return;
        }
        const RunSettings settings = settingsOf(run);
        Entry entry{&run, {}, {}, {}, settingsWithout(run, m_told), "", "", unknownNumber, y};
        const auto value = [&](const std::string& name) {
            return name.empty() ? Value() : dimensionOf(run, name, settings, m_besideLabels);
        };
        entry.curve = value(m_axes.curve);
        entry.facet = value(m_axes.facet);
        entry.label = methodLabel(run, m_besideLabels);
        entry.seed = seedOf(settings, m_told);
        if (m_isMeasured) {
            entry.xNumber = m_x->of(run);
        } else {
            entry.x = value(m_axes.x);
            entry.xNumber = entry.x ? numberIn(*entry.x) : unknownNumber;
            if (m_axes.x == "iterations" && std::isnan(entry.xNumber)) {
                entry.xNumber = iterationCount(run);
            }
            if (m_axes.x == "cr" && run.method == "dense") {
                entry.xNumber = 0;  // nothing was removed
            }
        }
        (isCalibrated(run) ? m_hasWhitened : m_hasPlain) = true;
        m_entries.push_back(std::move(entry));
    }

    // x is a number where one run has one; else its words are places.
    void placeOnX(AblationPlot& plot) {
        const bool isNumber =
            m_isMeasured || std::any_of(m_entries.begin(), m_entries.end(),
                                        [](const Entry& e) { return std::isfinite(e.xNumber); });
        std::vector<Value> words;
        for (const Entry& entry : m_entries) {
            if (!isNumber && entry.x &&
                std::find(words.begin(), words.end(), entry.x) == words.end()) {
                words.push_back(entry.x);
            }
        }
        std::sort(words.begin(), words.end(),
                  [&](const Value& a, const Value& b) { return isBefore(m_axes.x, a, b); });
        for (const Value& word : words) {
            plot.words.push_back(settingText(word));
        }
        for (Entry& entry : m_entries) {
            const auto place = std::find(words.begin(), words.end(), entry.x);
            if (place != words.end()) {
                entry.xNumber = static_cast<double>(place - words.begin());
            }
        }
        m_withoutX = static_cast<std::int64_t>(std::erase_if(
            m_entries, [](const Entry& entry) { return !std::isfinite(entry.xNumber); }));
    }

    // Whether the method's label tells curves apart.
    bool isLabelOpen() const {
        return !m_told.contains("method") && (!m_isMeasured || m_axes.curve.empty());
    }

    std::vector<Group> grouped() const {
        std::map<std::pair<std::vector<std::string>, RunSettings>, Group> groups;
        for (const Entry& entry : m_entries) {
            RunSettings rest = entry.rest;
            if (m_isMeasured) {  // points, told apart by what is seen at once
                std::erase_if(rest, [](const auto& setting) {
                    return setting.first != "layers" && setting.first != "model";
                });
            }
            const std::string label = isLabelOpen() ? entry.label : std::string();
            Group& group =
                groups[{{settingText(entry.facet), settingText(entry.curve), label}, rest}];
            if (group.entries.empty()) {
                group = {entry.curve, entry.facet, isLabelOpen() ? entry.label : "", rest, {}};
            }
            group.entries.push_back(&entry);
        }
        std::vector<Group> result;
        for (auto& [key, group] : groups) {
            result.push_back(std::move(group));
        }
        std::stable_sort(result.begin(), result.end(), [&](const Group& a, const Group& b) {
            if (a.facet != b.facet) {
                return isBefore(m_axes.facet, a.facet, b.facet);
            }
            if (a.curve != b.curve) {
                return isBefore(m_axes.curve, a.curve, b.curve);
            }
            return isBefore("method", a.label, b.label);
        });
        return result;
    }

    static bool share(const Group& a, const Group& b) {
        return std::any_of(a.entries.begin(), a.entries.end(), [&](const Entry* one) {
            return std::any_of(b.entries.begin(), b.entries.end(),
                               [&](const Entry* other) { return one->xNumber == other->xNumber; });
        });
    }

    static void joinThoseThatSayLess(std::vector<Group>& groups) {
        for (std::size_t i = 0; i < groups.size();) {
            std::vector<std::size_t> richer;
            for (std::size_t j = 0; j < groups.size(); ++j) {
                if (j != i && groups[j].facet == groups[i].facet &&
                    groups[j].curve == groups[i].curve &&
                    groups[j].rest.size() > groups[i].rest.size() &&
                    agree(groups[j].rest, groups[i].rest)) {
                    richer.push_back(j);
                }
            }
            if (richer.size() != 1 || share(groups[i], groups[richer.front()])) {
                ++i;
                continue;
            }
            std::vector<const Entry*>& into = groups[richer.front()].entries;
            into.insert(into.end(), groups[i].entries.begin(), groups[i].entries.end());
            groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(i));
            i = 0;  // who said more than one may say more than another now
        }
    }

    // Of measured x: those that differ in seeds alone are one point.
    std::vector<AblationPoint> pointsOf(const Group& group) {
        std::map<std::pair<double, RunSettings>, std::vector<const Entry*>> places;
        for (const Entry* entry : group.entries) {
            places[{m_isMeasured ? 0 : entry->xNumber, m_isMeasured ? entry->rest : RunSettings()}]
                .push_back(entry);
        }
        std::vector<AblationPoint> points;
        for (const auto& [place, here] : places) {
            std::vector<SeedValue> xs;
            std::vector<SeedValue> ys;
            AblationPoint point;
            for (const Entry* entry : here) {
                xs.push_back({entry->seed, entry->xNumber, entry->run});
                ys.push_back({entry->seed, entry->y, entry->run, m_y.standardError(*entry->run)});
                point.runs.push_back(entry->run->id);
            }
            point.x = m_isMeasured ? meanOverSeeds(xs).cell.mean : place.first;
            const SeedMean mean = meanOverSeeds(ys);
            m_repetitions += mean.repetitions;
            point.y = mean.cell;
            points.push_back(std::move(point));
        }
        std::stable_sort(points.begin(), points.end(),
                         [](const AblationPoint& a, const AblationPoint& b) { return a.x < b.x; });
        return points;
    }

    void fill(AblationPlot& plot, const std::vector<Group>& groups) {
        std::vector<std::pair<std::string, RunSettings>> looks;  // of curves, in all plots
        std::vector<NamedKind> kinds;
        std::vector<Value> curves;
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
        for (const Group& group : groups) {
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
            const Group& group = groups[i];
            const std::string title = m_axes.facet.empty() ? "" : words(m_axes.facet, group.facet);
            if (plot.facets.empty() || plot.facets.back().title != title) {
                plot.facets.push_back({title, {}});
            }
            const auto& [hue, dash] = hues[lookOf[i]];
            const RunRow& any = *group.entries.front()->run;
            plot.facets.back().curves.push_back(
                {names[lookOf[i]], hue, dash, !m_isMeasured && plot.words.empty(),
                 layersLabel(any) + '\n' + (any.modelSha256.empty() ? any.model : any.modelSha256),
                 pointsOf(group)});
        }
    }

    std::string words(const std::string& setting, const Value& value) const {
        return m_wording(setting, value ? std::optional(settingText(value)) : std::nullopt);
    }

    // By the value of the curve's setting, and what else they differ in.
    std::vector<std::string> namesOfCurves(
        const std::vector<NamedKind>& kinds,
        const std::vector<std::pair<std::string, RunSettings>>& looks) const {
        if (m_axes.curve.empty()) {
            return namesOf(kinds, m_told, m_wording);
        }
        std::vector<NamedKind> rests;  // each once
        std::vector<RunSettings> known;
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            if (std::find(known.begin(), known.end(), looks[i].second) == known.end()) {
                known.push_back(looks[i].second);
                rests.push_back(kinds[i]);
            }
        }
        const std::vector<std::string> others = namesOf(rests, m_told, m_wording);
        std::vector<std::string> names;
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            const Value value =
                looks[i].first.empty() ? Value() : Value(ReportCell(looks[i].first));
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
        plot.hasWhitened = m_hasWhitened;
        plot.hasPlain = m_hasPlain;
        if (m_withoutX > 0) {
            plot.notes.push_back(withoutX());
        }
        if (m_repetitions > 0) {
            plot.notes.push_back(Phrase{kRepetitionsNote});
        }
        if ((m_axes.y == "error" || m_axes.x == "error") && m_hasPlain && m_hasWhitened) {
            plot.notes.push_back(
                Phrase{"errors of data-free methods are of the plain weight, the others whitened"});
        }
    }

    Phrase withoutX() const {
        const std::string count = std::to_string(m_withoutX);
        if (m_axes.x == "rho") {
            return m_withoutX == 1 ? Phrase{"1 run without a number of ρ is left out"}
                                   : Phrase{"%1 runs without a number of ρ are left out", {count}};
        }
        return m_withoutX == 1 ? Phrase{"1 run without %1 is left out", {m_axes.x}}
                               : Phrase{"%1 runs without %2 are left out", {count, m_axes.x}};
    }

    const AblationAxes& m_axes;
    const SettingWording& m_wording;
    bool m_isMeasured;
    MeasuredValue m_y;
    std::optional<MeasuredValue> m_x;
    std::set<std::string> m_told;          // by axes, curves and plots
    std::set<std::string> m_besideLabels;  // no label has these
    std::vector<Entry> m_entries;          // the newest first
    bool m_hasPlain = false;
    bool m_hasWhitened = false;
    std::int64_t m_withoutX = 0;
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
