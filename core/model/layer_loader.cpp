#include "core/model/layer_loader.h"

#include <utility>

#include "core/base/bfloat16.h"
#include "core/model/permuted_rows.h"
#include "core/tensors/mapped_file.h"

namespace cospadi {

namespace {

Eigen::MatrixXf widened(const TensorView& view, std::int64_t rows, std::int64_t cols,
                        const PackedMatrix::FileColumn& column) {
    Eigen::MatrixXf values(rows, cols);
    for (std::int64_t c = 0; c < cols; ++c) {
        dequantize(view.dtype, column(c), rows, values.col(c).data());
    }
    if (!values.allFinite()) {
        throw damagedWeights(view);
    }
    return values;
}

}  // namespace

void LayerLoader::add(const TensorView& view, std::int64_t permutedHeads,
                      std::unique_ptr<LinearLayer>& layer) {
    const std::int64_t d2 = view.shape.front();
    const std::int64_t d1 = view.elementCount() / d2;
    if (m_asBfloat16 || PackedMatrix::canHold(view.dtype, d1)) {
        m_jobs.push_back({&view, permutedHeads, &layer});
        return;
    }
    FloatTensor weight = m_widener.add(view, permutedHeads);
    layer = std::make_unique<DenseLayer>(std::move(weight.owner), weight.data, d1, d2,
                                         static_cast<std::int64_t>(view.bytes.size()));
}

std::unique_ptr<LinearLayer> LayerLoader::Job::make(bool asBfloat16) const {
    const std::int64_t d2 = view->shape.front();
    const std::int64_t d1 = view->elementCount() / d2;
    const auto storedBytes = static_cast<std::int64_t>(view->bytes.size());
    const auto column = [&](std::int64_t c) { return rowInFile(*view, c, heads); };
    if (asBfloat16 && view->dtype != DType::BF16) {
        return std::make_unique<PackedDenseLayer>(
            widened(*view, d1, d2, column).unaryExpr([](float value) {
                return roundedToBf16(value);
            }),
            storedBytes);
    }
    std::optional<PackedMatrix> matrix = PackedMatrix::fromFile(view->dtype, d1, d2, column);
    if (!matrix) {
        return std::make_unique<DenseLayer>(widened(*view, d1, d2, column), storedBytes);
    }
    return std::make_unique<PackedDenseLayer>(std::move(*matrix), storedBytes);
}

void LayerLoader::run(ThreadPool& pool) const {
    pool.run(static_cast<std::int64_t>(m_jobs.size()), [&](std::int64_t task) {
        const Job& job = m_jobs[static_cast<std::size_t>(task)];
        *job.layer = job.make(m_asBfloat16);
        MappedFile::leave(job.view->bytes);
    });
}

}  // namespace cospadi
