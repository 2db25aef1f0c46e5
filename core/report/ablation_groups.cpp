#include "core/report/ablation_groups.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "core/report/run_dimensions.h"

namespace cospadi {

namespace {

// Whether the method's label tells curves apart.
bool isLabelOpen(const AblationEntries& entries) {
    return !entries.told().contains("method") &&
           (!entries.isMeasuredX() || entries.axes().curve.empty());
}

bool share(const AblationGroup& a, const AblationGroup& b) {
    return std::any_of(a.entries.begin(), a.entries.end(), [&](const AblationEntry* one) {
        return std::any_of(b.entries.begin(), b.entries.end(), [&](const AblationEntry* other) {
            return one->xNumber == other->xNumber;
        });
    });
}

void joinThoseThatSayLess(std::vector<AblationGroup>& groups) {
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
        std::vector<const AblationEntry*>& into = groups[richer.front()].entries;
        into.insert(into.end(), groups[i].entries.begin(), groups[i].entries.end());
        groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(i));
        i = 0;  // who said more than one may say more than another now
    }
}

}  // namespace

std::vector<AblationGroup> groupsOf(const AblationEntries& entries) {
    const AblationAxes& axes = entries.axes();
    const bool isOpen = isLabelOpen(entries);
    std::map<std::pair<std::vector<std::string>, RunSettings>, AblationGroup> groups;
    for (const AblationEntry& entry : entries.all()) {
        RunSettings rest = entry.rest;
        if (entries.isMeasuredX()) {  // points, told apart by what is seen at once
            std::erase_if(rest, [](const auto& setting) {
                return setting.first != "layers" && setting.first != "model";
            });
        }
        const std::string label = isOpen ? entry.label : std::string();
        AblationGroup& group =
            groups[{{settingText(entry.facet), settingText(entry.curve), label}, rest}];
        if (group.entries.empty()) {
            group = {entry.curve, entry.facet, isOpen ? entry.label : "", rest, {}};
        }
        group.entries.push_back(&entry);
    }
    std::vector<AblationGroup> result;
    for (auto& [key, group] : groups) {
        result.push_back(std::move(group));
    }
    std::stable_sort(result.begin(), result.end(),
                     [&](const AblationGroup& a, const AblationGroup& b) {
                         if (a.facet != b.facet) {
                             return isBefore(axes.facet, a.facet, b.facet);
                         }
                         if (a.curve != b.curve) {
                             return isBefore(axes.curve, a.curve, b.curve);
                         }
                         return isBefore("method", a.label, b.label);
                     });
    if (!entries.words().empty()) {
        joinThoseThatSayLess(result);
    }
    return result;
}

}  // namespace cospadi
