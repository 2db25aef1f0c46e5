// Every verb of Backend against independent mathematics: Eigen's decompositions in double, and
// scikit-learn for OMP. The same source makes a program for every backend (backend_under_test.h).
#include <QtTest>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/core/backend_under_test.h"
#include "tests/core/reference_algebra.h"
#include "tests/core/sample_matrices.h"
#include "tests/registered_test.h"

namespace tst_backend {

using namespace cospadi;
using namespace cospadi::sample;
using Eigen::MatrixXd;
using Eigen::MatrixXf;

namespace {

double squaredError(const MatrixXf& w, const MatrixXf& d, const MatrixXf& s) {
    return (w.cast<double>() - d.cast<double>() * s.cast<double>()).squaredNorm();
}

}  // namespace

class TestBackend : public QObject {
    Q_OBJECT
    BackendUnderTest m_opened = openBackendUnderTest();
    Backend* m_backend = m_opened.backend.get();

  private slots:
    void initTestCase() {
        if (m_backend == nullptr) {
            QSKIP(m_opened.reason.c_str());
        }
        qInfo("over %s", m_backend->description().c_str());
    }

    void products_data() {
        QTest::addColumn<int>("m");
        QTest::addColumn<int>("n");
        QTest::addColumn<int>("k");
        QTest::newRow("1x1x1") << 1 << 1 << 1;
        QTest::newRow("thin") << 3 << 700 << 2;
        QTest::newRow("more than a block") << 1100 << 300 << 70;
    }

    void products() {
        QFETCH(int, m);
        QFETCH(int, n);
        QFETCH(int, k);
        for (const Op opA : {Op::None, Op::Transpose}) {
            for (const Op opB : {Op::None, Op::Transpose}) {
                const MatrixXf a = opA == Op::None ? randomMatrix(m, k, 1) : randomMatrix(k, m, 1);
                const MatrixXf b = opB == Op::None ? randomMatrix(k, n, 2) : randomMatrix(n, k, 2);
                const MatrixXf c0 = randomMatrix(m, n, 3);
                Matrix c = m_backend->upload(c0);
                m_backend->gemm(opA, opB, 2, m_backend->upload(a), m_backend->upload(b), -1, c);
                const MatrixXd left = opA == Op::None ? MatrixXd(a.cast<double>())
                                                      : MatrixXd(a.transpose().cast<double>());
                const MatrixXd right = opB == Op::None ? MatrixXd(b.cast<double>())
                                                       : MatrixXd(b.transpose().cast<double>());
                const MatrixXd expected = 2 * left * right - c0.cast<double>();
                QVERIFY((m_backend->download(c).cast<double>() - expected).cwiseAbs().maxCoeff() <
                        1e-4);
            }
        }
    }

    void symmetricProducts() {
        const MatrixXf a = randomMatrix(300, 170, 4);
        Matrix outer = m_backend->zeros(300, 300);
        Matrix inner = m_backend->zeros(170, 170);
        m_backend->syrk(Op::None, m_backend->upload(a), outer);
        m_backend->syrk(Op::Transpose, m_backend->upload(a), inner);
        const MatrixXd wide = a.cast<double>();
        QVERIFY((m_backend->download(outer).cast<double>() - wide * wide.transpose())
                    .cwiseAbs()
                    .maxCoeff() < 1e-4);
        QVERIFY((m_backend->download(inner).cast<double>() - wide.transpose() * wide)
                    .cwiseAbs()
                    .maxCoeff() < 1e-4);
    }

    void gramFactors_data() {
        QTest::addColumn<int>("n");
        QTest::addColumn<double>("smallest");  // eigenvalue, of 1
        QTest::newRow("1x1") << 1 << 1.0;
        QTest::newRow("well") << 40 << 1e-2;
        QTest::newRow("ill-conditioned") << 120 << 1e-10;
    }

