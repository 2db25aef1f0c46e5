// The verbs of Backend that find sparse codes and atoms against independent mathematics: Eigen's
// decompositions in double, and scikit-learn for OMP. The same source makes a program for every
// backend (backend_under_test.h).
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "tests/core/backend_fixture.h"
#include "tests/core/reference_algebra.h"
#include "tests/core/sample_matrices.h"
#include "tests/registered_test.h"

namespace tst_backend_codes {

using namespace cospadi;
using namespace cospadi::sample;
using Eigen::MatrixXd;
using Eigen::MatrixXf;

namespace {

double squaredError(const MatrixXf& w, const MatrixXf& d, const MatrixXf& s) {
    return (w.cast<double>() - d.cast<double>() * s.cast<double>()).squaredNorm();
}

}  // namespace

class TestBackendCodes : public QObject, BackendFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { requireBackend(); }

    void thresholdKeepsTheLargest() {
        const MatrixXf p = randomMatrix(37, 90, 10);
        for (const int s : {1, 9, 36, 37}) {
            Matrix codes = m_backend->zeros(37, 90);
            m_backend->thresholdStep(m_backend->upload(p), 1, s, codes);
            const MatrixXf kept = m_backend->download(codes);
            for (int j = 0; j < 90; ++j) {
                std::vector<float> order(p.col(j).data(), p.col(j).data() + 37);
                std::sort(order.begin(), order.end(),
                          [](float a, float b) { return std::abs(a) > std::abs(b); });
                const float cut = std::abs(order[static_cast<std::size_t>(s - 1)]);
                for (int i = 0; i < 37; ++i) {
                    QCOMPARE(kept(i, j), std::abs(p(i, j)) >= cut ? p(i, j) : 0.0F);
                }
            }
        }
    }

    void thresholdTiesGoToTheLowerRow() {
        MatrixXf p(5, 1);
        p << 1, -2, 2, -2, 2;
        Matrix codes = m_backend->zeros(5, 1);
        QCOMPARE(m_backend->thresholdStep(m_backend->upload(p), 1, 2, codes), 2);
        MatrixXf expected(5, 1);
        expected << 0, -2, 2, 0, 0;
        QCOMPARE(m_backend->download(codes), expected);
    }

