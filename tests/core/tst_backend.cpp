// The dense verbs of Backend against independent mathematics: Eigen's decompositions in double. The
// same source makes a program for every backend (backend_under_test.h).
#include <QtTest>
#include <cmath>
#include <cstddef>
#include <cstdlib>

#include "tests/core/backend_fixture.h"
#include "tests/core/reference_algebra.h"
#include "tests/core/sample_matrices.h"
#include "tests/registered_test.h"

namespace tst_backend {

using namespace cospadi;
using namespace cospadi::sample;
using Eigen::MatrixXd;
using Eigen::MatrixXf;

class TestBackend : public QObject, BackendFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { requireBackend(); }

    void products_data() {
        QTest::addColumn<int>("m");
        QTest::addColumn<int>("n");
        QTest::addColumn<int>("k");
        QTest::newRow("1x1x1") << 1 << 1 << 1;
        QTest::newRow("thin") << 3 << 700 << 2;
        QTest::newRow("more than a block") << 1100 << 300 << 70;
    }

    void products() {
        QFETCH(int, m);
        QFETCH(int, n);
        QFETCH(int, k);
        for (const Op opA : {Op::None, Op::Transpose}) {
            for (const Op opB : {Op::None, Op::Transpose}) {
                const MatrixXf a = opA == Op::None ? randomMatrix(m, k, 1) : randomMatrix(k, m, 1);
                const MatrixXf b = opB == Op::None ? randomMatrix(k, n, 2) : randomMatrix(n, k, 2);
                const MatrixXf c0 = randomMatrix(m, n, 3);
                Matrix c = m_backend->upload(c0);
                m_backend->gemm(opA, opB, 2, m_backend->upload(a), m_backend->upload(b), -1, c);
                const MatrixXd left = opA == Op::None ? MatrixXd(a.cast<double>())
                                                      : MatrixXd(a.transpose().cast<double>());
                const MatrixXd right = opB == Op::None ? MatrixXd(b.cast<double>())
                                                       : MatrixXd(b.transpose().cast<double>());
                const MatrixXd expected = 2 * left * right - c0.cast<double>();
                QVERIFY((m_backend->download(c).cast<double>() - expected).cwiseAbs().maxCoeff() <
                        1e-4);
            }
        }
    }

    void symmetricProducts() {
        const MatrixXf a = randomMatrix(300, 170, 4);
        Matrix outer = m_backend->zeros(300, 300);
        Matrix inner = m_backend->zeros(170, 170);
        m_backend->syrk(Op::None, m_backend->upload(a), outer);
        m_backend->syrk(Op::Transpose, m_backend->upload(a), inner);
        const MatrixXd wide = a.cast<double>();
        QVERIFY((m_backend->download(outer).cast<double>() - wide * wide.transpose())
                    .cwiseAbs()
                    .maxCoeff() < 1e-4);
        QVERIFY((m_backend->download(inner).cast<double>() - wide.transpose() * wide)
                    .cwiseAbs()
                    .maxCoeff() < 1e-4);
    }

    void gramFactors_data() {
        QTest::addColumn<int>("n");
        QTest::addColumn<double>("smallest");  // eigenvalue, of 1
        QTest::newRow("1x1") << 1 << 1.0;
        QTest::newRow("well") << 40 << 1e-2;
        QTest::newRow("ill-conditioned") << 120 << 1e-10;
    }

