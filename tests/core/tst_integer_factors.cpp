// Factors in integers of few bits: values, runs and bytes by hand, what rounding leaves of the
// least squares of a reference in double, and what is refused.
#include <QtTest>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/bfloat16.h"
#include "core/base/error.h"
#include "core/forms/integer_columns.h"
#include "core/forms/low_rank/low_rank_weight.h"
#include "core/forms/matrix_file.h"
#include "core/forms/sparse_dictionary/sparse_dictionary_weight.h"
#include "core/linalg/cpu_backend.h"
#include "core/methods/compot/compot_method.h"
#include "core/methods/compress_matrix.h"
#include "core/methods/cospadi/cospadi_method.h"
#include "core/methods/geopair/geopair_method.h"
#include "core/methods/integer_factors/integer_factors.h"
#include "core/methods/integer_factors/nearest_plane.h"
#include "core/methods/low_rank/svd_llm_method.h"
#include "core/methods/low_rank/svd_llm_v2_method.h"
#include "core/methods/low_rank/svd_method.h"
#include "core/methods/rocket/rocket_method.h"
#include "core/store/run_specification.h"
#include "tests/core/low_rank_factors.h"
#include "tests/core/reference_algebra.h"
#include "tests/core/sample_layers.h"
#include "tests/core/tensor_bytes.h"
#include "tests/registered_test.h"

namespace tst_integer_factors {

using namespace cospadi;
using namespace cospadi::sample;
using Eigen::MatrixXd;
using Eigen::MatrixXf;
namespace fs = std::filesystem;

namespace {

MatrixXd inputsGram(int d1) {
    std::srand(4);
    const MatrixXd x = MatrixXd::Random(4 * d1, d1);
    return x.transpose() * x;
}

MatrixOptions optionsOf(const Method& method, int dictionaryBits, int coefficientBits,
                        double cr = 0.7) {
    MatrixOptions options;
    options.method = &method;
    options.accounting = Accounting::Integers;
    options.cr = cr;
    options.dictionaryBits = dictionaryBits;
    options.coefficientBits = coefficientBits;
    return options;
}

std::int64_t bytesOfBits(std::int64_t bits) { return (bits + 7) / 8; }

std::int64_t runsOf(std::int64_t entries) { return (entries + 63) / 64; }

MatrixRecord recordOf(int d1, int d2) {
    MatrixRecord record;
    record.name = "blk.0.attn_q";
    record.kind = "attn_q";
    record.d1 = d1;
    record.d2 = d2;
    return record;
}

template <typename Call>
std::string whereItThrows(const Call& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.where();
    }
    return "";
}

void methodsAndBits() {
    QTest::addColumn<QByteArray>("method");
    QTest::addColumn<int>("d1");
    QTest::addColumn<int>("d2");
    QTest::addColumn<int>("left");
    QTest::addColumn<int>("right");
    for (const char* method : {"svd", "svd-llm", "svd-llm-v2", "cospadi", "compot", "rocket"}) {
        for (const auto& [d1, d2] : {std::pair{80, 144}, {144, 80}}) {
            for (const auto& [left, right] : {std::pair{3, 2}, {4, 4}, {8, 5}}) {
                QTest::addRow("%s, %d x %d, %d + %d", method, d1, d2, left, right)
                    << QByteArray(method) << d1 << d2 << left << right;
            }
        }
    }
}

}  // namespace

class TestIntegerFactors : public QObject {
    Q_OBJECT
    CpuBackend m_backend;
    QTemporaryDir m_folder;

