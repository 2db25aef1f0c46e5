// Orders and comparisons of sparsity patterns against what was planted, and against counting.
#include <QtTest>
#include <cmath>
#include <numeric>
#include <random>
#include <set>

#include "core/base/error.h"
#include "core/patterns/pattern_comparison.h"
#include "core/patterns/pattern_difference.h"
#include "core/patterns/pattern_order.h"
#include "core/patterns/pattern_values.h"
#include "tests/registered_test.h"

namespace tst_patterns {

using namespace cospadi;

namespace {

SparsityPattern randomPattern(std::int64_t k, std::int64_t d2, unsigned seed) {
    SparsityPattern pattern;
    pattern.k = k;
    pattern.d2 = d2;
    std::mt19937 generator(seed);
    pattern.atomUsage.assign(static_cast<std::size_t>(k), 0);
    for (std::int64_t i = 0; i < k * d2; ++i) {
        const bool set = generator() % 3 == 0;
        pattern.entries.push_back(set ? 1 : 0);
        pattern.atomUsage[static_cast<std::size_t>(i % k)] += set ? 1 : 0;
    }
    return pattern;
}

SparseDictionaryFactors randomFactors(int d, int k, int n, unsigned seed) {
    std::srand(seed);
    SparseDictionaryFactors factors;
    factors.dictionary = Eigen::MatrixXf::Random(d, k);
    factors.codes = Eigen::MatrixXf::Random(k, n);
    factors.codes = (factors.codes.array().abs() > 0.6F).select(factors.codes, 0);
    return factors;
}

}  // namespace

class TestPatterns : public QObject {
    Q_OBJECT

  private slots:
    void rowsComeByUsage() {
        QCOMPARE(rowsByUsage({3, 9, 3, 0, 7}), (std::vector<std::int64_t>{1, 4, 0, 2, 3}));
        QVERIFY(rowsByUsage({}).empty());
    }

    // Columns of three kinds in a shuffled order, each with some entries flipped.
    void plantedClustersAreFound() {
        constexpr int kAtoms = 60;
        const std::vector<int> sizes = {50, 30, 20};
        std::mt19937 generator(5);
        std::vector<int> kindOf;
        for (int kind = 0; kind < 3; ++kind) {
            kindOf.insert(kindOf.end(), static_cast<std::size_t>(sizes[kind]), kind);
        }
        std::shuffle(kindOf.begin(), kindOf.end(), generator);
        SparsityPattern pattern;
        pattern.k = kAtoms;
        pattern.d2 = static_cast<std::int64_t>(kindOf.size());
        for (const int kind : kindOf) {
            for (int i = 0; i < kAtoms; ++i) {
                const bool planted = i / 20 == kind;
                pattern.entries.push_back(planted != (generator() % 10 == 0) ? 1 : 0);
            }
        }
        const ColumnClusters clusters = clusterColumns(pattern, 3);
        QCOMPARE(clusters.sizes, (std::vector<std::int64_t>{50, 30, 20}));
        std::size_t at = 0;
        for (int kind = 0; kind < 3; ++kind) {
            for (int i = 0; i < sizes[kind]; ++i) {
                QCOMPARE(kindOf[static_cast<std::size_t>(clusters.order[at++])], kind);
            }
        }
    }

    void everyColumnStandsOnce() {
        for (const int columns : {1, 2, 37}) {
            const SparsityPattern pattern = randomPattern(12, columns, 3);
            const ColumnClusters clusters = clusterColumns(pattern);
            const std::set<std::int64_t> unique(clusters.order.begin(), clusters.order.end());
            QCOMPARE(unique.size(), static_cast<std::size_t>(columns));
            QCOMPARE(clusters.order.size(), static_cast<std::size_t>(columns));
            QCOMPARE(std::accumulate(clusters.sizes.begin(), clusters.sizes.end(), std::int64_t{0}),
                     std::int64_t{columns});
        }
        QVERIFY(clusterColumns(SparsityPattern{}).order.empty());
        SparsityPattern empty = randomPattern(4, 6, 1);
        std::fill(empty.entries.begin(), empty.entries.end(), 0);
        QCOMPARE(clusterColumns(empty).order.size(), std::size_t{6});
    }

