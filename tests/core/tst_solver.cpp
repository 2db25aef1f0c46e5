// The solvers against theory: Eckart–Young where codes are dense, monotone phases, bad input.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <stop_token>

#include "core/base/error.h"
#include "core/dictionary/dictionary_learning.h"
#include "core/dictionary/solver_steps.h"
#include "core/linalg/cpu_backend.h"
#include "tests/core/decaying_matrices.h"
#include "tests/core/message_of.h"
#include "tests/core/reference_algebra.h"
#include "tests/registered_test.h"

namespace tst_solver {

using namespace cospadi;
using namespace cospadi::sample;
using Eigen::MatrixXd;
using Eigen::MatrixXf;

namespace {

double tailOfSpectrum(const MatrixXf& w, int rank) {
    const Eigen::VectorXd values = reference::svd(w.cast<double>()).values;
    return values.tail(values.size() - rank).norm() / w.cast<double>().norm();
}

double errorOf(CpuBackend& backend, const MatrixXf& w, const LearnedDictionary& learned) {
    const MatrixXd d = backend.download(learned.dictionary).cast<double>();
    const MatrixXd s = backend.download(learned.codes).cast<double>();
    return (w.cast<double>() - d * s).norm() / w.cast<double>().norm();
}

}  // namespace

class TestSolver : public QObject {
    Q_OBJECT
    CpuBackend m_backend;

    LearnedDictionary solve(const QString& solver, const MatrixXf& w, int k, int s,
                            const IterationCallback& callback = {},
                            const std::stop_token& stop = {}) {
        const Matrix weight = m_backend.upload(w);
        if (solver == "fast") {
            return solveFast(m_backend, weight, k, s, {}, callback, stop);
        }
        KsvdOptions options;
        options.iterations = 12;
        options.update = solver == "mod" ? DictionaryUpdate::Mod : DictionaryUpdate::KsvdPower;
        return solveKsvd(m_backend, weight, k, s, options, callback, stop);
    }

    static void solvers() {
        QTest::addColumn<QString>("solver");
        QTest::newRow("fast") << "fast";
        QTest::newRow("ksvd") << "ksvd";
        QTest::newRow("mod") << "mod";
    }

  private slots:
    // What is reported is what the factors give; at most s non-zeros; unit-norm atoms.
    void honestResult_data() { solvers(); }
    void honestResult() {
        QFETCH(QString, solver);
        const MatrixXf w = decayingMatrix(48, 130, 1);
        int calls = 0;
        const LearnedDictionary learned = solve(solver, w, 32, 10, [&](const IterationSummary& s) {
            ++calls;
            QCOMPARE(s.iteration, calls);
            QCOMPARE(static_cast<int>(s.atomUsage.size()), 32);
        });
        QVERIFY(calls > 0);
        QCOMPARE(learned.iterations, calls);
        QVERIFY(std::abs(errorOf(m_backend, w, learned) - learned.relativeError) < 1e-4);
        const MatrixXf codes = m_backend.download(learned.codes);
        for (int j = 0; j < codes.cols(); ++j) {
            QVERIFY((codes.col(j).array() != 0).count() <= 10);
        }
        const Eigen::VectorXf norms = m_backend.download(learned.dictionary).colwise().norm();
        QVERIFY((norms.array() - 1).abs().maxCoeff() < 1e-4F);
    }

    // With s = k the codes are dense and no dictionary can beat the truncated SVD (Eckart–Young).
    void denseCodesReachTheSvd() {
        const MatrixXf w = decayingMatrix(40, 90, 2);
        const double best = tailOfSpectrum(w, 20);
        const LearnedDictionary learned = solve("fast", w, 20, 20);
        QVERIFY(learned.relativeError < best * 1.001);
        QVERIFY(learned.relativeError > best * 0.999);
    }

    // Fewer non-zeros cannot beat the same number of dense directions, more must not do worse.
    void errorFallsWithS() {
        const MatrixXf w = decayingMatrix(40, 90, 3);
        double previous = 1;
        for (const int s : {2, 6, 12, 24}) {
            const double error = solve("fast", w, 24, s).relativeError;
            QVERIFY(error >= tailOfSpectrum(w, 24) * 0.999);
            QVERIFY(error < previous);
            previous = error;
        }
    }

    // The best pair counts, so the final error is at most that of every iteration.
    void fastKeepsTheBest() {
        const MatrixXf w = decayingMatrix(64, 200, 5);
        double best = 1;
        const LearnedDictionary learned = solve("fast", w, 40, 20, [&](const IterationSummary& s) {
            best = std::min(best, s.relativeError);
        });
        QVERIFY(learned.relativeError <= best * (1 + 1e-5));
    }

    void fastBeatsThePaperOnADecayingSpectrum() {
        const MatrixXf w = decayingMatrix(96, 256, 6);
        KsvdOptions paper;
        const double ksvd = solveKsvd(m_backend, m_backend.upload(w), 80, 40, paper).relativeError;
        QVERIFY(solve("fast", w, 80, 40).relativeError < ksvd);
    }

