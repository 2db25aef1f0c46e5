// The stored form group-quantised: the bytes planned and those of its file, its size in memory, and
// what it refuses.
#include <QtTest>

#include "core/base/error.h"
#include "core/forms/group_quantised/group_quantised_weight.h"
#include "core/forms/matrix_file.h"
#include "core/linalg/cpu_backend.h"
#include "core/methods/group_quantisation/gptq_method.h"
#include "core/methods/group_quantisation/rtn_method.h"
#include "tests/core/group_quantised_fixture.h"
#include "tests/core/message_of.h"
#include "tests/core/sample_matrices.h"
#include "tests/core/tensor_bytes.h"
#include "tests/registered_test.h"

namespace tst_group_quantised {

using namespace cospadi;
using namespace cospadi::group_quantised;
using namespace cospadi::sample;
using Eigen::MatrixXd;
using Eigen::MatrixXf;

class TestGroupQuantised : public QObject {
    Q_OBJECT
    CpuBackend m_backend;
    QTemporaryDir m_folder;

  private slots:
    void aFileHoldsItInThePlannedBytes() {
        const MatrixXf w = randomMatrix(96, 40, 3);
        const MatrixXd gram = correlatedGram(96, 300, 4);
        for (const char* zeroPoint : {"minimum", "none"}) {
            for (const int bits : {2, 3, 8}) {
                const MatrixOptions options = optionsOf(gptqMethod(), bits, 32, zeroPoint);
                const CompressedMatrix result = compressed(m_backend, w, gram, options);
                const double planned = gptqMethod().plan(options, 96, 40).bytes();
                // A code an entry; a scale, and a minimum where there is one, for 32 entries.
                const double bitsAGroup = std::string_view(zeroPoint) == "minimum" ? 32 : 16;
                QCOMPARE(planned, 96 * 40 * (bits + bitsAGroup / 32) / 8);
                MatrixRecord record;
                record.name = "blk.0.attn_q";
                record.kind = "attn_q";
                record.d1 = 96;
                record.d2 = 40;
                const std::filesystem::path path =
                    m_folder.filePath(QString::number(bits) + zeroPoint).toStdString();
                writeMatrixFile(path, *result.weight, record);
                const StoredMatrix read = readMatrixFile(path);
                QVERIFY(read.weight->equals(*result.weight));
                QCOMPARE(read.record.form, std::string(GroupQuantisedWeight::kForm));
                const std::size_t bytes = testing::tensorBytes(path);
                QCOMPARE(static_cast<double>(bytes), std::ceil(planned));
                // The error that is told is that of these codes in the Gram's metric.
                const MatrixXd residual =
                    w.cast<double>() - read.weight->recomposed().cast<double>();
                const MatrixXd whole = w.cast<double>();
                const double error = std::sqrt((residual.transpose() * gram * residual).trace() /
                                               (whole.transpose() * gram * whole).trace());
                QVERIFY(std::abs(result.relativeError - error) < 1e-5);
            }
        }
    }

    // In memory as small as codes of 4 or 8 bits allow, where 32 inputs have one scale.
    void layersKeepTheirCodes() {
        constexpr int d1 = 128;
        constexpr int d2 = 20;
        std::srand(8);
        const MatrixXf w = MatrixXf::Random(d1, d2);
        const MatrixXd gram = correlatedGram(d1, 300, 8);
        for (const char* zeroPoint : {"minimum", "none"}) {
            for (const int bits : {2, 4, 5, 8}) {
                for (const int groupSize : {16, 32, 64}) {
                    const CompressedMatrix result = compressed(
                        m_backend, w, gram, optionsOf(rtnMethod(), bits, groupSize, zeroPoint));
                    const auto layer = result.weight->makeLayer(1);
                    QVERIFY(layer->denseWeight() == result.weight->recomposed());
                    constexpr int kColumns = 32;  // d2 in groups of 16
                    const int blockBytes = 4 + (bits <= 4 ? 16 : 32);
                    QCOMPARE(layer->memoryBytes(),
                             std::int64_t{groupSize < 32 ? 4 * d1 * d2
                                                         : kColumns * d1 / 32 * blockBytes});
                }
            }
        }
    }

    void formsWithoutSuchAFactorSaySo() {
        MatrixOptions options;
        options.method = &rtnMethod();
        const MatrixXf w = MatrixXf::Random(64, 4);
        const CompressedMatrix result =
            options.method->solve({m_backend, w, nullptr, options}, {}, {});
        const auto refusal = [&](const auto& change) {
            return messageOf([&] { (void)change(*result.weight); });
        };
        for (const std::string& message :
             {refusal([](const StoredWeight& weight) {
                  return weight.split({2, 2});
              }),
              refusal([](const StoredWeight& weight) {
                  return weight.requantized(12, CoefficientRounding::Nearest);
              }),
              refusal([](const StoredWeight& weight) { return weight.withFactors({}); })}) {
            QVERIFY2(message.find("the form group-quantised has no ") != std::string::npos,
                     message.c_str());
        }
    }
};

COSPADI_TEST(TestGroupQuantised)

}  // namespace tst_group_quantised

#include "tst_group_quantised.moc"