    void coOccurrenceIsCounted() {
        const SparsityPattern pattern = randomPattern(17, 41, 11);
        const Eigen::MatrixXf together = atomCoOccurrence(pattern);
        const std::vector<std::int64_t> order = rowsByUsage(pattern.atomUsage);
        const std::vector<std::uint8_t> map = coOccurrenceMap(pattern, order);
        QCOMPARE(map.size(), std::size_t{17 * 17});
        QCOMPARE(int(map[1]), int(std::lround(255 * together(order[0], order[1]))));
        QCOMPARE(int(map[17 * 3 + 3]), 255);
        const auto uses = [&](std::int64_t i, std::int64_t column) {
            return pattern.entries[static_cast<std::size_t>(column * pattern.k + i)] != 0;
        };
        for (std::int64_t i = 0; i < pattern.k; ++i) {
            for (std::int64_t j = 0; j < pattern.k; ++j) {
                int both = 0;
                int either = 0;
                for (std::int64_t column = 0; column < pattern.d2; ++column) {
                    both += uses(i, column) && uses(j, column) ? 1 : 0;
                    either += uses(i, column) || uses(j, column) ? 1 : 0;
                }
                const double direct = either > 0 ? double(both) / either : 0;
                QVERIFY(std::abs(static_cast<double>(together(i, j)) - direct) < 1e-6);
            }
        }
    }

    void permutedAtomsAreRecognised() {
        const SparseDictionaryFactors first = randomFactors(24, 15, 40, 3);
        SparseDictionaryFactors second = first;
        std::vector<std::int64_t> where(15);  // atom i of the first is where[i] of the second
        std::iota(where.begin(), where.end(), 0);
        std::shuffle(where.begin(), where.end(), std::mt19937(9));
        for (int i = 0; i < 15; ++i) {
            const float scale = i % 2 == 0 ? -2.0F : 0.5F;  // D S does not change
            second.dictionary.col(where[i]) = scale * first.dictionary.col(i);
            second.codes.row(where[i]) = first.codes.row(i) / scale;
        }
        const PatternComparison same = comparePatterns(first, second);
        QCOMPARE(same.partner, where);
        QCOMPARE(same.matched, std::int64_t{15});
        QVERIFY(std::abs(same.meanCosine - 1) < 1e-5);
        QCOMPARE(same.overlap(), 1.0);
        QCOMPARE(same.onlyFirst + same.onlySecond, std::int64_t{0});
        QVERIFY(same.approximationDifference < 1e-6);

        second.codes.row(where[4]).setZero();  // one atom falls silent
        const PatternComparison less = comparePatterns(first, second);
        const auto silent = static_cast<std::int64_t>((first.codes.row(4).array() != 0).count());
        QCOMPARE(less.onlyFirst, silent);
        QCOMPARE(less.onlySecond, std::int64_t{0});
        const Eigen::MatrixXf lost = first.dictionary.col(4) * first.codes.row(4);
        const Eigen::MatrixXf whole = first.dictionary * first.codes;
        QVERIFY(std::abs(less.approximationDifference - double(lost.norm() / whole.norm())) < 1e-5);
    }

    void differentNumbersOfAtoms() {
        const SparseDictionaryFactors first = randomFactors(24, 15, 40, 3);
        SparseDictionaryFactors fewer = first;
        fewer.dictionary = first.dictionary.leftCols(10).eval();
        fewer.codes = first.codes.topRows(10).eval();
        const PatternComparison result = comparePatterns(first, fewer);
        QCOMPARE(result.matched, std::int64_t{10});
        for (std::int64_t i = 0; i < 10; ++i) {
            QCOMPARE(result.partner[static_cast<std::size_t>(i)], i);
        }
        QCOMPARE(result.partner[12], std::int64_t{-1});
    }

    // Codes written by hand on three orthogonal atoms; the second run has them in another order,
    // one turned round and twice as long, one missing, and one of its own.
    void differencesArePlacedEntryByEntry() {
        SparseDictionaryFactors first;
        first.dictionary = Eigen::MatrixXf::Identity(4, 3);
        first.codes.resize(3, 4);
        first.codes << 1, 0, 2, 0,  //
            0, 3, 0, 4,             //
            5, 0, 0, 6;
        SparseDictionaryFactors second;
        second.dictionary = Eigen::MatrixXf::Zero(4, 3);
        second.dictionary(1, 0) = -2;  // the first's atom 1
        second.dictionary(3, 1) = 1;   // of its own
        second.dictionary(0, 2) = 1;   // the first's atom 0
        second.codes.resize(3, 4);
        second.codes << 0, -1, 7, 0,  // values 2 and −14 of the first's atom 1
            0, 8, 0, 0,               //
            1, 0, 0, 9;
        const PatternDifference difference =
            patternDifference(first, second, comparePatterns(first, second));
        QCOMPARE(difference.rows, std::int64_t{4});
        QCOMPARE(difference.columns, std::int64_t{4});
        QCOMPARE(difference.firstAtom, (std::vector<std::int64_t>{0, 1, 2, -1}));
        QCOMPARE(difference.secondAtom, (std::vector<std::int64_t>{2, 0, -1, 1}));
        const std::vector<std::string> expected = {
            "=.<>",  // .: neither, <: the first, >: the second
            ".=><",  //
            "<..<",  //
            ".>.."};
        for (std::size_t row = 0; row < 4; ++row) {
            for (std::size_t column = 0; column < 4; ++column) {
                const char words[] = {'.', '<', '>', '='};
                QCOMPARE(words[difference.where[column * 4 + row]], expected[row][column]);
            }
        }
        // In both: 1 − 1 and 3 − 2. The scale is three times √((0² + 1²) / 2).
        QVERIFY(std::abs(difference.scale - 3 * std::sqrt(0.5)) < 1e-6);
        QCOMPARE(difference.valueDifference[0], 0.0F);
        QCOMPARE(difference.valueDifference[4 + 1], 1.0F);
        QCOMPARE(int(difference.valueDifference[4 + 3]), 0);  // in one only
    }

