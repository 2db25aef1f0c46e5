// Block products of every kernel that this machine has, against Eigen's products in double.
#include <Eigen/Core>
#include <QtTest>
#include <array>
#include <limits>
#include <random>

#include "core/base/bfloat16.h"
#include "core/products/blas.h"
#include "core/products/column_tasks.h"
#include "tests/registered_test.h"

namespace tst_block_product {

using namespace cospadi;

namespace {

Eigen::MatrixXf randomMatrix(std::int64_t rows, std::int64_t cols, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    return Eigen::MatrixXf::NullaryExpr(rows, cols, [&] { return normal(random); });
}

std::vector<ProductKernel> kernels() {
    std::vector<ProductKernel> result;
    for (const ProductKernel kernel : {ProductKernel::OpenBlas, ProductKernel::MatrixUnits}) {
        if (kernel <= bestProductKernel()) {
            result.push_back(kernel);
        }
    }
    return result;
}

// Blocks inside larger matrices, whose other entries must stay as they are.
struct Operands {
    Op opA, opB;
    std::int64_t m, n, k;
    Eigen::MatrixXf a, b, c;

    Operands(Op opOfA, Op opOfB, std::int64_t rows, std::int64_t columns, std::int64_t depth,
             unsigned seed)
        : opA(opOfA),
          opB(opOfB),
          m(rows),
          n(columns),
          k(depth),
          a(opA == Op::None ? randomMatrix(m + 3, k, seed) : randomMatrix(k + 3, m, seed)),
          b(opB == Op::None ? randomMatrix(k + 1, n, seed + 1) : randomMatrix(n + 1, k, seed + 1)),
          c(randomMatrix(m + 2, n + 1, seed + 2)) {}

    Eigen::MatrixXd expected(double alpha, double beta) const {
        const Eigen::MatrixXd left = opA == Op::None
                                         ? Eigen::MatrixXd(a.topRows(m).cast<double>())
                                         : Eigen::MatrixXd(a.topRows(k).transpose().cast<double>());
        const Eigen::MatrixXd right =
            opB == Op::None ? Eigen::MatrixXd(b.topRows(k).cast<double>())
                            : Eigen::MatrixXd(b.topRows(n).transpose().cast<double>());
        Eigen::MatrixXd result = c.cast<double>();
        result.topLeftCorner(m, n) =
            alpha * (left * right) + beta * c.topLeftCorner(m, n).cast<double>();
        return result;
    }
};

// |fl(x·y) − x·y| ≤ γ_k |x|·|y|; for normal entries |x|·|y| is about 0.64 k, never above 3 k here.
double allowed(std::int64_t k) {
    const auto terms = static_cast<double>(k + 2);
    return terms * 6e-8 * 3 * terms;
}

}  // namespace

class TestBlockProduct : public QObject {
    Q_OBJECT

  private slots:
    void matchesDoubleProducts_data() {
        QTest::addColumn<int>("m");
        QTest::addColumn<int>("n");
        QTest::addColumn<int>("k");
        QTest::newRow("one entry") << 1 << 1 << 1;
        QTest::newRow("a tile exactly") << 48 << 8 << 16;
        QTest::newRow("one over a tile") << 49 << 9 << 17;
        QTest::newRow("one short of a tile") << 47 << 7 << 15;
        QTest::newRow("two vectors") << 32 << 5 << 33;
        QTest::newRow("the blocks exactly") << 192 << 256 << 192;
        QTest::newRow("one over the blocks") << 193 << 257 << 193;
        QTest::newRow("odd, several pieces of depth") << 131 << 61 << 577;
        QTest::newRow("wide") << 3 << 300 << 40;
        QTest::newRow("tall") << 300 << 3 << 40;
        QTest::newRow("an inner product") << 1 << 1 << 1000;
        QTest::newRow("no rows") << 0 << 10 << 20;
        QTest::newRow("one over a strip and a vector") << 65 << 8 << 20;
        QTest::newRow("no depth") << 20 << 10 << 0;
        QTest::newRow("several chunks of depth") << 70 << 50 << 2000;
    }

    void matchesDoubleProducts() {
        QFETCH(int, m);
        QFETCH(int, n);
        QFETCH(int, k);
        for (const ProductKernel kernel : kernels()) {
            for (const Op opA : {Op::None, Op::Transpose}) {
                for (const Op opB : {Op::None, Op::Transpose}) {
                    for (const float beta : {0.0F, 1.0F, -0.5F}) {
                        Operands o(opA, opB, m, n, k, 7);
                        const Eigen::MatrixXd expected = o.expected(1.5, beta);
                        multiplyBlock(opA, opB, m, n, k, 1.5F, o.a.data(), o.a.rows(), o.b.data(),
                                      o.b.rows(), beta, o.c.data(), o.c.rows(), kernel);
                        const double worst = (o.c.cast<double>() - expected).cwiseAbs().maxCoeff();
                        QVERIFY2(worst <= 1.5 * allowed(k), qPrintable(QString::number(worst)));
                    }
                }
            }
        }
    }

