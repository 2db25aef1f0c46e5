#include "gpu/kernels/threshold.h"

#include "gpu/kernels/block_reduce.cuh"

namespace cospadi::kernels {

namespace {

constexpr int kBins = 2048;  // of the widest digit
constexpr int kBinsAThread = kBins / kThreads;

struct Cut {
    unsigned magnitude;  // entries above it are kept
    unsigned equal;      // entries of exactly this magnitude …
    unsigned kept;       // … and how many of them are
};

// For non-negative floats the order of the bit patterns is the order of the values.
__device__ unsigned magnitudeOf(float value) { return __float_as_uint(value) & 0x7fffffffU; }

__device__ float candidate(const float* codes, const float* r, float mu, std::int64_t i) {
    return fmaf(mu, r[i], codes[i]);  // rounded the same way wherever it is asked for
}

// The s-th largest magnitude, digit by digit from the top.
__device__ Cut cutOf(std::int64_t k, unsigned s, float mu, const float* r, const float* codes) {
    __shared__ unsigned histogram[kBins];
    __shared__ unsigned segments[kThreads];
    __shared__ Cut found;
    unsigned prefix = 0;
    unsigned wanted = s;
    unsigned equal = 0;
    int shift = 31;
    for (int pass = 0; pass < 3; ++pass) {
        const int bits = pass == 0 ? 11 : 10;
        const int above = shift;  // bits from here on are settled
        shift -= bits;
        for (unsigned bin = threadIdx.x; bin < kBins; bin += kThreads) {
            histogram[bin] = 0;
        }
        __syncthreads();
        for (std::int64_t i = threadIdx.x; i < k; i += kThreads) {
            const unsigned m = magnitudeOf(candidate(codes, r, mu, i));
            if (m >> above == prefix) {
                atomicAdd(histogram + ((m >> shift) & ((1U << bits) - 1)), 1U);
            }
        }
        __syncthreads();
        unsigned segment = 0;
        for (unsigned bin = threadIdx.x * kBinsAThread; bin < (threadIdx.x + 1) * kBinsAThread;
             ++bin) {
            segment += histogram[bin];
        }
        segments[threadIdx.x] = segment;
        __syncthreads();
        if (threadIdx.x == 0) {
            unsigned last = kThreads - 1;
            unsigned rest = wanted;
            while (segments[last] < rest) {
                rest -= segments[last--];
            }
            unsigned bin = (last + 1) * kBinsAThread - 1;
            while (histogram[bin] < rest) {
                rest -= histogram[bin--];
            }
            found = {prefix << bits | bin, histogram[bin], rest};
        }
        __syncthreads();
        prefix = found.magnitude;
        equal = found.equal;
        wanted = found.kept;
    }
    return {prefix, equal, wanted};
}

// How many threads before this one in the block vote; `total` those of the whole block.
__device__ unsigned votesBefore(bool vote, unsigned& total) {
    __shared__ unsigned parts[kWarps];
    const unsigned lane = threadIdx.x % kWarpSize;
    const unsigned warp = threadIdx.x / kWarpSize;
    const unsigned votes = __ballot_sync(kFullWarp, vote);
    if (lane == 0) {
        parts[warp] = static_cast<unsigned>(__popc(votes));
    }
    __syncthreads();
    auto before = static_cast<unsigned>(__popc(votes & ((1U << lane) - 1)));
    total = 0;
    for (unsigned i = 0; i < kWarps; ++i) {
        before += i < warp ? parts[i] : 0;
        total += parts[i];
    }
    __syncthreads();
    return before;
}

__global__ void __launch_bounds__(kThreads)
    thresholdKernel(std::int64_t k, unsigned s, float mu, const float* residuals, float* allCodes,
                    unsigned long long* changes) {
    const float* r = residuals + blockIdx.x * k;
    float* codes = allCodes + blockIdx.x * k;
    Cut cut = {0, 0, 0};
    if (s < k) {
        cut = cutOf(k, s, mu, r, codes);
    }
    const bool ordered = cut.kept < cut.equal;  // some of the equals go: then order matters
    unsigned passed = 0;
    unsigned changed = 0;
    for (std::int64_t first = 0; first < k; first += kThreads) {
        const std::int64_t i = first + threadIdx.x;
        const float value = i < k ? candidate(codes, r, mu, i) : 0.0F;
        const unsigned m = magnitudeOf(value);
        bool keep = m > cut.magnitude || (m == cut.magnitude && !ordered);
        if (ordered) {
            unsigned total = 0;
            const bool tied = i < k && m == cut.magnitude;
            const unsigned rank = passed + votesBefore(tied, total);
            keep = keep || (tied && rank < cut.kept);
            passed += total;
        }
        if (i < k) {
            const float kept = keep ? value : 0.0F;
            changed += (codes[i] != 0) != (kept != 0) ? 1 : 0;
            codes[i] = kept;
        }
    }
    changed = blockSum(changed);
    if (threadIdx.x == 0 && changed > 0) {
        atomicAdd(changes, static_cast<unsigned long long>(changed));
    }
}

}  // namespace

void thresholdStep(std::int64_t k, std::int64_t columns, std::int64_t s, float mu, const float* r,
                   float* codes, unsigned long long* changes, cudaStream_t stream) {
    if (columns > 0 && k > 0) {
        launch("threshold step", thresholdKernel, static_cast<unsigned>(columns), kThreads, stream,
               k, static_cast<unsigned>(s), mu, r, codes, changes);
    }
}

}  // namespace cospadi::kernels
