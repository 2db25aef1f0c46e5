// GPTQ against the optimal brain surgeon as it is defined: in double, input by input, with the
// inverse of what is left of the Gram written out; against theory, and against RTN.
#include <QtTest>
#include <algorithm>
#include <numeric>
#include <stop_token>

#include "core/base/error.h"
#include "core/linalg/cpu_backend.h"
#include "core/linalg/inverse_factor.h"
#include "core/linalg/whitening.h"
#include "core/methods/compress_matrix.h"
#include "core/methods/group_quantisation/gptq_method.h"
#include "core/methods/group_quantisation/rtn_method.h"
#include "tests/core/group_quantised_fixture.h"
#include "tests/core/reference_algebra.h"
#include "tests/core/sample_matrices.h"
#include "tests/registered_test.h"

namespace tst_gptq {

using namespace cospadi;
using namespace cospadi::group_quantised;
using namespace cospadi::sample;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::MatrixXf;
using Eigen::VectorXd;

namespace {

MatrixXd damped(MatrixXd gram, double damp) {
    gram.diagonal().array() += damp * gram.diagonal().mean();
    return gram;
}

std::vector<Index> byDiagonal(const MatrixXd& gram) {
    std::vector<Index> inputs(static_cast<std::size_t>(gram.rows()));
    std::iota(inputs.begin(), inputs.end(), Index{0});
    std::sort(inputs.begin(), inputs.end(),
              [&](Index a, Index b) { return gram(a, a) > gram(b, b); });
    return inputs;
}

// Of the inverse of the metric of the inputs that are left, with this one taken out as well.
void eliminate(Index input, MatrixXd& inverse) {
    const VectorXd column = inverse.col(input);
    inverse -= column * column.transpose() / column(input);
}

}  // namespace

class TestGptq : public QObject {
    Q_OBJECT
    CpuBackend m_backend;

  private slots:
    // UᵀU = A⁻¹, and what its rows say of the inverse of what is left.
    void inverseFactorIsThatOfTheInverse() {
        const MatrixXd a = damped(correlatedGram(70, 200, 4), 0.01);
        const MatrixXd u = inverseFactor(a);
        const MatrixXd inverse = reference::inverse(a);
        QVERIFY((u.transpose() * u - inverse).norm() < 1e-5 * inverse.norm());
        QVERIFY(u.isUpperTriangular(0));
        const MatrixXd rest = reference::inverse(a.bottomRightCorner(30, 30));
        QVERIFY((u(40, 40) * u.row(40).tail(30) - rest.row(0)).norm() < 1e-5 * rest.row(0).norm());
        MatrixXd indefinite = a;
        indefinite(3, 3) = -1;
        QVERIFY_THROWS_EXCEPTION(Error, static_cast<void>(inverseFactor(indefinite)));
    }

