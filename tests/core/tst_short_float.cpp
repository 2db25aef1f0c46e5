// Coefficients with a short exponent: every pattern against the formula of the header in double,
// rounding against the nearest of all values, and what it does to factors.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/short_float.h"
#include "core/forms/low_rank/low_rank_weight.h"
#include "core/forms/sparse_dictionary/sparse_dictionary_weight.h"
#include "tests/registered_test.h"

namespace tst_short_float {

using namespace cospadi;

namespace {

double byFormula(unsigned pattern, int bits, int exponentBits, int mantissaBits) {
    const int largestField = (1 << exponentBits) - 1;
    const int field = static_cast<int>(pattern >> mantissaBits) & largestField;
    const double fraction = (pattern & ((1U << mantissaBits) - 1)) / std::pow(2, mantissaBits);
    const double size = field > 0 ? std::pow(2, field - largestField) * (1 + fraction)
                                  : std::pow(2, 1 - largestField) * fraction;
    return (pattern >> (bits - 1)) != 0 ? -size : size;
}

}  // namespace

class TestShortFloat : public QObject {
    Q_OBJECT

    void widths() {
        QTest::addColumn<int>("bits");
        QTest::addColumn<int>("exponentBits");
        QTest::addColumn<int>("mantissaBits");
        const int table[][3] = {{15, 7, 7}, {14, 6, 7}, {13, 5, 7}, {12, 4, 7},
                                {11, 3, 7}, {10, 3, 6}, {9, 3, 5},  {8, 3, 4}};
        for (const auto& row : table) {
            QTest::addRow("%d", row[0]) << row[0] << row[1] << row[2];
        }
    }

  private slots:
    void everyPattern_data() { widths(); }
    void everyPattern() {
        QFETCH(int, bits);
        QFETCH(int, exponentBits);
        QFETCH(int, mantissaBits);
        const ShortFloat format(bits);
        for (unsigned p = 0; p < 1U << bits; ++p) {
            const auto pattern = static_cast<std::uint16_t>(p);
            const float value = format.value(pattern);
            const double expected = byFormula(p, bits, exponentBits, mantissaBits);
            if (exponentBits < 7) {  // else the least lie below a float's range
                QCOMPARE(static_cast<double>(value), expected);
            }
            QCOMPARE(roundedToBf16(value), value);
            QCOMPARE(format.rounded(value), value);
            if (value != 0) {
                QCOMPARE(format.pattern(value), pattern);
            }
        }
    }

    void roundsToTheNearest_data() { widths(); }
    void roundsToTheNearest() {
        QFETCH(int, bits);
        const ShortFloat format(bits);
        std::set<double> all;
        for (unsigned p = 0; p < 1U << bits; ++p) {
            all.insert(format.value(static_cast<std::uint16_t>(p)));
        }
        std::srand(3);
        for (int i = 0; i < 20000; ++i) {
            const double unit = 2.0 * std::rand() / RAND_MAX - 1;
            const auto value = static_cast<float>(unit * std::pow(2, 1 - i % 18));
            const auto above = all.lower_bound(value);
            double distance = above == all.end() ? 1e9 : *above - value;
            if (above != all.begin()) {
                distance = std::min(distance, value - *std::prev(above));
            }
            QCOMPARE(std::abs(static_cast<double>(format.rounded(value)) - value), distance);
        }
        QCOMPARE(format.rounded(7), format.largest());
        QCOMPARE(format.rounded(-7), -format.largest());
        QCOMPARE(static_cast<double>(format.largest()), *all.rbegin());
    }

    // Scales go into the atoms exactly; at equal bits far less is lost than by a short mantissa.
    void codesKeepTheirDigits_data() { widths(); }

    void codesKeepTheirDigits() {
        QFETCH(int, bits);
        QFETCH(int, mantissaBits);
        std::srand(9);
        SparseDictionaryFactors factors;
        factors.coefficientBits = bits;
        factors.dictionary =
            Eigen::MatrixXf::Random(30, 20).unaryExpr([](float v) { return roundedToBf16(v); });
        factors.codes =
            Eigen::MatrixXf::Random(20, 200).unaryExpr([](float v) { return v > 0 ? v : 0.0F; });
        for (int i = 0; i < 20; ++i) {  // atoms of very different use, one of none
            factors.codes.row(i) *= std::pow(3.0F, static_cast<float>(i - 10));
        }
        factors.codes.row(4).setZero();
        const Eigen::MatrixXf exact = recompose(factors);
        const auto loss = [&](CoefficientFormat format) {
            SparseDictionaryFactors rounded = factors;
            rounded.coefficientFormat = format;
            roundCodes(rounded);
            for (const float value : rounded.dictionary.reshaped()) {
                if (roundedToBf16(value) != value) {
                    return 1e9F;
                }
            }
            return (recompose(rounded) - exact).norm() / exact.norm();
        };
        const float kept = loss(CoefficientFormat::ShortExponent);
        const float truncated = loss(CoefficientFormat::ShortMantissa);
        // Half a step of the mantissa at most, and less where the step is that of subnormals.
        QVERIFY(kept < std::ldexp(1.0F, -1 - mantissaBits));
        QVERIFY2(kept < 0.6F * truncated, qPrintable(QString("%1 %2").arg(kept).arg(truncated)));
    }

