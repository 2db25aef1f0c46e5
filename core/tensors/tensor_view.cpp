#include "core/tensors/tensor_view.h"

#include "core/base/error.h"
#include "core/tensors/printable_name.h"

namespace cospadi {

std::int64_t checkedProduct(std::int64_t a, std::int64_t b, const std::string& where) {
    std::int64_t product = 0;
    if (a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product)) {
        throw Error("a size is negative or overflows", where, "the file is damaged");
    }
    return product;
}

std::int64_t TensorView::elementCount() const {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) {
        count *= extent;
    }
    return count;
}

std::vector<float> TensorView::toFloat() const {
    if (!isFloatLike(dtype)) {
        throw Error("tensor " + printableName(name) + " has type " + std::string(dtypeName(dtype)),
                    file, "weights must be floating-point or quantised");
    }
    std::vector<float> values(static_cast<std::size_t>(elementCount()));
    dequantize(dtype, bytes.data(), elementCount(), values.data());
    return values;
}

}  // namespace cospadi
