// Matrices that are solved side by side, one on a thread, before what they cost is measured with
// all threads: how many at a time, and in which order.
#pragma once

#include <cstdint>

#include "core/base/thread_pool.h"
#include "core/model/layer_info.h"

namespace cospadi {

// Calls solve(i) for i = 0 … count − 1 from the last to the first: a block's last matrices are its
// largest, so that threads end together with the small ones.
template <typename Solve>
void solveTogether(ThreadPool& pool, std::size_t count, const Solve& solve) {
    pool.run(static_cast<std::int64_t>(count),
             [&](std::int64_t i) { solve(count - 1 - static_cast<std::size_t>(i)); });
}

// How many of the layers from `first` on to solve together: enough for the order to tell, and no
// more than their weights have room for. layerOf(i) gives a LayerInfo, i < count.
template <typename LayerOf>
std::size_t layersTogether(const ThreadPool& pool, std::size_t first, std::size_t count,
                           const LayerOf& layerOf) {
    constexpr std::size_t kLayersAThread = 8;
    constexpr std::int64_t kNumbers = 64L << 20;
    const auto threads = static_cast<std::size_t>(pool.threadCount());
    std::int64_t numbers = 0;
    std::size_t together = 0;
    for (; first + together < count && together < kLayersAThread * threads; ++together) {
        const LayerInfo& layer = layerOf(first + together);
        numbers += layer.d1 * layer.d2;
        if (together >= threads && numbers > kNumbers) {
            break;
        }
    }
    return together;
}

}  // namespace cospadi