    // Truncated: bfloat16's eight digits, the nearest, of which the last are dropped. Counted in
    // doubles, digit by digit.
    void truncatesBfloat16_data() {
        QTest::addColumn<int>("bits");
        for (const int bits : {15, 14, 11, 9}) {
            QTest::addRow("%d", bits) << bits;
        }
    }
    void truncatesBfloat16() {
        QFETCH(int, bits);
        std::srand(10);
        SparseDictionaryFactors factors;
        factors.coefficientBits = bits;
        factors.dictionary = Eigen::MatrixXf::Identity(40, 40);
        factors.codes = Eigen::MatrixXf::Random(40, 50);
        for (int i = 0; i < 40; ++i) {
            factors.codes.row(i) *= std::pow(3.0F, static_cast<float>(i - 20));
        }
        factors.codes(0, 0) = 0;
        factors.codes(1, 0) = std::nextafter(2.0F, 0.0F);  // goes up to 2 and stays there
        SparseDictionaryFactors truncated = factors;
        roundCodes(truncated, CoefficientRounding::Truncate);
        int smaller = 0;
        for (Eigen::Index i = 0; i < factors.codes.size(); ++i) {
            const double value = factors.codes.data()[i];
            double expected = 0;
            if (value != 0) {
                const int exponent = std::ilogb(value);
                const double stored =
                    std::ldexp(std::nearbyint(std::ldexp(value, 7 - exponent)), exponent - 7);
                const int digit = std::ilogb(stored) - (bits - 9);  // the last one that is kept
                expected = std::ldexp(std::trunc(std::ldexp(stored, -digit)), digit);
                smaller += std::abs(expected) < std::abs(stored) ? 1 : 0;
            }
            QCOMPARE(static_cast<double>(truncated.codes.data()[i]), expected);
        }
        QCOMPARE(truncated.codes(1, 0), 2.0F);
        QVERIFY(smaller > 500);
        QVERIFY(truncated.dictionary == factors.dictionary);
    }

    // Half a step of the largest entry's 127th at most, in every atom for itself.
    void atomsOfBytes() {
        std::srand(11);
        Eigen::MatrixXf exact = Eigen::MatrixXf::Random(40, 24);
        for (int j = 0; j < 24; ++j) {  // of very different size
            exact.col(j) *= std::pow(7.3F, static_cast<float>(j - 12));
        }
        exact.col(5).setZero();
        exact.col(6) << 127, Eigen::VectorXf::LinSpaced(39, -19, 19);  // is stored as it is
        exact.col(7).setConstant(-3e-8F);
        Eigen::MatrixXf rounded = exact;
        const Eigen::VectorXf stretch = roundAtomsToBytes(rounded);
        for (int j = 0; j < 24; ++j) {
            const float largest = exact.col(j).cwiseAbs().maxCoeff();
            QVERIFY(stretch(j) >= 1 && stretch(j) < 2);
            const Eigen::VectorXf back = rounded.col(j) / stretch(j);
            QVERIFY((back - exact.col(j)).cwiseAbs().maxCoeff() <= 0.501F * largest / 127);
            for (const float entry : rounded.col(j)) {
                QCOMPARE(roundedToBf16(entry), entry);
            }
            if (largest > 0) {  // bytes of one power of two, the largest of them 127
                const float unit = rounded.col(j).cwiseAbs().maxCoeff() / 127;
                QCOMPARE(std::exp2(std::round(std::log2(unit))), unit);
                for (const float entry : rounded.col(j)) {
                    QCOMPARE(std::round(entry / unit), entry / unit);
                }
            }
        }
        QVERIFY(rounded.col(5).isZero(0));
        QVERIFY(rounded.col(6) == exact.col(6));
        QCOMPARE(stretch(6), 1.0F);
    }
};

COSPADI_TEST(TestShortFloat)

}  // namespace tst_short_float

#include "tst_short_float.moc"
