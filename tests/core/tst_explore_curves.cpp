// What the curves of an ablation stand beside: each method's own, low rank by its singular values,
// and one point where no ratio counts.
#include <QtTest>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "core/explore/whole_model.h"
#include "core/forms/low_rank/low_rank_weight.h"
#include "core/linalg/spectrum.h"
#include "core/methods/compot/compot_method.h"
#include "core/methods/cospadi/cospadi_method.h"
#include "core/methods/layer_groups.h"
#include "core/methods/low_rank/svd_llm_method.h"
#include "core/methods/low_rank/svd_method.h"
#include "core/methods/output_metric.h"
#include "core/store/run_specification.h"
#include "explore_samples.h"
#include "tests/core/message_of.h"
#include "tests/core/reference_algebra.h"
#include "tests/registered_test.h"

namespace tst_explore_curves {

using namespace cospadi;
using namespace cospadi::explore_samples;

class TestExploreCurves : public QObject {
    Q_OBJECT

  private slots:
    void curvesAreTheMethodsOwn_data() {
        QTest::addColumn<QString>("method");
        QTest::addColumn<bool>("whitened");
        QTest::newRow("svd-llm") << "svd-llm" << true;
        QTest::newRow("svd, measured by a Gram") << "svd" << true;
        QTest::newRow("svd, plain") << "svd" << false;
        QTest::newRow("wanda") << "wanda" << true;
        QTest::newRow("sparsegpt") << "sparsegpt" << true;
        QTest::newRow("compot") << "compot" << true;
        QTest::newRow("rocket") << "rocket" << true;
        QTest::newRow("cospadi-free, measured by a Gram") << "cospadi-free" << true;
    }

    void curvesAreTheMethodsOwn() {
        QFETCH(QString, method);
        QFETCH(bool, whitened);
        MatrixExplorer explorer(randomMatrixAtHand(48, 96, whitened), 2);
        ExploreRequest request;
        request.options.method = &methodFromName(method.toStdString());
        request.options.cr = 0.3;
        request.rhos = {1.5, 3};
        request.crs = {0.2, 0.3, 0.5};
        Told told;
        QCOMPARE(explorer.explore(request, told.callbacks()), Termination::Converged);
        const bool hasRho = request.options.method->uses("rho");
        std::map<ExploreCurve, int> settled;
        for (const ExplorePoint& point : told.points) {
            // No other metric's errors on the way.
            QVERIFY(point.settled || whitened == request.options.method->needsCalibration());
            if (!point.settled) {
                continue;
            }
            ++settled[point.curve];
            MatrixOptions options = request.options;
            options.cr = point.cr;
            options.rho = hasRho ? point.rho : options.rho;
            QVERIFY(hasRho || (point.rho == 0 && point.k == 0 && point.s == 0));
            const double run = storedErrorOf(explorer.matrix(), options);
            QVERIFY(run > 0.01);
            QVERIFY(std::abs(point.relativeError - run) < 1e-6);
            QCOMPARE(point.bytes, budgetBytes(options, 48, 96));
            QVERIFY(point.bytes <= (1 - point.cr) * 2 * 48 * 96);
            QVERIFY(!point.stored.empty());
        }
        QCOMPARE(settled[ExploreCurve::Here], 1);
        QCOMPARE(settled[ExploreCurve::Cr], 3);
        QCOMPARE(settled[ExploreCurve::Rho], hasRho ? 2 : 0);
        // Beside itself no method stands.
        const bool isReference = method == (whitened ? "svd-llm" : "svd");
        QCOMPARE(told.reference.size(), std::size_t{isReference ? 0U : 3U});
    }

    // Eckart and Young: no product of this rank is nearer to W than the singular values that it
    // leaves out; bfloat16 adds little.
    void lowRankCurveIsThatOfTheSingularValues() {
        MatrixExplorer explorer(randomMatrixAtHand(48, 96, false), 2);
        ExploreRequest request;
        request.options.method = &svdMethod();
        request.crs = {0.2, 0.4, 0.6, 0.8};
        Told told;
        QCOMPARE(explorer.explore(request, told.callbacks()), Termination::Converged);
        const Eigen::VectorXd values =
            reference::svd(explorer.matrix().weight.cast<double>()).values;
        int seen = 0;
        for (const ExplorePoint& point : told.points) {
            if (point.curve != ExploreCurve::Cr) {
                continue;
            }
            ++seen;
            const auto rank =
                static_cast<Eigen::Index>((1 - point.cr) * 48 * 96 / (48 + 96) + 1e-9);
            const double left = values.tail(48 - rank).norm() / values.norm();
            QVERIFY(point.relativeError >= left * (1 - 1e-6));
            QVERIFY(point.relativeError < left * 1.01);
            QCOMPARE(point.bytes, 2.0 * static_cast<double>(rank) * (48 + 96));
        }
        QCOMPARE(seen, 4);
    }

