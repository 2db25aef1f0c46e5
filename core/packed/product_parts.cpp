#include "core/packed/product_parts.h"

#include <algorithm>

#include "core/base/aligned_vector.h"

namespace cospadi {

std::int64_t resultRows(const PackedProduct& product) {
    return (product.b != nullptr ? product.b : product.a)->cols();
}

PackedFactors factorsOf(PackedProducts products, const PackedMatrix* PackedProduct::*factor) {
    PackedFactors factors;
    for (const PackedProduct& product : products) {
        factors.push_back(product.*factor);
    }
    return factors;
}

std::vector<std::size_t> innerSources(PackedProducts products) {
    std::vector<std::size_t> sources(products.size());
    for (std::size_t i = 0; i < products.size(); ++i) {
        const auto same =
            std::find_if(products.begin(), products.begin() + static_cast<std::ptrdiff_t>(i),
                         [&](const PackedProduct& earlier) {
                             return products[i].b != nullptr && earlier.b != nullptr &&
                                    earlier.a == products[i].a;
                         });
        sources[i] = static_cast<std::size_t>(same - products.begin());
    }
    return sources;
}

PackedFactors firstFactorsOf(PackedProducts products, const std::vector<std::size_t>& sources) {
    PackedFactors factors = factorsOf(products, &PackedProduct::a);
    for (std::size_t i = 0; i < factors.size(); ++i) {
        factors[i] = sources[i] == i ? factors[i] : nullptr;
    }
    return factors;
}

float* partMemory(std::int64_t floats) {
    thread_local AlignedVector<float> memory;  // grown, never shrunk
    memory.resize(std::max(memory.size(), static_cast<std::size_t>(floats)));
    return memory.data();
}

}  // namespace cospadi
