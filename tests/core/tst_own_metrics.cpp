// A dictionary that layers share, each in the metric of its own inputs: its update against one
// linear system in double, and what theory says of the whole.
#include <QtTest>
#include <cmath>
#include <vector>

#include "core/base/error.h"
#include "core/dictionary/coding_problem.h"
#include "core/linalg/cpu_backend.h"
#include "core/methods/cospadi/cospadi_method.h"
#include "core/methods/layer_groups.h"
#include "core/methods/sparse_dictionary/sparse_method.h"
#include "tests/core/geopair_reference.h"
#include "tests/core/reference_algebra.h"
#include "tests/registered_test.h"

namespace tst_own_metrics {

using namespace cospadi;
using namespace cospadi::geopair_reference;
using Eigen::MatrixXd;
using Eigen::MatrixXf;

namespace {

// The layers' metrics in the space that the mean of their Grams whitens, and the weights there.
struct Whitened {
    MatrixXf w;
    std::vector<MatrixXd> metrics;
    std::vector<std::int64_t> widths;

    explicit Whitened(const std::vector<Layer>& layers) {
        MatrixXd mean = MatrixXd::Zero(layers[0].gram.rows(), layers[0].gram.cols());
        for (const Layer& layer : layers) {
            mean += layer.gram / static_cast<double>(layers.size());
            widths.push_back(layer.weight.cols());
        }
        const MatrixXd factor = reference::choleskyFactor(mean);
        const MatrixXd inverse = reference::inverse(factor);
        w = (factor * sideBySide(asked(layers)).cast<double>()).cast<float>();
        for (const Layer& layer : layers) {
            metrics.emplace_back(inverse.transpose() * layer.gram * inverse);
        }
    }

    double squaredError(const MatrixXd& product) const {
        double squared = 0;
        Eigen::Index first = 0;
        for (std::size_t i = 0; i < metrics.size(); ++i) {
            const MatrixXd left = (w.cast<double>() - product).middleCols(first, widths[i]);
            squared += (left.transpose() * metrics[i] * left).trace();
            first += widths[i];
        }
        return squared;
    }
};

}  // namespace

class TestOwnMetrics : public QObject {
    Q_OBJECT
    CpuBackend m_backend;

    std::vector<Matrix> uploaded(const std::vector<MatrixXd>& matrices) {
        std::vector<Matrix> all;
        for (const MatrixXd& matrix : matrices) {
            all.push_back(m_backend.upload(matrix.cast<float>()));
        }
        return all;
    }

    static MatrixOptions grouped(const char* metric, double cr = 0.5) {
        MatrixOptions options;
        options.method = &cospadiMethod();
        options.cr = cr;
        options.rho = 2;
        setOwnOption(options, "groups", "pairs");
        setOwnOption(options, "group_metric", std::string(metric));
        return options;
    }

    // Of the stored factors, counted here.
    static double errorOfStored(const std::vector<Layer>& layers, const CompressedMatrix& result) {
        const SparseDictionaryFactors& factors = *sparseFactors(result.weight);
        return errorOf(layers, factors.dictionary.cast<double>(), factors.codes.cast<double>());
    }

