// ρ chosen matrix by matrix: against trials of the test's own, in bytes of its own arithmetic, over
// all rules.
#include <Eigen/Core>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stop_token>
#include <vector>

#include "core/allocation/allocation.h"
#include "core/allocation/allocation_curve.h"
#include "core/allocation/allocation_rule.h"
#include "core/allocation/knapsack_rule.h"
#include "core/allocation/rho_choice.h"
#include "core/allocation/rho_curves.h"
#include "core/linalg/cpu_backend.h"
#include "core/methods/compress_matrix.h"
#include "core/methods/cospadi/cospadi_method.h"
#include "core/model/layer_info.h"
#include "core/model/linear_layer.h"
#include "core/model/model.h"
#include "tests/core/eq11_sizes.h"
#include "tests/core/small_runs.h"
#include "tests/registered_test.h"

namespace tst_rho_choice {

using namespace cospadi;
using namespace eq11;
using nlohmann::json;

namespace {

MatrixOptions optionsAt(double cr, Accounting accounting = Accounting::Eq11) {
    MatrixOptions options;
    options.method = &cospadiFreeMethod();
    options.cr = cr;
    options.accounting = accounting;
    return options;
}

// ‖W − W̃‖ / ‖W‖ in double, of twelve iterations.
double errorOfTrial(const Eigen::MatrixXf& w, MatrixOptions options, double rho) {
    options.rho = rho;
    options.iterations = 12;
    CpuBackend backend(1);
    const CompressedMatrix trial = compressMatrix(backend, w, nullptr, options);
    return (w - trial.weight->recomposed()).cast<double>().norm() / w.cast<double>().norm();
}

// Whole atoms and non-zeros, and the share of a bit that eq 11 cannot use at a ρ of 1.5 or 2.5.
double granularity(const LayerInfo& layer, double cr, double rho) {
    const auto rows = static_cast<double>(std::min(layer.d1, layer.d2));
    const auto columns = static_cast<double>(std::max(layer.d1, layer.d2));
    const double unused = (std::ceil(rho) - rho) / 8 * eq11Sizes(layer, cr, rho).s * columns;
    return 2 * (rows + columns / rho) + 2 * columns + unused;
}

}  // namespace

class TestRhoChoice : public QObject {
    Q_OBJECT

    ThreadPool m_pool;

    Model smallModel() { return Model::load(small_runs::kModel, {&m_pool, {}}); }

    std::optional<LayerRatios> allocated(const AllocationRule& rule, Model& model,
                                         const MatrixOptions& options,
                                         const std::vector<double>& rhos,
                                         const std::stop_token& stop = {}) {
        std::vector<std::int32_t> ids(64);
        for (std::size_t i = 0; i < ids.size(); ++i) {
            ids[i] = static_cast<std::int32_t>((i * i * 13 + 7 * i) % 512);
        }
        return allocateWithRho(
            rule, {model, m_pool, nullptr, model.layers(), options, ids, 32, rhos}, {}, stop);
    }

  private slots:
    // ---- the choice

    void noCandidateIsBetterOnTrial_data() {
        QTest::addColumn<double>("cr");
        QTest::addColumn<int>("accounting");
        QTest::newRow("eq 11, 0.2") << 0.2 << static_cast<int>(Accounting::Eq11);
        QTest::newRow("eq 11, 0.5") << 0.5 << static_cast<int>(Accounting::Eq11);
        QTest::newRow("packed, 0.3") << 0.3 << static_cast<int>(Accounting::Packed);
    }

    void noCandidateIsBetterOnTrial() {
        QFETCH(double, cr);
        QFETCH(int, accounting);
        Model model = smallModel();
        const MatrixOptions options = optionsAt(cr, static_cast<Accounting>(accounting));
        const auto result = allocated(uniformRule(), model, options, kCandidates);
        QVERIFY(result && result->rhos.size() == model.layers().size());
        std::set<double> chosen;
        for (const LayerInfo& layer : model.layers()) {
            QCOMPARE(result->ratios.at(layer.name), cr);
            const double rho = result->rhos.at(layer.name);
            const double least = errorOfTrial(model.weight(layer.name), options, rho);
            const json& trials = result->layers.at(layer.name).at("rho_trials");
            QCOMPARE(trials.size(), kCandidates.size());
            for (std::size_t i = 0; i < kCandidates.size(); ++i) {
                const double error =
                    errorOfTrial(model.weight(layer.name), options, kCandidates[i]);
                QVERIFY2(least <= error * (1 + 1e-4),
                         qPrintable(QString("%1: %2 at %3, %4 at %5")
                                        .arg(QString::fromStdString(layer.name))
                                        .arg(least)
                                        .arg(rho)
                                        .arg(error)
                                        .arg(kCandidates[i])));
                QCOMPARE(trials[i][0].get<double>(), kCandidates[i]);
                QVERIFY(std::abs(trials[i][1].get<double>() - error) <= 1e-3 * error);
            }
            chosen.insert(rho);
        }
        QVERIFY(*chosen.begin() > 0 && std::includes(kCandidates.begin(), kCandidates.end(),
                                                     chosen.begin(), chosen.end()));
    }

    // A diagonal weight is s = 1 a column for any ρ: what it needs is atoms, of which the largest ρ
    // has the most.
    void manyDirectionsWantManyAtoms() {
        Model model = smallModel();
        Eigen::MatrixXf diagonal = Eigen::MatrixXf::Identity(64, 64);
        model.replaceLayer("blk.0.attn_q", std::make_unique<DenseLayer>(diagonal, 1));
        const auto result = allocated(uniformRule(), model, optionsAt(0.5), kCandidates);
        QVERIFY(result.has_value());
        QCOMPARE(result->rhos.at("blk.0.attn_q"), kCandidates.back());
    }

