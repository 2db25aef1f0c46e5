// Packed matrices and their products against Eigen's dense ones, for every instruction set that
// this machine has.
#include <QtTest>
#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "core/base/bfloat16.h"
#include "core/base/error.h"
#include "core/packed/grouped_kernels.h"
#include "core/packed/packed_matrix.h"
#include "core/packed/packed_products.h"
#include "tests/core/packed_checks.h"
#include "tests/registered_test.h"

namespace tst_packed_matrix {

using namespace cospadi;

namespace {

// Entries of very different size, the given share of them zero, every value a bfloat16.
Eigen::MatrixXf codes(std::int64_t rows, std::int64_t cols, double density, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::uniform_real_distribution<double> uniform(0, 1);
    Eigen::MatrixXf a(rows, cols);
    for (float& value : a.reshaped()) {
        value = uniform(random) < density ? roundedToBf16(std::exp(normal(random)) * normal(random))
                                          : 0.0F;
    }
    return a;
}

// The same with `kept` of every `group` rows of a column at most, some fewer.
Eigen::MatrixXf groupedCodes(std::int64_t rows, std::int64_t cols, const NmPattern& pattern,
                             unsigned seed) {
    Eigen::MatrixXf a = codes(rows, cols, 1, seed);
    std::mt19937 random(seed + 1);
    for (std::int64_t j = 0; j < cols; ++j) {
        for (std::int64_t first = 0; first < rows; first += pattern.group) {
            const std::int64_t members = std::min<std::int64_t>(pattern.group, rows - first);
            std::vector<std::int64_t> order(static_cast<std::size_t>(members));
            std::iota(order.begin(), order.end(), first);
            std::shuffle(order.begin(), order.end(), random);
            const std::int64_t kept = random() % 7 == 0 ? pattern.kept - 1 : pattern.kept;
            for (std::int64_t i = std::min(kept, members); i < members; ++i) {
                a(order[static_cast<std::size_t>(i)], j) = 0;
            }
        }
    }
    return a;
}

}  // namespace

class TestPackedMatrix : public QObject {
    Q_OBJECT

    static void addShapes() {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("cols");
        QTest::addColumn<double>("density");
        QTest::newRow("one entry") << 1 << 1 << 1.0;
        QTest::newRow("a block exactly") << 64 << 5 << 0.5;
        QTest::newRow("one over a block") << 65 << 70 << 0.5;
        QTest::newRow("half dense, odd sizes") << 395 << 333 << 0.5;
        QTest::newRow("thin") << 526 << 130 << 0.2;
        QTest::newRow("full") << 200 << 64 << 1.0;
        QTest::newRow("nearly full: blocks with and without a gap") << 448 << 150 << 0.985;
        QTest::newRow("empty") << 100 << 40 << 0.0;
        QTest::newRow("one over a group, one over a step") << 33 << 17 << 0.5;
    }

  private slots:
    void unpacksToTheSame_data() { addShapes(); }

    void unpacksToTheSame() {
        QFETCH(int, rows);
        QFETCH(int, cols);
        QFETCH(double, density);
        const Eigen::MatrixXf a = codes(rows, cols, density, 1);
        const PackedMatrix sparse = PackedMatrix::sparse(a);
        QCOMPARE(sparse.nonZeros(), (a.array() != 0).count());
        QVERIFY((sparse.unpacked().array() == a.array()).all());
        QVERIFY((PackedMatrix::dense(a).unpacked().array() == a.array()).all());
    }

    void productsMatchEigen_data() { addShapes(); }

    void productsMatchEigen() {
        QFETCH(int, rows);
        QFETCH(int, cols);
        QFETCH(double, density);
        const Eigen::MatrixXf a = codes(rows, cols, density, 2);
        const PackedMatrix forms[] = {PackedMatrix::sparse(a), PackedMatrix::dense(a)};
        ThreadPool two(2);
        for (const std::int64_t tokens : {1, 2, 3, 6, 7, 8, 9, 16, 17, 32, 33, 80}) {
            const Eigen::MatrixXf x = codes(rows, tokens, 1, 3);
            for (const PackedMatrix& form : forms) {
                compareProduct(two, a, form, x);
            }
        }
    }

    // Two factors at once, as the layers multiply: the inner size fills steps, tiles and pairs of
    // tiles, or does not.
    void twoFactorsMatchEigen_data() {
        QTest::addColumn<int>("inner");
        for (const int inner : {1, 12, 16, 32, 33, 49, 62, 115, 230, 394}) {
            QTest::addRow("%d", inner) << inner;
        }
    }

