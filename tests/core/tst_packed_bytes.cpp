// Values of ten bits and fewer as they stay in memory (core/packed/short_code_kernels.h and
// integer_kernels.h): to the bit, their products against Eigen's, for every instruction set that
// this machine has.
#include <QtTest>
#include <random>

#include "core/base/bfloat16.h"
#include "core/base/short_float.h"
#include "core/packed/packed_matrix.h"
#include "tests/core/packed_checks.h"
#include "tests/registered_test.h"

namespace tst_packed_bytes {

using namespace cospadi;

namespace {

// Any pattern of short floats of `bits`, subnormal ones too, the given share of them stored.
Eigen::MatrixXf shortCodes(std::int64_t rows, std::int64_t cols, double density, int bits,
                           unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    const ShortFloat format(bits);
    return Eigen::MatrixXf::NullaryExpr(rows, cols, [&] {
        const auto pattern = static_cast<std::uint16_t>(random() % (1U << unsigned(bits)));
        return uniform(random) < density ? format.value(pattern) : 0.0F;
    });
}

enum class ScaledBy { Column, Row };

// Integers −127 … 127 times a power of two of each column or row.
Eigen::MatrixXf integers(std::int64_t rows, std::int64_t cols, ScaledBy by, unsigned seed) {
    std::mt19937 random(seed);
    Eigen::MatrixXf a = Eigen::MatrixXf::NullaryExpr(
        rows, cols, [&] { return static_cast<float>(static_cast<int>(random() % 255) - 127); });
    for (std::int64_t i = 0; i < (by == ScaledBy::Column ? cols : rows); ++i) {
        const float scale = std::ldexp(1.0F, static_cast<int>(random() % 21) - 15);
        if (by == ScaledBy::Column) {
            a.col(i) *= scale;
        } else {
            a.row(i) *= scale;
        }
    }
    return a;
}

Eigen::MatrixXf tokens(std::int64_t rows, std::int64_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    return Eigen::MatrixXf::NullaryExpr(rows, count, [&] { return normal(random); });
}

double bitsPerEntry(const PackedMatrix& matrix) {
    return 8.0 * static_cast<double>(matrix.bytes()) /
           static_cast<double>(matrix.rows() * matrix.cols());
}

}  // namespace

class TestPackedBytes : public QObject {
    Q_OBJECT

  private slots:
    void keepsEveryValue_data() {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("cols");
        QTest::newRow("one entry") << 1 << 1;
        QTest::newRow("a step and a group") << 32 << 16;
        QTest::newRow("one over") << 33 << 17;
        QTest::newRow("odd sizes") << 395 << 333;
    }

    // Unpacked as a whole, and a column at a time.
    void keepsEveryValue() {
        QFETCH(int, rows);
        QFETCH(int, cols);
        for (const int bits : {8, 9, 10}) {
            const Eigen::MatrixXf a = shortCodes(rows, cols, 0.5, bits, 1);
            const PackedMatrix packed = PackedMatrix::sparse(a);
            QCOMPARE(packed.nonZeros(), (a.array() != 0).count());
            QVERIFY(packed.unpacked() == a);
        }
        for (const ScaledBy by : {ScaledBy::Column, ScaledBy::Row}) {
            const Eigen::MatrixXf a = integers(rows, cols, by, 2);
            const PackedMatrix packed = PackedMatrix::dense(a);
            QVERIFY(packed.unpacked() == a);
            Eigen::VectorXf last(rows);
            packed.unpackColumn(cols - 1, last.data());
            QVERIFY(last == a.col(cols - 1));
        }
    }

    // Every pattern that there is, by every instruction set: A = diag of one value times eᵢ.
    void everyPattern() {
        ThreadPool one(1);
        for (const int bits : {8, 9, 10}) {
            const ShortFloat format(bits);
            const std::int64_t count = std::int64_t{1} << bits;
            Eigen::MatrixXf a = Eigen::MatrixXf::Zero(64, count);
            for (std::int64_t j = 0; j < count; ++j) {
                a(j * 37 % 64, j) = format.value(static_cast<std::uint16_t>(j));
            }
            const PackedMatrix packed = PackedMatrix::sparse(a);
            const Eigen::MatrixXf x = Eigen::MatrixXf::Ones(64, 1);
            const Eigen::VectorXf expected = a.colwise().sum().transpose();
            for (const PackedInstructions instructions : packedInstructions()) {
                QVERIFY2(packedProduct(one, packed, nullptr, x, instructions) == expected,
                         name(instructions));
            }
        }
    }

