// Internal to packed_products.h: products with many tokens on matrix units (core/products,
// decision 10).
#pragma once

#include "core/packed/product_parts.h"

namespace cospadi {

// Of values that are bfloat16. What is not sparse is read where it lies; AᵀX is never written as
// floats.
void multiplyOnUnits(ThreadPool& pool, PackedProducts products, const Activations& X);

// Of blocks in few bits, one factor each: codes are multiplied, then scaled.
void multiplyQuantisedOnUnits(ThreadPool& pool, PackedProducts products, const Activations& X);

}  // namespace cospadi