    // All 24 bits of an operand reach the result, from either side and in either layout.
    void timesOneIsExact() {
        const Eigen::MatrixXf a = randomMatrix(100, 100, 21) * 1e3F;
        const Eigen::MatrixXf one = Eigen::MatrixXf::Identity(100, 100);
        for (const ProductKernel kernel : kernels()) {
            for (const Op op : {Op::None, Op::Transpose}) {
                const Eigen::MatrixXf expected =
                    op == Op::None ? a : Eigen::MatrixXf(a.transpose());
                Eigen::MatrixXf c(100, 100);
                multiplyBlock(op, op, 100, 100, 100, 1, a.data(), 100, one.data(), 100, 0, c.data(),
                              100, kernel);
                QCOMPARE(c, expected);
                multiplyBlock(op, op, 100, 100, 100, 1, one.data(), 100, a.data(), 100, 0, c.data(),
                              100, kernel);
                QCOMPARE(c, expected);
            }
        }
    }

    // Splitting into bfloat16 terms must not cost accuracy: relative to the norm the error of every
    // kernel stays that of sums in float32, where one term alone would leave 2⁻⁹.
    void errorsAreThoseOfFloat32() {
        const Eigen::MatrixXf a = randomMatrix(192, 576, 22);
        const Eigen::MatrixXf b = randomMatrix(576, 96, 23);
        Eigen::MatrixXf rounded = a;
        for (float& value : rounded.reshaped()) {
            value = roundedToBf16(value);
        }
        for (const ProductKernel kernel : kernels()) {
            for (const Eigen::MatrixXf& left : {a, rounded}) {
                const Eigen::MatrixXd exact = left.cast<double>() * b.cast<double>();
                Eigen::MatrixXf c(192, 96);
                multiplyBlock(Op::None, Op::None, 192, 96, 576, 1, left.data(), 192, b.data(), 576,
                              0, c.data(), 192, kernel);
                const double error = (c.cast<double>() - exact).norm() / exact.norm();
                QVERIFY2(error < std::ldexp(std::sqrt(576), -24),
                         qPrintable(QString::number(error)));
            }
        }
    }

    // Of a step's operands two terms are left, 2⁻¹⁸ off at most each: about 2⁻¹⁸ of the product's
    // norm, and no bias that would add up. Depths in pieces, blocks of odd sizes.
    void stepsKeepSixteenBits() {
        ThreadPool pool(2);
        for (const auto& [m, n, k] : {std::array{192, 96, 576}, std::array{70, 1000, 4000},
                                      std::array{49, 50, 31}, std::array{300, 65, 1921}}) {
            for (const Op opA : {Op::None, Op::Transpose}) {
                for (const Op opB : {Op::None, Op::Transpose}) {
                    Operands o(opA, opB, m, n, k, 24);
                    const Eigen::MatrixXd expected = o.expected(-1, 1);
                    gemm(pool, opA, opB, m, n, k, -1, o.a.data(), o.a.rows(), o.b.data(),
                         o.b.rows(), 1, o.c.data(), o.c.rows(), Accuracy::Step);
                    const double error = (o.c.cast<double>() - expected).norm() / expected.norm();
                    QVERIFY2(error < std::ldexp(1, -17), qPrintable(QString::number(error)));
                }
            }
        }
    }

    // More packed columns than are kept at once.
    void manyColumnsMatchEigen() {
        constexpr std::int64_t kColumns = 2900;
        constexpr std::int64_t kInner = 2000;
        const Eigen::MatrixXf a = randomMatrix(48, kInner, 24);
        const Eigen::MatrixXf b = randomMatrix(kInner, kColumns, 25);
        Eigen::MatrixXf c(48, kColumns);
        multiplyBlock(Op::None, Op::None, 48, kColumns, kInner, 1, a.data(), 48, b.data(), kInner,
                      0, c.data(), 48, bestProductKernel());
        const Eigen::MatrixXd exact = a.cast<double>() * b.cast<double>();
        QVERIFY((c.cast<double>() - exact).cwiseAbs().maxCoeff() <= allowed(kInner));
    }

    void evenRangesCoverEverythingOnce() {
        ThreadPool pool(1);
        for (const std::int64_t size : {1, 31, 32, 33, 96, 190, 193, 448, 576, 1537}) {
            std::int64_t next = 0;
            int ranges = 0;
            forEvenRanges(pool, {size, 32, 96}, [&](std::int64_t first, std::int64_t last) {
                QCOMPARE(first, next);
                QVERIFY(last > first && last - first <= 96 && first % 32 == 0);
                next = last;
                ++ranges;
            });
            QCOMPARE(next, size);
            QVERIFY(ranges % 2 == 0 || size <= 32);
        }
    }

    void gramBlocksMatchEigen() {
        for (const auto& [m, n, k] : {std::array{1, 1, 1}, std::array{24, 8, 96},
                                      std::array{25, 9, 97}, std::array{200, 130, 300}}) {
            const Eigen::MatrixXd a = randomMatrix(m + 2, k, 11).cast<double>();
            const Eigen::MatrixXd b = randomMatrix(n + 1, k, 12).cast<double>();
            const Eigen::MatrixXd c = randomMatrix(m + 1, n, 13).cast<double>();
            Eigen::MatrixXd found = c;
            addBlockOfGram(m, n, k, a.data(), a.rows(), b.data(), b.rows(), found.data(),
                           found.rows());
            Eigen::MatrixXd expected = c;
            expected.topRows(m) += a.topRows(m) * b.topRows(n).transpose();
            QVERIFY((found - expected).cwiseAbs().maxCoeff() < 1e-12 * k);
        }
    }