  private slots:
    // Of two bits and half-step h: −3h, −h, h, 3h, and the nearest of them.
    void valuesAreThoseByHand() {
        const IntegerGrid two{2, 0.5F};
        for (const auto& [code, value] : {std::pair{0, -1.5F}, {1, -0.5F}, {2, 0.5F}, {3, 1.5F}}) {
            QCOMPARE(two.valueOf(static_cast<std::uint8_t>(code)), value);
        }
        for (const auto& [value, nearest] : {std::pair{-9.0F, -1.5F},
                                             {-1.01F, -1.5F},
                                             {-0.99F, -0.5F},
                                             {-0.01F, -0.5F},
                                             {0.01F, 0.5F},
                                             {0.99F, 0.5F},
                                             {1.01F, 1.5F},
                                             {9.0F, 1.5F}}) {
            QCOMPARE(two.rounded(value), nearest);
        }
        const std::vector<float> exact{-3, 1, 3, -1};
        QCOMPARE(fitIntegerGrid(exact, 2).halfStep, 1.0F);
        for (int bits = 2; bits <= 8; ++bits) {
            for (int code = 0; code < 1 << bits; ++code) {
                const IntegerGrid grid{bits, roundedToBf16(0.37F)};
                const auto own = static_cast<std::uint8_t>(code);
                const float exactly =
                    grid.halfStep * static_cast<float>(2 * code + 1 - (1 << bits));
                QCOMPARE(grid.valueOf(own), roundedToBf16(exactly));
                QCOMPARE(grid.nearest(grid.valueOf(own)), own);  // so that files give it back
            }
        }
    }

    // Every entry in one run, runs in order, as long as each other but for one entry.
    void runsShareAColumn() {
        for (std::int64_t n = 1; n < 200; ++n) {
            for (const std::int64_t q : {1, 2, 3, 7}) {
                std::vector<std::int64_t> lengths(static_cast<std::size_t>(q), 0);
                std::int64_t last = 0;
                for (std::int64_t t = 0; t < n; ++t) {
                    const std::int64_t run = runOf(t, n, q);
                    QVERIFY(run >= last && run < q);
                    last = run;
                    ++lengths[static_cast<std::size_t>(run)];
                }
                const auto [least, most] = std::minmax_element(lengths.begin(), lengths.end());
                QVERIFY(*most - *least <= 1);
            }
        }
    }

    // The largest sizes whose bits by hand fit.
    void budgetsAreThoseByHand() {
        for (const auto& [d1, d2] : {std::pair{576, 1536}, {1536, 576}, {100, 70}}) {
            for (const double cr : {0.5, 0.78, 0.85}) {
                for (const auto& [left, right] : {std::pair{3, 3}, {4, 2}, {8, 6}}) {
                    const auto room =
                        static_cast<std::int64_t>((1 - cr) * 16 * d1 * d2 * (1 + 1e-9));
                    const auto lowRankBits = [&](std::int64_t r) {
                        return r * (left * d1 + 16 * runsOf(d1)) +
                               d2 * (right * r + 16 * runsOf(r));
                    };
                    const LowRankBudget low =
                        lowRankBudget(d1, d2, cr, Accounting::Integers, right, left);
                    QCOMPARE(8 * low.totalBytes(), static_cast<double>(lowRankBits(low.rank)));
                    QVERIFY(lowRankBits(low.rank) <= room);
                    QVERIFY(low.rank == std::min(d1, d2) || lowRankBits(low.rank + 1) > room);

                    const auto sparseBits = [&](std::int64_t k) {
                        const std::int64_t s = k / 2;
                        return k * (left * d1 + 16 * runsOf(d1)) +
                               d2 * (right * s + 16 * runsOf(s) + k);
                    };
                    const SparseBudget sparse =
                        sparseBudget(d1, d2, cr, 2, Accounting::Integers, right, left);
                    QCOMPARE(sparse.s, sparse.k / 2);
                    QCOMPARE(8 * sparse.totalBytes(), static_cast<double>(sparseBits(sparse.k)));
                    QVERIFY(sparseBits(sparse.k) <= room);
                    QVERIFY(sparseBits(sparse.k + 1) > room);
                }
            }
        }
    }