    void gramFactors() {
        QFETCH(int, n);
        QFETCH(double, smallest);
        std::srand(14);
        const MatrixXd q = reference::orthonormal(MatrixXd::Random(n, n));
        Eigen::VectorXd values(n);
        for (int i = 0; i < n; ++i) {
            values(i) = std::pow(smallest, n > 1 ? i / (n - 1.0) : 0);
        }
        const MatrixXd gram = q * values.asDiagonal() * q.transpose();
        const auto factor = m_backend->gramFactor(gram, 0);
        QVERIFY(factor != nullptr);
        QVERIFY((factor->product() - gram).norm() < 1e-13 * gram.norm());
        const MatrixXd upper = reference::choleskyFactor(gram);
        const MatrixXf w = randomMatrix(n, 25, 15);
        const MatrixXd expected = upper * w.cast<double>();
        const MatrixXd whitened = factor->times(w).cast<double>();
        QVERIFY((whitened - expected).norm() < 1e-7 * expected.norm());
        // cond(L) = 1e5 at most, in double: what is left is the rounding to float32.
        const MatrixXd solution = reference::solveUpper(upper, w.cast<double>());
        const MatrixXd solved = factor->solve(w).cast<double>();
        QVERIFY((solved - solution).norm() < 1e-7 * solution.norm());
    }

    void gramFactorsRefuseWhatIsNotPositiveDefinite() {
        MatrixXd gram = MatrixXd::Identity(30, 30);
        gram(7, 7) = -0.5;
        QVERIFY(m_backend->gramFactor(gram, 0) == nullptr);
        QVERIFY(m_backend->gramFactor(gram, 0.25) == nullptr);
        const auto factor = m_backend->gramFactor(gram, 0.75);
        QVERIFY(factor != nullptr);
        const MatrixXd shifted = gram + 0.75 * MatrixXd::Identity(30, 30);
        QVERIFY((factor->product() - shifted).norm() < 1e-13 * shifted.norm());
    }

    void gramSums() {
        const MatrixXf x = randomMatrix(70, 900, 16);
        const auto sum = m_backend->gramSum(70);
        sum->add(m_backend->upload(x.leftCols(1)));
        sum->add(m_backend->upload(x.rightCols(899)));
        const MatrixXd found = sum->take();
        const MatrixXd expected = x.cast<double>() * x.cast<double>().transpose();
        // In double, or in float32 by 256 columns.
        QVERIFY((found - expected).cwiseAbs().maxCoeff() < 2e-6 * expected.diagonal().maxCoeff());
        QVERIFY(found == found.transpose());
        QVERIFY(sum->take().isZero(0));
        QVERIFY(m_backend->availableBytes() > 0);
    }

    void singularVectors_data() {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("cols");
        QTest::newRow("wide") << 40 << 90;
        QTest::newRow("tall") << 90 << 40;
    }

    void singularVectors() {
        QFETCH(int, rows);
        QFETCH(int, cols);
        const MatrixXf a = randomMatrix(rows, cols, 5);
        const MatrixXf u =
            m_backend->download(m_backend->leftSingularVectors(m_backend->upload(a), 12));
        const MatrixXd expected = reference::svd(a.cast<double>()).U.leftCols(12);
        // The same subspace in the same order: columns agree up to sign.
        const MatrixXd overlap = (expected.transpose() * u.cast<double>()).cwiseAbs();
        QVERIFY((overlap - MatrixXd::Identity(12, 12)).cwiseAbs().maxCoeff() < 1e-4);
    }

    // Single precision, hence a spectrum whose neighbours are well apart.
    void leadingEigenvectors() {
        const MatrixXd v = reference::orthonormal(randomMatrix(50, 50, 31).cast<double>());
        const Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(50, 0, -2).unaryExpr(
            [](double e) { return std::pow(10, e); });
        const MatrixXd a = v * values.asDiagonal() * v.transpose();
        const MatrixXd u =
            m_backend
                ->download(m_backend->leadingEigenvectors(m_backend->upload(a.cast<float>()), 12))
                .cast<double>();
        const MatrixXd overlap = (v.leftCols(12).transpose() * u).cwiseAbs();
        QVERIFY((overlap - MatrixXd::Identity(12, 12)).cwiseAbs().maxCoeff() < 1e-4);
        for (Eigen::Index j = 0; j < u.cols(); ++j) {
            Eigen::Index largest = 0;
            u.col(j).cwiseAbs().maxCoeff(&largest);
            QVERIFY(u(largest, j) > 0);
        }
    }

