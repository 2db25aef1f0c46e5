#include "core/forms/integer_columns.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/bfloat16.h"
#include "core/forms/matrix_codec.h"

namespace cospadi {

namespace {

using Eigen::Index;

// Shares of the largest magnitude at which a grid may end: what lies beyond is cut off, all else
// rounded the finer.
constexpr std::array kEnds{1.0F, 0.92F, 0.84F, 0.76F, 0.68F, 0.6F};

// So that no entry that is stored becomes zero, which would leave the mask.
constexpr float kLeastHalfStep = 0x1p-100F;

}  // namespace

std::uint8_t IntegerGrid::nearest(float value) const {
    if (!(halfStep > 0)) {
        return 0;  // of a file that no run wrote
    }
    const auto half = static_cast<float>(1 << (bits - 1));
    const float code = std::floor(value / (2 * halfStep)) + half;
    return static_cast<std::uint8_t>(std::clamp(code, 0.0F, 2 * half - 1));
}

float IntegerGrid::valueOf(std::uint8_t code) const {
    return roundedToBf16(halfStep * static_cast<float>(2 * code + 1 - (1 << bits)));
}

std::int64_t integerRuns(std::int64_t entries, std::int64_t run) {
    return (entries + run - 1) / run;
}

std::int64_t runOf(std::int64_t t, std::int64_t n, std::int64_t q) { return ((t + 1) * q - 1) / n; }

IntegerGrid fitIntegerGrid(std::span<const float> values, int bits) {
    float largest = 0;
    for (const float value : values) {
        largest = std::max(largest, std::abs(value));
    }
    IntegerGrid best;
    double least = -1;
    for (const float end : kEnds) {
        IntegerGrid grid;
        grid.bits = bits;
        grid.halfStep = std::max(
            kLeastHalfStep, roundedToBf16(end * largest / static_cast<float>((1 << bits) - 1)));
        double error = 0;
        for (const float value : values) {
            const double off = value - grid.rounded(value);
            error += off * off;
        }
        if (least < 0 || error < least) {
            least = error;
            best = grid;
        }
    }
    return best;
}

std::vector<Index> storedRows(const Eigen::Ref<const Eigen::VectorXf>& column, bool onlyNonZeros) {
    std::vector<Index> rows;
    rows.reserve(static_cast<std::size_t>(column.size()));
    for (Index i = 0; i < column.size(); ++i) {
        if (!onlyNonZeros || column(i) != 0) {
            rows.push_back(i);
        }
    }
    return rows;
}

Eigen::MatrixXf roundToIntegers(int bits, std::int64_t runs, bool onlyNonZeros,
                                Eigen::MatrixXf& columns) {
    Eigen::MatrixXf halfSteps = Eigen::MatrixXf::Zero(runs, columns.cols());
    std::vector<float> values;
    for (Index j = 0; j < columns.cols(); ++j) {
        const std::vector<Index> rows = storedRows(columns.col(j), onlyNonZeros);
        const auto n = static_cast<std::int64_t>(rows.size());
        for (std::int64_t begin = 0, end = 0; begin < n; begin = end) {
            const std::int64_t run = runOf(begin, n, runs);
            values.clear();
            for (; end < n && runOf(end, n, runs) == run; ++end) {
                values.push_back(columns(rows[static_cast<std::size_t>(end)], j));
            }
            const IntegerGrid grid = fitIntegerGrid(values, bits);
            halfSteps(run, j) = grid.halfStep;
            for (std::int64_t t = begin; t < end; ++t) {
                float& entry = columns(rows[static_cast<std::size_t>(t)], j);
                entry = grid.rounded(entry);
            }
        }
    }
    return halfSteps;
}

std::vector<std::uint8_t> integerStream(const Eigen::MatrixXf& columns,
                                        const Eigen::MatrixXf& halfSteps, int bits,
                                        bool onlyNonZeros) {
    BitWriter writer(bits);
    for (Index j = 0; j < columns.cols(); ++j) {
        const std::vector<Index> rows = storedRows(columns.col(j), onlyNonZeros);
        const auto n = static_cast<std::int64_t>(rows.size());
        for (std::int64_t t = 0; t < n; ++t) {
            const IntegerGrid grid{bits, halfSteps(runOf(t, n, halfSteps.rows()), j)};
            writer.add(grid.nearest(columns(rows[static_cast<std::size_t>(t)], j)));
        }
    }
    return writer.finish();
}

void readIntegers(std::span<const std::byte> stream, const Eigen::MatrixXf& halfSteps, int bits,
                  bool onlyNonZeros, Eigen::MatrixXf& columns) {
    BitReader reader(stream, bits);
    for (Index j = 0; j < columns.cols(); ++j) {
        const std::vector<Index> rows = storedRows(columns.col(j), onlyNonZeros);
        const auto n = static_cast<std::int64_t>(rows.size());
        for (std::int64_t t = 0; t < n; ++t) {
            const IntegerGrid grid{bits, halfSteps(runOf(t, n, halfSteps.rows()), j)};
            columns(rows[static_cast<std::size_t>(t)], j) =
                grid.valueOf(static_cast<std::uint8_t>(reader.next()));
        }
    }
}

}  // namespace cospadi
