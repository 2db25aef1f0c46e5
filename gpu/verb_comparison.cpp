#include "gpu/verb_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "gpu/verb_arithmetic.h"
#include "gpu/verb_coding.h"
#include "gpu/verb_factorizations.h"
#include "gpu/verb_trial.h"

namespace cospadi {

std::string describe(const VerbShape& shape) {
    return fmt::format("{}×{}, k {}, s {}, decay {:g}", shape.d1, shape.d2, shape.k, shape.s,
                       shape.decay);
}

std::vector<VerbShape> comparisonShapes(int random, std::int64_t largest, unsigned seed) {
    std::vector<VerbShape> shapes = {{1, 1, 1, 1, 0},     {1, 40, 3, 2, 0},    {40, 1, 20, 5, 0},
                                     {33, 65, 40, 7, 0},  {20, 50, 30, 30, 0}, {64, 64, 64, 1, 3},
                                     {50, 300, 31, 16, 3}};
    std::mt19937 generator(seed);
    const auto upTo = [&](std::int64_t most) {
        // As many small as large: the logarithm is uniform.
        const double share = static_cast<double>(generator()) / 4294967296.0;
        return std::max<std::int64_t>(1, std::llround(std::pow(static_cast<double>(most), share)));
    };
    for (int i = 0; i < random; ++i) {
        VerbShape shape;
        shape.d1 = upTo(largest);
        shape.d2 = upTo(largest);
        shape.k = upTo(largest);
        shape.s = upTo(shape.k);
        shape.decay = i % 3;
        shapes.push_back(shape);
    }
    return shapes;
}

std::vector<VerbDeviation> compareVerbs(Backend& reference, Backend& tested, const VerbShape& shape,
                                        bool pursuits, unsigned seed) {
    VerbTrial trial(reference, tested, shape, seed);
    tryArithmetic(trial);
    tryFactorizations(trial);
    tryCoding(trial, pursuits);
    return trial.takeFound();
}

}  // namespace cospadi