    // Every input's code is the nearest to what the optimal brain surgeon has left of the weight
    // when its turn comes, given the codes before it; every group's grid spans its weights as they
    // are then. Grids and codes are taken from the result one after the other, so that a value at
    // the middle between two codes decides nothing else.
    void isTheOptimalBrainSurgeon_data() {
        QTest::addColumn<int>("d1");
        QTest::addColumn<int>("bits");
        QTest::addColumn<int>("groupSize");
        QTest::addColumn<QByteArray>("zeroPoint");
        QTest::addColumn<double>("damp");
        QTest::addColumn<QByteArray>("actOrder");
        const auto row = [](int d1, int bits, int groupSize, const char* zeroPoint, double damp,
                            const char* actOrder) {
            QTest::addRow("%d inputs, %d bits, groups of %d, %s, damp %g, act_order %s", d1, bits,
                          groupSize, zeroPoint, damp, actOrder)
                << d1 << bits << groupSize << QByteArray(zeroPoint) << damp << QByteArray(actOrder);
        };
        row(48, 2, 16, "minimum", 0.01, "off");
        row(48, 3, 16, "none", 0.01, "off");
        row(48, 4, 48, "minimum", 0.3, "off");
        row(40, 4, 1, "none", 0.01, "off");
        // Past a block of 128: groups that divide it, that do not, and that pass it.
        row(320, 3, 32, "minimum", 0.01, "off");
        row(300, 4, 50, "minimum", 0.01, "off");
        row(384, 4, 128, "none", 0.001, "off");
        row(288, 3, 144, "minimum", 0.01, "off");
        row(160, 8, 32, "minimum", 0.01, "off");
        row(320, 5, 320, "minimum", 0.01, "off");
        row(48, 3, 16, "minimum", 0.01, "on");
        row(320, 4, 64, "none", 0.01, "on");
    }
    void isTheOptimalBrainSurgeon() {
        QFETCH(int, d1);
        QFETCH(int, bits);
        QFETCH(int, groupSize);
        QFETCH(QByteArray, zeroPoint);
        QFETCH(double, damp);
        QFETCH(QByteArray, actOrder);
        const int d2 = 24;
        const bool byActivation = actOrder == "on";
        const bool hasMinimums = zeroPoint == "minimum";
        const MatrixXf w = randomMatrix(d1, d2, 11);
        const MatrixXd gram = correlatedGram(d1, 3 * d1, 12);
        const CompressedMatrix result =
            compressed(m_backend, w, gram,
                       optionsOf(gptqMethod(), bits, groupSize, zeroPoint.constData(), damp,
                                 actOrder.constData()));
        const GroupQuantisedCodes& q = codesOf(result);
        const MatrixXd stored = result.weight->recomposed().cast<double>();

        MatrixXd left = w.cast<double>();
        MatrixXd inverse = reference::inverse(damped(gram, damp));
        std::vector<Index> order(static_cast<std::size_t>(d1));
        std::iota(order.begin(), order.end(), Index{0});
        if (byActivation) {
            order = byDiagonal(gram);
        }
        const double largest = (1 << bits) - 1;
        const double kHalfRounding = 1.01 / 2048;
        double moved = 0;
        for (const Index input : order) {
            const Index group = input / groupSize;
            for (Index j = 0; j < d2; ++j) {
                const double scale = q.scales(group, j);
                const double least =
                    hasMinimums ? q.minimums(group, j) : -scale * (1 << (bits - 1));
                if (input % groupSize == 0) {
                    const MatrixXd values = (byActivation ? w.cast<double>().eval() : left)
                                                .col(j)
                                                .segment(input, groupSize);
                    const double reach = values.cwiseAbs().maxCoeff();
                    const double range =
                        hasMinimums ? values.maxCoeff() - values.minCoeff() : 2 * reach;
                    QVERIFY(std::abs(scale * largest - range) <
                            kHalfRounding * (range + reach) + 1e-5);
                    QVERIFY(!hasMinimums ||
                            std::abs(least - values.minCoeff()) < kHalfRounding * reach + 1e-5);
                }
                const double code = q.codes[static_cast<std::size_t>(j * d1 + input)];
                const double wished =
                    scale > 0 ? std::clamp((left(input, j) - least) / scale, 0.0, largest) : code;
                QVERIFY2(std::abs(code - wished) < 0.502,
                         qPrintable(QStringLiteral("input %1, output %2: %3 is not next to %4")
                                        .arg(input)
                                        .arg(j)
                                        .arg(code)
                                        .arg(wished)));
            }
            const Eigen::RowVectorXd error =
                (left.row(input) - stored.row(input)) / inverse(input, input);
            const VectorXd column = inverse.col(input);
            left -= column * error;
            moved = std::max(moved, (left - stored).row(input).norm());
            eliminate(input, inverse);
        }
        QVERIFY(moved < 1e-9);  // of the reference: what is fixed stays where it is
    }

    // Without correlation nothing can be made up for: RTN's codes, scales and minimums.
    void diagonalGramIsRtn_data() {
        QTest::addColumn<QByteArray>("zeroPoint");
        QTest::addColumn<QByteArray>("actOrder");
        QTest::addColumn<bool>("identity");
        for (const char* zeroPoint : {"minimum", "none"}) {
            for (const char* actOrder : {"off", "on"}) {
                for (const bool identity : {true, false}) {
                    QTest::addRow("%s, act_order %s, %s", zeroPoint, actOrder,
                                  identity ? "identity" : "any diagonal")
                        << QByteArray(zeroPoint) << QByteArray(actOrder) << identity;
                }
            }
        }
    }
    void diagonalGramIsRtn() {
        QFETCH(QByteArray, zeroPoint);
        QFETCH(QByteArray, actOrder);
        QFETCH(bool, identity);
        const MatrixXf w = randomMatrix(192, 20, 3);
        MatrixXd gram = MatrixXd::Identity(192, 192);
        if (!identity) {
            gram.diagonal() = VectorXd::Random(192).array() + 1.5;
        }
        for (const int groupSize : {32, 48, 192}) {
            const CompressedMatrix nearest = compressed(
                m_backend, w, gram, optionsOf(rtnMethod(), 4, groupSize, zeroPoint.constData()));
            const CompressedMatrix fed =
                compressed(m_backend, w, gram,
                           optionsOf(gptqMethod(), 4, groupSize, zeroPoint.constData(), 0.01,
                                     actOrder.constData()));
            QVERIFY(fed.weight->equals(*nearest.weight));
        }
    }

