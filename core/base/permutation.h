// Random orders that are the same everywhere: Fisher–Yates over mt19937_64 by hand, as std::shuffle
// differs between standard libraries.
#pragma once

#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace cospadi {

template <typename Item>
void shuffle(std::vector<Item>& items, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (std::size_t i = items.size(); i > 1; --i) {
        std::swap(items[i - 1], items[random() % i]);
    }
}

// 0 … n − 1.
inline std::vector<std::int64_t> permutation(std::int64_t n, std::uint64_t seed) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    shuffle(order, seed);
    return order;
}

}  // namespace cospadi
