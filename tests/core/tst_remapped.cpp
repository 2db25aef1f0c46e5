// Remapped factors (Dobi-SVD): the code of eight bits against its definition, what a file holds and
// takes, and what storing leaves of the optimum of so many ranks.
#include <QtTest>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/bfloat16.h"
#include "core/base/error.h"
#include "core/forms/matrix_file.h"
#include "core/forms/remapped/dynamic_code.h"
#include "core/forms/remapped/remapped_weight.h"
#include "core/linalg/cpu_backend.h"
#include "core/methods/compress_matrix.h"
#include "core/methods/low_rank/asvd_method.h"
#include "core/methods/low_rank/svd_llm_method.h"
#include "core/methods/low_rank/svd_llm_v2_method.h"
#include "core/methods/low_rank/svd_method.h"
#include "tests/core/reference_algebra.h"
#include "tests/core/sample_layers.h"
#include "tests/core/tensor_bytes.h"
#include "tests/registered_test.h"

namespace tst_remapped {

using namespace cospadi;
using namespace cospadi::sample;
using Eigen::MatrixXd;
using Eigen::MatrixXf;
namespace fs = std::filesystem;

namespace {

const RemappedWeight& remappedOf(const StoredWeightPtr& weight) {
    return dynamic_cast<const RemappedWeight&>(*weight);
}

MatrixXf layerWeight(int d1, int d2) {
    std::srand(3);
    MatrixXf w = MatrixXf::Random(d1, d2);
    for (int i = 0; i < d1; ++i) {
        w.row(i) /= 1.0F + static_cast<float>(i);
    }
    return reference::orthonormal(MatrixXd::Random(d1, d1)).cast<float>() * w;
}

MatrixXd inputsGram(int d1) {
    std::srand(4);
    const MatrixXd x = MatrixXd::Random(4 * d1, d1);
    return x.transpose() * x;
}

MatrixOptions optionsOf(const Method& method, double cr) {
    MatrixOptions options;
    options.method = &method;
    options.accounting = Accounting::Remapped;
    options.cr = cr;
    return options;
}

}  // namespace

class TestRemapped : public QObject {
    Q_OBJECT
    CpuBackend m_backend;
    QTemporaryDir m_folder;

  private slots:
    // Zero, one, and ±10^(e − 6) times the midpoints of 2^e parts of [0.1, 1]: 2 · 127 + 2.
    void codesAreAsDefined() {
        std::vector<double> expected{0, 1};
        for (int e = 0; e <= 6; ++e) {
            const double width = 0.9 / std::pow(2.0, e);
            for (double low = 0.1; low < 1 - width / 2; low += width) {
                for (const double sign : {-1.0, 1.0}) {
                    expected.push_back(sign * std::pow(10.0, e - 6) * (low + width / 2));
                }
            }
        }
        std::sort(expected.begin(), expected.end());
        QCOMPARE(expected.size(), std::size_t{256});
        for (std::size_t i = 0; i < 256; ++i) {
            const auto code = static_cast<std::uint8_t>(i);
            QVERIFY(std::abs(static_cast<double>(dynamicValue(code)) - expected[i]) <=
                    1e-6 * std::abs(expected[i]));
            QCOMPARE(nearestDynamicCode(dynamicValue(code)), code);
        }
    }

    void codesAreTheNearest() {
        std::srand(5);
        for (int i = 0; i < 4000; ++i) {
            const double unit = 2.0 * std::rand() / RAND_MAX - 1;
            const auto value = static_cast<float>(1.1 * unit * std::pow(10.0, -(i % 9)));
            const float distance = std::abs(dynamicValue(nearestDynamicCode(value)) - value);
            for (int code = 0; code < 256; ++code) {
                const float other = std::abs(dynamicValue(static_cast<std::uint8_t>(code)) - value);
                QVERIFY(distance <= other);
            }
        }
    }

    // The first m entries of a column are codes of its own scale, the rest bfloat16; a column of
    // zeros stays one.
    void columnsAreRounded() {
        std::srand(6);
        MatrixXf columns = MatrixXf::Random(30, 5);
        columns.col(1) *= 1e-12F;
        columns.col(2).setZero();
        columns.col(3).head(20).setZero();
        const RemappedColumns stored = remapped(columns, 20);
        const MatrixXf back = stored.decoded();
        QVERIFY(back.col(2).isZero(0));
        for (Eigen::Index j = 0; j < 5; ++j) {
            const float largest = columns.col(j).head(20).cwiseAbs().maxCoeff();
            QCOMPARE(stored.scales(j), roundedToBf16(largest));
            for (Eigen::Index i = 0; i < 20; ++i) {
                QCOMPARE(roundedToBf16(back(i, j)), back(i, j));
                // Half of the widest gap, 0.9/64, the end below −1, and bfloat16 of scale and value
                QVERIFY(std::abs(back(i, j) - columns(i, j)) <= (0.0071F + 1.0F / 256) * largest);
            }
            for (Eigen::Index i = 20; i < 30; ++i) {
                QCOMPARE(back(i, j), roundedToBf16(columns(i, j)));
            }
        }
    }

