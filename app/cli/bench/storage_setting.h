// How a benchmark stores layers: a point of the grid over accounting, ρ and compression ratio.
#pragma once

#include "core/dictionary/budget.h"

namespace cospadi::cli {

struct StorageSetting {
    Accounting accounting = Accounting::Eq11;
    double rho = 2;
    double cr = 0.2;
};

}  // namespace cospadi::cli
