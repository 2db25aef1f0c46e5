#include "core/model/float_kernels.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/base/simd.h"

namespace cospadi {

namespace {

// exp by 2^n · p(r), |r| ≤ ln2/2; relative error below 2e-7. Saturates outside ±87, so that NaN
// and infinity in the input come out as such from the sums around it.
inline float fastExp(float x) {
    const float low = x < -87.0F ? -87.0F : x;
    const float clamped = low > 88.0F ? 88.0F : low;
    const float shifted = clamped * 1.44269504F + 12582912.0F;  // 1.5·2^23: rounds to an integer
    const float n = shifted - 12582912.0F;
    float r = clamped - n * 0.693359375F;
    r -= n * -2.12194440e-4F;
    float p = 1.9875691500e-4F;
    p = p * r + 1.3981999507e-3F;
    p = p * r + 8.3334519073e-3F;
    p = p * r + 4.1665795894e-2F;
    p = p * r + 1.6666665459e-1F;
    p = p * r + 5.0000001201e-1F;
    p = p * r * r + r + 1.0F;
    const std::uint32_t exponent = std::bit_cast<std::uint32_t>(shifted) << 23;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(p) + exponent);
}

constexpr int kLanes = 16;

// Independent partial sums let the compiler vectorise without reordering additions.
inline float largest(const float* x, std::int64_t size) {
    float lanes[kLanes];
    std::fill(lanes, lanes + kLanes, x[0]);
    std::int64_t i = 0;
    for (; i + kLanes <= size; i += kLanes) {
        for (int l = 0; l < kLanes; ++l) {
            lanes[l] = x[i + l] > lanes[l] ? x[i + l] : lanes[l];
        }
    }
    float result = *std::max_element(lanes, lanes + kLanes);
    for (; i < size; ++i) {
        result = std::max(result, x[i]);
    }
    return result;
}

inline double sum(const float* x, std::int64_t size) {
    double lanes[kLanes] = {};
    std::int64_t i = 0;
    for (; i + kLanes <= size; i += kLanes) {
        for (int l = 0; l < kLanes; ++l) {
            lanes[l] += static_cast<double>(x[i + l]);
        }
    }
    double result = 0;
    for (; i < size; ++i) {
        result += static_cast<double>(x[i]);
    }
    for (const double lane : lanes) {
        result += lane;
    }
    return result;
}

}  // namespace

COSPADI_SIMD_CLONES
void rmsNorm(const float* x, const float* weight, std::int64_t size, double epsilon, float* y) {
    double lanes[kLanes] = {};
    std::int64_t i = 0;
    for (; i + kLanes <= size; i += kLanes) {
        for (int l = 0; l < kLanes; ++l) {
            const double value = x[i + l];
            lanes[l] += value * value;
        }
    }
    double sum = 0;
    for (; i < size; ++i) {
        sum += static_cast<double>(x[i]) * static_cast<double>(x[i]);
    }
    for (const double lane : lanes) {
        sum += lane;
    }
    const auto scale =
        static_cast<float>(1.0 / std::sqrt(sum / static_cast<double>(size) + epsilon));
    for (i = 0; i < size; ++i) {
        y[i] = x[i] * scale * weight[i];
    }
}

COSPADI_SIMD_CLONES
void siluTimes(float* gate, const float* up, std::int64_t size) {
    for (std::int64_t i = 0; i < size; ++i) {
        gate[i] = gate[i] / (1.0F + fastExp(-gate[i])) * up[i];
    }
}

COSPADI_SIMD_CLONES
void softmax(float* x, std::int64_t size, float scale) {
    const float top = largest(x, size);
    for (std::int64_t i = 0; i < size; ++i) {
        x[i] = fastExp((x[i] - top) * scale);
    }
    const auto inverse = static_cast<float>(1.0 / sum(x, size));
    for (std::int64_t i = 0; i < size; ++i) {
        x[i] *= inverse;
    }
}

COSPADI_SIMD_CLONES
double logSumExp(const float* x, std::int64_t size) {
    constexpr std::int64_t kTile = 512;
    float tile[kTile];
    const float top = largest(x, size);
    double total = 0;
    for (std::int64_t begin = 0; begin < size; begin += kTile) {
        const std::int64_t count = std::min(kTile, size - begin);
        for (std::int64_t i = 0; i < count; ++i) {
            tile[i] = fastExp(x[begin + i] - top);
        }
        total += sum(tile, count);
    }
    return static_cast<double>(top) + std::log(total);
}

COSPADI_SIMD_CLONES
void addTo(float* target, const float* source, std::int64_t size) {
    for (std::int64_t i = 0; i < size; ++i) {
        target[i] += source[i];
    }
}

COSPADI_SIMD_CLONES
void rotateHalves(float* x, const float* cosine, const float* sine, std::int64_t half) {
    for (std::int64_t i = 0; i < half; ++i) {
        const float a = x[i];
        const float b = x[i + half];
        x[i] = a * cosine[i] - b * sine[i];
        x[i + half] = b * cosine[i] + a * sine[i];
    }
}

}  // namespace cospadi
