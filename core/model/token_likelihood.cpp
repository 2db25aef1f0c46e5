#include "core/model/token_likelihood.h"

#include <algorithm>
#include <cstddef>

#include "core/model/float_kernels.h"

namespace cospadi {

namespace {

constexpr std::int64_t kLogitTile = 64;  // columns of logits that exist at once; fewer take longer

}  // namespace

std::vector<TokenLikelihood> tokenLikelihoods(const Model& model, ThreadPool& pool,
                                              const Eigen::Ref<const Eigen::MatrixXf>& hidden,
                                              std::span<const TokenQuery> queries) {
    const LinearLayer& head = model.head();
    std::vector<TokenLikelihood> result(queries.size());
    Eigen::MatrixXf tile;  // (vocabulary, columns)
    std::size_t first = 0;
    while (first < queries.size()) {
        const std::int64_t begin = queries[first].column;
        const std::int64_t columns = std::min(kLogitTile, hidden.cols() - begin);
        std::size_t last = first;
        while (last < queries.size() && queries[last].column < begin + columns) {
            ++last;
        }
        const std::int64_t used = queries[last - 1].column - begin + 1;
        head.apply(pool, hidden.middleCols(begin, used), tile);
        pool.run(used, [&](std::int64_t i) {
            const auto isEarlier = [&](const TokenQuery& query, std::int64_t column) {
                return query.column < column;
            };
            auto query = std::lower_bound(queries.begin() + static_cast<std::ptrdiff_t>(first),
                                          queries.begin() + static_cast<std::ptrdiff_t>(last),
                                          begin + i, isEarlier);
            if (query == queries.end() || query->column != begin + i) {
                return;
            }
            const double sum = logSumExp(&tile.coeffRef(0, i), tile.rows());
            const float largest = tile.col(i).maxCoeff();
            for (; query != queries.end() && query->column == begin + i; ++query) {
                const float logit = tile(query->token, i);
                result[static_cast<std::size_t>(query - queries.begin())] = {
                    static_cast<double>(logit) - sum, logit >= largest};
            }
        });
        first = last;
    }
    return result;
}

}  // namespace cospadi