    void polarFactor() {
        const MatrixXf a = randomMatrix(60, 45, 6);
        Matrix q = m_backend->upload(a);
        QVERIFY(m_backend->polar(q));
        const reference::Svd svd = reference::svd(a.cast<double>());
        const MatrixXd expected = svd.U * svd.V.transpose();
        QVERIFY((m_backend->download(q).cast<double>() - expected).cwiseAbs().maxCoeff() < 1e-4);
    }

    // Singular values from 1 to 1e-4, as those of W Sᵀ are.
    void polarFactorOfUnevenMatrices() {
        const MatrixXd u = reference::orthonormal(randomMatrix(90, 70, 21).cast<double>());
        const MatrixXd v = reference::orthonormal(randomMatrix(70, 70, 22).cast<double>());
        const Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(70, 0, -4).unaryExpr(
            [](double e) { return std::pow(10, e); });
        Matrix q = m_backend->upload((u * values.asDiagonal() * v.transpose()).cast<float>());
        QVERIFY(m_backend->polar(q));
        const MatrixXd found = m_backend->download(q).cast<double>();
        QVERIFY((found.transpose() * found - MatrixXd::Identity(70, 70)).norm() < 1e-3);
        // float32 knows the directions of the smallest values to about 6e-8 / 1e-4.
        QVERIFY((found - u * v.transpose()).norm() < 3e-2);
    }

    void polarRefusesLostRank() {
        MatrixXf a = randomMatrix(30, 10, 7);
        a.col(3) = a.col(4);
        Matrix q = m_backend->upload(a);
        QVERIFY(!m_backend->polar(q));
        QCOMPARE(m_backend->download(q), a);
    }

    void copiesRowsAndTransposes_data() {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("cols");
        QTest::newRow("1x1") << 1 << 1;
        QTest::newRow("a square") << 32 << 32;
        QTest::newRow("more than a square") << 33 << 65;
        QTest::newRow("a row") << 1 << 700;
        QTest::newRow("wide") << 70 << 1100;
    }

    void copiesRowsAndTransposes() {
        QFETCH(int, rows);
        QFETCH(int, cols);
        const MatrixXf a = randomMatrix(rows, cols, 31);
        const Matrix on = m_backend->upload(a);
        QCOMPARE(m_backend->download(m_backend->transposed(on)), MatrixXf(a.transpose()));
        const MatrixXf b = randomMatrix(rows + 5, cols, 32);
        Matrix to = m_backend->upload(b);
        m_backend->copyRows(on, rows / 2, rows - rows / 2, to, 3);
        MatrixXf expected = b;
        expected.middleRows(3, rows - rows / 2) = a.bottomRows(rows - rows / 2);
        QCOMPARE(m_backend->download(to), expected);
    }

    void solvesOnTheRight() {
        const MatrixXf b = randomMatrix(50, 40, 8);
        MatrixXf f = randomMatrix(40, 200, 9);
        f.row(3) *= 1e-3F;  // rows of very different energy, as those of S have
        const MatrixXf a = f * f.transpose();
        Matrix x = m_backend->upload(b);
        m_backend->solveRight(m_backend->upload(a), 1e-6, m_backend->zeros(50, 40), x);
        QVERIFY(m_backend->solveHeld());
        const MatrixXd expected =
            reference::solveSymmetric(a.cast<double>(), b.transpose().cast<double>()).transpose();
        const MatrixXd difference = m_backend->download(x).cast<double>() - expected;
        QVERIFY(difference.norm() < 1e-3 * expected.norm());
    }