    void gramsMatchEigen() {
        const Eigen::MatrixXd a = randomMatrix(333, 150, 14).cast<double>();
        const Eigen::MatrixXd start = Eigen::MatrixXd::Constant(333, 333, 2);
        std::vector<Eigen::MatrixXd> results;
        for (const int threads : {1, 3}) {
            ThreadPool pool(threads);
            Eigen::MatrixXd c = start;
            syrkAccumulate(pool, 333, 150, a.data(), 333, c.data(), 333);
            results.emplace_back(c.triangularView<Eigen::Upper>());
        }
        QVERIFY((results[0].array() == results[1].array()).all());
        const Eigen::MatrixXd expected = (start + a * a.transpose()).triangularView<Eigen::Upper>();
        QVERIFY((results[0] - expected).cwiseAbs().maxCoeff() < 1e-10);
    }

    // What stands in C may be anything, NaN included, where beta is 0.
    void doesNotReadTheResult() {
        for (const ProductKernel kernel : kernels()) {
            const Eigen::MatrixXf a = randomMatrix(50, 20, 1);
            const Eigen::MatrixXf b = randomMatrix(20, 10, 2);
            Eigen::MatrixXf c =
                Eigen::MatrixXf::Constant(50, 10, std::numeric_limits<float>::quiet_NaN());
            multiplyBlock(Op::None, Op::None, 50, 10, 20, 1, a.data(), 50, b.data(), 20, 0,
                          c.data(), 50, kernel);
            QVERIFY(c.allFinite());
        }
    }

    void passesOnNotANumber() {
        for (const ProductKernel kernel : kernels()) {
            Eigen::MatrixXf a = randomMatrix(50, 20, 1);
            const Eigen::MatrixXf b = randomMatrix(20, 10, 2);
            a(33, 7) = std::numeric_limits<float>::quiet_NaN();
            Eigen::MatrixXf c(50, 10);
            multiplyBlock(Op::None, Op::None, 50, 10, 20, 1, a.data(), 50, b.data(), 20, 0,
                          c.data(), 50, kernel);
            QVERIFY(c.row(33).array().isNaN().all());
            QVERIFY(c.topRows(33).allFinite());
            QVERIFY(c.bottomRows(16).allFinite());
        }
    }

    // A column alone, among others, or in another block: the same bits.
    void anEntryDoesNotDependOnItsBlock() {
        const ProductKernel kernel = bestProductKernel();
        if (kernel == ProductKernel::OpenBlas) {
            QSKIP("OpenBLAS does not promise it");
        }
        const Eigen::MatrixXf a = randomMatrix(577, 130, 3);
        const Eigen::MatrixXf b = randomMatrix(577, 40, 4);
        Eigen::MatrixXf whole(130, 40);
        multiplyBlock(Op::Transpose, Op::None, 130, 40, 577, 1, a.data(), 577, b.data(), 577, 0,
                      whole.data(), 130, kernel);
        for (const std::int64_t row : {0, 17, 100}) {
            for (const std::int64_t column : {0, 13, 37}) {
                Eigen::MatrixXf part(30, 3);
                multiplyBlock(Op::Transpose, Op::None, 30, 3, 577, 1, a.data() + row * 577, 577,
                              b.data() + column * 577, 577, 0, part.data(), 30, kernel);
                QVERIFY((part.array() == whole.block(row, column, 30, 3).array()).all());
            }
        }
    }

    void threadsDoNotChangeTheResult() {
        const Operands o(Op::Transpose, Op::None, 1000, 300, 400, 5);
        std::vector<Eigen::MatrixXf> results;
        for (const int threads : {1, 2, 5}) {
            ThreadPool pool(threads);
            Eigen::MatrixXf c(1000, 300);
            gemm(pool, o.opA, o.opB, 1000, 300, 400, 1, o.a.data(), o.a.rows(), o.b.data(),
                 o.b.rows(), 0, c.data(), 1000);
            results.push_back(c);
        }
        QVERIFY((results[0].array() == results[1].array()).all());
        QVERIFY((results[0].array() == results[2].array()).all());
        const Eigen::MatrixXd expected = o.expected(1, 0).topLeftCorner(1000, 300);
        QVERIFY((results[0].cast<double>() - expected).cwiseAbs().maxCoeff() <= allowed(400));
    }

    void twoThreadsEndTogether() {
        for (const std::int64_t size : {192, 256, 576, 1024, 1536, 2048, 3072, 4096}) {
            const std::int64_t share = productShare(size);
            QVERIFY(share <= 192);
            QCOMPARE((size + share - 1) / share % 2, 0);
        }
    }
};

COSPADI_TEST(TestBlockProduct)

}  // namespace tst_block_product

#include "tst_block_product.moc"
