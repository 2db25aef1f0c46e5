#include "core/model/filed_layer.h"

#include <utility>

#include "core/base/bfloat16.h"
#include "core/model/permuted_rows.h"
#include "core/model/tensor_widener.h"
#include "core/tensors/mapped_file.h"

namespace cospadi {

namespace {

std::unique_ptr<LinearLayer> layerOf(const TensorView& view, std::int64_t heads, bool asBfloat16) {
    const std::int64_t d2 = view.shape.front();
    const std::int64_t d1 = view.elementCount() / d2;
    const auto storedBytes = static_cast<std::int64_t>(view.bytes.size());
    if (!asBfloat16 || view.dtype == DType::BF16) {
        const auto column = [&](std::int64_t c) { return rowInFile(view, c, heads); };
        if (std::optional<PackedMatrix> matrix =
                PackedMatrix::fromFile(view.dtype, d1, d2, column)) {
            MappedFile::leave(view.bytes);
            return std::make_unique<PackedDenseLayer>(std::move(*matrix), storedBytes);
        }
    }
    TensorWidener widener;
    FloatTensor weight = widener.add(view, heads);
    widener.run();
    if (weight.owner != view.owner) {
        MappedFile::leave(view.bytes);
    }
    if (asBfloat16) {
        const Eigen::MatrixXf rounded =
            Eigen::Map<const Eigen::MatrixXf>(weight.data, d1, d2).unaryExpr([](float value) {
                return roundedToBf16(value);
            });
        return std::make_unique<PackedDenseLayer>(rounded, storedBytes);
    }
    return std::make_unique<DenseLayer>(std::move(weight.owner), weight.data, d1, d2, storedBytes);
}

}  // namespace

MakeLayer fromFile(TensorView weight, std::int64_t permutedHeads, bool asBfloat16) {
    return [weight = std::move(weight), permutedHeads, asBfloat16] {
        return layerOf(weight, permutedHeads, asBfloat16);
    };
}

FiledLayer::FiledLayer(MakeLayer make) : m_make(std::move(make)) {}

const LinearLayer& FiledLayer::get() const {
    const std::scoped_lock lock(m_mutex);
    if (m_layer == nullptr) {
        m_layer = m_make();
    }
    return *m_layer;
}

Eigen::MatrixXf FiledLayer::denseWeight() const {
    {
        const std::scoped_lock lock(m_mutex);
        if (m_layer != nullptr) {
            return m_layer->denseWeight();
        }
    }
    return m_make()->denseWeight();
}

void FiledLayer::letGo() const {
    if (m_make) {
        m_layer.reset();
    }
}

std::unique_ptr<LinearLayer> FiledLayer::exchange(std::unique_ptr<LinearLayer> layer) {
    static_cast<void>(get());
    m_make = nullptr;
    return std::exchange(m_layer, std::move(layer));
}

}  // namespace cospadi
