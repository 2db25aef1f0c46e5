// The interactive ablation of a matrix: its points are those that compressMatrix() gives, what was
// settled is remembered or carried over, and stopping stops.
#include <Eigen/Cholesky>
#include <Eigen/SVD>
#include <QtTest>
#include <algorithm>
#include <functional>
#include <map>

#include "core/base/error.h"
#include "core/methods/compot/compot_method.h"
#include "core/methods/cospadi/cospadi_method.h"
#include "core/methods/low_rank/svd_llm_method.h"
#include "core/methods/low_rank/svd_method.h"
#include "core/methods/sparse_dictionary/sparse_method.h"
#include "explore_samples.h"
#include "tests/core/low_rank_factors.h"
#include "tests/registered_test.h"

namespace tst_explore {

using namespace cospadi;
using namespace cospadi::explore_samples;

class TestExplore : public QObject {
    Q_OBJECT

  private slots:
    void pointsAreWhatARunWouldStore_data() {
        QTest::addColumn<bool>("whitened");
        QTest::addColumn<int>("accounting");
        QTest::newRow("plain") << false << static_cast<int>(Accounting::Eq11);
        QTest::newRow("whitened") << true << static_cast<int>(Accounting::Eq11);
        QTest::newRow("packed8") << true << static_cast<int>(Accounting::Packed8);
    }