  private slots:
    // At given codes: no update raises the error, and they come to the solution of
    // Σ M_i D S_iS_iᵀ = Σ M_iW_iS_iᵀ.
    void dictionaryUpdatesComeToTheSolution() {
        const std::vector<Layer> layers = {{16, 40, 20}, {16, 24, 21}, {16, 12, 23}};
        const Whitened whitened(layers);
        const MatrixXf codes = sample::randomMatrix(8, 76, 24);
        const Matrix w = m_backend.upload(whitened.w);
        const auto problem = solver::columnsInOwnMetrics(
            m_backend, w, uploaded(whitened.metrics), whitened.widths, {8},
            whitened.squaredError(MatrixXd::Zero(16, 76)),
            m_backend.upload(reference::orthonormal(randomDoubles(16, 8, 25)).cast<float>()),
            m_backend.upload(codes));
        std::vector<MatrixXd> squares;
        MatrixXd right = MatrixXd::Zero(16, 8);
        Eigen::Index first = 0;
        for (std::size_t i = 0; i < layers.size(); ++i) {
            const MatrixXd own = codes.middleCols(first, whitened.widths[i]).cast<double>();
            squares.emplace_back(own * own.transpose());
            right += whitened.metrics[i] *
                     whitened.w.middleCols(first, whitened.widths[i]).cast<double>() *
                     own.transpose();
            first += whitened.widths[i];
        }
        const MatrixXd expected = solvedDictionary(whitened.metrics, squares, right);
        const double least = whitened.squaredError(expected * codes.cast<double>());
        const auto product = [&] {
            return MatrixXd(m_backend.download(problem->dictionary()).cast<double>() *
                            m_backend.download(problem->codes()).cast<double>());
        };
        double before = whitened.squaredError(product());
        for (int update = 0; update < 10; ++update) {
            problem->updateDictionary({});
            const double after = whitened.squaredError(product());
            QVERIFY2(after <= before * (1 + 1e-5),
                     qPrintable(QString("%1: %2, %3").arg(update).arg(before).arg(after)));
            before = after;
        }
        QVERIFY2(before < (1 + 1e-4) * least, qPrintable(QString("%1, %2").arg(before).arg(least)));
        QVERIFY((m_backend.download(problem->dictionary()).colwise().norm().array() - 1)
                    .abs()
                    .maxCoeff() < 1e-5F);
    }

    // One update is the solution where the metrics are alike.
    void equalMetricsTakeOneUpdate() {
        const Layer one(16, 40, 30);
        Layer other(16, 24, 32);
        other.gram = one.gram;
        const Whitened whitened({one, other});
        const MatrixXf codes = sample::randomMatrix(8, 64, 33);
        const Matrix w = m_backend.upload(whitened.w);
        const auto problem = solver::columnsInOwnMetrics(
            m_backend, w, uploaded(whitened.metrics), whitened.widths, {8}, 1,
            m_backend.upload(reference::orthonormal(randomDoubles(16, 8, 34)).cast<float>()),
            m_backend.upload(codes));
        problem->updateDictionary({});
        const MatrixXd expected = reference::leastSquares(codes.cast<double>().transpose(),
                                                          whitened.w.cast<double>().transpose())
                                      .transpose() *
                                  codes.cast<double>();
        const MatrixXd product = m_backend.download(problem->dictionary()).cast<double>() *
                                 m_backend.download(problem->codes()).cast<double>();
        QVERIFY((product - expected).norm() < 1e-4 * expected.norm());
    }

    // What refine() leaves is the least squares of every column on its support, in its own metric,
    // and the error that it tells is that of D and S.
    void codesAreFittedInTheirOwnMetric() {
        const std::vector<Layer> layers = {{16, 20, 40}, {16, 14, 41}};
        const Whitened whitened(layers);
        const MatrixXd atoms = reference::orthonormal(randomDoubles(16, 10, 42));
        const Matrix w = m_backend.upload(whitened.w);
        const double whole = whitened.squaredError(MatrixXd::Zero(16, 34));
        const auto problem = solver::columnsInOwnMetrics(
            m_backend, w, uploaded(whitened.metrics), whitened.widths, {4}, whole,
            m_backend.upload(atoms.cast<float>()), m_backend.zeros(10, 34));
        problem->dictionaryChanged();
        QCOMPARE(problem->selectSupport(1), std::int64_t{4 * 34});
        problem->refine(60);
        const MatrixXd codes = m_backend.download(problem->codes()).cast<double>();
        MatrixXd expected = MatrixXd::Zero(10, 34);
        for (Eigen::Index j = 0; j < 34; ++j) {
            const std::size_t part = j < 20 ? 0 : 1;
            const MatrixXd metric = reference::choleskyFactor(whitened.metrics[part]);
            const MatrixXd target = metric * whitened.w.col(j).cast<double>();
            // The first choice: what an entry alone is worth.
            std::vector<std::pair<double, Eigen::Index>> worth;
            for (Eigen::Index i = 0; i < 10; ++i) {
                const MatrixXd atom = metric * atoms.col(i);
                worth.emplace_back(-std::abs((atom.transpose() * target)(0, 0)) / atom.norm(), i);
            }
            std::sort(worth.begin(), worth.end());
            MatrixXd chosen(16, 4);
            for (int i = 0; i < 4; ++i) {
                chosen.col(i) = metric * atoms.col(worth[static_cast<std::size_t>(i)].second);
            }
            const MatrixXd values = reference::leastSquares(chosen, target);
            for (int i = 0; i < 4; ++i) {
                expected(worth[static_cast<std::size_t>(i)].second, j) = values(i, 0);
            }
        }
        QVERIFY2((codes - expected).norm() < 1e-3 * expected.norm(),
                 qPrintable(QString::number((codes - expected).norm() / expected.norm())));
        const double squared = whitened.squaredError(atoms * codes);
        QVERIFY(std::abs(problem->relativeError() - std::sqrt(squared / whole)) < 1e-4);
    }

