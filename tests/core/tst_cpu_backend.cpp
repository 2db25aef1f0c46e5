// What only the host's backend promises: the number of threads never shows in a result.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/linalg/cpu_backend.h"
#include "core/linalg/newton_schulz.h"
#include "tests/core/sample_matrices.h"
#include "tests/registered_test.h"

namespace tst_cpu_backend {

using namespace cospadi;
using namespace cospadi::sample;
using Eigen::MatrixXf;

class TestCpuBackend : public QObject {
    Q_OBJECT

  private slots:
    // What the steps do to a matrix they do to its singular values one by one.
    void newtonSchulzLiftsEverySingularValue() {
        for (const double smallest : {1e-2, 1e-5, 2e-7}) {
            const std::vector<NewtonSchulzStep> steps = newtonSchulzSteps(70, smallest);
            QVERIFY(steps.size() > 3 && steps.size() < 30);
            for (double start = smallest; start <= 1; start *= 1.1) {
                double value = 70 * start;
                double least = 1;
                for (const NewtonSchulzStep& step : steps) {
                    value *= static_cast<double>(step.identity) +
                             static_cast<double>(step.squares) * value * value;
                    least = std::min(least, value);
                }
                QVERIFY2(std::abs(value - 1) < 1e-5, qPrintable(QString::number(value)));
                // Rounding, 6e-8 of what is largest, stays small beside it.
                QVERIFY(least > std::min(start, 0.1));
            }
        }
        QVERIFY(newtonSchulzSteps(0, 1e-5).empty());
        QVERIFY(newtonSchulzSteps(std::numeric_limits<double>::quiet_NaN(), 1e-5).empty());
    }

    void sameBitsForEveryThreadCount() {
        CpuBackend one(1);
        CpuBackend three(3);
        const MatrixXf w = randomMatrix(70, 600, 19);
        const MatrixXf atoms = unitColumns(randomMatrix(70, 50, 20));
        std::vector<MatrixXf> results;
        for (CpuBackend* backend : {&one, &three}) {
            Matrix d = backend->upload(atoms);
            Matrix weight = backend->upload(w);
            Matrix g = backend->zeros(50, 50);
            Matrix p = backend->zeros(50, 600);
            Matrix s = backend->zeros(50, 600);
            backend->syrk(Op::Transpose, d, g);
            backend->gemm(Op::Transpose, Op::None, 1, d, weight, 0, p);
            backend->ompEncode(g, p, 12, s);
            backend->maskedCg(g, p, 2, 0, s);
            Matrix e = backend->upload(w);
            backend->gemm(Op::None, Op::None, -1, d, s, 1, e);
            backend->ksvdSweep(4, e, d, s);
            results.push_back(backend->download(s));
            results.push_back(backend->download(d));
        }
        QCOMPARE(results[0], results[2]);
        QCOMPARE(results[1], results[3]);
    }
};

COSPADI_TEST(TestCpuBackend)

}  // namespace tst_cpu_backend

#include "tst_cpu_backend.moc"