    void twoFactorsMatchEigen() {
        QFETCH(int, inner);
        const Eigen::MatrixXf a = codes(200, inner, 1, 10);
        const Eigen::MatrixXf b = codes(inner, 110, 0.5, 11);
        ThreadPool two(2);
        for (const std::int64_t tokens : {1, 6, 7, 16, 45, 64}) {
            const Eigen::MatrixXf x = codes(200, tokens, 1, 12);
            compareProducts(two, a, PackedMatrix::dense(a), b, PackedMatrix::sparse(b), x);
        }
    }

    // Several products with one X, of one factor and of two: each as it is alone, to the bit.
    void productsBesideOthers() {
        const PackedMatrix one = PackedMatrix::dense(codes(200, 110, 1, 20));
        const PackedMatrix a = PackedMatrix::dense(codes(200, 115, 1, 21));
        const PackedMatrix b = PackedMatrix::sparse(codes(115, 64, 0.5, 22));
        const PackedMatrix c = PackedMatrix::sparse(codes(200, 230, 0.5, 23));
        const PackedMatrix d = PackedMatrix::dense(codes(230, 1, 1, 24));
        const PackedMatrix e = PackedMatrix::sparse(codes(115, 33, 0.5, 26));
        for (const int threads : {1, 2, 3, 8}) {
            ThreadPool pool(threads);
            for (const std::int64_t tokens : {1, 2, 9, 16, 80}) {
                const Eigen::MatrixXf x = codes(200, tokens, 1, 25);
                for (const PackedInstructions instructions : packedInstructions()) {
                    Eigen::MatrixXf y[6];  // some have their first factor in common
                    const PackedProduct products[] = {{&a, nullptr, &y[0]},   {&a, &b, &y[1]},
                                                      {&one, nullptr, &y[2]}, {&c, &d, &y[3]},
                                                      {&a, &e, &y[4]},        {&a, nullptr, &y[5]}};
                    multiplyTransposed(pool, products, x, instructions);
                    for (std::size_t i = 0; i < std::size(y); ++i) {
                        const Eigen::MatrixXf alone =
                            packedProduct(pool, *products[i].a, products[i].b, x, instructions);
                        QVERIFY2(y[i] == alone, qPrintable(QString("%1, %2 tokens, %3 threads")
                                                               .arg(name(instructions))
                                                               .arg(tokens)
                                                               .arg(threads)));
                    }
                }
            }
        }
        ThreadPool two(2);
        multiplyTransposed(two, {}, Eigen::MatrixXf(200, 3));  // nothing to do
    }

    // Results that are passed on in parts are those that are kept, each entry once.
    void resultsInParts() {
        const PackedMatrix a = PackedMatrix::dense(codes(200, 1000, 1, 27));
        const PackedMatrix b = PackedMatrix::sparse(codes(1000, 333, 0.5, 28));
        const PackedMatrix c = PackedMatrix::dense(codes(200, 9001, 1, 29));
        for (const int threads : {1, 3}) {
            ThreadPool pool(threads);
            for (const std::int64_t tokens : {1, 9, 80, 1500}) {
                const Eigen::MatrixXf x = codes(200, tokens, 1, 30);
                for (const PackedInstructions instructions : packedInstructions()) {
                    Eigen::MatrixXf kept[3];
                    Eigen::MatrixXf passed[3];
                    UseOfPart use[3];
                    const auto product = [&](int i) {
                        return PackedProduct{i == 2 ? &c : &a, i == 1 ? &b : nullptr, &kept[i]};
                    };
                    const PackedProduct keeping[] = {product(0), product(1), product(2)};
                    multiplyTransposed(pool, keeping, x, instructions);
                    PackedProduct passing[] = {product(0), product(1), product(2)};
                    for (int i = 0; i < 3; ++i) {
                        passed[i].setZero(kept[i].rows(), tokens);
                        use[i] = [&to = passed[i]](std::int64_t row, std::int64_t column,
                                                   const auto& part) {
                            to.block(row, column, part.rows(), part.cols()) += part;
                        };
                        passing[i].y = i == 1 ? &kept[i] : nullptr;  // some are kept beside them
                        passing[i].use = i == 1 ? nullptr : &use[i];
                    }
                    multiplyTransposed(pool, passing, x, instructions);
                    QVERIFY(passed[0] == kept[0]);
                    QVERIFY(passed[2] == kept[2]);
                    passing[1].y = nullptr;
                    passing[1].use = &use[1];
                    multiplyTransposed(pool, {&passing[1], 1}, x, instructions);
                    QVERIFY2(passed[1] == kept[1], qPrintable(QString("%1, %2 tokens, %3 threads")
                                                                  .arg(name(instructions))
                                                                  .arg(tokens)
                                                                  .arg(threads)));
                }
            }
        }
    }

