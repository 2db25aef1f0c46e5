#include "core/report/ablation_entries.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/report/run_dimensions.h"
#include "core/report/run_labels.h"
#include "core/report/run_metrics.h"
#include "core/store/method_label.h"
#include "core/store/run_settings.h"

namespace cospadi {

namespace {

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

}  // namespace

AblationEntries::AblationEntries(const std::vector<RunRow>& runs, const AblationAxes& axes)
    : m_axes(axes), m_isMeasured(isMeasured(axes.x)), m_y(runs, axes.y) {
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
        add(run);
    }
    std::stable_sort(m_entries.begin(), m_entries.end(),
                     [](const AblationEntry& a, const AblationEntry& b) {
                         return a.run->created > b.run->created;
                     });
    placeOnX();
}

void AblationEntries::add(const RunRow& run) {
    const double y = m_y.of(run);
    if (run.status != "finished" || !std::isfinite(y)) {
        return;
    }
    const RunSettings settings = settingsOf(run);
    AblationEntry entry{&run, {}, {}, {}, settingsWithout(run, m_told), "", "", unknownNumber, y};
    const auto value = [&](const std::string& name) {
        return name.empty() ? AblationValue() : dimensionOf(run, name, settings, m_besideLabels);
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
    m_entries.push_back(std::move(entry));
}

// x is a number where one run has one; else its words are places.
void AblationEntries::placeOnX() {
    const bool isNumber =
        m_isMeasured || std::any_of(m_entries.begin(), m_entries.end(), [](const AblationEntry& e) {
            return std::isfinite(e.xNumber);
        });
    std::vector<AblationValue> values;
    for (const AblationEntry& entry : m_entries) {
        if (!isNumber && entry.x &&
            std::find(values.begin(), values.end(), entry.x) == values.end()) {
            values.push_back(entry.x);
        }
    }
    std::sort(values.begin(), values.end(), [&](const AblationValue& a, const AblationValue& b) {
        return isBefore(m_axes.x, a, b);
    });
    for (const AblationValue& word : values) {
        m_words.push_back(settingText(word));
    }
    for (AblationEntry& entry : m_entries) {
        const auto place = std::find(values.begin(), values.end(), entry.x);
        if (place != values.end()) {
            entry.xNumber = static_cast<double>(place - values.begin());
        }
    }
    m_withoutX = static_cast<std::int64_t>(std::erase_if(
        m_entries, [](const AblationEntry& entry) { return !std::isfinite(entry.xNumber); }));
    for (const AblationEntry& entry : m_entries) {
        if (entry.run->method != "dense") {  // which has no errors
            (isCalibrated(*entry.run) ? m_hasWhitened : m_hasPlain) = true;
        }
    }
}

}  // namespace cospadi
