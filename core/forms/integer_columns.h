// Columns of integers of b = 2 to 8 bits with a scale of 16 bits for every run of entries: how
// dictionaries, codes and low-rank factors are stored under the accounting `integers`
// (docs/decisions/0022-factors-in-few-bits.md).
//
// The n entries of a column (of sparse codes its non-zeros) fall into q runs of nearly equal
// length, entry t into run ⌊((t + 1) q − 1) / n⌋; q = ⌈d/g⌉ is one number for all columns (g: 64,
// kIntegerRun), so that a file has as many scales as the budget counts, whatever n. An integer c of
// a run with half-step h, a bfloat16, stands for
//
//   h (2c + 1 − 2^b),   c = 0 … 2^b − 1,   rounded to bfloat16:
//
// all 2^b values lie evenly around zero, none is zero. Zeros of sparse codes stand in their mask.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cospadi {

constexpr int kFewestIntegerBits = 2;
constexpr int kMostIntegerBits = 8;

struct IntegerGrid {
    int bits = 4;
    float halfStep = 0;  // h > 0

    std::uint8_t nearest(float value) const;
    float valueOf(std::uint8_t code) const;
    float rounded(float value) const { return valueOf(nearest(value)); }
};

// q for columns of `entries`, at most or on average.
std::int64_t integerRuns(std::int64_t entries, std::int64_t run);
// Of entry t of n, in q runs.
std::int64_t runOf(std::int64_t t, std::int64_t n, std::int64_t q);

// The grid whose rounding of these values has the least squared error, of a few that end at or
// below the largest of them.
IntegerGrid fitIntegerGrid(std::span<const float> values, int bits);

// The rows of a column that are stored: all, or those that are not zero.
std::vector<Eigen::Index> storedRows(const Eigen::Ref<const Eigen::VectorXf>& column,
                                     bool onlyNonZeros);

// Rounds every column by itself, each entry to its nearest value. Returns the half-steps (q, cols).
Eigen::MatrixXf roundToIntegers(int bits, std::int64_t runs, bool onlyNonZeros,
                                Eigen::MatrixXf& columns);

// Of columns that have been rounded so: b bits an entry, column by column; and back into columns of
// that shape: into all their entries, or into those that are not zero.
std::vector<std::uint8_t> integerStream(const Eigen::MatrixXf& columns,
                                        const Eigen::MatrixXf& halfSteps, int bits,
                                        bool onlyNonZeros);
void readIntegers(std::span<const std::byte> stream, const Eigen::MatrixXf& halfSteps, int bits,
                  bool onlyNonZeros, Eigen::MatrixXf& columns);

}  // namespace cospadi