    // Coupled columns: the least squares of vec(S) on its support, solved by Eigen as one dense
    // system, is what enough steps must reach; fewer never raise the objective.
    void coupledCgSolvesLeastSquares() {
        const int d = 12, k = 9, n = 10;
        const MatrixXd atoms = unitColumns(randomMatrix(d, k, 41)).cast<double>();
        const MatrixXd z = randomMatrix(d, n, 42).cast<double>();
        MatrixXd l = randomMatrix(n, n, 43).cast<double>();
        l.col(3) *= 30;  // channels differ in energy
        l.col(7) *= 0.05;
        const MatrixXd m = l.transpose() * l;
        Matrix first = m_backend->zeros(k, n);
        const MatrixXd p = atoms.transpose() * z * m;
        const MatrixXd scaled = p * m.diagonal().cwiseInverse().asDiagonal();
        m_backend->thresholdStep(m_backend->upload(scaled.cast<float>()), 1, 4, first);
        const MatrixXf start = m_backend->download(first);

        // ‖(Z − D S) Lᵀ‖²: a column of the system is D e_i e_jᵀ Lᵀ.
        std::vector<std::pair<int, int>> support;
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < k; ++i) {
                if (start(i, j) != 0) {
                    support.emplace_back(i, j);
                }
            }
        }
        MatrixXd system(d * n, static_cast<Eigen::Index>(support.size()));
        for (std::size_t c = 0; c < support.size(); ++c) {
            const MatrixXd column =
                atoms.col(support[c].first) * l.col(support[c].second).transpose();
            system.col(static_cast<Eigen::Index>(c)) = column.reshaped();
        }
        const MatrixXd weighted = z * l.transpose();
        const Eigen::VectorXd solution = reference::leastSquares(system, weighted.reshaped());
        const double least = (weighted.reshaped() - system * solution).norm();

        CoupledSystem coupled;
        coupled.h = m_backend->upload((atoms.transpose() * atoms).cast<float>());
        coupled.metric = m_backend->upload(m.cast<float>());
        coupled.inverseDiagonal =
            m_backend->upload(m.diagonal().cwiseInverse().cast<float>().eval());
        const auto errorOf = [&](const MatrixXd& s) {
            return ((z - atoms * s) * l.transpose()).squaredNorm();
        };
        const double atStart = errorOf(start.cast<double>());
        const auto begun = [&] {
            const MatrixXd sm = start.cast<double>() * m;
            const MatrixXd residual = p - atoms.transpose() * atoms * sm;
            return CoupledCodes{m_backend->upload(start), m_backend->upload(sm.cast<float>()),
                                m_backend->upload(residual.cast<float>())};
        };
        double previous = std::numeric_limits<double>::infinity();
        for (const int steps : {0, 1, 2, 4, 9, 300}) {
            CoupledCodes at = begun();
            const double gained = m_backend->coupledCg(coupled, steps, 0, atStart, at);
            const MatrixXd found = m_backend->download(at.codes).cast<double>();
            const MatrixXd foundMetric = m_backend->download(at.codesMetric).cast<double>();
            QVERIFY((foundMetric - found * m).norm() < 1e-5 * (found * m).norm());
            QVERIFY(((start.array() != 0) == (found.array() != 0)).all());
            const double error = errorOf(found);
            QVERIFY(std::abs(atStart - gained - error) < 1e-5 * weighted.squaredNorm());
            const MatrixXd residual = p - atoms.transpose() * atoms * found * m;
            const MatrixXd told = m_backend->download(at.residual).cast<double>();
            QVERIFY(((start.array() != 0).select(residual, MatrixXd::Zero(k, n)) - told).norm() <
                        1e-5 * p.norm() ||
                    steps == 0);
            QVERIFY(error <= previous * (1 + 1e-5));
            previous = error;
        }
        QVERIFY2(std::abs(std::sqrt(previous) - least) < 1e-4 * weighted.norm(),
                 qPrintable(QString("%1 against %2").arg(std::sqrt(previous)).arg(least)));

        // With a tolerance it ends early, no better than asked.
        CoupledCodes at = begun();
        m_backend->coupledCg(coupled, 300, 0.5, atStart, at);
        QVERIFY(errorOf(m_backend->download(at.codes).cast<double>()) > previous);

        // A rough H finds its way as well, to what its own rounding leaves.
        const std::unique_ptr<LeftOperand> h = m_backend->leftOperand(coupled.h);
        coupled.rough = h.get();
        at = begun();
        m_backend->coupledCg(coupled, 9, 0, atStart, at);
        const double roughly = errorOf(m_backend->download(at.codes).cast<double>());
        QVERIFY(roughly < atStart);
        QVERIFY2(roughly - previous < 1e-3 * (atStart - previous),
                 qPrintable(QString("%1 of %2").arg(roughly - previous).arg(atStart - previous)));
    }

    // On a fixed support CG must reach the least-squares solution, and never raise the objective.
    void maskedCgSolvesLeastSquares() {
        const MatrixXf d = unitColumns(randomMatrix(40, 30, 11));
        const MatrixXf w = randomMatrix(40, 70, 12);
        const MatrixXf p = d.transpose() * w;
        const MatrixXf g = d.transpose() * d;
        Matrix codes = m_backend->zeros(30, 70);
        m_backend->thresholdStep(m_backend->upload(p), 1, 8, codes);
        const MatrixXf start = m_backend->download(codes);
        double previous = squaredError(w, d, start);
        for (const int steps : {1, 2, 4, 60}) {
            Matrix s = m_backend->upload(start);
            const double overlap =
                m_backend->maskedCg(m_backend->upload(g), m_backend->upload(p), steps, 0, s);
            const MatrixXd found = m_backend->download(s).cast<double>();
            const MatrixXd r = p.cast<double>() - g.cast<double>() * found;
            QVERIFY(std::abs(overlap - found.cwiseProduct(r).sum()) < 1e-5 * w.squaredNorm());
            const double error = squaredError(w, d, m_backend->download(s));
            QVERIFY(error <= previous * (1 + 1e-6));
            previous = error;
            if (steps == 60) {
                for (int j = 0; j < 70; ++j) {
                    std::vector<int> support;
                    for (int i = 0; i < 30; ++i) {
                        if (start(i, j) != 0) {
                            support.push_back(i);
                        }
                    }
                    const MatrixXd sub = d(Eigen::all, support).cast<double>();
                    const Eigen::VectorXd x = reference::leastSquares(sub, w.col(j).cast<double>());
                    for (std::size_t i = 0; i < support.size(); ++i) {
                        QVERIFY(std::abs(m_backend->download(s)(support[i], j) -
                                         x(static_cast<int>(i))) < 1e-4);
                    }
                }
            }
        }
    }

    void ompAgreesWithScikitLearn() {
        std::ifstream file(COSPADI_TEST_DATA "/omp/reference.json");
        const auto reference = nlohmann::json::parse(file);
        for (const auto& c : reference.at("cases")) {
            const int d1 = c.at("d1");
            const int k = c.at("k");
            const int n = c.at("n");
            const auto values = [&](const char* name, int rows, int cols) {
                const auto list = c.at(name).get<std::vector<float>>();
                return MatrixXf(Eigen::Map<const MatrixXf>(list.data(), rows, cols));
            };
            const MatrixXf d = values("dictionary", d1, k);
            const MatrixXf w = values("signals", d1, n);
            const MatrixXf expected = values("codes", k, n);
            Matrix codes = m_backend->zeros(k, n);
            m_backend->ompEncode(m_backend->upload(d.transpose() * d),
                                 m_backend->upload(d.transpose() * w), c.at("s"), codes);
            const MatrixXf found = m_backend->download(codes);
            QVERIFY(((found.array() != 0) == (expected.array() != 0)).all());
            // s = d1 solves a square system of random condition: its float32 codes are held to
            // 1e-3.
            const double tolerance = c.at("s") == c.at("d1") ? 1e-3 : 1e-5;
            const double scale = expected.cwiseAbs().maxCoeff();
            QVERIFY2((found - expected).cwiseAbs().maxCoeff() < tolerance * scale,
                     qPrintable(QString::number((found - expected).cwiseAbs().maxCoeff() / scale)));
        }
    }

    // One atom alone: K-SVD must leave the leading singular pair of what it has to explain.
    void ksvdFindsTheLeadingPair_data() {
        QTest::addColumn<int>("powerIterations");
        QTest::newRow("exact") << 0;
        QTest::newRow("power, converged") << 200;
    }

    void ksvdFindsTheLeadingPair() {
        QFETCH(int, powerIterations);
        MatrixXf w = randomMatrix(30, 50, 13);
        w += 3 * randomMatrix(30, 1, 14) * randomMatrix(1, 50, 15);  // a gap after the first value
        const MatrixXf start = unitColumns(randomMatrix(30, 1, 16));
        MatrixXf row = start.transpose() * w;
        row(0, 7) = 0;  // column 7 does not use the atom: it must stay out
        Matrix d = m_backend->upload(start);
        Matrix s = m_backend->upload(row);
        Matrix e = m_backend->upload(w - start * row);
        m_backend->ksvdSweep(powerIterations, e, d, s);
        MatrixXd used = w.cast<double>();
        used.col(7).setZero();
        const reference::Svd svd = reference::svd(used);
        const MatrixXd pair =
            m_backend->download(d).cast<double>() * m_backend->download(s).cast<double>();
        const MatrixXd expected = svd.values(0) * svd.U.col(0) * svd.V.col(0).transpose();
        QVERIFY((pair - expected).norm() < 1e-3 * expected.norm());
        QCOMPARE(m_backend->download(s)(0, 7), 0.0F);
        const MatrixXf residual = w - m_backend->download(d) * m_backend->download(s);
        QVERIFY((m_backend->download(e) - residual).norm() < 1e-4 * w.norm());
    }

    void ksvdSweepNeverRaisesTheError() {
        const MatrixXf w = randomMatrix(40, 120, 17);
        const MatrixXf atoms = unitColumns(randomMatrix(40, 30, 18));
        for (const int powerIterations : {0, 1, 8}) {
            Matrix d = m_backend->upload(atoms);
            Matrix s = m_backend->zeros(30, 120);
            m_backend->thresholdStep(m_backend->upload(atoms.transpose() * w), 1, 6, s);
            Matrix e = m_backend->upload(w - atoms * m_backend->download(s));
            double previous = m_backend->dot(e, e);
            for (int sweep = 0; sweep < 4; ++sweep) {
                m_backend->ksvdSweep(powerIterations, e, d, s);
                const double error = m_backend->dot(e, e);
                QVERIFY(error <= previous * (1 + 1e-6));
                previous = error;
            }
        }
    }
};

COSPADI_TEST(TestBackendCodes)

}  // namespace tst_backend_codes

#include "tst_backend_codes.moc"
