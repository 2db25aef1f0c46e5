#include "core/model/rotary_table.h"

#include <algorithm>
#include <cmath>

#include "core/model/float_kernels.h"

namespace cospadi {

void RotaryTable::growTo(std::int64_t positions) {
    const std::int64_t known = m_cosine.cols();
    if (known >= positions) {
        return;
    }
    // Generation asks for one more with every token.
    const std::int64_t capacity = std::max(positions, 2 * known);
    const auto half = static_cast<std::int64_t>(m_frequencies.size());
    m_cosine.conservativeResize(half, capacity);
    m_sine.conservativeResize(half, capacity);
    for (std::int64_t t = known; t < capacity; ++t) {
        for (std::int64_t i = 0; i < half; ++i) {
            const double angle =
                static_cast<double>(t) * m_frequencies[static_cast<std::size_t>(i)];
            m_cosine(i, t) = static_cast<float>(std::cos(angle));
            m_sine(i, t) = static_cast<float>(std::sin(angle));
        }
    }
    m_negativeSine = -m_sine;
}

void RotaryTable::rotate(float* x, std::int64_t position) const {
    rotateHalves(x, &m_cosine.coeffRef(0, position), &m_sine.coeffRef(0, position),
                 m_cosine.rows());
}

void RotaryTable::rotateBack(float* x, std::int64_t position) const {
    rotateHalves(x, &m_cosine.coeffRef(0, position), &m_negativeSine.coeffRef(0, position),
                 m_cosine.rows());
}

}  // namespace cospadi
