// What a token's product takes, counted one multiplication after the other by loops that compute it
// as the paper writes it (appendix "Low-rank and CoSpaDi Inference Complexity").
#include <QtTest>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/dictionary/budget.h"
#include "core/forms/group_quantised/group_quantised_weight.h"
#include "core/forms/low_rank/low_rank_weight.h"
#include "core/forms/matrix_file.h"
#include "core/forms/matrix_record.h"
#include "core/forms/pruned/pruned_weight.h"
#include "core/forms/remapped/remapped_weight.h"
#include "core/store/matrix_totals.h"
#include "tests/core/sample_matrices.h"
#include "tests/registered_test.h"

namespace tst_multiplications {

using namespace cospadi;
using Eigen::MatrixXf;
using Eigen::VectorXd;
using sample::randomMatrix;

namespace {

struct Product {
    VectorXd y;
    std::int64_t multiplications = 0;
};

// y = x A over the entries of A.
Product dense(const VectorXd& x, const MatrixXf& a) {
    Product result{VectorXd::Zero(a.cols()), 0};
    for (Eigen::Index j = 0; j < a.cols(); ++j) {
        for (Eigen::Index i = 0; i < a.rows(); ++i) {
            result.y(j) += x(i) * static_cast<double>(a(i, j));
            ++result.multiplications;
        }
    }
    return result;
}

// y = (x D) S: an inner product with an atom is taken once, where the first column asks for it.
Product reused(const VectorXd& x, const MatrixXf& d, const MatrixXf& s) {
    Product result{VectorXd::Zero(s.cols()), 0};
    std::vector<std::optional<double>> inner(static_cast<std::size_t>(d.cols()));
    for (Eigen::Index j = 0; j < s.cols(); ++j) {
        for (Eigen::Index k = 0; k < s.rows(); ++k) {
            if (s(k, j) == 0) {
                continue;
            }
            auto& product = inner[static_cast<std::size_t>(k)];
            if (!product) {
                product = 0;
                for (Eigen::Index i = 0; i < d.rows(); ++i) {
                    *product += x(i) * static_cast<double>(d(i, k));
                    ++result.multiplications;
                }
            }
            result.y(j) += *product * static_cast<double>(s(k, j));
            ++result.multiplications;
        }
    }
    return result;
}

// y = (x Sᵀ) Dᵀ: a sum that an atom weighs is zero, and none of its multiplications made, where no
// input has a code for it.
Product overOutputs(const VectorXd& x, const MatrixXf& d, const MatrixXf& s) {
    Product result{VectorXd::Zero(d.rows()), 0};
    for (Eigen::Index k = 0; k < s.rows(); ++k) {
        double sum = 0;
        bool used = false;
        for (Eigen::Index i = 0; i < s.cols(); ++i) {
            if (s(k, i) != 0) {
                sum += x(i) * static_cast<double>(s(k, i));
                ++result.multiplications;
                used = true;
            }
        }
        for (Eigen::Index j = 0; used && j < d.rows(); ++j) {
            result.y(j) += sum * static_cast<double>(d(j, k));
            ++result.multiplications;
        }
    }
    return result;
}

VectorXd token(Eigen::Index d1) { return randomMatrix(static_cast<int>(d1), 1, 9).cast<double>(); }

void requireSameOutput(const Product& product, const StoredWeight& weight, const VectorXd& x) {
    const VectorXd expected = weight.recomposed().cast<double>().transpose() * x;
    QVERIFY((product.y - expected).norm() <= 1e-5 * expected.norm());
}

// k = 6 atoms, of which the second and the last are dead, and columns of 3, 1, 2, 3 and 0 codes.
SparseDictionaryFactors unevenFactors(int rows, DictionarySide side) {
    SparseDictionaryFactors factors;
    factors.dictionary = randomMatrix(rows, 6, 1);
    factors.codes = MatrixXf::Zero(6, 5);
    factors.s = 3;
    factors.side = side;
    for (const auto& [k, j] :
         {std::pair(0, 0), {2, 0}, {4, 0}, {2, 1}, {0, 2}, {3, 2}, {3, 3}, {4, 3}, {0, 3}}) {
        factors.codes(k, j) = 0.5F + static_cast<float>(k + j);
    }
    return factors;
}

}  // namespace

class TestMultiplications : public QObject {
    Q_OBJECT

