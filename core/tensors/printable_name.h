// Names that stand in a file, as they may stand in a message or in JSON: bytes that are not UTF-8
// and control characters become '?', and what is over 120 bytes is cut short with "…". Any file can
// carry any bytes where a name should be.
#pragma once

#include <string>
#include <string_view>

namespace cospadi {

std::string printableName(std::string_view name);

}  // namespace cospadi