    void bytesAreThoseOfTheRatio() {
        Model model = smallModel();
        for (const double cr : {0.2, 0.4}) {
            for (const LayerInfo& layer : model.layers()) {
                for (const double rho : kCandidates) {
                    MatrixOptions options = optionsAt(cr);
                    options.rho = rho;
                    const Eq11Sizes sizes = eq11Sizes(layer, cr, rho);
                    const double bytes = budgetBytes(options, layer.d1, layer.d2);
                    QCOMPARE(bytes, sizes.bytes);
                    const double asked = (1 - cr) * 2 * static_cast<double>(layer.d1 * layer.d2);
                    QVERIFY(bytes <= asked * (1 + 1e-12));
                    QVERIFY(bytes >= asked - granularity(layer, cr, rho));
                }
            }
        }
    }

    void whatHasNoFormIsNoCandidate() {
        LayerInfo layer;
        layer.d1 = 16;
        layer.d2 = 16;
        // At CR 0.7 there are ⌊0.3 · 256 / (16 + 16/ρ)⌋ = 2, 3, 3, 3 and 3 atoms: s is 1 up to ρ 3,
        // and none is left at 4.
        QCOMPARE(storableRhos(kCandidates, optionsAt(0.7), layer, {0.7}),
                 (std::vector<double>{1.5, 2, 2.5, 3}));
        QCOMPARE(storableRhos(kCandidates, optionsAt(0.2), layer, {0.2}), kCandidates);
        QCOMPARE(storableRhos(kCandidates, optionsAt(0.2), layer, {0.2, 0.7}),
                 (std::vector<double>{1.5, 2, 2.5, 3}));
        MatrixOptions none = optionsAt(0.999);
        none.rho = 2;
        QCOMPARE(storableRhos(kCandidates, none, layer, {0.999}), std::vector<double>{2});
    }

    void choosingStops() {
        Model model = smallModel();
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(!allocated(uniformRule(), model, optionsAt(0.3), kCandidates, stop.get_token()));
        // Without candidates there is nothing to choose.
        const auto fixed = allocated(uniformRule(), model, optionsAt(0.3), {});
        QVERIFY(fixed && fixed->rhos.empty() && fixed->layers.empty());
    }

    // ---- in the knapsack

    void curvesAreTheLowerEnvelope() {
        const AllocationCurve few({{0.1, 0.04}, {0.4, 0.2}});
        const AllocationCurve many({{0.1, 0.06}, {0.4, 0.1}});
        RhoCurves both({{2, few}, {3, many}});
        for (double cr = 0.1; cr <= 0.4; cr += 0.01) {
            QCOMPARE(both.errorAt(cr), std::min(few.errorAt(cr), many.errorAt(cr)));
            QCOMPARE(both.rhoAt(cr), few.errorAt(cr) <= many.errorAt(cr) ? 2.0 : 3.0);
        }
        QCOMPARE(both.rhoAt(0.1), 2.0);
        QCOMPARE(both.rhoAt(0.4), 3.0);
        // KL = 5 e² whichever ρ left the error.
        both.setDivergences(0.06, 0.018, 0.12, 0.072);
        QVERIFY(std::abs(both.divergenceOf(0.1) - 0.05) < 1e-9);
        QCOMPARE(RhoCurves({{2, few}}).errorAt(0.3), few.errorAt(0.3));
    }

    void theKnapsackKeepsTheBytes() {
        Model model = smallModel();
        const MatrixOptions options = optionsAt(0.3);
        const auto result = allocated(knapsackRule(), model, options, kCandidates);
        QVERIFY(result && result->rhos.size() == model.layers().size());
        double bytes = 0;
        double uniform = 0;
        double slack = 0;
        std::set<double> chosen;
        for (const LayerInfo& layer : model.layers()) {
            const double rho = result->rhos.at(layer.name);
            const double cr = result->ratios.at(layer.name);
            bytes += eq11Sizes(layer, cr, rho).bytes;
            uniform += eq11Sizes(layer, 0.3, 2).bytes;
            slack += granularity(layer, cr, rho);
            chosen.insert(rho);
        }
        QVERIFY2(bytes <= uniform + slack && bytes >= 0.9 * uniform,
                 qPrintable(QString("%1 of %2").arg(bytes).arg(uniform)));
        QVERIFY(
            std::includes(kCandidates.begin(), kCandidates.end(), chosen.begin(), chosen.end()));
        QVERIFY(result->model.at("divergence") <= result->model.at("uniform_divergence"));

        // Of one candidate nothing is to choose: the ratios are those of its number.
        const auto single = allocated(knapsackRule(), model, options, {2});
        AllocationOptions own;
        own.matrix = options;
        own.trialIterations = 12;
        std::vector<std::int32_t> ids(64);
        for (std::size_t i = 0; i < ids.size(); ++i) {
            ids[i] = static_cast<std::int32_t>((i * i * 13 + 7 * i) % 512);
        }
        const auto fixed = allocateRatios(model, m_pool, nullptr, model.layers(), ids, 32, own);
        QVERIFY(single && fixed);
        for (const LayerInfo& layer : model.layers()) {
            QCOMPARE(single->rhos.at(layer.name), 2.0);
            QCOMPARE(single->ratios.at(layer.name), fixed->ratios.at(layer.name).cr);
        }
    }
};

COSPADI_TEST(TestRhoChoice)

}  // namespace tst_rho_choice

#include "tst_rho_choice.moc"
