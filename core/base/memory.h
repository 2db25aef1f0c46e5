// How much memory this process may still take.
#pragma once

#include <cstdint>

namespace cospadi {

// Bytes that the system can give without swapping, or what is left of the limit of the control
// group (a container's), whichever is less. 0 where neither is known.
std::int64_t availableMemory();

}  // namespace cospadi