    void gramFactors() {
        QFETCH(int, n);
        QFETCH(double, smallest);
        std::srand(14);
        const MatrixXd q = reference::orthonormal(MatrixXd::Random(n, n));
        Eigen::VectorXd values(n);
        for (int i = 0; i < n; ++i) {
            values(i) = std::pow(smallest, n > 1 ? i / (n - 1.0) : 0);
        }
        const MatrixXd gram = q * values.asDiagonal() * q.transpose();
        const auto factor = m_backend->gramFactor(gram, 0);
        QVERIFY(factor != nullptr);
        QVERIFY((factor->product() - gram).norm() < 1e-13 * gram.norm());
        const MatrixXd upper = reference::choleskyFactor(gram);
        const MatrixXf w = randomMatrix(n, 25, 15);
        const MatrixXd expected = upper * w.cast<double>();
        const MatrixXd whitened = factor->times(w).cast<double>();
        QVERIFY((whitened - expected).norm() < 1e-7 * expected.norm());
        // cond(L) = 1e5 at most, in double: what is left is the rounding to float32.
        const MatrixXd solution = reference::solveUpper(upper, w.cast<double>());
        const MatrixXd solved = factor->solve(w).cast<double>();
        QVERIFY((solved - solution).norm() < 1e-7 * solution.norm());
    }

    void gramFactorsRefuseWhatIsNotPositiveDefinite() {
        MatrixXd gram = MatrixXd::Identity(30, 30);
        gram(7, 7) = -0.5;
        QVERIFY(m_backend->gramFactor(gram, 0) == nullptr);
        QVERIFY(m_backend->gramFactor(gram, 0.25) == nullptr);
        const auto factor = m_backend->gramFactor(gram, 0.75);
        QVERIFY(factor != nullptr);
        const MatrixXd shifted = gram + 0.75 * MatrixXd::Identity(30, 30);
        QVERIFY((factor->product() - shifted).norm() < 1e-13 * shifted.norm());
    }

    void gramSums() {
        const MatrixXf x = randomMatrix(70, 900, 16);
        const auto sum = m_backend->gramSum(70);
        sum->add(m_backend->upload(x.leftCols(1)));
        sum->add(m_backend->upload(x.rightCols(899)));
        const MatrixXd found = sum->take();
        const MatrixXd expected = x.cast<double>() * x.cast<double>().transpose();
        // In double, or in float32 by 256 columns.
        QVERIFY((found - expected).cwiseAbs().maxCoeff() < 2e-6 * expected.diagonal().maxCoeff());
        QVERIFY(found == found.transpose());
        QVERIFY(sum->take().isZero(0));
        QVERIFY(m_backend->availableBytes() > 0);
    }

    void singularVectors_data() {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("cols");
        QTest::newRow("wide") << 40 << 90;
        QTest::newRow("tall") << 90 << 40;
    }

    void singularVectors() {
        QFETCH(int, rows);
        QFETCH(int, cols);
        const MatrixXf a = randomMatrix(rows, cols, 5);
        const MatrixXf u =
            m_backend->download(m_backend->leftSingularVectors(m_backend->upload(a), 12));
        const MatrixXd expected = reference::svd(a.cast<double>()).U.leftCols(12);
        // The same subspace in the same order: columns agree up to sign.
        const MatrixXd overlap = (expected.transpose() * u.cast<double>()).cwiseAbs();
        QVERIFY((overlap - MatrixXd::Identity(12, 12)).cwiseAbs().maxCoeff() < 1e-4);
    }

    // A tall matrix that has lost rank, by columns that repeat others or are none: U is orthonormal
    // all the same, so that U Uᵀ W is W.
    void singularVectorsOfLostRank() {
        MatrixXf repeated = randomMatrix(90, 40, 6);
        repeated.rightCols(25) = repeated.leftCols(25);
        MatrixXf empty = randomMatrix(90, 40, 7);
        empty.rightCols(22).setZero();
        for (const MatrixXf& a : {repeated, empty}) {
            const MatrixXf u =
                m_backend->download(m_backend->leftSingularVectors(m_backend->upload(a), 30));
            QVERIFY((u.transpose() * u - MatrixXf::Identity(30, 30)).cwiseAbs().maxCoeff() < 1e-5F);
            QVERIFY((u * (u.transpose() * a) - a).norm() < 1e-5F * a.norm());
        }
    }