    // More tokens than are split at a time on matrix units.
    void manyTokens() {
        const Eigen::MatrixXf a = codes(2500, 40, 0.5, 8);
        const Eigen::MatrixXf x = codes(2500, 2300, 1, 9);
        ThreadPool two(2);
        compareProduct(two, a, PackedMatrix::sparse(a), x);
        compareProduct(two, a, PackedMatrix::dense(a), x);
    }

    void threadsDoNotMatter() {
        const Eigen::MatrixXf a = codes(300, 500, 0.5, 4);
        const PackedMatrix packed = PackedMatrix::sparse(a);
        const Eigen::MatrixXf x = codes(300, 5, 1, 5);
        ThreadPool one(1);
        ThreadPool three(3);
        QVERIFY(packedProduct(one, packed, nullptr, x) == packedProduct(three, packed, nullptr, x));
    }

    void groupedCodesMatchEigen_data() {
        QTest::addColumn<int>("kept");
        QTest::addColumn<int>("group");
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("cols");
        for (const auto& [kept, group] : {std::pair(1, 4), {2, 4}, {2, 8}, {4, 8}, {3, 7}}) {
            for (const auto& [rows, cols] :
                 {std::pair(group, 1), {32, 16}, {5 * group, 17}, {64 * group, 130}, {448, 333}}) {
                QTest::addRow("%d:%d, %d x %d", kept, group, rows, cols)
                    << kept << group << rows << cols;
            }
        }
    }

    void groupedCodesMatchEigen() {
        QFETCH(int, kept);
        QFETCH(int, group);
        QFETCH(int, rows);
        QFETCH(int, cols);
        const NmPattern pattern{kept, group};
        const Eigen::MatrixXf a = groupedCodes(rows, cols, pattern, 30);
        const PackedMatrix packed = PackedMatrix::grouped(a, pattern);
        QCOMPARE(packed.nonZeros(), (a.array() != 0).count());
        QVERIFY(packed.unpacked() == a);
        const Eigen::MatrixXf before = codes(100, rows, 1, 31);
        const PackedMatrix dense = PackedMatrix::dense(before);
        ThreadPool two(2);
        for (const std::int64_t tokens : {1, 2, 3, 4, 5, 7, 8, 9, 13, 40}) {
            const Eigen::MatrixXf x = codes(rows, tokens, 1, 32);
            compareProduct(two, a, packed, x);
            const Eigen::MatrixXf inner = codes(100, tokens, 1, 33);
            for (const PackedInstructions instructions : packedInstructions()) {
                const Eigen::MatrixXf both =
                    packedProduct(two, dense, &packed, inner, instructions);
                const Eigen::MatrixXf first =
                    packedProduct(two, dense, nullptr, inner, instructions);
                const Eigen::MatrixXd second = a.cast<double>().transpose() * first.cast<double>();
                const Eigen::MatrixXd allowed = 4e-7 * (std::sqrt(100) + std::sqrt(rows)) *
                                                (a.cast<double>().cwiseAbs().transpose() *
                                                 (before.cast<double>().cwiseAbs().transpose() *
                                                  inner.cast<double>().cwiseAbs()));
                QVERIFY(
                    ((both.cast<double>() - second).cwiseAbs().array() <= allowed.array() + 1e-30)
                        .all());
            }
        }
        ThreadPool three(3);
        const Eigen::MatrixXf x = codes(rows, 3, 1, 34);
        QVERIFY(packedProduct(two, packed, nullptr, x) == packedProduct(three, packed, nullptr, x));
    }

    // A column with more in a group than its pattern says; as masks take any, only where there are
    // places.
    void fullerGroupsAreRefused() {
        const Eigen::MatrixXf a = codes(32, 5, 1, 35);
        if (hasPlaces({2, 4})) {
            QVERIFY_THROWS_EXCEPTION(Error, PackedMatrix::grouped(a, {2, 4}));
        } else {
            QVERIFY(PackedMatrix::grouped(a, {2, 4}).unpacked() == a);
        }
    }

    // Half of the entries as bfloat16 and a bit for each: 9 bits an entry and the columns' padding.
    void staysSmall() {
        const Eigen::MatrixXf a = codes(640, 1000, 0.5, 6);
        const double bits = 8.0 * static_cast<double>(PackedMatrix::sparse(a).bytes()) / 640e3;
        QVERIFY2(bits < 9.3, qPrintable(QString::number(bits)));
    }

    void otherValuesAreRefused() {
        Eigen::MatrixXf a = codes(10, 10, 1, 7);
        a(3, 4) = 1.0F / 3;
        QVERIFY_THROWS_EXCEPTION(Error, PackedMatrix::sparse(a));
        QVERIFY_THROWS_EXCEPTION(Error, PackedMatrix::dense(a));
    }
};

COSPADI_TEST(TestPackedMatrix)

}  // namespace tst_packed_matrix

#include "tst_packed_matrix.moc"