    // With more atoms than d1 every column may have directions of its own: s of them leave less
    // than the s that are best for all (Eckart–Young).
    void overcompleteAndTallShapes() {
        const MatrixXf wide = decayingMatrix(20, 100, 7);
        QVERIFY(solve("fast", wide, 30, 5).relativeError < tailOfSpectrum(wide, 5));      // k > d1
        QVERIFY(solve("fast", decayingMatrix(100, 20, 8), 30, 15).relativeError < 1e-2);  // k > d2
        QVERIFY(solve("ksvd", decayingMatrix(20, 12, 9), 30, 5).relativeError < 1e-2);    // k > d2
    }

    // Of a steep spectrum the first thresholding uses the leading directions alone. The atoms that
    // it leaves are bytes, and have to be worth them.
    void unusedAtomsAreReplaced() {
        const int k = 56, s = 8;
        const MatrixXf w = steepMatrix(64, 200, 1.5, 5);
        const MatrixXd projected =
            reference::svd(w.cast<double>()).U.leftCols(k).transpose() * w.cast<double>();
        Eigen::VectorXi uses = Eigen::VectorXi::Zero(k);
        for (Eigen::Index j = 0; j < w.cols(); ++j) {
            Eigen::VectorXd sizes = projected.col(j).cwiseAbs();
            std::nth_element(sizes.data(), sizes.data() + (k - s), sizes.data() + k);
            uses += (projected.col(j).cwiseAbs().array() >= sizes(k - s)).cast<int>().matrix();
        }
        const auto used = static_cast<int>((uses.array() > 0).count());
        QVERIFY2(used < k - 5, qPrintable(QString::number(used)));
        const LearnedDictionary all = solve("fast", w, k, s);
        const LearnedDictionary fewer = solve("fast", w, used, s);
        const std::vector<std::int64_t> counts = m_backend.rowCounts(all.codes);
        QCOMPARE(std::count(counts.begin(), counts.end(), std::int64_t{0}), std::ptrdiff_t{0});
        QVERIFY2(all.relativeError < 0.9 * fewer.relativeError,
                 qPrintable(QString("%1, with %2 atoms %3")
                                .arg(all.relativeError)
                                .arg(used)
                                .arg(fewer.relativeError)));
    }

    void sameSeedSameBits_data() { solvers(); }
    void sameSeedSameBits() {
        QFETCH(QString, solver);
        const MatrixXf w = decayingMatrix(30, 80, 10);
        const LearnedDictionary a = solve(solver, w, 20, 8);
        const LearnedDictionary b = solve(solver, w, 20, 8);
        QCOMPARE(m_backend.download(a.codes), m_backend.download(b.codes));
        QCOMPARE(m_backend.download(a.dictionary), m_backend.download(b.dictionary));
    }

    void stopsWhenAsked_data() { solvers(); }
    void stopsWhenAsked() {
        QFETCH(QString, solver);
        std::stop_source stop;
        int calls = 0;
        const LearnedDictionary learned = solve(
            solver, decayingMatrix(30, 80, 11), 20, 8,
            [&](const IterationSummary&) {
                if (++calls == 3) {
                    stop.request_stop();
                }
            },
            stop.get_token());
        QCOMPARE(learned.termination, Termination::Cancelled);
        QCOMPARE(calls, 3);
    }

    // Normal equations that are not positive definite: ten times the ridge each time, then an
    // error.
    void ridgeGrowsUntilNoneWillDo() {
        solver::Ridge ridge;
        const double first = ridge.value();
        QVERIFY(ridge.settle(true));
        QCOMPARE(ridge.value(), first);
        QVERIFY(!ridge.settle(false));
        QVERIFY(std::abs(ridge.value() / first - 10) < 1e-9);
        QVERIFY_THROWS_EXCEPTION(
            Error, for (int i = 0; i < 20; ++i) { ridge.settle(false); });
        QVERIFY(ridge.value() > 1);
    }

    void refusesBadInput() {
        const MatrixXf w = decayingMatrix(10, 20, 13);
        MatrixXf nan = w;
        nan(3, 3) = std::nanf("");
        for (const char* solver : {"fast", "ksvd"}) {
            const auto refusal = [&](const MatrixXf& a, int s) {
                return whereOf([&] { solve(solver, a, 5, s); });
            };
            QCOMPARE(refusal(w, 0), std::string("s"));
            QCOMPARE(refusal(w, 6), std::string("s"));
            QCOMPARE(refusal(w, 5), std::string("no error"));
            QCOMPARE(refusal(MatrixXf::Zero(10, 20), 2), std::string("weight"));
            QCOMPARE(refusal(nan, 2), std::string("weight"));
        }
    }

    void zeroColumnsAreHarmless() {
        MatrixXf w = decayingMatrix(20, 40, 14);
        w.col(5).setZero();
        for (const char* solver : {"fast", "ksvd"}) {
            const LearnedDictionary learned = solve(solver, w, 12, 4);
            QVERIFY(m_backend.download(learned.codes).allFinite());
            QVERIFY((m_backend.download(learned.codes).col(5).array() == 0).all());
        }
    }
};

COSPADI_TEST(TestSolver)

}  // namespace tst_solver

#include "tst_solver.moc"
