#include "core/schedulers/slurm_units.h"

#include <cstddef>
#include <regex>

namespace cospadi {

namespace {

constexpr std::int64_t kMinutesAnHour = 60;
constexpr std::int64_t kHoursADay = 24;
constexpr std::int64_t kKibi = 1024;

}  // namespace

std::int64_t slurmMinutes(const std::string& time) {
    std::smatch found;
    const std::regex form(R"((?:([0-9]{1,6})-)?([0-9]{1,9})(?::([0-9]{1,9}))?(?::([0-9]{1,9}))?)");
    if (!std::regex_match(time, found, form)) {
        return 0;
    }
    const auto number = [&](int group) {
        return found[static_cast<std::size_t>(group)].matched
                   ? std::stoll(found[static_cast<std::size_t>(group)])
                   : 0;
    };
    constexpr std::int64_t kSecondsAMinute = 60;
    const auto rounded = [](std::int64_t minutes, std::int64_t seconds) {
        return minutes + (seconds + kSecondsAMinute - 1) / kSecondsAMinute;
    };
    if (found[1].matched) {
        const std::int64_t hours = number(1) * kHoursADay + number(2);
        return rounded(hours * kMinutesAnHour + number(3), number(4));
    }
    if (found[4].matched) {
        return rounded(number(2) * kMinutesAnHour + number(3), number(4));
    }
    return rounded(number(2), number(3));
}

std::int64_t slurmMebibytes(const std::string& mem) {
    if (mem.empty()) {
        return 0;
    }
    const std::int64_t number = std::stoll(mem);
    switch (mem.back()) {
        case 'K':
            return (number + kKibi - 1) / kKibi;
        case 'G':
            return number * kKibi;
        case 'T':
            return number * kKibi * kKibi;
        default:
            return number;
    }
}

}  // namespace cospadi
