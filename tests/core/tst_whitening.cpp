// The factor of a Gram matrix: what it keeps, what it repairs, what it refuses; and that of its
// inverse.
#include <QtTest>
#include <cmath>

#include "core/base/error.h"
#include "core/linalg/cpu_backend.h"
#include "core/linalg/inverse_factor.h"
#include "core/linalg/whitening.h"
#include "tests/core/reference_algebra.h"
#include "tests/core/sample_matrices.h"
#include "tests/registered_test.h"

namespace tst_whitening {

using namespace cospadi;
using namespace cospadi::sample;
using Eigen::MatrixXd;
using Eigen::MatrixXf;

class TestWhitening : public QObject {
    Q_OBJECT

  private slots:
    // ‖X (W − V)‖ = ‖L (W − V)‖ (eq 3), and L⁻¹ undoes L.
    void whiteningKeepsTheFunctionalLoss() {
        const MatrixXf x = randomMatrix(200, 30, 21);
        const MatrixXf w = randomMatrix(30, 20, 22);
        const MatrixXd wide = x.cast<double>();
        const Whitening whitening(wide.transpose() * wide, "layer");
        QCOMPARE(whitening.shift(), 0.0);
        const MatrixXf whitened = whitening.whitenedFromOriginal(w);
        const double loss = (wide * w.cast<double>()).norm();
        QVERIFY(std::abs(whitened.cast<double>().norm() - loss) < 1e-5 * loss);
        QVERIFY((whitening.originalFromWhitened(whitened) - w).norm() < 1e-4 * w.norm());
    }

    void whiteningGivesItsGramBack() {
        const MatrixXd x = randomMatrix(200, 40, 33).cast<double>();
        const MatrixXd gram = x.transpose() * x;
        QVERIFY((Whitening(gram, "layer").gram() - gram).norm() < 1e-12 * gram.norm());
    }

    void ridgeIsAShareOfTheMeanDiagonal() {
        const MatrixXd x = randomMatrix(200, 40, 34).cast<double>();
        const MatrixXd gram = x.transpose() * x;
        CpuBackend backend(1);
        const MatrixXd expected =
            gram + 0.25 * gram.diagonal().mean() * MatrixXd::Identity(gram.rows(), gram.cols());
        const MatrixXd ridged = Whitening(gram, "layer").ridged(0.25, backend).gram();
        QVERIFY((ridged - expected).norm() < 1e-12 * expected.norm());
    }

    // Once for a factor and its copies, another for another ridge: the same bits as made anew.
    void aRidgeIsFactorisedOnce() {
        class Counting final : public CpuBackend {
          public:
            Counting() : CpuBackend(1) {}
            std::unique_ptr<GramFactor> gramFactor(const MatrixXd& gram, double shift) override {
                ++factors;
                return CpuBackend::gramFactor(gram, shift);
            }
            int factors = 0;
        };
        const MatrixXd x = randomMatrix(200, 40, 34).cast<double>();
        const MatrixXd gram = x.transpose() * x;
        const MatrixXf w = randomMatrix(40, 20, 22);
        const auto anew = [&](double relative) {
            CpuBackend backend(1);
            return Whitening(gram, "layer").ridged(relative, backend).whitenedFromOriginal(w);
        };
        Counting backend;
        const Whitening whitening(gram, "layer", backend);
        const Whitening copy = whitening;  // NOLINT(performance-unnecessary-copy-initialization)
        QCOMPARE(backend.factors, 1);
        QVERIFY(whitening.ridged(0.25, backend).whitenedFromOriginal(w) == anew(0.25));
        QVERIFY(copy.ridged(0.25, backend).whitenedFromOriginal(w) == anew(0.25));
        QCOMPARE(backend.factors, 2);
        QVERIFY(copy.ridged(0.5, backend).whitenedFromOriginal(w) == anew(0.5));
        QCOMPARE(backend.factors, 3);
        QVERIFY(whitening.whitenedFromOriginal(w) ==
                Whitening(gram, "layer").whitenedFromOriginal(w));
    }