    void productsMatchEigen_data() { keepsEveryValue_data(); }

    void productsMatchEigen() {
        QFETCH(int, rows);
        QFETCH(int, cols);
        ThreadPool two(2);
        for (const std::int64_t count : {1, 2, 3, 4, 5, 7, 8, 9, 16, 33, 80}) {
            const Eigen::MatrixXf x = tokens(rows, count, 3);
            for (const int bits : {8, 9, 10}) {
                const Eigen::MatrixXf a = shortCodes(rows, cols, 0.4, bits, 4);
                compareProduct(two, a, PackedMatrix::sparse(a), x);
            }
            for (const ScaledBy by : {ScaledBy::Column, ScaledBy::Row}) {
                const Eigen::MatrixXf a = integers(rows, cols, by, 5);
                compareProduct(two, a, PackedMatrix::dense(a), x);
            }
        }
    }

    // As layers multiply: the dictionary on the side of the inputs, and of the outputs.
    void twoFactorsMatchEigen_data() {
        QTest::addColumn<int>("atoms");
        for (const int atoms : {1, 16, 33, 115, 394}) {
            QTest::addRow("%d", atoms) << atoms;
        }
    }

    void twoFactorsMatchEigen() {
        QFETCH(int, atoms);
        ThreadPool two(2);
        const Eigen::MatrixXf inputs = integers(200, atoms, ScaledBy::Column, 6);
        const Eigen::MatrixXf codes = shortCodes(atoms, 110, 0.5, 9, 7);
        const Eigen::MatrixXf codesOfInputs = shortCodes(200, atoms, 0.5, 10, 8);
        const Eigen::MatrixXf outputs = integers(atoms, 110, ScaledBy::Row, 9);
        for (const std::int64_t count : {1, 6, 7, 16, 45, 64}) {
            const Eigen::MatrixXf x = tokens(200, count, 10);
            compareProducts(two, inputs, PackedMatrix::dense(inputs), codes,
                            PackedMatrix::sparse(codes), x);
            compareProducts(two, codesOfInputs, PackedMatrix::sparse(codesOfInputs), outputs,
                            PackedMatrix::dense(outputs), x);
        }
    }

    // Half of the codes stored, each with its bits, and a bit for every entry; a byte for an
    // integer.
    void takesTheBitsThatItNeeds() {
        for (const int bits : {8, 9, 10}) {
            const double perEntry =
                bitsPerEntry(PackedMatrix::sparse(shortCodes(640, 1008, 0.5, bits, 11)));
            QVERIFY2(perEntry < 1.03 * (1 + 0.5 * bits), qPrintable(QString::number(perEntry)));
        }
        for (const ScaledBy by : {ScaledBy::Column, ScaledBy::Row}) {
            QVERIFY(bitsPerEntry(PackedMatrix::dense(integers(640, 1008, by, 12))) < 8.3);
        }
    }

    // A single value that needs more: bfloat16, as before.
    void oneValueOfMoreBits() {
        Eigen::MatrixXf codes = shortCodes(640, 1008, 0.5, 10, 13);
        codes(3, 4) = roundedToBf16(1.0F / 3);
        const PackedMatrix sparse = PackedMatrix::sparse(codes);
        QVERIFY(sparse.unpacked() == codes);
        QVERIFY(bitsPerEntry(sparse) > 1 + 0.49 * 16);
        Eigen::MatrixXf atoms = integers(640, 1008, ScaledBy::Column, 14);
        atoms(0, 0) = roundedToBf16(1.0F / 3);
        atoms(1, 1) = std::ldexp(255.0F, 20);
        const PackedMatrix dense = PackedMatrix::dense(atoms);
        QVERIFY(dense.unpacked() == atoms);
        QVERIFY(bitsPerEntry(dense) > 15.9);
    }
};

COSPADI_TEST(TestPackedBytes)

}  // namespace tst_packed_bytes

#include "tst_packed_bytes.moc"