    // Not positive definite by far more than the ridge: the solution is what was given for that.
    void refusesToSolveTheIndefinite() {
        MatrixXf a = MatrixXf::Identity(40, 40);
        a(7, 9) = a(9, 7) = 2;
        const MatrixXf instead = randomMatrix(50, 40, 10);
        Matrix x = m_backend->upload(randomMatrix(50, 40, 8));
        m_backend->solveRight(m_backend->upload(a), 1e-6, m_backend->upload(instead), x);
        QVERIFY(!m_backend->solveHeld());
        QCOMPARE(m_backend->download(x), instead);
        a(7, 9) = a(9, 7) = std::nanf("");
        m_backend->solveRight(m_backend->upload(a), 1e-6, m_backend->upload(instead), x);
        QVERIFY(!m_backend->solveHeld());
        QCOMPARE(m_backend->download(x), instead);
        m_backend->solveRight(m_backend->upload(MatrixXf::Identity(40, 40)), 0,
                              m_backend->upload(instead), x);
        QVERIFY(m_backend->solveHeld());
        QCOMPARE(m_backend->download(x), instead);
    }

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
        coupled.p = m_backend->upload(p.cast<float>());
        coupled.metric = m_backend->upload(m.cast<float>());
        coupled.inverseDiagonal =
            m_backend->upload(m.diagonal().cwiseInverse().cast<float>().eval());
        coupled.squaredNorm = weighted.squaredNorm();
        double previous = std::numeric_limits<double>::infinity();
        for (const int steps : {0, 1, 2, 4, 9, 300}) {
            Matrix s = m_backend->upload(start);
            Matrix sm = m_backend->upload((start.cast<double>() * m).cast<float>());
            const double overlap = m_backend->coupledCg(coupled, steps, 0, s, sm);
            const MatrixXd found = m_backend->download(s).cast<double>();
            const MatrixXd foundMetric = m_backend->download(sm).cast<double>();
            QVERIFY((foundMetric - found * m).norm() < 1e-5 * (found * m).norm());
            QVERIFY(((start.array() != 0) == (found.array() != 0)).all());
            const double told = coupled.squaredNorm - found.cwiseProduct(p).sum() - overlap;
            const double error = ((z - atoms * found) * l.transpose()).squaredNorm();
            QVERIFY(std::abs(told - error) < 1e-5 * coupled.squaredNorm);
            QVERIFY(error <= previous * (1 + 1e-5));
            previous = error;
        }
        QVERIFY2(std::abs(std::sqrt(previous) - least) < 1e-4 * weighted.norm(),
                 qPrintable(QString("%1 against %2").arg(std::sqrt(previous)).arg(least)));

        // With a tolerance it ends early, no better than asked.
        Matrix s = m_backend->upload(start);
        Matrix sm = m_backend->upload((start.cast<double>() * m).cast<float>());
        m_backend->coupledCg(coupled, 300, 0.5, s, sm);
        const MatrixXd rough = m_backend->download(s).cast<double>();
        QVERIFY(((z - atoms * rough) * l.transpose()).squaredNorm() > previous);
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

    void elementwiseVerbs() {
        const MatrixXf a = randomMatrix(37, 90, 31);
        MatrixXf factors(90, 1);
        for (int j = 0; j < 90; ++j) {
            factors(j, 0) = 0.25F * static_cast<float>(j - 3);
        }
        Matrix scaled = m_backend->upload(a);
        m_backend->scaleColumns(m_backend->upload(factors), scaled);
        const MatrixXf expected = a * factors.col(0).asDiagonal();
        QCOMPARE(m_backend->download(scaled), expected);
        const auto diagonal = m_backend->diagonal(m_backend->upload(a));
        QCOMPARE(diagonal.size(), std::size_t{37});
        QCOMPARE(diagonal[36], static_cast<double>(a(36, 36)));
    }
};

COSPADI_TEST(TestBackend)

}  // namespace tst_backend

#include "tst_backend.moc"
