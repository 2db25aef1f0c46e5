// A dictionary that grows beyond its dimensions: from which columns it takes its atoms, and that
// nearly parallel ones do no harm.
#include <QtTest>
#include <cmath>
#include <vector>

#include "core/dictionary/coding_problem.h"
#include "core/dictionary/solver_steps.h"
#include "core/linalg/cpu_backend.h"
#include "tests/core/sample_layers.h"
#include "tests/registered_test.h"

namespace tst_growing_dictionary {

using namespace cospadi;
using Eigen::MatrixXd;
using Eigen::MatrixXf;

class TestGrowingDictionary : public QObject {
    Q_OBJECT
    CpuBackend m_backend;

    std::vector<std::int64_t> spread(const MatrixXf& a, std::int64_t count) {
        return solver::spreadColumns(m_backend, m_backend.upload(a), count);
    }

  private slots:
    // Of three columns in one direction and one across it the latter comes second, though it is the
    // shortest: 0.85² < 0.9², but 0.8² · 0.95² < 0.85².
    void directionsShareTheAtoms() {
        MatrixXf a = MatrixXf::Zero(5, 5);
        a.row(0) << 0.95F, 1, 0, 0.9F, 0;
        a(1, 4) = 0.85F;
        QCOMPARE(spread(a, 3), (std::vector<std::int64_t>{1, 4, 0}));
        QCOMPARE(spread(a, 2), (std::vector<std::int64_t>{1, 4}));
        // The third stays away: it is zero.
        QCOMPARE(spread(a, 9), (std::vector<std::int64_t>{1, 4, 0, 3}));
    }

    // Everything else loses 20 % of what it has in that direction, in double.
    void asTheDefinitionSays() {
        const MatrixXf a = sample::layerWeight(16, 60, 5);
        MatrixXd left = a.cast<double>();
        std::vector<std::int64_t> expected;
        while (expected.size() < 30) {
            Eigen::VectorXd norms = left.colwise().squaredNorm();
            for (const std::int64_t j : expected) {
                norms(j) = 0;
            }
            Eigen::Index j = 0;
            norms.maxCoeff(&j);
            expected.push_back(j);
            const Eigen::VectorXd direction = left.col(j).normalized();
            left -= 0.2 * direction * (direction.transpose() * left).eval();
        }
        QCOMPARE(spread(a, 30), expected);
    }

    // Atoms that are nearly parallel make a gradient step overshoot: a block of columns whose
    // choice adds the whole error once more takes a shorter one, so that n blocks leave (1 + n)
    // times the squared error at most.
    void parallelAtoms_data() {
        QTest::addColumn<int>("seed");
        for (int seed = 1; seed <= 4; ++seed) {
            QTest::addRow("%d", seed) << seed;
        }
    }
    void parallelAtoms() {
        QFETCH(int, seed);
        const int d = 32;
        const int n = 256;
        const int k = 128;
        const int blocks = n / 64;
        const auto draw = [&](int rows, int cols, int of) {
            return sample::randomMatrix(rows, cols, static_cast<unsigned>(100 * of + seed));
        };
        const MatrixXf x = 3 * draw(n, 1, 1) * draw(1, n, 2) + draw(n, 12, 3) * draw(12, n, 4) +
                           0.05F * draw(n, n, 5);
        const MatrixXf metric = x.transpose() * x;
        const MatrixXf z = draw(d, n, 6);
        const double norm = std::sqrt((z * metric).cwiseProduct(z).cast<double>().sum());
        MatrixXf atoms(d, k);
        atoms << MatrixXf::Identity(d, d),
            draw(d, 1, 7) * MatrixXf::Ones(1, k - d) + 0.1F * draw(d, k - d, 8);
        atoms.colwise().normalize();
        MatrixXf codes = MatrixXf::Zero(k, n);
        codes.topRows(12) = z.topRows(12);
        const auto problem = solver::coupledColumns(
            m_backend, m_backend.upload(z), {{m_backend.upload(metric), norm * norm}}, {16, {}},
            m_backend.upload(atoms), m_backend.upload(codes));
        problem->dictionaryChanged();
        problem->refine(0);
        const double before = problem->relativeError();
        problem->selectSupport(2.2F);
        problem->refine(0);
        const double after = problem->relativeError();
        QVERIFY2(after <= std::sqrt(1.0 + blocks) * before * (1 + 1e-3),
                 qPrintable(QString("%1, %2").arg(after).arg(before)));
    }
};

COSPADI_TEST(TestGrowingDictionary)

}  // namespace tst_growing_dictionary

#include "tst_growing_dictionary.moc"
