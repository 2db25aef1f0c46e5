#include "core/allocation/budget_choice.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

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

[[noreturn]] void throwNothingFits() {
    throw Error("even the smallest choices together exceed the budget", "allocation",
                "use a smaller compression ratio");
}

double smallestBytes(const std::vector<BudgetChoice>& choices) {
    double bytes = std::numeric_limits<double>::infinity();
    for (const BudgetChoice& choice : choices) {
        bytes = std::min(bytes, choice.bytes);
    }
    return bytes;
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
        throwNothingFits();
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

std::vector<std::size_t> chooseByProgramme(const std::vector<std::vector<BudgetChoice>>& items,
                                           double budget, int resolution) {
    struct Sum {
        double cost = std::numeric_limits<double>::infinity();  // of none
        double bytes = 0;
    };
    struct Step {
        std::int32_t from = -1;
        std::uint32_t choice = 0;
    };
    const double limit = budget * (1 + 1e-12);
    double rest = 0;  // the fewest bytes of the items that are still to come
    for (const std::vector<BudgetChoice>& choices : items) {
        rest += smallestBytes(choices);
    }
    if (rest > limit) {
        throwNothingFits();
    }
    const auto cells = static_cast<std::size_t>(resolution) + 1;
    std::vector<Sum> sums(cells);
    sums.front().cost = 0;
    std::vector<std::vector<Step>> steps;
    for (const std::vector<BudgetChoice>& choices : items) {
        rest -= smallestBytes(choices);
        std::vector<Sum> next(cells);
        steps.emplace_back(cells);
        for (std::size_t cell = 0; cell < cells; ++cell) {
            for (std::size_t c = 0; sums[cell].cost < Sum().cost && c < choices.size(); ++c) {
                const Sum sum{sums[cell].cost + choices[c].cost,
                              sums[cell].bytes + choices[c].bytes};
                if (sum.bytes + rest > limit) {
                    continue;  // so that what is kept can always be finished
                }
                const auto to =
                    std::min(cells - 1, static_cast<std::size_t>(sum.bytes / budget * resolution));
                if (sum.cost < next[to].cost ||
                    (sum.cost == next[to].cost && sum.bytes < next[to].bytes)) {
                    next[to] = sum;
                    steps.back()[to] = {static_cast<std::int32_t>(cell),
                                        static_cast<std::uint32_t>(c)};
                }
            }
        }
        sums = std::move(next);
    }
    std::size_t cell = 0;
    for (std::size_t i = 1; i < cells; ++i) {
        cell = sums[i].cost < sums[cell].cost ? i : cell;
    }
    std::vector<std::size_t> chosen(items.size());
    for (std::size_t item = items.size(); item-- > 0;) {
        chosen[item] = steps[item][cell].choice;
        cell = static_cast<std::size_t>(steps[item][cell].from);
    }
    return chosen;
}

}  // namespace cospadi