    // Single precision, hence a spectrum whose neighbours are well apart.
    void leadingEigenvectors() {
        const MatrixXd v = reference::orthonormal(randomMatrix(50, 50, 31).cast<double>());
        const Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(50, 0, -2).unaryExpr(
            [](double e) { return std::pow(10, e); });
        const MatrixXd a = v * values.asDiagonal() * v.transpose();
        const MatrixXd u =
            m_backend
                ->download(m_backend->leadingEigenvectors(m_backend->upload(a.cast<float>()), 12))
                .cast<double>();
        const MatrixXd overlap = (v.leftCols(12).transpose() * u).cwiseAbs();
        QVERIFY((overlap - MatrixXd::Identity(12, 12)).cwiseAbs().maxCoeff() < 1e-4);
        for (Eigen::Index j = 0; j < u.cols(); ++j) {
            Eigen::Index largest = 0;
            u.col(j).cwiseAbs().maxCoeff(&largest);
            QVERIFY(u(largest, j) > 0);
        }
    }

    // Where LAPACK tells the room it needs in a float, it is one too small (symmetric_eigen.cpp).
    void leadingEigenvectorsOfManyRows() {
        constexpr Eigen::Index kRows = 2896;
        MatrixXf a = MatrixXf::Zero(kRows, kRows);
        a.diagonal() = Eigen::VectorXf::LinSpaced(kRows, 1, static_cast<float>(kRows));
        const MatrixXf u =
            m_backend->download(m_backend->leadingEigenvectors(m_backend->upload(a), 3));
        for (Eigen::Index j = 0; j < 3; ++j) {
            QVERIFY(std::abs(u(kRows - 1 - j, j) - 1) < 1e-4F);
        }
    }

    void polarFactor() {
        const MatrixXf a = randomMatrix(60, 45, 6);
        Matrix q = m_backend->upload(a);
        QVERIFY(m_backend->polar(q));
        const reference::Svd svd = reference::svd(a.cast<double>());
        const MatrixXd expected = svd.U * svd.V.transpose();
        QVERIFY((m_backend->download(q).cast<double>() - expected).cwiseAbs().maxCoeff() < 1e-4);
    }

    // Singular values from 1 to 1e-4, as those of W Sᵀ are.
    void polarFactorOfUnevenMatrices() {
        const MatrixXd u = reference::orthonormal(randomMatrix(90, 70, 21).cast<double>());
        const MatrixXd v = reference::orthonormal(randomMatrix(70, 70, 22).cast<double>());
        const Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(70, 0, -4).unaryExpr(
            [](double e) { return std::pow(10, e); });
        Matrix q = m_backend->upload((u * values.asDiagonal() * v.transpose()).cast<float>());
        QVERIFY(m_backend->polar(q));
        const MatrixXd found = m_backend->download(q).cast<double>();
        QVERIFY((found.transpose() * found - MatrixXd::Identity(70, 70)).norm() < 1e-3);
        // float32 knows the directions of the smallest values to about 6e-8 / 1e-4.
        QVERIFY((found - u * v.transpose()).norm() < 3e-2);
    }

    // One direction has nearly all of it, as inputs with massive activations have: it stays exact.
    void polarFactorOfOneLargeDirection() {
        const MatrixXd u = reference::orthonormal(randomMatrix(90, 70, 23).cast<double>());
        const MatrixXd v = reference::orthonormal(randomMatrix(70, 70, 24).cast<double>());
        Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(70, 1e-3, 1e-4);
        values(0) = 1;
        Matrix q = m_backend->upload((u * values.asDiagonal() * v.transpose()).cast<float>());
        QVERIFY(m_backend->polar(q));
        const MatrixXd found = m_backend->download(q).cast<double>();
        QVERIFY((found * v.col(0) - u.col(0)).norm() < 1e-4);
        QVERIFY((found - u * v.transpose()).norm() < 3e-2);
    }

    void polarRefusesLostRank() {
        MatrixXf a = randomMatrix(30, 10, 7);
        a.col(3) = a.col(4);
        Matrix q = m_backend->upload(a);
        QVERIFY(!m_backend->polar(q));
        QCOMPARE(m_backend->download(q), a);
    }