  private slots:
    void denseIsTheProductOfTheSides() {
        GroupQuantisedCodes codes;
        codes.bits = 4;
        codes.groupSize = 4;
        codes.d1 = 8;
        codes.d2 = 5;
        codes.codes.assign(40, 3);
        codes.scales = MatrixXf::Constant(2, 5, 0.5F);
        const GroupQuantisedWeight weight(codes);
        const VectorXd x = token(8);
        const Product product = dense(x, weight.recomposed());
        QCOMPARE(product.multiplications, 40);  // O_baseline
        QCOMPARE(weight.multiplications(), product.multiplications);
        MatrixRow row;
        row.d1 = 8;
        row.d2 = 5;
        QCOMPARE(denseMultiplications({row, row}), 80.0);
    }

    void lowRankIsBothFactors() {
        const LowRankWeight weight({randomMatrix(11, 3, 1), randomMatrix(3, 7, 2)});
        const VectorXd x = token(11);
        const Product inner = dense(x, weight.factors().left);
        const Product outer = dense(inner.y, weight.factors().right);
        requireSameOutput(outer, weight, x);
        QCOMPARE(inner.multiplications + outer.multiplications, 3 * (11 + 7));  // O_LR
        QCOMPARE(weight.multiplications(), inner.multiplications + outer.multiplications);
    }

    void remappedIsBothFactors() {
        for (const auto& [d1, d2] : {std::pair(11, 7), {7, 11}, {8, 8}}) {
            const int m = std::min(d1, d2);
            const RemappedWeight weight(remapped(randomMatrix(d1, 3, 1), m),
                                        remapped(randomMatrix(d2, 3, 2), m));
            const Product inner = dense(token(d1), weight.left().decoded());
            const Product outer = dense(inner.y, weight.right().decoded().transpose());
            QCOMPARE(weight.multiplications(), inner.multiplications + outer.multiplications);
        }
    }

    void prunedIsWhatIsKept() {
        const MatrixXf w = randomMatrix(8, 5, 3);
        KeptWeights kept = KeptWeights::Constant(8, 5, false);
        std::int64_t count = 0;
        for (Eigen::Index i = 0; i < kept.size(); i += 3) {
            kept.data()[i] = true;
            ++count;
        }
        const PrunedWeight weight(prunedEntries({}, w, kept));
        QCOMPARE(weight.multiplications(), count);
    }

    void sparseIsActiveAtomsAndCodes() {
        const SparseDictionaryWeight weight(unevenFactors(11, DictionarySide::Input));
        const VectorXd x = token(11);
        const Product product = reused(x, weight.factors().dictionary, weight.factors().codes);
        requireSameOutput(product, weight, x);
        QCOMPARE(weight.activeAtoms(), 4);
        QCOMPARE(product.multiplications, 11 * 4 + 9);
        QCOMPARE(weight.multiplications(), product.multiplications);
        QCOMPARE(weight.facts().at("active_atoms").get<int>(), 4);
    }

    void sparseOverTheOutputs() {
        const SparseDictionaryWeight weight(unevenFactors(13, DictionarySide::Output));
        const VectorXd x = token(5);  // d1 = 5, d2 = 13
        const Product product = overOutputs(x, weight.factors().dictionary, weight.factors().codes);
        requireSameOutput(product, weight, x);
        QCOMPARE(weight.multiplications(), product.multiplications);
        QCOMPARE(weight.multiplications(), 13 * 4 + 9);
    }

    // s ≤ K_active ≤ min(k, s d2), the paper's bounds, are both taken.
    void theBoundsAreTaken() {
        SparseDictionaryFactors factors;
        factors.dictionary = randomMatrix(10, 12, 1);
        factors.s = 2;
        factors.codes = MatrixXf::Zero(12, 4);
        factors.codes.topRows(2).setOnes();  // all columns use the same atoms
        QCOMPARE(SparseDictionaryWeight(factors).activeAtoms(), 2);
        factors.codes.setZero();
        for (int j = 0; j < 4; ++j) {  // each its own
            factors.codes(2 * j, j) = factors.codes(2 * j + 1, j) = 1;
        }
        QCOMPARE(SparseDictionaryWeight(factors).activeAtoms(), 8);
    }

