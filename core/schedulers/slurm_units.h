// What sbatch's --time and --mem mean, for engines with units of their own.
#pragma once

#include <cstdint>
#include <string>

namespace cospadi {

// In whole minutes, of minutes, M:S, H:M:S, D-H, D-H:M or D-H:M:S; seconds are rounded up. 0, which
// is no limit to Slurm, of an empty text.
std::int64_t slurmMinutes(const std::string& time);

// In whole mebibytes; without a unit megabytes, as Slurm counts them: 2²⁰ bytes. 0 of an empty
// text.
std::int64_t slurmMebibytes(const std::string& mem);

}  // namespace cospadi
