// How a run shares its bytes between layers: the setting `allocation`.
#pragma once

#include <string>

namespace cospadi {

enum class AllocationKind {
    Uniform,  // every layer the same ratio
    Knapsack  // more where errors cost more (core/allocation/allocation.h)
};

const char* name(AllocationKind allocation);
AllocationKind allocationFromName(const std::string& name);  // Error for another word

}  // namespace cospadi