    void aMethodWithoutRatioIsOnePoint_data() {
        QTest::addColumn<QString>("method");
        QTest::addColumn<QString>("option");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("other");
        QTest::addColumn<double>("bitsAWeight");
        QTest::newRow("rtn") << "rtn"
                             << "bits"
                             << "4"
                             << "3" << 4 + 32.0 / 16;
        QTest::newRow("gptq") << "gptq"
                              << "bits"
                              << "3"
                              << "4" << 3 + 32.0 / 16;
        QTest::newRow("wanda 2:4") << "wanda"
                                   << "pattern"
                                   << "2:4"
                                   << "4:8" << 8 + 4.0 / 4;
    }

    void aMethodWithoutRatioIsOnePoint() {
        QFETCH(QString, method);
        QFETCH(QString, option);
        QFETCH(QString, value);
        QFETCH(QString, other);
        QFETCH(double, bitsAWeight);
        MatrixExplorer explorer(randomMatrixAtHand(48, 96, true), 2);
        ExploreRequest request;
        MatrixOptions& options = request.options;
        options.method = &methodFromName(method.toStdString());
        const auto set = [&](const QString& name, const QString& text) {
            for (const Option* own : options.method->options()) {
                if (name == own->name) {
                    options.own[own->name] = optionFromText(*own, text.toStdString());
                }
            }
        };
        set("group_size", "16");
        set(option, value);
        request.rhos = {1.5, 3};
        request.crs = {0.2, 0.5};
        Told told;
        QCOMPARE(explorer.explore(request, told.callbacks()), Termination::Converged);
        QCOMPARE(told.points.size(), std::size_t{1});
        const ExplorePoint point = told.points.front();
        QCOMPARE(point.curve, ExploreCurve::Here);
        QVERIFY(point.settled);
        QCOMPARE(point.bytes, bitsAWeight * 48 * 96 / 8);
        QCOMPARE(point.bytes, options.method->plan(options, 48, 96).bytes());
        QCOMPARE(point.cr, 1 - bitsAWeight / 16);
        QCOMPARE(point.rho, 0.0);
        QVERIFY(std::abs(point.relativeError - storedErrorOf(explorer.matrix(), options)) < 1e-6);
        // The low-rank method in the same bytes.
        const auto beside = std::find_if(told.reference.begin(), told.reference.end(),
                                         [&](const auto& at) { return at.cr == point.cr; });
        QVERIFY(beside != told.reference.end());
        QVERIFY(beside->bytes <= point.bytes);
        QVERIFY(beside->bytes + 2 * (48 + 96) > point.bytes);

        // What it does not have is no other setting; what it has is.
        options.cr = 0.7;
        options.rho = 5;
        told = {};
        QCOMPARE(explorer.explore(request, told.callbacks()), Termination::Converged);
        QCOMPARE(told.points.size(), std::size_t{1});
        QCOMPARE(told.points.front().relativeError, point.relativeError);
        set(option, other);
        told = {};
        QCOMPARE(explorer.explore(request, told.callbacks()), Termination::Converged);
        QCOMPARE(told.points.size(), std::size_t{1});
        QVERIFY(std::abs(told.points.front().relativeError -
                         storedErrorOf(explorer.matrix(), options)) < 1e-6);
        QVERIFY(told.points.front().relativeError != point.relativeError);
    }

    void referenceHasTheRidgeAndTheRefitting() {
        MatrixExplorer explorer(randomMatrixAtHand(48, 96, true), 2);
        MatrixOptions asked;
        asked.accounting = Accounting::Packed8;
        MatrixOptions run = asked;
        run.method = &svdLlmMethod();
        run.cr = 0.5;
        std::vector<double> errors;
        for (const double ridge : {0.0, 0.3}) {
            for (const bool refit : {false, true}) {
                asked.ridge = run.ridge = ridge;
                asked.refit = run.refit = refit;
                const auto reference = explorer.lowRankReference(asked, {0.5});
                QCOMPARE(reference.size(), std::size_t{1});
                const double peer = storedErrorOf(explorer.matrix(), run);
                QVERIFY(std::abs(reference[0].relativeError / peer - 1) < 1e-6);
                for (const double before : errors) {
                    QVERIFY(std::abs(peer / before - 1) > 1e-5);  // or nothing is shown
                }
                errors.push_back(peer);
            }
        }
    }

    // Of a whole model they lie over a ratio, at one ρ, each matrix by itself.
    void wholeModelsWantARatio() {
        const auto refusedField = [](const nlohmann::json& fields) {
            return whereOf([&] { curveOptions(runSpecificationFromJson(fields)); });
        };
        QCOMPARE(refusedField({{"method", "rtn"}}), std::string("method"));
        QCOMPARE(refusedField({{"method", "wanda"}, {"pattern", "2:4"}}), std::string("method"));
        QCOMPARE(refusedField({{"method", "replaceme"}}), std::string("method"));
        QCOMPARE(refusedField({{"method", "cospadi"}, {"rho", "auto"}}), std::string("rho"));
        const MatrixOptions alone = curveOptions(runSpecificationFromJson(
            {{"method", "cospadi"}, {"groups", "pairs"}, {"output_metric", "fisher"}}));
        QVERIFY(!groupsLayers(alone) && !usesOutputMetric(alone));
    }
};

COSPADI_TEST(TestExploreCurves)

}  // namespace tst_explore_curves

#include "tst_explore_curves.moc"
