// Steps of refinement: Adam against its published recursion in double, and gradients of factors by
// hand.
#include <Eigen/Core>
#include <QtTest>
#include <cmath>
#include <cstdint>
#include <random>
#include <utility>

#include "core/forms/low_rank/low_rank_weight.h"
#include "core/forms/sparse_dictionary/sparse_dictionary_weight.h"
#include "core/refine/adam_matrix.h"
#include "core/refine/trainable_unit.h"
#include "tests/registered_test.h"

namespace tst_refine_steps {

using namespace cospadi;
using Eigen::MatrixXd;
using Eigen::MatrixXf;

namespace {

MatrixXf randomMatrix(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<float> normal;
    MatrixXf result(rows, columns);
    for (float& value : result.reshaped()) {
        value = normal(random);
    }
    return result;
}

StoredWeightPtr sparseWeight(DictionarySide side) {
    SparseDictionaryFactors factors;
    factors.side = side;
    factors.s = 3;
    factors.dictionary = randomMatrix(12, 6, 1);
    factors.codes = randomMatrix(6, 10, 2);
    for (Eigen::Index i = 0; i < factors.codes.size(); ++i) {
        if ((i + i / 6) % 2 == 0) {  // half of every column and of every row
            factors.codes.data()[i] = 0;
        }
    }
    return storedWeight(std::move(factors));
}

}  // namespace

class TestRefineSteps : public QObject {
    Q_OBJECT

  private slots:
    // Kingma and Ba 2015, algorithm 1, a scalar at a time.
    void adamIsAsPublished() {
        MatrixXf values = randomMatrix(5, 4, 3);
        values(2, 1) = 0;
        values(0, 3) = 0;
        AdamMatrix adam(values, Atoms::Columns);
        MatrixXd expected = values.cast<double>();
        MatrixXd mean = MatrixXd::Zero(5, 4);
        MatrixXd square = MatrixXd::Zero(5, 4);
        constexpr double kRate = 0.01;
        for (int t = 1; t <= 6; ++t) {
            const MatrixXf gradient = randomMatrix(5, 4, 10 + static_cast<std::uint64_t>(t));
            adam.add(gradient / 4);
            adam.add(gradient * 0.75F);
            adam.move(t, kRate);
            for (Eigen::Index j = 0; j < 4; ++j) {
                const Eigen::VectorXd atom = values.col(j).cast<double>();
                const double size = std::sqrt(atom.squaredNorm() /
                                              static_cast<double>((atom.array() != 0).count()));
                for (Eigen::Index i = 0; i < 5; ++i) {
                    if (values(i, j) == 0) {
                        continue;
                    }
                    const double g = gradient(i, j);
                    mean(i, j) = 0.9 * mean(i, j) + 0.1 * g;
                    square(i, j) = 0.99 * square(i, j) + 0.01 * g * g;
                    expected(i, j) -= kRate * size * (mean(i, j) / (1 - std::pow(0.9, t))) /
                                      std::sqrt(square(i, j) / (1 - std::pow(0.99, t)));
                }
            }
            QVERIFY(adam.values()(2, 1) == 0 && adam.values()(0, 3) == 0);
            QVERIFY((adam.values().cast<double>() - expected).norm() < 1e-5 * expected.norm());
        }
    }

    // The first step of Adam is the rate, against the sign of the gradient: of L for left factors
    // dW Rᵀ, of R for right ones Lᵀ dW.
    void gradientsReachTheFactors_data() {
        QTest::addColumn<bool>("isOutput");
        QTest::newRow("dictionary over the inputs") << false;
        QTest::newRow("dictionary over the outputs") << true;
    }

    void gradientsReachTheFactors() {
        QFETCH(bool, isOutput);
        const StoredWeightPtr weight =
            sparseWeight(isOutput ? DictionarySide::Output : DictionarySide::Input);
        const auto product = weight->product();
        const MatrixXf& left = product->left;
        const MatrixXf& right = product->right;
        ThreadPool pool(2);
        TrainableUnit unit({"layer"}, {weight});
        QVERIFY((unit.weight(pool, 0) - weight->recomposed()).norm() <
                1e-5F * weight->recomposed().norm());
        const MatrixXf dW = randomMatrix(left.rows(), right.cols(), 7);
        unit.addGradient(pool, 0, dW);
        constexpr float kRate = 0.01F;
        unit.move(1, kRate);
        const auto check = [&](const MatrixXf& before, const MatrixXf& after,
                               const MatrixXf& gradient, bool areColumns) {
            for (Eigen::Index j = 0; j < before.cols(); ++j) {
                for (Eigen::Index i = 0; i < before.rows(); ++i) {
                    const Eigen::VectorXf atom = areColumns
                                                     ? Eigen::VectorXf(before.col(j))
                                                     : Eigen::VectorXf(before.row(i).transpose());
                    const float size = std::sqrt(atom.squaredNorm() /
                                                 static_cast<float>((atom.array() != 0).count()));
                    const float step = before(i, j) == 0    ? 0.0F
                                       : gradient(i, j) > 0 ? -kRate * size
                                                            : kRate * size;
                    QVERIFY(std::abs(after(i, j) - before(i, j) - step) < 1e-4F * size);
                }
            }
        };
        check(left, unit.factors()[0].values(), dW * right.transpose(), true);
        check(right, unit.factors()[1].values(), left.transpose() * dW, false);
    }

    // A power of two that moves from an atom into its codes changes nothing of what is found.
    void scalesMakeNoDifference() {
        const MatrixXf left = randomMatrix(8, 3, 1);
        const MatrixXf right = randomMatrix(3, 9, 2);
        const Eigen::Vector3f scale(4, 0.125F, 1);
        const auto after = [&](const MatrixXf& l, const MatrixXf& r) {
            ThreadPool pool(1);
            TrainableUnit unit({"layer"}, {storedWeight(LowRankFactors{l, r})});
            for (int step = 1; step <= 5; ++step) {
                unit.addGradient(pool, 0, unit.weight(pool, 0) - MatrixXf::Ones(8, 9));
                unit.move(step, 0.02);
            }
            return unit.weight(pool, 0);
        };
        const MatrixXf one = after(left, right);
        const MatrixXf other =
            after(left * scale.asDiagonal(), scale.cwiseInverse().asDiagonal() * right);
        QVERIFY((one - left * right).norm() > 0.01F * one.norm());
        QVERIFY((one - other).norm() < 1e-5F * one.norm());
    }
};

COSPADI_TEST(TestRefineSteps)

}  // namespace tst_refine_steps

#include "tst_refine_steps.moc"
