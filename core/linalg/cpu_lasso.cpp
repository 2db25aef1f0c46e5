// CpuBackend: the LASSO as a coder, column by column.
#include "core/linalg/cpu_backend.h"
#include "core/linalg/lasso_path.h"
#include "core/products/column_tasks.h"

namespace cospadi {

void CpuBackend::lassoEncode(const Matrix& g, const Matrix& p, std::int64_t s, Matrix& codes) {
    const std::int64_t k = codes.rows;
    const LassoPath::Gram gram(g.data.get(), k, k);
    forColumnRanges(m_pool, codes.cols, 16, [&](std::int64_t first, std::int64_t last) {
        LassoPath path(gram, s);
        for (std::int64_t j = first; j < last; ++j) {
            const Eigen::Map<const Eigen::VectorXf> correlations(p.data.get() + j * k, k);
            Eigen::Map<Eigen::VectorXf>(codes.data.get() + j * k, k) =
                path.solve(correlations).cast<float>();
        }
    });
}

}  // namespace cospadi