    // Which pair a trial takes is not known before: the plan has room for any of those documented,
    // and is one of them. Of 576 x 1536 at CR 0.6 three bits end at rank 576 with
    // (576 + 1536) · (216 + 18) bytes, four with (576 + 1536) · (288 + 18): only six go on.
    void plansHaveRoomForAnyTrial_data() {
        QTest::addColumn<QByteArray>("method");
        for (const char* method : {"svd", "svd-llm", "cospadi", "compot", "rocket"}) {
            QTest::newRow(method) << QByteArray(method);
        }
    }
    void plansHaveRoomForAnyTrial() {
        QFETCH(QByteArray, method);
        const Method& planned = methodFromName(method.toStdString());
        const auto bytesOf = [&](int left, int right, double cr) {
            return planned.plan(optionsOf(planned, left, right, cr), 576, 1536).bytes();
        };
        double before = 2.0 * 576 * 1536;
        for (const double cr : {0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8}) {
            double most = 0;
            for (const auto& [left, right] : {std::pair{3, 2}, {3, 3}, {4, 4}, {6, 6}}) {
                most = std::max(most, bytesOf(left, right, cr));
            }
            QCOMPARE(bytesOf(0, 0, cr), most);
            QVERIFY(most <= (1 - cr) * 2 * 576 * 1536);
            QVERIFY(most <= before);
            before = most;
            QCOMPARE(bytesOf(5, 0, cr), std::max({bytesOf(5, 2, cr), bytesOf(5, 3, cr),
                                                  bytesOf(5, 4, cr), bytesOf(5, 6, cr)}));
        }
        QVERIFY(bytesOf(0, 0, 0.6) > 2112 * 306);
    }

    // A ratio that leaves one of the pairs nothing is none that a trial can have: of the 4096 bytes
    // of 64 x 32 rank 1 takes 26 + 32 · 2.25 in three and two bits, 50 + 32 · 2.75 in six and six.
    void everyPairNeedsRoom() {
        for (const double cr : {0.96, 0.97}) {
            QVERIFY(isStorable(optionsOf(svdMethod(), 3, 2, cr), 64, 32));
            QCOMPARE(isStorable(optionsOf(svdMethod(), 6, 6, cr), 64, 32), cr < 0.966);
            QCOMPARE(isStorable(optionsOf(svdMethod(), 0, 0, cr), 64, 32), cr < 0.966);
        }
    }

    // What a file holds is what was measured, and takes the bytes that bits and runs come to.
    void filesHoldTheirPlan_data() { methodsAndBits(); }
    void filesHoldTheirPlan() {
        QFETCH(QByteArray, method);
        QFETCH(int, d1);
        QFETCH(int, d2);
        QFETCH(int, left);
        QFETCH(int, right);
        const MatrixXf w = layerWeight(d1, d2, 3);
        const Whitening whitening(inputsGram(d1), "layer");
        const MatrixOptions options = optionsOf(methodFromName(method.toStdString()), left, right);
        const CompressedMatrix result = compressMatrix(m_backend, w, &whitening, options);
        const CompressedMatrix again = compressMatrix(m_backend, w, &whitening, options);
        QVERIFY(result.weight->equals(*again.weight));

        MatrixRecord record = recordOf(d1, d2);
        const fs::path path = m_folder.filePath("integers").toStdString();
        writeMatrixFile(path, *result.weight, record);
        const StoredMatrix back = readMatrixFile(path);
        QVERIFY(back.weight->equals(*result.weight));
        QVERIFY(back.weight->facts() == result.weight->facts());
        QVERIFY(back.weight->recomposed() == result.weight->recomposed());

        const StoragePlan plan = options.method->plan(options, d1, d2);
        std::int64_t bytes = 0;
        if (const LowRankFactors* low = lowRankFactors(result.weight)) {
            const std::int64_t r = low->left.cols();
            bytes = bytesOfBits(left * d1 * r) + 2 * r * runsOf(d1) + bytesOfBits(right * r * d2) +
                    2 * d2 * runsOf(r);
            QVERIFY(plan.facts == result.weight->facts());
            QVERIFY(bytes - plan.bytes() < 2);
        } else {
            const SparseDictionaryFactors& sparse = *sparseFactors(result.weight);
            const std::int64_t k = sparse.dictionary.cols();
            const std::int64_t nonZeros = (sparse.codes.array() != 0).count();
            bytes = bytesOfBits(left * d1 * k) + 2 * k * runsOf(d1) +
                    bytesOfBits(right * nonZeros) + 2 * d2 * runsOf(sparse.s) + bytesOfBits(k * d2);
            QVERIFY(nonZeros <= sparse.s * d2);
            QVERIFY(static_cast<double>(bytes) < plan.bytes() + 3);
        }
        QCOMPARE(static_cast<std::int64_t>(testing::tensorBytes(path)), bytes);
        // The inference's layer computes with the same numbers.
        const auto product = result.weight->product();
        for (const MatrixXf& factor : {product->left, product->right}) {
            for (const float value : factor.reshaped()) {
                QCOMPARE(roundedToBf16(value), value);
            }
        }
    }

