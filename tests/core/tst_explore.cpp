// A look at one matrix and its interactive ablation: the weight is the model's, the spectrum that
// of Eigen's SVD, the points those that compressMatrix() gives, and stopping stops.
#include <Eigen/SVD>
#include <QtTest>
#include <algorithm>
#include <map>

#include "core/base/error.h"
#include "core/explore/explore.h"
#include "core/forms/low_rank/low_rank_weight.h"
#include "core/linalg/cpu_backend.h"
#include "core/linalg/spectrum.h"
#include "core/methods/compot/compot_method.h"
#include "core/methods/compress_matrix.h"
#include "core/methods/cospadi/cospadi_method.h"
#include "core/methods/low_rank/svd_llm_method.h"
#include "core/methods/low_rank/svd_method.h"
#include "core/model/layer_weight.h"
#include "core/model/model.h"
#include "core/model/model_locator.h"
#include "core/patterns/pattern_analysis.h"
#include "tests/registered_test.h"

namespace tst_explore {

using namespace cospadi;

namespace {

const std::filesystem::path kModel = COSPADI_TEST_DATA "/oracle/arch/a_llama_gqa";

Eigen::MatrixXf randomMatrix(int rows, int cols) {
    std::srand(7);
    return Eigen::MatrixXf::Random(rows, cols);
}

MatrixAtHand randomMatrixAtHand(int d1, int d2, bool whitened) {
    MatrixAtHand matrix;
    matrix.info.name = "blk.0.ffn_up";
    matrix.info.d1 = d1;
    matrix.info.d2 = d2;
    matrix.weight = randomMatrix(d1, d2);
    if (whitened) {
        Eigen::MatrixXd x = Eigen::MatrixXd::Random(4 * d1, d1);
        for (int j = 0; j < d1; ++j) {
            x.col(j) *= 1 + j;  // far from a multiple of the identity
        }
        matrix.whitening.emplace(x.transpose() * x, "test");
    }
    return matrix;
}

// What explore() told.
struct Told {
    std::vector<ExplorePoint> points;
    std::vector<ReferencePoint> reference;

    ExploreCallbacks callbacks() {
        ExploreCallbacks callbacks;
        callbacks.point = [this](const ExplorePoint& point) { points.push_back(point); };
        callbacks.reference = [this](const std::vector<ReferencePoint>& told) { reference = told; };
        return callbacks;
    }
};

double storedErrorOf(const MatrixAtHand& matrix, const MatrixOptions& options) {
    CpuBackend backend(1);
    return compressMatrix(backend, matrix.weight, matrix.whitening ? &*matrix.whitening : nullptr,
                          options)
        .relativeError;
}

}  // namespace

class TestExplore : public QObject {
    Q_OBJECT

  private slots:
    void readsOneLayerAsTheWholeModelDoes_data() {
        QTest::addColumn<QString>("path");
        QTest::newRow("safetensors") << QString::fromStdString(kModel.string());
        QTest::newRow("GGUF, permuted and quantised") << "default";
    }

    void readsOneLayerAsTheWholeModelDoes() {
        QFETCH(QString, path);
        std::filesystem::path place;
        try {
            place = locateModel(path.toStdString());
        } catch (const Error& error) {
            QSKIP(error.what());
        }
        const Model model = Model::load(place);
        for (const char* kind : {"attn_q", "attn_k", "attn_output", "ffn_down"}) {
            const std::string layer = std::string("blk.1.").append(kind);
            const LayerWeight read = readLayerWeight(place, layer);
            QCOMPARE(read.info.name, layer);
            QVERIFY2(read.weight == model.weight(layer), layer.c_str());
        }
        QVERIFY_THROWS_EXCEPTION(Error, (void)readLayerWeight(place, "blk.999.ffn_up"));
    }

    void spectrumIsThatOfAnSvd_data() {
        QTest::addColumn<int>("d1");
        QTest::addColumn<int>("d2");
        QTest::newRow("wide") << 24 << 60;
        QTest::newRow("tall") << 60 << 24;
        QTest::newRow("square") << 30 << 30;
    }

    void spectrumIsThatOfAnSvd() {
        QFETCH(int, d1);
        QFETCH(int, d2);
        const Eigen::MatrixXf w = randomMatrix(d1, d2);
        const Eigen::JacobiSVD<Eigen::MatrixXd> svd(w.cast<double>(),
                                                    Eigen::ComputeThinU | Eigen::ComputeThinV);
        const std::vector<double> values = singularValues(w);
        QCOMPARE(values.size(), static_cast<std::size_t>(std::min(d1, d2)));
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double peer = svd.singularValues()(static_cast<Eigen::Index>(i));
            QVERIFY(std::abs(values[i] - peer) < 1e-7 * svd.singularValues()(0));
        }
        const std::vector<double> errors = truncationErrors(values);
        QCOMPARE(errors.front(), 1.0);
        QCOMPARE(errors.back(), 0.0);
        const int r = 9;
        const Eigen::MatrixXd truncated = svd.matrixU().leftCols(r) *
                                          svd.singularValues().head(r).asDiagonal() *
                                          svd.matrixV().leftCols(r).transpose();
        const double direct = (w.cast<double>() - truncated).norm() / w.cast<double>().norm();
        QVERIFY(std::abs(errors[r] - direct) < 1e-6);
    }

    void histogramCountsEveryWeight() {
        Eigen::MatrixXf w(2, 3);
        w << -1, 0, 0.1F, 0.9F, 1, 1;
        const Histogram histogram = histogramOf(w, 4);
        QCOMPARE(histogram.low, -1.0);
        QCOMPARE(histogram.high, 1.0);
        QCOMPARE(histogram.counts, (std::vector<std::int64_t>{1, 0, 2, 3}));
        QCOMPARE(histogramOf(Eigen::MatrixXf::Constant(2, 2, 5), 4).counts.front(), 4);
    }

