#include "core/allocation/allocation_kind.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace cospadi {

const char* name(AllocationKind allocation) {
    return allocation == AllocationKind::Uniform ? "uniform" : "knapsack";
}

AllocationKind allocationFromName(const std::string& name) {
    for (const AllocationKind allocation : {AllocationKind::Uniform, AllocationKind::Knapsack}) {
        if (name == cospadi::name(allocation)) {
            return allocation;
        }
    }
    throw Error(fmt::format("'{}' is not a way to share the bytes", name), "allocation",
                "use uniform or knapsack");
}

}  // namespace cospadi