    // A factor of the metric; and of every entry the nearest value to what is left for it, which
    // costs at most a half-step in its direction where the grid reaches that far.
    void integersAreNearInTheMetric() {
        const int n = 40;
        const MatrixXd a = inputsGram(n);
        const MatrixXd c = lowerFactor(a);
        QVERIFY((c.transpose() * c - a).norm() < 1e-6 * a.norm());
        QVERIFY(c.triangularView<Eigen::StrictlyUpper>().toDenseMatrix().isZero(0));
        const Eigen::VectorXd real = Eigen::VectorXd::Random(n);
        const Eigen::VectorXd p = a * real;
        for (const int bits : {3, 5, 8}) {
            std::vector<float> steps(2);
            Eigen::VectorXf x(n);
            roundToNearestPlane(c, p, bits, steps, x);
            const Eigen::VectorXd off = c * (x.cast<double>() - real);
            const auto last = static_cast<float>((1 << bits) - 1);
            for (int i = 0; i < n; ++i) {
                const float step = steps[static_cast<std::size_t>(runOf(i, n, 2))];
                const bool isAtEnd = std::abs(x(i)) > (last - 0.5F) * step;
                // And what bfloat16 takes off a value.
                const double bound = (step + std::abs(x(i)) / 256) * c(i, i);
                QVERIFY(isAtEnd || std::abs(off(i)) <= bound * (1 + 1e-4));
            }
        }
    }

    // The right factor cannot be nearer than least squares in double to the left one as stored; and
    // what its integers add is less than rounding that minimum entry by entry would.
    void rightFactorsAreFittedToStoredLeftOnes_data() { shapes(); }
    void rightFactorsAreFittedToStoredLeftOnes() {
        QFETCH(int, d1);
        QFETCH(int, d2);
        const MatrixXf w = layerWeight(d1, d2, 3);
        const Whitening whitening(inputsGram(d1), "layer");
        const CompressedMatrix result =
            compressMatrix(m_backend, w, &whitening, optionsOf(svdLlmMethod(), 4, 4));
        const LowRankFactors& factors = *lowRankFactors(result.weight);
        const MatrixXd l =
            whitening.whitenedFromOriginal(MatrixXf::Identity(d1, d1)).cast<double>();
        const MatrixXd target = l * w.cast<double>();
        const MatrixXd left = l * factors.left.cast<double>();
        const MatrixXd optimum = reference::leastSquares(left, target);
        const auto error = [&](const MatrixXd& right) {
            return (target - left * right).norm() / target.norm();
        };
        MatrixXf nearest = optimum.cast<float>();
        roundToIntegers(4, runsOf(nearest.rows()), false, nearest);
        QVERIFY(std::abs(result.relativeError - error(factors.right.cast<double>())) < 1e-5);
        QVERIFY(error(optimum) <= result.relativeError);
        QVERIFY(result.relativeError <= error(nearest.cast<double>()));
    }

    void refitNeverRaisesTheError_data() { methodsAndBits(); }
    void refitNeverRaisesTheError() {
        QFETCH(QByteArray, method);
        QFETCH(int, d1);
        QFETCH(int, d2);
        QFETCH(int, left);
        QFETCH(int, right);
        const MatrixXf w = layerWeight(d1, d2, 5);
        const Whitening whitening(inputsGram(d1), "layer");
        MatrixOptions options = optionsOf(methodFromName(method.toStdString()), left, right);
        const double fitted = compressMatrix(m_backend, w, &whitening, options).relativeError;
        options.refit = false;
        const double plain = compressMatrix(m_backend, w, &whitening, options).relativeError;
        QVERIFY2(fitted <= plain, qPrintable(QString("%1 > %2").arg(fitted).arg(plain)));
    }

