// The solvers against theory: Eckart–Young where codes are dense, monotone phases, bad input.
#include <QtTest>
#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "core/dictionary/dictionary_learning.h"
#include "core/dictionary/solver_steps.h"
#include "core/linalg/cpu_backend.h"
#include "tests/core/reference_algebra.h"
#include "tests/registered_test.h"

namespace tst_solver {

using namespace cospadi;
using Eigen::MatrixXd;
using Eigen::MatrixXf;

namespace {

// A weight with a decaying spectrum, as whitened weights have.
MatrixXf decayingMatrix(int rows, int cols, unsigned seed) {
    std::srand(seed);
    MatrixXf a = MatrixXf::Random(rows, cols);
    for (int i = 0; i < rows; ++i) {
        a.row(i) /= 1.0F + 0.2F * static_cast<float>(i);
    }
    const MatrixXd q = reference::orthonormal(MatrixXf::Random(rows, rows).cast<double>());
    return q.cast<float>() * a;
}

double tailOfSpectrum(const MatrixXf& w, int rank) {
    const Eigen::VectorXd values = reference::svd(w.cast<double>()).values;
    return values.tail(values.size() - rank).norm() / w.cast<double>().norm();
}

double errorOf(CpuBackend& backend, const MatrixXf& w, const LearnedDictionary& learned) {
    const MatrixXd d = backend.download(learned.dictionary).cast<double>();
    const MatrixXd s = backend.download(learned.codes).cast<double>();
    return (w.cast<double>() - d * s).norm() / w.cast<double>().norm();
}

// Columns whose weights differ by orders of magnitude, and that hang together: a Gram matrix as a
// model's activations give it.
MatrixXf activationMetric(int n, unsigned seed) {
    const MatrixXf x = decayingMatrix(n, 3 * n, seed).transpose();
    MatrixXf gram = x.transpose() * x;
    gram.diagonal().array() += 1e-4F * gram.diagonal().mean();
    return gram / gram.diagonal().mean();
}

// L, upper triangular with LᵀL a Gram matrix of inputs.
MatrixXf inputsFactor(int n, unsigned seed) {
    return reference::choleskyFactor(activationMetric(n, seed).cast<double>()).cast<float>();
}

// (Z Lᵀ) for a metric LᵀL.
MatrixXf inMetric(const MatrixXf& z, const MatrixXf& metric) {
    const MatrixXd l = reference::choleskyFactor(metric.cast<double>());
    return (z.cast<double>() * l.transpose()).cast<float>();
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

    LearnedDictionary solveCoupled(const MatrixXf& z, const MatrixXf& metric, int k, int s,
                                   const FastOptions& options = FastOptions::coupled()) {
        return solveInParts(z, metric, {metric}, k, s, options);
    }

    // metrics: the blocks on the diagonal of `metric`.
    LearnedDictionary solveInParts(const MatrixXf& z, const MatrixXf& metric,
                                   const std::vector<MatrixXf>& metrics, int k, int s,
                                   const FastOptions& options) {
        std::vector<Matrix> uploaded;
        for (const MatrixXf& part : metrics) {
            uploaded.push_back(m_backend.upload(part));
        }
        return solveFastCoupled(m_backend, m_backend.upload(z),
                                m_backend.upload(inMetric(z, metric)), uploaded, k, s, options);
    }

  private slots:
    // Columns coupled by a metric, or each of its parts by one of its own: what is reported is the
    // error in that metric, and the values are its least squares on their support (the gradient
    // vanishes there).
    void coupledColumns_data() {
        QTest::addColumn<QList<int>>("widths");
        QTest::newRow("one metric") << QList<int>{150};
        QTest::newRow("a metric a part") << QList<int>{70, 16, 64};
    }
    void coupledColumns() {
        QFETCH(QList<int>, widths);
        const MatrixXf z = decayingMatrix(40, 150, 11);
        MatrixXf metric = MatrixXf::Zero(150, 150);
        std::vector<MatrixXf> metrics;
        int first = 0;
        for (const int width : widths) {
            metrics.push_back(activationMetric(width, 12 + first));
            metric.block(first, first, width, width) = metrics.back();
            first += width;
        }
        FastOptions options = FastOptions::coupled();
        options.refitSteps = 400;
        const LearnedDictionary learned = solveInParts(z, metric, metrics, 36, 14, options);
        const MatrixXd d = m_backend.download(learned.dictionary).cast<double>();
        const MatrixXd s = m_backend.download(learned.codes).cast<double>();
        const MatrixXd residual = z.cast<double>() - d * s;
        const MatrixXf target = inMetric(z, metric);
        const double error = inMetric(residual.cast<float>(), metric).norm() / target.norm();
        QVERIFY(std::abs(error - learned.relativeError) < 1e-4 * error + 1e-6);
        QVERIFY((d.colwise().norm().array() - 1).abs().maxCoeff() < 1e-4);
        QVERIFY((s.array() != 0).cast<int>().colwise().sum().maxCoeff() <= 14);
        const MatrixXd gradient = d.transpose() * residual * metric.cast<double>();
        const MatrixXd onSupport = (s.array() != 0).select(gradient.array(), 0.0).matrix();
        const MatrixXd atZero = d.transpose() * z.cast<double>() * metric.cast<double>();
        QVERIFY2(onSupport.norm() < 1e-3 * atZero.norm(),
                 qPrintable(QString::number(onSupport.norm() / atZero.norm())));
        // Thresholded singular vectors are where it begins: it must end far below them.
        FastOptions start = options;
        start.iterations = 0;
        start.refitSteps = 0;
        QVERIFY(learned.relativeError <
                0.7 * solveInParts(z, metric, metrics, 36, 14, start).relativeError);
    }

    // Enough atoms and a full support leave nothing over; a metric of identity couples nothing, and
    // then the other solver does the same job.
    void coupledColumnsInTheLimits() {
        const MatrixXf z = decayingMatrix(24, 90, 13);
        QVERIFY(solveCoupled(z, activationMetric(90, 14), 24, 24).relativeError < 2e-3);
        const double coupled = solveCoupled(z, MatrixXf::Identity(90, 90), 20, 8).relativeError;
        const double alone = solve("fast", z, 20, 8).relativeError;
        QVERIFY2(std::abs(coupled - alone) < 0.1 * alone,
                 qPrintable(QString("%1 and %2").arg(coupled).arg(alone)));
    }

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

    // Thresholding and Procrustes are both exact minimisers: the error may not rise. Against an
    // alternation in double, written down from the formulas.
    void procrustesFollowsTheFormulas() {
        const int k = 40, s = 12, iterations = 12;
        const MatrixXf w = decayingMatrix(64, 200, 4);
        const MatrixXd target = w.cast<double>();
        MatrixXd d = reference::svd(target).U.leftCols(k);
        MatrixXd codes;
        const auto code = [&] {
            codes = d.transpose() * target;
            for (Eigen::Index j = 0; j < codes.cols(); ++j) {
                std::vector<double> sizes(codes.rows());
                for (Eigen::Index i = 0; i < codes.rows(); ++i) {
                    sizes[static_cast<std::size_t>(i)] = std::abs(codes(i, j));
                }
                std::sort(sizes.rbegin(), sizes.rend());
                codes.col(j) = (codes.col(j).cwiseAbs().array() >= sizes[s - 1])
                                   .select(codes.col(j).array(), 0.0);
            }
        };
        std::vector<double> errors;
        code();
        for (int i = 0; i < iterations; ++i) {
            const reference::Svd svd = reference::svd(target * codes.transpose());
            d = svd.U * svd.V.transpose();
            code();
            errors.push_back((target - d * codes).norm() / target.norm());
        }
        ProcrustesOptions options;
        options.iterations = iterations;
        std::vector<double> told;
        const LearnedDictionary learned = solveProcrustes(
            m_backend, m_backend.upload(w), k, s, options,
            [&](const IterationSummary& summary) { told.push_back(summary.relativeError); });
        QCOMPARE(told.size(), errors.size());
        double previous = 1;
        for (std::size_t i = 0; i < told.size(); ++i) {
            QVERIFY(told[i] <= previous * (1 + 1e-6));
            previous = told[i];
            // Ties and near ties of entries are broken by rounding, so that ways part slowly.
            QVERIFY2(std::abs(told[i] - errors[i]) < 2e-3 * errors[i],
                     qPrintable(QString("%1: %2, %3").arg(i).arg(told[i]).arg(errors[i])));
        }
        const MatrixXd atoms = m_backend.download(learned.dictionary).cast<double>();
        QVERIFY((atoms.transpose() * atoms - MatrixXd::Identity(k, k)).norm() < 1e-4);
        const MatrixXd found = m_backend.download(learned.codes).cast<double>();
        QVERIFY((found.array() != 0).cast<int>().colwise().sum().maxCoeff() <= s);
        const double error = (target - atoms * found).norm() / target.norm();
        QVERIFY(std::abs(error - learned.relativeError) < 1e-4 * error);
    }

    // A full dictionary with full codes is W itself; more atoms than dimensions are refused.
    void procrustesInTheLimits() {
        const Matrix w = m_backend.upload(decayingMatrix(24, 60, 9));
        QVERIFY(solveProcrustes(m_backend, w, 24, 24, {}).relativeError < 1e-3);
        QVERIFY_THROWS_EXCEPTION(
            Error, static_cast<void>(solveProcrustes(m_backend, w, 25, 10, ProcrustesOptions())));
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

    void overcompleteAndTallShapes() {
        QVERIFY(solve("fast", decayingMatrix(20, 100, 7), 30, 5).relativeError < 0.9);    // k > d1
        QVERIFY(solve("fast", decayingMatrix(100, 20, 8), 30, 15).relativeError < 1e-2);  // k > d2
        QVERIFY(solve("ksvd", decayingMatrix(20, 12, 9), 30, 5).relativeError < 1e-2);    // k > d2
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

    void toleranceStopsEarly() {
        KsvdOptions options;
        options.tolerance = 0.05;
        const MatrixXf w = decayingMatrix(30, 80, 12);
        const LearnedDictionary learned = solveKsvd(m_backend, m_backend.upload(w), 20, 8, options);
        QCOMPARE(learned.termination, Termination::Converged);
        QVERIFY(learned.iterations < options.iterations);
    }

    // Before any iteration the dictionary is columns of the weight as it came, each once, at unit
    // length; where it has no more, some directions of unit length.
    void beginsWithColumnsOfTheWeight_data() {
        QTest::addColumn<int>("k");
        QTest::newRow("fewer atoms than columns") << 9;
        QTest::newRow("more atoms than columns") << 31;
    }
    void beginsWithColumnsOfTheWeight() {
        QFETCH(int, k);
        const MatrixXf weight = decayingMatrix(40, 24, 15);
        const MatrixXf whitened = inputsFactor(40, 16) * weight;
        KsvdOptions options;
        options.iterations = 0;
        options.init = DictionaryInit::WeightColumns;
        options.weight = m_backend.upload(weight);
        const auto columnsOf = [&](std::uint64_t seed) {
            options.seed = seed;
            const MatrixXf d = m_backend.download(
                solveKsvd(m_backend, m_backend.upload(whitened), k, 4, options).dictionary);
            std::vector<int> columns;
            for (int i = 0; i < k; ++i) {
                const Eigen::VectorXf likeness =
                    (weight.colwise().normalized().transpose() * d.col(i)).eval();
                int column = -1;
                const float best = likeness.maxCoeff(&column);
                const bool isColumn =
                    best > 0 && (weight.col(column).normalized() - d.col(i)).norm() < 1e-6F;
                columns.push_back(isColumn ? column : -1);
                if (std::abs(d.col(i).norm() - 1) > 1e-5F) {
                    columns.push_back(-2);
                }
            }
            return columns;
        };
        const std::vector<int> columns = columnsOf(42);
        QCOMPARE(static_cast<int>(columns.size()), k);  // all of unit length
        const auto different = std::set<int>(columns.begin(), columns.begin() + std::min(k, 24));
        QCOMPARE(static_cast<int>(different.size()), std::min(k, 24));
        QVERIFY(!different.contains(-1));
        QCOMPARE(static_cast<int>(std::count(columns.begin(), columns.end(), -1)),
                 std::max(0, k - 24));
        QCOMPARE(columnsOf(42), columns);
        QVERIFY(columnsOf(43) != columns);
    }

    // An atom at right angles to all columns explains nothing, so none uses it: kept it stays as it
    // was, replaced it is gone.
    void deadAtoms_data() {
        QTest::addColumn<bool>("mod");
        QTest::addColumn<bool>("keeps");
        for (const bool mod : {false, true}) {
            for (const bool keeps : {false, true}) {
                QTest::addRow("%s, %s", mod ? "mod" : "ksvd", keeps ? "kept" : "replaced")
                    << mod << keeps;
            }
        }
    }
    void deadAtoms() {
        QFETCH(bool, mod);
        QFETCH(bool, keeps);
        MatrixXf w = decayingMatrix(12, 60, 17);
        w.row(11).setZero();
        MatrixXf first = w.leftCols(5);
        first.col(3) = Eigen::VectorXf::Unit(12, 11);
        KsvdOptions options;
        options.iterations = 4;
        options.update = mod ? DictionaryUpdate::Mod : DictionaryUpdate::KsvdPower;
        options.init = DictionaryInit::WeightColumns;
        options.weight = m_backend.upload(first);
        options.deadAtoms = keeps ? DeadAtoms::Keep : DeadAtoms::Replace;
        std::vector<std::int64_t> dead;
        const LearnedDictionary learned =
            solveKsvd(m_backend, m_backend.upload(w), 5, 2, options,
                      [&](const IterationSummary& s) { dead.push_back(s.deadAtoms); });
        const MatrixXf d = m_backend.download(learned.dictionary);
        const MatrixXf codes = m_backend.download(learned.codes);
        int unused = 0;
        const float likeness = d.row(11).cwiseAbs().maxCoeff(&unused);
        if (keeps) {
            QCOMPARE(dead, std::vector<std::int64_t>(4, 1));
            QCOMPARE(likeness, 1.0F);
            QCOMPARE(d.col(unused).norm(), 1.0F);
            QVERIFY((codes.row(unused).array() == 0).all());
            QCOMPARE(learned.replacedAtoms, std::int64_t{0});
        } else {
            QCOMPARE(dead.front(), std::int64_t{1});
            QCOMPARE(dead.back(), std::int64_t{0});
            QCOMPARE(likeness, 0.0F);
            QCOMPARE(learned.replacedAtoms, std::int64_t{1});
        }
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
        QVERIFY_THROWS_EXCEPTION(Error, solve("fast", w, 5, 0));
        QVERIFY_THROWS_EXCEPTION(Error, solve("fast", w, 5, 6));
        QVERIFY_THROWS_EXCEPTION(Error, solve("ksvd", MatrixXf::Zero(10, 20), 5, 2));
        MatrixXf nan = w;
        nan(3, 3) = std::nanf("");
        QVERIFY_THROWS_EXCEPTION(Error, solve("fast", nan, 5, 2));
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
