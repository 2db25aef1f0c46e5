// Times as all files of this program have them: ISO 8601 in UTC, to the second.
#pragma once

#include <ctime>
#include <string>

namespace cospadi {

std::string utcTimestamp(std::time_t time);
std::string utcTimestamp();  // of now

}  // namespace cospadi