    // Rounding errors are as good as uniform where steps are small: Σ scale² / 12 over U(i, i)² in
    // the metric that they are fed forward in (for RTN, the Gram's diagonal in its place).
    void errorIsThatOfTheory() {
        const int d1 = 160, d2 = 80, groupSize = 32;
        const MatrixXf w = randomMatrix(d1, d2, 7);
        const MatrixXd gram = correlatedGram(d1, 4 * d1, 8);
        const MatrixXd metric = damped(gram, 0.01);
        for (const Method* method : {&rtnMethod(), &gptqMethod()}) {
            const CompressedMatrix result =
                compressed(m_backend, w, gram, optionsOf(*method, 6, groupSize, "minimum"));
            const GroupQuantisedCodes& q = codesOf(result);
            MatrixXd inverse = reference::inverse(metric);
            double expected = 0;
            for (Index i = 0; i < d1; ++i) {
                const double weight = method == &rtnMethod() ? metric(i, i) : 1 / inverse(i, i);
                expected += weight * q.scales.row(i / groupSize).cast<double>().squaredNorm() / 12;
                eliminate(i, inverse);
            }
            const MatrixXd residual = w.cast<double>() - result.weight->recomposed().cast<double>();
            const double found = (residual.transpose() * metric * residual).trace();
            QVERIFY2(
                std::abs(found / expected - 1) < 0.08,
                qPrintable(QStringLiteral("%1: %2").arg(method->name()).arg(found / expected)));
        }
    }

    void errorIsBelowRtns() {
        const MatrixXf w = randomMatrix(192, 64, 21);
        const MatrixXd gram = correlatedGram(192, 600, 22);
        for (const int bits : {2, 3, 4, 8}) {
            for (const int groupSize : {16, 64, 192}) {
                for (const char* zeroPoint : {"minimum", "none"}) {
                    const double nearest =
                        compressed(m_backend, w, gram,
                                   optionsOf(rtnMethod(), bits, groupSize, zeroPoint))
                            .relativeError;
                    for (const char* actOrder : {"off", "on"}) {
                        const double fed = compressed(m_backend, w, gram,
                                                      optionsOf(gptqMethod(), bits, groupSize,
                                                                zeroPoint, 0.01, actOrder))
                                               .relativeError;
                        QVERIFY2(fed < 0.8 * nearest,
                                 qPrintable(QStringLiteral("%1 bits, groups of %2: %3, RTN %4")
                                                .arg(bits)
                                                .arg(groupSize)
                                                .arg(fed)
                                                .arg(nearest)));
                    }
                }
            }
        }
    }

    // Fewer tokens than inputs: errors fed into directions that no token has cost nothing there,
    // and move the weight far away from itself. Damping is what keeps it.
    void dampingKeepsTheWeightWhereTheGramIsSingular() {
        const MatrixXf w = randomMatrix(96, 32, 31);
        const MatrixXd gram = correlatedGram(96, 40, 32);
        const auto moved = [&](double damp) {
            const CompressedMatrix result =
                compressed(m_backend, w, gram, optionsOf(gptqMethod(), 3, 32, "minimum", damp));
            return static_cast<double>((result.weight->recomposed() - w).norm());
        };
        QVERIFY(moved(0.01) < 0.7 * moved(0));
        QVERIFY(moved(1) < moved(0.01));
    }

    void groupsMustDivideTheInputs() {
        try {
            static_cast<void>(compressed(m_backend, randomMatrix(96, 4, 1),
                                         correlatedGram(96, 200, 1),
                                         optionsOf(gptqMethod(), 4, 64, "minimum")));
            QFAIL("64 does not divide 96");
        } catch (const Error& error) {
            QCOMPARE(error.where(), std::string("group_size"));
        }
    }

    void needsCalibration() {
        const MatrixXf w = randomMatrix(96, 4, 1);
        QVERIFY_THROWS_EXCEPTION(
            Error, static_cast<void>(compressMatrix(m_backend, w, nullptr,
                                                    optionsOf(gptqMethod(), 4, 32, "minimum"))));
    }

    void stopsWhenAsked() {
        const Whitening whitening(correlatedGram(96, 200, 1), "layer");
        std::stop_source source;
        source.request_stop();
        const CompressedMatrix result =
            compressMatrix(m_backend, randomMatrix(96, 4, 1), &whitening,
                           optionsOf(gptqMethod(), 4, 32, "minimum"), {}, source.get_token());
        QCOMPARE(result.termination, Termination::Cancelled);
        QVERIFY(result.weight == nullptr);
    }
};

COSPADI_TEST(TestGptq)

}  // namespace tst_gptq

#include "tst_gptq.moc"
