#include "core/base/timestamp.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace cospadi {

std::string utcTimestamp(std::time_t time) {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(time));
}

std::string utcTimestamp() { return utcTimestamp(std::time(nullptr)); }

}  // namespace cospadi
