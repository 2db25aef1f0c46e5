// Sharing a budget of bytes between matrices: the multiple-choice knapsack
//   min Σ_i cost_i(c_i)  subject to  Σ_i bytes_i(c_i) ≤ budget
// over one choice c_i for every matrix (ROCKET, Li et al. 2026, shares its budget the same way).
#pragma once

#include <cstddef>
#include <vector>

namespace cospadi {

struct BudgetChoice {
    double bytes = 0;
    double cost = 0;
};

// The index of the choice of every item. Steps along each item's lower convex hull in the order of
// what they gain a byte: the optimum of the relaxed problem, and short of the true one by less than
// a single step. Throws Error where even the smallest choices exceed the budget.
std::vector<std::size_t> chooseWithinBudget(const std::vector<std::vector<BudgetChoice>>& items,
                                            double budget);

// The same problem by dynamic programming over `resolution` steps of the budget: the optimum but
// for what partial sums that fall into one step hide from each other, of which the cheaper one is
// followed (the smaller one where they cost the same). Memory: 8 · items · resolution bytes. Throws
// as the above.
std::vector<std::size_t> chooseByProgramme(const std::vector<std::vector<BudgetChoice>>& items,
                                           double budget, int resolution);

}  // namespace cospadi
