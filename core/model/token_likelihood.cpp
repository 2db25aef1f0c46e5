#include "core/model/token_likelihood.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <mutex>

#include "core/model/float_kernels.h"

namespace cospadi {

namespace {

constexpr std::size_t kColumnsAtOnce = 512;  // more are not quicker, and take more memory

// Of some rows of logits, of a column.
struct PartOfLogits {
    std::int64_t row = 0;
    double logSumExp = 0;
    float largest = 0;
};

// The logarithm of the whole sum; the order of parts is that of their rows, whoever came first.
double joined(std::vector<PartOfLogits>& parts) {
    std::sort(parts.begin(), parts.end(),
              [](const PartOfLogits& a, const PartOfLogits& b) { return a.row < b.row; });
    double top = parts.front().logSumExp;
    for (const PartOfLogits& part : parts) {
        top = std::max(top, part.logSumExp);
    }
    double sum = 0;
    for (const PartOfLogits& part : parts) {
        sum += std::exp(part.logSumExp - top);
    }
    return top + std::log(sum);
}

// Those queries whose columns are some of the first so many of X.
class LogitsOfColumns {
  public:
    explicit LogitsOfColumns(std::span<const TokenQuery> queries) : m_queries(queries) {
        for (std::size_t i = 0; i < queries.size(); ++i) {
            if (i == 0 || queries[i].column != queries[i - 1].column) {
                m_firstQuery.push_back(i);
            }
        }
        m_firstQuery.push_back(queries.size());
        m_parts.resize(m_firstQuery.size() - 1);
        m_logits.resize(queries.size());
    }

    std::int64_t columns() const { return std::ssize(m_parts); }
    std::int64_t columnOf(std::int64_t i) const {
        return m_queries[m_firstQuery[static_cast<std::size_t>(i)]].column;
    }

    void use(std::int64_t row, std::int64_t first, const Eigen::Ref<const Eigen::MatrixXf>& part) {
        std::vector<PartOfLogits> facts;
        for (std::int64_t j = 0; j < part.cols(); ++j) {
            const auto column = static_cast<std::size_t>(first + j);
            for (std::size_t q = m_firstQuery[column]; q < m_firstQuery[column + 1]; ++q) {
                const std::int64_t inPart = m_queries[q].token - row;
                if (inPart >= 0 && inPart < part.rows()) {
                    m_logits[q] = part(inPart, j);
                }
            }
            facts.push_back(
                {row, logSumExp(&part.coeffRef(0, j), part.rows()), part.col(j).maxCoeff()});
        }
        const std::scoped_lock lock(m_mutex);
        for (std::size_t j = 0; j < facts.size(); ++j) {
            m_parts[static_cast<std::size_t>(first) + j].push_back(facts[j]);
        }
    }

    void likelihoods(TokenLikelihood* to) {
        for (std::size_t column = 0; column < m_parts.size(); ++column) {
            std::vector<PartOfLogits>& parts = m_parts[column];
            const double sum = joined(parts);
            const float largest =
                std::max_element(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
                    return a.largest < b.largest;
                })->largest;
            for (std::size_t q = m_firstQuery[column]; q < m_firstQuery[column + 1]; ++q) {
                to[q] = {static_cast<double>(m_logits[q]) - sum, m_logits[q] >= largest};
            }
        }
    }

  private:
    std::span<const TokenQuery> m_queries;
    std::vector<std::size_t> m_firstQuery;  // of each column, and the end
    std::vector<float> m_logits;            // of the queries' tokens
    std::mutex m_mutex;
    std::vector<std::vector<PartOfLogits>> m_parts;  // by column
};

}  // namespace

std::vector<TokenLikelihood> tokenLikelihoods(const Model& model, ThreadPool& pool,
                                              const Eigen::Ref<const Eigen::MatrixXf>& hidden,
                                              std::span<const TokenQuery> queries) {
    std::vector<TokenLikelihood> result(queries.size());
    for (std::size_t first = 0; first < queries.size();) {
        std::size_t last = first;
        std::size_t columns = 0;
        while (last < queries.size()) {
            const bool isNew = last == first || queries[last].column != queries[last - 1].column;
            if (isNew && columns == kColumnsAtOnce) {
                break;
            }
            columns += isNew ? 1 : 0;
            ++last;
        }
        LogitsOfColumns logits(queries.subspan(first, last - first));
        const auto use = [&](std::int64_t row, std::int64_t column, const auto& part) {
            logits.use(row, column, part);
        };
        const std::int64_t begin = queries[first].column;
        if (queries[last - 1].column - begin + 1 == logits.columns()) {
            model.head().applyInParts(pool, hidden.middleCols(begin, logits.columns()), use);
        } else {
            Eigen::MatrixXf asked(hidden.rows(), logits.columns());
            for (std::int64_t i = 0; i < asked.cols(); ++i) {
                asked.col(i) = hidden.col(logits.columnOf(i));
            }
            model.head().applyInParts(pool, asked, use);
        }
        logits.likelihoods(result.data() + first);
        first = last;
    }
    return result;
}

}  // namespace cospadi