    // Layers of one metric: both forms ask the same.
    void equalMetricsAreTheMean() {
        std::vector<Layer> layers = {{48, 112, 50}, {48, 64, 51}};
        layers[1].gram = layers[0].gram;
        layers[1].factor = layers[0].factor;
        const double own = compressedUnit(m_backend, layers, grouped("own")).relativeError;
        const double mean = compressedUnit(m_backend, layers, grouped("mean")).relativeError;
        QVERIFY2(std::abs(own / mean - 1) < 0.02, qPrintable(QString("%1, %2").arg(own).arg(mean)));
    }

    void nearerThanTheMean_data() {
        QTest::addColumn<double>("cr");
        QTest::addColumn<int>("layers");
        QTest::newRow("pair") << 0.5 << 2;
        QTest::newRow("pair, more atoms than inputs") << 0.2 << 2;
        QTest::newRow("four") << 0.5 << 4;
    }
    // Layers that demand the opposite of directions: less of the error that counts is left, that
    // which is told is it, and no product of k atoms is nearer than each layer's own of rank k.
    void nearerThanTheMean() {
        QFETCH(double, cr);
        QFETCH(int, layers);
        std::vector<Layer> unit;
        for (int i = 0; i < layers; ++i) {
            unit.emplace_back(48, 80, static_cast<unsigned>(60 + i));
        }
        const CompressedMatrix own = compressedUnit(m_backend, unit, grouped("own", cr));
        const CompressedMatrix mean = compressedUnit(m_backend, unit, grouped("mean", cr));
        QVERIFY(std::abs(errorOfStored(unit, own) - own.relativeError) < 1e-4);
        QVERIFY2(
            own.relativeError < 0.97 * errorOfStored(unit, mean),
            qPrintable(QString("%1, %2").arg(own.relativeError).arg(errorOfStored(unit, mean))));
        const SparseDictionaryFactors& factors = *sparseFactors(own.weight);
        double squared = 0;
        double whole = 0;
        for (const Layer& layer : unit) {
            const Eigen::VectorXd values =
                reference::svd(layer.factor * layer.weight.cast<double>()).values;
            const auto rank = std::min(factors.dictionary.cols(), values.size());
            squared += values.tail(values.size() - rank).squaredNorm();
            whole += values.squaredNorm();
        }
        QVERIFY(own.relativeError >= std::sqrt(squared / whole) - 1e-6);
        // The bytes are those of the published form.
        QCOMPARE(factors.dictionary.cols(), sparseFactors(mean.weight)->dictionary.cols());
        QCOMPARE(factors.s, sparseFactors(mean.weight)->s);
    }

    void refused() {
        MatrixOptions ksvd = grouped("own");
        ksvd.solver = Solver::Ksvd;
        try {
            cospadiMethod().validate(ksvd);
            QFAIL("was accepted");
        } catch (const Error& error) {
            QCOMPARE(error.where(), std::string("group_metric"));
        }
        setOwnOption(ksvd, "group_metric", "mean");
        cospadiMethod().validate(ksvd);
        // Without groups there is nothing that it changes.
        MatrixOptions alone = grouped("own");
        QVERIFY(cospadiMethod().solvesByParts(alone));
        QVERIFY(!cospadiMethod().solvesByParts(withoutGroups(alone)));
    }
};

COSPADI_TEST(TestOwnMetrics)

}  // namespace tst_own_metrics

#include "tst_own_metrics.moc"
