#include "core/allocation/budget_choice.h"

#include <algorithm>
#include <numeric>

#include "core/base/error.h"

namespace cospadi {

namespace {

double slope(const BudgetChoice& from, const BudgetChoice& to) {
    return (from.cost - to.cost) / (to.bytes - from.bytes);
}

// Indices by growing bytes and falling cost, of which every step gains less a byte than the one
// before.
std::vector<std::size_t> lowerHull(const std::vector<BudgetChoice>& choices) {
    std::vector<std::size_t> order(choices.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return choices[a].bytes != choices[b].bytes ? choices[a].bytes < choices[b].bytes
                                                    : choices[a].cost < choices[b].cost;
    });
    std::vector<std::size_t> hull;
    for (const std::size_t i : order) {
        if (!hull.empty() && choices[i].cost >= choices[hull.back()].cost) {
            continue;
        }
        while (hull.size() > 1 && slope(choices[hull[hull.size() - 2]], choices[hull.back()]) <=
                                      slope(choices[hull.back()], choices[i])) {
            hull.pop_back();
        }
        hull.push_back(i);
    }
    return hull;
}

}  // namespace

std::vector<std::size_t> chooseWithinBudget(const std::vector<std::vector<BudgetChoice>>& items,
                                            double budget) {
    struct Step {
        std::size_t item;
        std::size_t position;  // on its hull, after the step
        double gain;           // a byte
        double bytes;
    };
    std::vector<std::vector<std::size_t>> hulls;
    std::vector<Step> steps;
    double spent = 0;
    for (std::size_t item = 0; item < items.size(); ++item) {
        const std::vector<BudgetChoice>& choices = items[item];
        hulls.push_back(lowerHull(choices));
        const std::vector<std::size_t>& hull = hulls.back();
        spent += choices[hull.front()].bytes;
        for (std::size_t i = 1; i < hull.size(); ++i) {
            steps.push_back({item, i, slope(choices[hull[i - 1]], choices[hull[i]]),
                             choices[hull[i]].bytes - choices[hull[i - 1]].bytes});
        }
    }
    if (spent > budget * (1 + 1e-12)) {
        throw Error("the smallest choices together already exceed the budget", "allocation",
                    "ask for a smaller compression ratio");
    }
    std::stable_sort(steps.begin(), steps.end(),
                     [](const Step& a, const Step& b) { return a.gain > b.gain; });
    std::vector<std::size_t> position(items.size(), 0);
    for (const Step& step : steps) {
        // A step whose predecessor did not fit is not open; smaller ones of others may be.
        if (position[step.item] + 1 == step.position &&
            spent + step.bytes <= budget * (1 + 1e-12)) {
            position[step.item] = step.position;
            spent += step.bytes;
        }
    }
    std::vector<std::size_t> chosen;
    for (std::size_t item = 0; item < items.size(); ++item) {
        chosen.push_back(hulls[item][position[item]]);
    }
    return chosen;
}

}  // namespace cospadi