    // Three atoms of which two nearly agree, and coefficients whose sizes are known.
    void patternsTellOfTheirDictionary() {
        SparseDictionaryFactors factors;
        factors.dictionary.resize(3, 3);
        factors.dictionary << 2, 1, 0, 0, 1, 0, 0, 0, 5;  // row by row
        factors.codes.resize(3, 4);
        factors.codes << 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, -2, 0.5F;
        const PatternAnalysis analysis = analysePattern(factors, 4);
        // |cos 45°| between the first two; the third is orthogonal to both.
        QCOMPARE(analysis.coherence.size(), std::size_t{3});
        QVERIFY(std::abs(analysis.coherence[0] - std::sqrt(0.5)) < 1e-6);
        QVERIFY(std::abs(analysis.coherence[1] - std::sqrt(0.5)) < 1e-6);
        QVERIFY(std::abs(analysis.coherence[2]) < 1e-6);
        QVERIFY(std::abs(analysis.meanAbsoluteCosine - std::sqrt(0.5) / 3) < 1e-6);
        // 1 · 2, −2 · 5 and 0.5 · 5; zeros are no coefficients.
        QCOMPARE(analysis.coefficients.low, -10.0);
        QCOMPARE(analysis.coefficients.high, 2.5);
        std::int64_t counted = 0;
        for (const std::int64_t count : analysis.coefficients.counts) {
            counted += count;
        }
        QCOMPARE(counted, 3);
        QCOMPARE(analysis.coefficients.counts.front(), 1);
        QCOMPARE(analysis.coefficients.counts.back(), 2);
    }

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
            if (point.last) {
                ++finals;
                settled[{point.cr, point.rho}] = point.relativeError;
            }
        };
        callbacks.reference = [&](const std::vector<ReferencePoint>& points) {
            reference = points;
        };
        callbacks.passedOver = [&](const std::string&) { ++passedOver; };
        QCOMPARE(explorer.explore(request, callbacks), Termination::Converged);
        QCOMPARE(hereIterations, (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
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
            if (point.last) {
                last[key] = point.relativeError;
            }
        };
        QCOMPARE(explorer.explore(request, callbacks), Termination::Converged);
        const auto first = last;
        const int hereIterations = told.at({ExploreCurve::Here, 0.3, 2}) - 1;
        QVERIFY(hereIterations > 1);
        QCOMPARE(first.size(), std::size_t{6});
        // The setting at hand stands on both curves.
        QCOMPARE(first.at({ExploreCurve::Rho, 0.3, 2}), first.at({ExploreCurve::Here, 0.3, 2}));
        QCOMPARE(first.at({ExploreCurve::Cr, 0.3, 2}), first.at({ExploreCurve::Here, 0.3, 2}));

        request.options.rho = 3;
        last.clear();
        told.clear();
        QCOMPARE(explorer.explore(request, callbacks), Termination::Converged);
        for (const double rho : request.rhos) {
            const Key key{ExploreCurve::Rho, 0.3, rho};
            QCOMPARE(last.at(key), first.at(key));
            QCOMPARE(told.at(key), 1);
        }
        QVERIFY(told.at({ExploreCurve::Cr, 0.5, 3}) > 1);  // this one had to be solved

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
        QCOMPARE(explorer.explore(request, callbacks), Termination::Converged);
        QVERIFY(told.at({ExploreCurve::Rho, 0.3, 1.5}) > 1);
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
        QCOMPARE(told.front().iteration, 1);  // nothing came before
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
            QVERIFY(point.last || whitened == request.options.method->needsCalibration());
            if (!point.last) {
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
            Eigen::JacobiSVD<Eigen::MatrixXd>(explorer.matrix().weight.cast<double>())
                .singularValues();
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
        QVERIFY(point.settled && point.last);
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

    // A solution of one method says nothing of another.
    void carriesNothingOverToAnotherMethod() {
        MatrixExplorer explorer(randomMatrixAtHand(48, 96, true), 2);
        ExploreRequest request;
        Told told;
        QCOMPARE(explorer.solveHere(request, told.callbacks()), Termination::Converged);
        request.options.method = &compotMethod();
        told = {};
        QCOMPARE(explorer.solveHere(request, told.callbacks()), Termination::Converged);
        QCOMPARE(told.points.front().iteration, 1);
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

    void readsAModelsMatrixAndSaysWhatIsMissing() {
        RunSpecification specification;
        specification.model = kModel.string();
        const MatrixAtHand matrix = readMatrixAtHand(specification, "blk.0.ffn_up");
        QVERIFY(!matrix.whitening);
        QVERIFY(!matrix.gramAbsence.empty());
        const MatrixPortrait portrait = portraitOf(matrix);
        QCOMPARE(portrait.singularValues.size(),
                 static_cast<std::size_t>(std::min(matrix.info.d1, matrix.info.d2)));
        QVERIFY(portrait.whitenedValues.empty());
        // Σσ² = ‖W‖²
        double energy = 0;
        for (const double value : portrait.singularValues) {
            energy += value * value;
        }
        QVERIFY(std::abs(energy / matrix.weight.cast<double>().squaredNorm() - 1) < 1e-9);
        std::int64_t counted = 0;
        for (const std::int64_t count : portrait.histogram.counts) {
            counted += count;
        }
        QCOMPARE(counted, matrix.info.d1 * matrix.info.d2);
        specification.model = "/nowhere";
        QVERIFY_THROWS_EXCEPTION(Error, (void)readMatrixAtHand(specification, "blk.0.ffn_up"));
    }
};

COSPADI_TEST(TestExplore)

}  // namespace tst_explore

#include "tst_explore.moc"
