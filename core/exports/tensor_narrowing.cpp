#include "core/exports/tensor_narrowing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/error.h"
#include "core/tensors/block_quantizer.h"

namespace cospadi {

namespace {

constexpr std::size_t kElementsPerWrite = 1 << 20;  // whole blocks of any type
constexpr std::int64_t kElementsPerTask = 1 << 14;  // likewise
constexpr float kLargestHalf = 65504.0F;

std::uint16_t narrowed(float value, DType dtype, const std::string& name) {
    if (dtype == DType::BF16) {
        return floatToBfloat16(value);
    }
    if (std::abs(value) > kLargestHalf) {
        throw Error(fmt::format("contains {}, which float16 cannot represent", value), name,
                    "export with --dtype bf16 or f32");
    }
    return floatToHalf(value);
}

}  // namespace

void narrow(std::span<const float> values, DType dtype, const std::string& name, ThreadPool& pool,
            const ByteSink& sink) {
    if (dtype == DType::F32) {
        sink(std::as_bytes(values));
        return;
    }
    std::vector<std::uint16_t> piece;
    std::vector<std::byte> blocks;
    while (!values.empty()) {
        const std::span<const float> part =
            values.first(std::min(values.size(), kElementsPerWrite));
        values = values.subspan(part.size());
        const auto count = static_cast<std::int64_t>(part.size());
        if (isWritableBlockType(dtype)) {
            blocks.resize(
                static_cast<std::size_t>(count / blockElements(dtype) * blockBytes(dtype)));
            pool.run((count + kElementsPerTask - 1) / kElementsPerTask, [&](std::int64_t task) {
                const std::int64_t begin = task * kElementsPerTask;
                quantize(dtype, part.data() + begin, std::min(kElementsPerTask, count - begin),
                         blocks.data() + begin / blockElements(dtype) * blockBytes(dtype), name);
            });
            sink(blocks);
            continue;
        }
        piece.clear();
        for (const float value : part) {
            piece.push_back(narrowed(value, dtype, name));
        }
        sink(std::as_bytes(std::span<const std::uint16_t>(piece)));
    }
}

}  // namespace cospadi