    // Where bits are left open, those of least error of what is tried count, and are told.
    void bitsAreChosenByError() {
        const MatrixXf w = layerWeight(80, 144, 3);
        const Whitening whitening(inputsGram(80), "layer");
        for (const double cr : {0.55, 0.7, 0.85}) {
            const MatrixOptions open = optionsOf(svdLlmMethod(), 0, 0, cr);
            double least = 1;
            nlohmann::json facts;
            for (const MatrixOptions& candidate : bitCandidates(open)) {
                const CompressedMatrix tried = compressMatrix(m_backend, w, &whitening, candidate);
                if (tried.relativeError < least) {
                    least = tried.relativeError;
                    facts = tried.weight->facts();
                }
            }
            const CompressedMatrix chosen = compressMatrix(m_backend, w, &whitening, open);
            QCOMPARE(chosen.relativeError, least);
            QVERIFY(chosen.weight->facts() == facts);
        }
        for (const MatrixOptions& one : bitCandidates(optionsOf(cospadiMethod(), 5, 0))) {
            QCOMPARE(one.dictionaryBits, 5);
        }
        const CompressedMatrix sparse =
            compressMatrix(m_backend, w, &whitening, optionsOf(cospadiMethod(), 0, 0));
        QVERIFY(sparse.weight->facts().at("dictionary_bits").get<int>() <= 6);
    }

    // Layers that share a first factor: one file for it, scales and all.
    void layersShareAFactor() {
        const MatrixXf w = layerWeight(80, 144, 3);
        for (const Method* method :
             {static_cast<const Method*>(&svdMethod()), &cospadiFreeMethod()}) {
            const auto wide =
                compressMatrix(m_backend, w, nullptr, optionsOf(*method, 4, 3)).weight;
            const std::vector<StoredWeightPtr> parts = wide->split({100, 44});
            std::vector<MatrixRecord> records{recordOf(80, 100), recordOf(80, 44)};
            records[1].name = "blk.1.attn_q";
            const fs::path folder = m_folder.path().toStdString();
            writeMatrixFiles(folder, "unit", parts, records);
            const MatrixXf whole = wide->recomposed();
            QVERIFY(readMatrixFile(unitFile(folder, records[0].name)).weight->recomposed() ==
                    whole.leftCols(100));
            QVERIFY(readMatrixFile(unitFile(folder, records[1].name)).weight->recomposed() ==
                    whole.rightCols(44));
        }
    }

    void whatCannotBeIsRefused() {
        const auto refused = [](const char* fields) {
            return whereItThrows([&] {
                validate(runSpecificationFromJson(nlohmann::json::parse(
                    std::string(R"({"model": "m", "accounting": "integers", )") + fields + "}")));
            });
        };
        QCOMPARE(refused(R"("method": "cospadi")"), std::string());
        QCOMPARE(refused(R"("method": "svd-llm", "coefficient_bits": 2)"), std::string());
        QCOMPARE(refused(R"("method": "svd-llm", "coefficient_bits": 1)"),
                 std::string("coefficient_bits"));
        QCOMPARE(refused(R"("method": "cospadi", "coefficient_bits": 9)"),
                 std::string("coefficient_bits"));
        QCOMPARE(refused(R"("method": "cospadi", "dictionary_bits": 1)"),
                 std::string("dictionary_bits"));
        QCOMPARE(refused(R"("method": "cospadi", "dictionary_bits": 9)"),
                 std::string("dictionary_bits"));
        QCOMPARE(refused(R"("method": "cospadi", "side": "output")"), std::string("side"));
        QCOMPARE(refused(R"("method": "cospadi", "refine": 8)"), std::string("refine"));
        QCOMPARE(refused(R"("method": "cospadi", "output_metric": "fisher")"),
                 std::string("output_metric"));
        QCOMPARE(refused(R"("method": "geopair")"), std::string("accounting"));

        const MatrixXf w = layerWeight(64, 64, 3);
        const auto weight =
            compressMatrix(m_backend, w, nullptr, optionsOf(svdMethod(), 4, 4)).weight;
        QCOMPARE(whereItThrows([&] { weight->withFactors(*weight->product()); }),
                 std::string("accounting"));
        QCOMPARE(whereItThrows([&] { weight->requantized(12, CoefficientRounding::Nearest); }),
                 std::string("accounting"));
    }
};

COSPADI_TEST(TestIntegerFactors)

}  // namespace tst_integer_factors

#include "tst_integer_factors.moc"
