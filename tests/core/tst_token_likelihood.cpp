// Likelihoods of tokens against the softmax of whole logits in double.
#include <cmath>
#include <random>

#include "core/model/forward.h"
#include "core/model/token_likelihood.h"
#include "oracle_data.h"
#include "tests/registered_test.h"

namespace tst_token_likelihood {

using namespace cospadi;

class TestTokenLikelihood : public QObject {
    Q_OBJECT

    ThreadPool m_pool;

    static std::filesystem::path folder() { return COSPADI_TEST_DATA "/oracle/arch/a_llama_gqa"; }

  private slots:
    // Columns without a query, with several, and more than go at once; few and many tokens; a head
    // in float32 and one in bfloat16.
    void matchesTheSoftmax() {
        std::mt19937 random(1);
        std::normal_distribution<float> normal;
        for (const bool asBfloat16 : {false, true}) {
            const Model model = Model::load(folder(), {.pool = &m_pool, .asBfloat16 = asBfloat16});
            const std::int64_t vocabulary = model.config().vocabularySize;
            ForwardPass pass(model, m_pool);
            for (const std::int64_t columns : {1, 5, 40, 2500}) {
                const Eigen::MatrixXf hidden = Eigen::MatrixXf::NullaryExpr(
                    model.config().hiddenSize, columns, [&] { return normal(random); });
                const Eigen::MatrixXd logits = pass.logits(hidden).cast<double>();
                std::vector<TokenQuery> queries;
                for (std::int64_t column = 0; column < columns; ++column) {
                    for (int i = 0; i < static_cast<int>(random() % 4); ++i) {
                        queries.push_back(
                            {column, static_cast<std::int32_t>(random() %
                                                               static_cast<unsigned>(vocabulary))});
                    }
                    if (column % 5 == 0) {
                        Eigen::Index likeliest = 0;
                        logits.col(column).maxCoeff(&likeliest);
                        queries.push_back({column, static_cast<std::int32_t>(likeliest)});
                    }
                }
                const auto told = tokenLikelihoods(model, m_pool, hidden, queries);
                QCOMPARE(told.size(), queries.size());
                for (std::size_t q = 0; q < queries.size(); ++q) {
                    const auto column = logits.col(queries[q].column);
                    const double top = column.maxCoeff();
                    const double expected = column(queries[q].token) - top -
                                            std::log((column.array() - top).exp().sum());
                    QVERIFY(std::abs(told[q].logProbability - expected) <
                            1e-5 * (1 + std::abs(expected)));
                    QCOMPARE(told[q].isLikeliest, column(queries[q].token) >= top);
                }
            }
            QVERIFY(tokenLikelihoods(model, m_pool, Eigen::MatrixXf(), {}).empty());
        }
    }

    // However many threads there are: the same bits.
    void threadsDoNotMatter() {
        const Model model = Model::load(folder(), {.pool = &m_pool, .asBfloat16 = true});
        std::mt19937 random(2);
        std::normal_distribution<float> normal;
        const Eigen::MatrixXf hidden = Eigen::MatrixXf::NullaryExpr(model.config().hiddenSize, 300,
                                                                    [&] { return normal(random); });
        std::vector<TokenQuery> queries;
        for (std::int64_t column = 0; column < hidden.cols(); ++column) {
            queries.push_back({column, static_cast<std::int32_t>(column)});
        }
        ThreadPool one(1);
        const auto expected = tokenLikelihoods(model, one, hidden, queries);
        for (const int threads : {2, 3, 8}) {
            ThreadPool pool(threads);
            const auto told = tokenLikelihoods(model, pool, hidden, queries);
            for (std::size_t q = 0; q < queries.size(); ++q) {
                QCOMPARE(told[q].logProbability, expected[q].logProbability);
            }
        }
    }
};

COSPADI_TEST(TestTokenLikelihood)

}  // namespace tst_token_likelihood

#include "tst_token_likelihood.moc"