    void pointsAreWhatARunWouldStore() {
        QFETCH(bool, whitened);
        QFETCH(int, accounting);
        MatrixExplorer explorer(randomMatrixAtHand(48, 96, whitened), 2);
        ExploreRequest request;
        request.options.cr = 0.3;
        request.options.accounting = static_cast<Accounting>(accounting);
        request.options.iterations = 9;
        request.rhos = {1.5, 2, 3, 1000};  // the last leaves no non-zero
        request.crs = {0.2, 0.5};
        std::map<std::pair<double, double>, double> settled;
        std::vector<int> hereIterations;
        std::vector<ReferencePoint> reference;
        int passedOver = 0;
        int finals = 0;
        ExploreCallbacks callbacks;
        callbacks.point = [&](const ExplorePoint& point) {
            if (point.curve == ExploreCurve::Here && !point.settled) {
                hereIterations.push_back(point.iteration);
            }
            if (point.settled) {
                ++finals;
                settled[{point.cr, point.rho}] = point.relativeError;
            }
        };
        callbacks.reference = [&](const std::vector<ReferencePoint>& points) {
            reference = points;
        };
        callbacks.passedOver = [&](const std::string&) { ++passedOver; };
        QCOMPARE(explorer.explore(request, callbacks), Termination::Converged);
        QCOMPARE(hereIterations, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
        QCOMPARE(finals, 6);  // here, three ρ, two CR
        QCOMPARE(passedOver, 1);

        CpuBackend backend(1);
        const MatrixAtHand& matrix = explorer.matrix();
        for (const auto& [key, error] : settled) {
            MatrixOptions options = request.options;
            options.method = whitened ? &cospadiMethod() : &cospadiFreeMethod();
            options.cr = key.first;
            options.rho = key.second;
            const CompressedMatrix peer = compressMatrix(
                backend, matrix.weight, matrix.whitening ? &*matrix.whitening : nullptr, options);
            QVERIFY(std::abs(peer.relativeError - error) < 1e-6);
        }
        QCOMPARE(reference.size(), std::size_t{3});  // CR 0.2, 0.3 and 0.5
        for (const ReferencePoint& point : reference) {
            MatrixOptions options;
            options.method = whitened ? &svdLlmMethod() : &svdMethod();
            options.accounting = request.options.accounting;
            options.cr = point.cr;
            const CompressedMatrix peer = compressMatrix(
                backend, matrix.weight, matrix.whitening ? &*matrix.whitening : nullptr, options);
            QCOMPARE(point.rank, lowRankFactors(peer.weight)->left.cols());
            QVERIFY(std::abs(peer.relativeError / point.relativeError - 1) < 1e-6);
        }
    }

    // Dragging ρ: its curve, and what the curves share, stand at once; nothing of it is solved
    // again.
    void whatWasSettledIsRemembered() {
        MatrixExplorer explorer(randomMatrixAtHand(48, 96, true), 2);
        ExploreRequest request;
        request.options.cr = 0.3;
        request.options.rho = 2;
        request.rhos = {1.5, 2, 3};
        request.crs = {0.3, 0.5};
        using Key = std::tuple<ExploreCurve, double, double>;
        std::map<Key, double> last;
        std::map<Key, int> told;
        ExploreCallbacks callbacks;
        callbacks.point = [&](const ExplorePoint& point) {
            const Key key{point.curve, point.cr, point.rho};
            ++told[key];
            if (point.settled) {
                last[key] = point.relativeError;
            }
        };
        QCOMPARE(explorer.explore(request, callbacks), Termination::Converged);
        const auto first = last;
        // Besides where solving begins, and what is stored.
        const int hereIterations = told.at({ExploreCurve::Here, 0.3, 2}) - 2;
        QVERIFY(hereIterations > 1);
        QCOMPARE(first.size(), std::size_t{6});
        // The setting at hand stands on both curves.
        QCOMPARE(first.at({ExploreCurve::Rho, 0.3, 2}), first.at({ExploreCurve::Here, 0.3, 2}));
        QCOMPARE(first.at({ExploreCurve::Cr, 0.3, 2}), first.at({ExploreCurve::Here, 0.3, 2}));

        request.options.rho = 3;
        last.clear();
        told.clear();
        QCOMPARE(explorer.solveHere(request, callbacks), Termination::Converged);
        for (const double rho : request.rhos) {
            const Key key{ExploreCurve::Rho, 0.3, rho};
            QCOMPARE(last.at(key), first.at(key));
        }
        told.clear();
        QCOMPARE(explorer.solveCurves(request, callbacks), Termination::Converged);
        // One was left to be solved.
        QCOMPARE(told, (std::map<Key, int>{{{ExploreCurve::Cr, 0.5, 3}, 1}}));

        // Where a curve went through, the way there stands as well.
        request.options.rho = 1.5;
        told.clear();
        QCOMPARE(explorer.solveHere(request, callbacks), Termination::Converged);
        QVERIFY(told.at({ExploreCurve::Here, 0.3, 1.5}) > 2);

        // Back to where it was: everything stands before anything could be solved, the way there
        // as well, and nothing of the curves is told twice.
        request.options.rho = 2;
        last.clear();
        told.clear();
        QCOMPARE(explorer.solveHere(request, callbacks), Termination::Converged);
        QCOMPARE(last, first);
        QCOMPARE(told.at({ExploreCurve::Here, 0.3, 2}), hereIterations + 1);
        told.clear();
        QCOMPARE(explorer.solveCurves(request, callbacks), Termination::Converged);
        QVERIFY(told.empty());

        request.options.seed = 7;  // another question
        told.clear();
        QCOMPARE(explorer.solveHere(request, callbacks), Termination::Converged);
        QVERIFY(!told.contains({ExploreCurve::Rho, 0.3, 1.5}));
    }

    // The setting at hand stands: the ends come first, what lies between two others last.
    void curvesAreSpannedFirst() {
        MatrixExplorer explorer(randomMatrixAtHand(48, 96, true), 1);
        ExploreRequest request;
        request.options.cr = 0.3;
        request.options.rho = 2;
        request.options.iterations = 2;
        request.rhos = {1.5, 2, 2.5, 3, 4, 5};
        request.crs = {0.2, 0.3, 0.4, 0.5};
        Told told;
        QCOMPARE(explorer.solveHere(request, told.callbacks()), Termination::Converged);
        told = {};
        QCOMPARE(explorer.solveCurves(request, told.callbacks()), Termination::Converged);
        std::vector<double> rhos, crs;
        for (const ExplorePoint& point : told.points) {
            QVERIFY(point.settled && (point.curve == ExploreCurve::Cr || crs.empty()));
            (point.curve == ExploreCurve::Rho ? rhos : crs)
                .push_back(point.curve == ExploreCurve::Rho ? point.rho : point.cr);
        }
        QCOMPARE(rhos, (std::vector<double>{5, 3, 1.5, 2.5, 4}));
        QCOMPARE(crs, (std::vector<double>{0.5, 0.2, 0.4}));
    }

    // What the last solution comes to under the next setting is told first: under the same budget
    // its own error but for rounding, under a harder one more than the solver's end, which is that
    // of solving afresh.
    void carriesTheLastSolutionOver_data() {
        QTest::addColumn<int>("d2");
        QTest::addColumn<bool>("whitened");
        QTest::newRow("input side, whitened") << 96 << true;
        QTest::newRow("input side, plain") << 96 << false;
        QTest::newRow("output side, whitened") << 24 << true;
    }

    void carriesTheLastSolutionOver() {
        QFETCH(int, d2);
        QFETCH(bool, whitened);
        MatrixExplorer explorer(randomMatrixAtHand(48, d2, whitened), 2);
        std::vector<ExplorePoint> told;
        ExploreCallbacks callbacks;
        callbacks.point = [&](const ExplorePoint& point) { told.push_back(point); };
        ExploreRequest request;
        request.options.cr = 0.3;
        request.options.rho = 2;
        QCOMPARE(explorer.solveHere(request, callbacks), Termination::Converged);
        QCOMPARE(told.front().iteration, d2 < 48 ? 1 : 0);  // atoms of outputs: no beginning
        const double stored = told.back().relativeError;

        request.options.tolerance = 1e-9;  // another question with the same budget
        told.clear();
        QCOMPARE(explorer.solveHere(request, callbacks), Termination::Converged);
        QCOMPARE(told.front().iteration, 0);
        QVERIFY(!told.front().settled);
        QVERIFY(std::abs(told.front().relativeError / stored - 1) < 0.01);

        request.options.cr = 0.4;
        told.clear();
        QCOMPARE(explorer.solveHere(request, callbacks), Termination::Converged);
        QCOMPARE(told[0].iteration, 0);
        QCOMPARE(told[1].iteration, 1);
        QVERIFY(told[0].relativeError > told.back().relativeError);
        CpuBackend backend(1);
        const MatrixAtHand& matrix = explorer.matrix();
        MatrixOptions options = request.options;
        options.method = whitened ? &cospadiMethod() : &cospadiFreeMethod();
        const CompressedMatrix peer = compressMatrix(
            backend, matrix.weight, matrix.whitening ? &*matrix.whitening : nullptr, options);
        QVERIFY(std::abs(peer.relativeError - told.back().relativeError) < 1e-6);
    }

    void beginsWithTheLeadingDirections_data() {
        QTest::addColumn<int>("d2");
        QTest::addColumn<bool>("whitened");
        QTest::addColumn<double>("rho");
        QTest::addColumn<double>("tolerance");
        QTest::newRow("whitened") << 96 << true << 2.0 << 1e-5;
        QTest::newRow("plain, fewer atoms") << 96 << false << 1.2 << 1e-5;
        QTest::newRow("whitened, a sample of the columns") << 4000 << true << 2.0 << 0.02;
    }

    // Against a decomposition of the whole whitened weight in float64.
    void beginsWithTheLeadingDirections() {
        QFETCH(int, d2);
        QFETCH(bool, whitened);
        QFETCH(double, rho);
        QFETCH(double, tolerance);
        const MatrixAtHand matrix = randomMatrixAtHand(48, d2, whitened);
        MatrixOptions options;
        options.method = whitened ? &cospadiMethod() : &cospadiFreeMethod();
        options.cr = 0.3;
        options.rho = rho;
        Eigen::MatrixXd w = matrix.weight.cast<double>();
        if (whitened) {
            w = matrix.whitening->gram().llt().matrixU() * w;
        }
        const SparseBudget budget = sparseBudgetOf(options, 48, d2);
        const Eigen::BDCSVD<Eigen::MatrixXd> svd(w, Eigen::ComputeThinU);
        const Eigen::MatrixXd projected =
            svd.matrixU().leftCols(std::min<Eigen::Index>(budget.k, 48)).transpose() * w;
        double explained = 0;
        for (Eigen::Index j = 0; j < projected.cols(); ++j) {
            Eigen::VectorXd squares = projected.col(j).cwiseAbs2();
            std::sort(squares.begin(), squares.end(), std::greater<>());
            explained += squares.head(std::min(squares.size(), budget.s)).sum();
        }
        const double expected = std::sqrt(1 - explained / w.squaredNorm());
        CpuBackend backend(1);
        const std::optional<double> error = errorOfBeginning(
            backend, matrix.weight, matrix.whitening ? &*matrix.whitening : nullptr, options);
        QVERIFY(error.has_value());
        QVERIFY2(std::abs(*error / expected - 1) < tolerance,
                 qPrintable(QStringLiteral("%1, not %2").arg(*error).arg(expected)));
    }

    // A solution of one method says nothing of another.
    void carriesNothingOverToAnotherMethod() {
        MatrixExplorer explorer(randomMatrixAtHand(48, 96, true), 2);
        ExploreRequest request;
        Told told;
        QCOMPARE(explorer.solveHere(request, told.callbacks()), Termination::Converged);
        request.options.method = &compotMethod();
        told = {};
        QCOMPARE(explorer.solveHere(request, told.callbacks()), Termination::Converged);
        MatrixExplorer other(randomMatrixAtHand(48, 96, true), 2);
        Told first;
        QCOMPARE(other.solveHere(request, first.callbacks()), Termination::Converged);
        QCOMPARE(told.points.front().iteration, 0);
        QCOMPARE(told.points.front().relativeError, first.points.front().relativeError);
        request.options.cr = 0.3;
        told = {};
        QCOMPARE(explorer.solveHere(request, told.callbacks()), Termination::Converged);
        QCOMPARE(told.points.front().iteration, 0);
    }

    void refusesWhatTheMethodCannotDo() {
        MatrixExplorer explorer(randomMatrixAtHand(48, 96, false), 1);
        const auto refuses = [&](const char* method, const char* option, std::int64_t value) {
            ExploreRequest request;
            request.options.method = &methodFromName(method);
            if (option != nullptr) {
                request.options.own[option] = value;
            }
            Told told;
            try {
                static_cast<void>(explorer.explore(request, told.callbacks()));
            } catch (const Error&) {
                return told.points.empty();
            }
            return false;
        };
        QVERIFY(refuses("gptq", "group_size", 16));  // no Gram
        QVERIFY(refuses("rtn", "group_size", 36));   // no divisor of 48
        QVERIFY(refuses("rtn", "bits", 99));
        QVERIFY(refuses("dense", nullptr, 0));
        QVERIFY(!refuses("rtn", "group_size", 16));
    }

    void stopsBetweenValuesWithoutIterations() {
        MatrixExplorer explorer(randomMatrixAtHand(48, 96, true), 1);
        ExploreRequest request;
        request.options.method = &svdLlmMethod();
        request.crs = {0.2, 0.4, 0.5};
        std::stop_source stop;
        int before = 0;
        int after = 0;
        ExploreCallbacks callbacks;
        callbacks.point = [&](const ExplorePoint& point) {
            ++(stop.stop_requested() ? after : before);
            if (point.curve == ExploreCurve::Cr && point.cr == 0.4) {
                stop.request_stop();
            }
        };
        QCOMPARE(explorer.explore(request, callbacks, stop.get_token()), Termination::Cancelled);
        QVERIFY(before >= 2);  // here, and 0.4
        QCOMPARE(after, 0);
    }

    void stopsWhenAsked() {
        MatrixExplorer explorer(randomMatrixAtHand(64, 128, false), 2);
        ExploreRequest request;
        request.options.iterations = 500;
        request.rhos = {1.5, 2, 3};
        std::stop_source stop;
        int after = 0;
        ExploreCallbacks callbacks;
        callbacks.point = [&](const ExplorePoint& point) {
            after += stop.stop_requested() ? 1 : 0;
            if (point.iteration == 3) {
                stop.request_stop();
            }
        };
        QCOMPARE(explorer.explore(request, callbacks, stop.get_token()), Termination::Cancelled);
        QCOMPARE(after, 0);
    }

    void namesAWrongSetting() {
        MatrixExplorer explorer(randomMatrixAtHand(16, 32, false), 1);
        ExploreRequest request;
        request.options.cr = 1.5;
        QVERIFY_THROWS_EXCEPTION(Error, explorer.explore(request, {}));
    }
};

COSPADI_TEST(TestExplore)

}  // namespace tst_explore

#include "tst_explore.moc"
