// Elementwise float loops of the forward pass, built for several instruction sets and chosen at
// load time. Plain functions of pointers and sizes; no threads inside.
#pragma once

#include <cstdint>

namespace cospadi {

// y = x / sqrt(mean(x²) + epsilon) ∘ weight; the sum of squares in double.
void rmsNorm(const float* x, const float* weight, std::int64_t size, double epsilon, float* y);

// gate = silu(gate) ∘ up, silu(v) = v / (1 + exp(−v)).
void siluTimes(float* gate, const float* up, std::int64_t size);

// x = softmax(scale · x); the denominator in double.
void softmax(float* x, std::int64_t size, float scale);

// log Σ exp(x), the sum in double.
double logSumExp(const float* x, std::int64_t size);

void addTo(float* target, const float* source, std::int64_t size);

// Rotates the pairs (x[i], x[i + half]) by the angles whose cosine and sine are given (half
// values).
void rotateHalves(float* x, const float* cosine, const float* sine, std::int64_t half);

}  // namespace cospadi