    // 16 max(d1, d2) bits a rank and two scales, and so it is told before.
    void filesTakeTheirPlan_data() { shapes(); }
    void filesTakeTheirPlan() {
        QFETCH(int, d1);
        QFETCH(int, d2);
        const MatrixXf w = layerWeight(d1, d2);
        const Whitening whitening(inputsGram(d1), "layer");
        for (const LowRankMethod* method :
             {&svdMethod(), &asvdMethod(), &svdLlmMethod(), &svdLlmV2Method()}) {
            const MatrixOptions options = optionsOf(*method, 0.4);
            const CompressedMatrix result = compressMatrix(m_backend, w, &whitening, options);
            QCOMPARE(std::string(result.weight->form()), std::string(method->formUnder(options)));
            const StoragePlan plan = method->plan(options, d1, d2);
            QVERIFY(plan.facts == result.weight->facts());
            const auto rank = plan.facts.at("rank").get<std::int64_t>();
            QCOMPARE(rank, static_cast<std::int64_t>(0.6 * d1 * d2 / (std::max(d1, d2) + 2)));
            QCOMPARE(plan.bytes(), static_cast<double>(rank * (2 * std::max(d1, d2) + 4)));

            MatrixRecord record;
            record.name = "blk.0.attn_q";
            record.kind = "attn_q";
            record.d1 = d1;
            record.d2 = d2;
            const fs::path path = m_folder.filePath("remapped").toStdString();
            writeMatrixFile(path, *result.weight, record);
            const std::size_t bytes = testing::tensorBytes(path);
            QCOMPARE(static_cast<double>(bytes), plan.bytes());
            const StoredMatrix read = readMatrixFile(path);
            QVERIFY(read.weight->equals(*result.weight));
            QCOMPARE(read.record.form, std::string(RemappedWeight::kForm));
            QCOMPARE(read.record.rank, rank);
            QCOMPARE(read.weight->recomposed(), result.weight->recomposed());
            QCOMPARE(read.weight->makeLayer(record.bytes)->denseWeight(),
                     result.weight->recomposed());
            const MatrixXd l = reference::choleskyFactor(inputsGram(d1));
            const double measured = (l * (w - read.weight->recomposed()).cast<double>()).norm() /
                                    (l * w.cast<double>()).norm();
            QVERIFY(std::abs(measured - result.relativeError) < 1e-5);

            record.d2 += 1;  // a head that its tensors do not have
            writeMatrixFile(path, *result.weight, record);
            QVERIFY_THROWS_EXCEPTION(Error, static_cast<void>(readMatrixFile(path)));
            record.d2 -= 1;
            writeMatrixFile(path, *result.weight, record);
            fs::resize_file(path, fs::file_size(path) - 5);
            QVERIFY_THROWS_EXCEPTION(Error, static_cast<void>(readMatrixFile(path)));
        }
    }

    // A scale is that of a whole row of C, which layers side by side would not have in common.
    void layersDoNotShareThem() {
        MatrixOptions options = optionsOf(svdLlmMethod(), 0.4);
        svdLlmMethod().validate(options);
        setOwnOption(options, "groups", "pairs");
        try {
            svdLlmMethod().validate(options);
            QFAIL("was accepted");
        } catch (const Error& error) {
            QCOMPARE(error.where(), std::string("groups"));
        }
        options.accounting = Accounting::Packed8;
        svdLlmMethod().validate(options);
    }

    // Above the optimum of its rank by what codes leave: 0.7 % of a column's largest entry at most,
    // which is some three times its usual one, in either factor. Other right factors than the
    // refitted one are no better.
    void nearTheOptimumOfItsRank_data() { shapes(); }
    void nearTheOptimumOfItsRank() {
        QFETCH(int, d1);
        QFETCH(int, d2);
        const double rounding = 0.03;
        const MatrixXf w = layerWeight(d1, d2);
        const MatrixXd gram = inputsGram(d1);
        const Whitening whitening(gram, "layer");
        const MatrixXd l = reference::choleskyFactor(gram);
        const MatrixXd target = l * w.cast<double>();
        const Eigen::VectorXd values = reference::svd(target).values;
        double before = 1;
        for (const double cr : {0.9, 0.8, 0.6}) {
            MatrixOptions options = optionsOf(svdLlmMethod(), cr);
            const CompressedMatrix result = compressMatrix(m_backend, w, &whitening, options);
            const RemappedWeight& stored = remappedOf(result.weight);
            const Eigen::Index rank = stored.left().codes.cols();
            const double least = values.tail(values.size() - rank).norm() / values.norm();
            QVERIFY2(result.relativeError >= least * (1 - 1e-6) &&
                         result.relativeError < std::hypot(least, rounding),
                     qPrintable(QString("%1, at best %2").arg(result.relativeError).arg(least)));
            QVERIFY(result.relativeError < before);
            before = result.relativeError;

            const MatrixXd left = l * stored.left().decoded().cast<double>();
            const MatrixXd best = reference::leastSquares(left, target);
            const RemappedColumns expected =
                remapped(best.transpose().cast<float>(), std::min(d1, d2));
            QVERIFY((expected.decoded() - stored.right().decoded()).norm() <
                    2e-3F * expected.decoded().norm());
            options.refit = false;
            const CompressedMatrix unfitted = compressMatrix(m_backend, w, &whitening, options);
            QVERIFY(remappedOf(unfitted.weight).left().codes == stored.left().codes);
            QVERIFY((target - left * best).norm() <=
                    unfitted.relativeError * target.norm() * (1 + 1e-6));
        }
    }
};

COSPADI_TEST(TestRemapped)

}  // namespace tst_remapped

#include "tst_remapped.moc"