    void copiesRowsAndTransposes_data() {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("cols");
        QTest::newRow("1x1") << 1 << 1;
        QTest::newRow("a square") << 32 << 32;
        QTest::newRow("more than a square") << 33 << 65;
        QTest::newRow("a row") << 1 << 700;
        QTest::newRow("wide") << 70 << 1100;
    }

    void copiesRowsAndTransposes() {
        QFETCH(int, rows);
        QFETCH(int, cols);
        const MatrixXf a = randomMatrix(rows, cols, 31);
        const Matrix on = m_backend->upload(a);
        QCOMPARE(m_backend->download(m_backend->transposed(on)), MatrixXf(a.transpose()));
        const MatrixXf b = randomMatrix(rows + 5, cols, 32);
        Matrix to = m_backend->upload(b);
        m_backend->copyRows(on, rows / 2, rows - rows / 2, to, 3);
        MatrixXf expected = b;
        expected.middleRows(3, rows - rows / 2) = a.bottomRows(rows - rows / 2);
        QCOMPARE(m_backend->download(to), expected);
    }

    void solvesOnTheRight() {
        const MatrixXf b = randomMatrix(50, 40, 8);
        MatrixXf f = randomMatrix(40, 200, 9);
        f.row(3) *= 1e-3F;  // rows of very different energy, as those of S have
        const MatrixXf a = f * f.transpose();
        Matrix x = m_backend->upload(b);
        m_backend->solveRight(m_backend->upload(a), 1e-6, m_backend->zeros(50, 40), x);
        QVERIFY(m_backend->solveHeld());
        const MatrixXd expected =
            reference::solveSymmetric(a.cast<double>(), b.transpose().cast<double>()).transpose();
        const MatrixXd difference = m_backend->download(x).cast<double>() - expected;
        QVERIFY(difference.norm() < 1e-3 * expected.norm());
    }

    // Not positive definite by far more than the ridge: the solution is what was given for that.
    void refusesToSolveTheIndefinite() {
        MatrixXf a = MatrixXf::Identity(40, 40);
        a(7, 9) = a(9, 7) = 2;
        const MatrixXf instead = randomMatrix(50, 40, 10);
        Matrix x = m_backend->upload(randomMatrix(50, 40, 8));
        m_backend->solveRight(m_backend->upload(a), 1e-6, m_backend->upload(instead), x);
        QVERIFY(!m_backend->solveHeld());
        QCOMPARE(m_backend->download(x), instead);
        a(7, 9) = a(9, 7) = std::nanf("");
        m_backend->solveRight(m_backend->upload(a), 1e-6, m_backend->upload(instead), x);
        QVERIFY(!m_backend->solveHeld());
        QCOMPARE(m_backend->download(x), instead);
        m_backend->solveRight(m_backend->upload(MatrixXf::Identity(40, 40)), 0,
                              m_backend->upload(instead), x);
        QVERIFY(m_backend->solveHeld());
        QCOMPARE(m_backend->download(x), instead);
    }

    void elementwiseVerbs() {
        const MatrixXf a = randomMatrix(37, 90, 31);
        MatrixXf factors(90, 1);
        for (int j = 0; j < 90; ++j) {
            factors(j, 0) = 0.25F * static_cast<float>(j - 3);
        }
        Matrix scaled = m_backend->upload(a);
        m_backend->scaleColumns(m_backend->upload(factors), scaled);
        const MatrixXf expected = a * factors.col(0).asDiagonal();
        QCOMPARE(m_backend->download(scaled), expected);
        const auto diagonal = m_backend->diagonal(m_backend->upload(a));
        QCOMPARE(diagonal.size(), std::size_t{37});
        QCOMPARE(diagonal[36], static_cast<double>(a(36, 36)));
    }
};

COSPADI_TEST(TestBackend)

}  // namespace tst_backend

#include "tst_backend.moc"