    void theMapOfDifferencesAgreesWithItsSums() {
        const SparseDictionaryFactors first = randomFactors(24, 15, 40, 3);
        SparseDictionaryFactors second = randomFactors(24, 18, 40, 8);
        const PatternComparison sums = comparePatterns(first, second);
        const PatternDifference map = patternDifference(first, second, sums);
        const auto count = [&](PatternDifference::Where where) {
            return std::int64_t(std::count(map.where.begin(), map.where.end(), where));
        };
        QCOMPARE(count(PatternDifference::Both), sums.both);
        QCOMPARE(count(PatternDifference::OnlyFirst), sums.onlyFirst);
        QCOMPARE(count(PatternDifference::OnlySecond), sums.onlySecond);

        // The same factors, every atom scaled or turned round: nothing differs.
        second = first;
        for (int i = 0; i < 15; ++i) {
            const float scale = i % 2 == 0 ? -2.0F : 0.3F;
            second.dictionary.col(i) *= scale;
            second.codes.row(i) /= scale;
        }
        const PatternDifference none =
            patternDifference(first, second, comparePatterns(first, second));
        QCOMPARE(none.scale, 0.0);
        QVERIFY(std::all_of(none.valueDifference.begin(), none.valueDifference.end(),
                            [](float value) { return value == 0; }));
    }

    // Against values written by hand: D's atoms are 3, 5 and 2 long.
    void entriesComeWithTheirValues() {
        SparseDictionaryFactors factors;
        factors.dictionary = Eigen::MatrixXf::Zero(2, 3);
        factors.dictionary.col(0) << 3, 0;
        factors.dictionary.col(1) << 3, -4;
        factors.dictionary.col(2) << 0, 2;
        factors.codes = Eigen::MatrixXf::Zero(3, 4);
        factors.codes(0, 1) = 1;     // 3
        factors.codes(0, 3) = -2;    // −6
        factors.codes(1, 1) = 0.4F;  // 2
        factors.codes(2, 0) = 7;     // 14
        SparsityPattern pattern;
        pattern.k = 3;
        pattern.d2 = 4;
        pattern.entries = {0, 0, 1, 1, 1, 0, 0, 0, 0, 1, 0, 0};
        pattern.atomUsage = {2, 1, 1};
        const PatternValues values = patternValues(factors);
        QCOMPARE(values.values, (std::vector<float>{0, 0, 14, 3, 2, 0, 0, 0, 0, -6, 0, 0}));
        QVERIFY(std::abs(values.scale - 3 * std::sqrt((196.0 + 9 + 4 + 36) / 4)) < 1e-5);
        QCOMPARE(entriesOfAtom(pattern, values, 0), (std::vector<PatternEntry>{{3, -6}, {1, 3}}));
        QCOMPARE(entriesOfColumn(pattern, values, 1), (std::vector<PatternEntry>{{0, 3}, {1, 2}}));
        QVERIFY(entriesOfColumn(pattern, values, 2).empty());
        QCOMPARE(columnUsage(pattern), (std::vector<std::int64_t>{1, 2, 0, 1}));
        factors.codes.setZero();
        QCOMPARE(patternValues(factors).scale, 0.0);
    }

    void otherMatricesAreRefused() {
        const SparseDictionaryFactors first = randomFactors(24, 15, 40, 3);
        SparseDictionaryFactors other = randomFactors(20, 15, 40, 3);
        QVERIFY_THROWS_EXCEPTION(Error, (void)comparePatterns(first, other));
        other = first;
        other.side = DictionarySide::Output;
        QVERIFY_THROWS_EXCEPTION(Error, (void)comparePatterns(first, other));
    }
};

COSPADI_TEST(TestPatterns)

}  // namespace tst_patterns

#include "tst_patterns.moc"