    // With every atom in use O_SD = (1 − γ) d1 d2 = O_LR at ρ = 2 under eq 11, to whole atoms,
    // codes and ranks.
    void atEqualStorageBothFormsTakeTheSame() {
        const std::int64_t d1 = 96;
        const std::int64_t d2 = 160;
        const double cr = 0.25;
        const SparseBudget sizes = sparseBudget(d1, d2, cr, 2, Accounting::Eq11, 0);
        SparseDictionaryFactors factors;
        factors.s = sizes.s;
        factors.dictionary = randomMatrix(static_cast<int>(d1), static_cast<int>(sizes.k), 1);
        factors.codes = MatrixXf::Zero(sizes.k, d2);
        for (Eigen::Index j = 0; j < d2; ++j) {
            for (Eigen::Index i = 0; i < sizes.s; ++i) {
                factors.codes((i + j * sizes.s) % sizes.k, j) = 1;
            }
        }
        const SparseDictionaryWeight sparse(factors);
        QCOMPARE(sparse.activeAtoms(), sizes.k);
        const double nominal = (1 - cr) * static_cast<double>(d1 * d2);
        const double unit = static_cast<double>(d1) + static_cast<double>(d2);
        QVERIFY(std::abs(static_cast<double>(sparse.multiplications()) - nominal) <= unit);
        const auto rank = static_cast<int>(nominal / unit);
        const LowRankWeight low({randomMatrix(static_cast<int>(d1), rank, 1),
                                 randomMatrix(rank, static_cast<int>(d2), 2)});
        QVERIFY(std::abs(static_cast<double>(low.multiplications()) - nominal) <= unit);
    }

    // Layers that share a dictionary use parts of it: their codes are those of the whole, their
    // atoms each its own.
    void layersThatShareCountTheirOwn() {
        const SparseDictionaryWeight whole(unevenFactors(11, DictionarySide::Input));
        const std::vector<StoredWeightPtr> parts = whole.split({2, 3});
        const auto active = [](const StoredWeightPtr& part) {
            return part->facts().at("active_atoms").get<int>();
        };
        QCOMPARE(active(parts[0]), 3);  // 0, 2 and 4
        QCOMPARE(active(parts[1]), 3);  // 0, 3 and 4
        QCOMPARE(parts[0]->multiplications(), 11 * 3 + 4);
        QCOMPARE(parts[1]->multiplications(), 11 * 3 + 5);
    }

    void theRecordHasThem() {
        MatrixRecord record;
        const SparseDictionaryWeight weight(unevenFactors(11, DictionarySide::Input));
        describe(record, weight);
        QCOMPARE(record.activeAtoms, 4);
        QCOMPARE(record.multiplications, 53);
        QCOMPARE(record.facts.at("active_atoms").get<int>(), 4);
        const MatrixRecord again = matrixRecordFromJson(toJson(record));
        QCOMPARE(again.activeAtoms, 4);
        QCOMPARE(again.multiplications, 53);
        // Of a layer that gives nothing an error on other text is no number.
        record.heldOutError = std::numeric_limits<double>::quiet_NaN();
        const auto read = nlohmann::json::parse(toJson(record).dump());
        QVERIFY(!matrixRecordFromJson(read).heldOutError);
        record.heldOutError.reset();
        // Of before they were counted.
        nlohmann::json older = toJson(record);
        older.erase("active_atoms");
        older.erase("multiplications");
        QCOMPARE(matrixRecordFromJson(older).multiplications, 0);
        MatrixRow known, unknown;
        known.multiplications = 53;
        QCOMPARE(totalMultiplications({known, known}), 106.0);
        QCOMPARE(totalMultiplications({known, unknown}), 0.0);
    }
};

COSPADI_TEST(TestMultiplications)

}  // namespace tst_multiplications

#include "tst_multiplications.moc"