    // λ are the squared singular values of X, and those of zero are left out; also where a shift
    // was added.
    void spectrumIsThatOfTheGramAsGiven() {
        for (const int tokens : {200, 12}) {
            const MatrixXd x = randomMatrix(tokens, 30, 35).cast<double>();
            const MatrixXd gram = x.transpose() * x;
            const Whitening whitening(gram, "layer");
            QCOMPARE(whitening.shift() > 0, tokens < 30);
            const GramSpectrum spectrum = whitening.spectrum();
            const Eigen::Index kept = std::min(tokens, 30);
            QCOMPARE(spectrum.values.size(), kept);
            QCOMPARE(spectrum.vectors.cols(), kept);
            const MatrixXd& u = spectrum.vectors;
            QVERIFY((u.transpose() * u - MatrixXd::Identity(kept, kept)).norm() < 1e-12 * 30);
            QVERIFY((u * spectrum.values.asDiagonal() * u.transpose() - gram).norm() <
                    1e-12 * gram.norm());
            QVERIFY(spectrum.values.minCoeff() > 0);
        }
    }

    void whiteningShiftsASingularGram() {
        MatrixXd x = randomMatrix(10, 30, 23).cast<double>();  // fewer tokens than channels
        x.col(4).setZero();                                    // and a dead one
        const Whitening whitening(x.transpose() * x, "layer");
        QVERIFY(whitening.shift() > 0);
        QVERIFY(whitening.originalFromWhitened(MatrixXf::Identity(30, 30)).allFinite());
    }

    // UᵀU = (G + damp · mean diagonal · I)⁻¹, and U(i, i)² that of the inverse without the inputs
    // before i.
    void factorOfTheInverse() {
        const MatrixXd x = randomMatrix(120, 40, 3).cast<double>();
        const MatrixXd gram = x.transpose() * x;
        for (const double damp : {0.0, 0.01, 1.0}) {
            const MatrixXd u = inverseFactor(dampedGram(Whitening(gram, "layer"), damp));
            QVERIFY(u.isUpperTriangular(0));
            QVERIFY(u.diagonal().minCoeff() > 0);
            MatrixXd h = gram;
            h.diagonal().array() += damp * gram.diagonal().mean();
            const MatrixXd one = u.transpose() * u * h;
            QVERIFY((one - MatrixXd::Identity(40, 40)).norm() < 1e-9);
            for (const Eigen::Index i : {0, 17, 39}) {
                const double pivot = reference::inverse(h.bottomRightCorner(40 - i, 40 - i))(0, 0);
                QVERIFY(std::abs(u(i, i) * u(i, i) - pivot) < 1e-9 * pivot);
            }
        }
    }

    void gramsTellTheirDiagonal() {
        const MatrixXd x = randomMatrix(90, 24, 5).cast<double>();
        MatrixXd gram = x.transpose() * x;
        QVERIFY(Whitening(gram, "layer").gramDiagonal() == gram.diagonal());
        gram.row(3).setZero();
        gram.col(3).setZero();
        const Whitening shifted(gram, "layer");
        QVERIFY(shifted.shift() > 0);
        const Eigen::VectorXd told = shifted.gramDiagonal();
        QVERIFY((told - shifted.gram().diagonal()).norm() < 1e-12 * told.norm());
    }

    void whiteningRefusesWhatIsNoGram() {
        QVERIFY_THROWS_EXCEPTION(Error, Whitening(MatrixXd::Zero(3, 3), "blk.0.attn_q"));
        MatrixXd nan = MatrixXd::Identity(3, 3);
        nan(1, 1) = std::nan("");
        try {
            const Whitening whitening(nan, "blk.0.attn_q");
            QFAIL("was accepted");
        } catch (const Error& error) {
            QVERIFY(QString::fromStdString(error.what()).contains("blk.0.attn_q"));
        }
    }
};

COSPADI_TEST(TestWhitening)

}  // namespace tst_whitening

#include "tst_whitening.moc"
