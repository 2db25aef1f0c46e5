// ρ chosen matrix by matrix: against trials of the test's own, in bytes of its own arithmetic, over
// all rules; what a specification says of it; runs that choose, and that are gone on with.
#include <QtTest>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "core/allocation/allocation.h"
#include "core/allocation/knapsack_rule.h"
#include "core/allocation/rho_choice.h"
#include "core/allocation/rho_curves.h"
#include "core/linalg/cpu_backend.h"
#include "core/methods/cospadi/cospadi_method.h"
#include "core/methods/rho_candidates.h"
#include "core/run/compression_run.h"
#include "core/store/method_label.h"
#include "core/store/named_settings.h"
#include "core/store/run_settings.h"
#include "core/store/run_store.h"
#include "core/sweep/sweep_grid.h"
#include "matrix_contents.h"
#include "oracle_data.h"
#include "own_folder.h"
#include "small_runs.h"
#include "tests/registered_test.h"

namespace tst_rho_choice {

using namespace cospadi;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

const std::vector<double> kCandidates(kRhoCandidates.begin(), kRhoCandidates.end());

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

// Of eq 11 with `rows` the dictionary's side: k atoms in bf16, s values a column of 16 − ⌈ρ⌉ bits,
// and the mask.
struct Eq11Sizes {
    double k = 0;
    double s = 0;
    double bytes = 0;
};
Eq11Sizes eq11Sizes(const LayerInfo& layer, double cr, double rho) {
    const auto rows = static_cast<double>(std::min(layer.d1, layer.d2));
    const auto columns = static_cast<double>(std::max(layer.d1, layer.d2));
    Eq11Sizes sizes;
    sizes.k = std::floor((1 - cr) * rows * columns / (rows + columns / rho) * (1 + 1e-12));
    sizes.s = std::floor(sizes.k / rho * (1 + 1e-12));
    sizes.bytes =
        2 * rows * sizes.k + columns * sizes.s * (16 - std::ceil(rho)) / 8 + columns * sizes.k / 8;
    return sizes;
}

// Whole atoms and non-zeros, and the share of a bit that eq 11 cannot use at a ρ of 1.5 or 2.5.
double granularity(const LayerInfo& layer, double cr, double rho) {
    const auto rows = static_cast<double>(std::min(layer.d1, layer.d2));
    const auto columns = static_cast<double>(std::max(layer.d1, layer.d2));
    const double unused = (std::ceil(rho) - rho) / 8 * eq11Sizes(layer, cr, rho).s * columns;
    return 2 * (rows + columns / rho) + 2 * columns + unused;
}

std::string bytesOf(const fs::path& file) { return oracle::text(file); }

// What a run computed: k, s and errors of its matrices.
json matricesOf(const fs::path& run) {
    json matrices = json::parse(bytesOf(run / "result.json")).at("matrices");
    for (json& matrix : matrices) {
        matrix.erase("seconds");
        matrix.erase("core_seconds");
        matrix.erase("coding_seconds");
        matrix.erase("dictionary_seconds");
        matrix.erase("bytes");  // of the file, in which seconds stand
    }
    return matrices;
}

}  // namespace

class TestRhoChoice : public QObject, OwnFolder {
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
    void initTestCase() { QVERIFY(m_folder.isValid()); }

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

    // ---- specifications

    void specificationsSayAuto() {
        const RunSpecification s = runSpecificationFromJson({{"rho", "auto"}});
        QVERIFY(s.autoRho && isAllocated(s));
        QCOMPARE(rhoCandidatesOf(s), kCandidates);
        QCOMPARE(toJson(s).at("rho"), json("auto"));
        QCOMPARE(toJson(runSpecificationFromJson(toJson(s))), toJson(s));
        validate(s);
        QCOMPARE(methodLabel(s), std::string("cospadi (fast, ρ auto)"));
        QCOMPARE(methodLabel(s, {"rho"}), std::string("cospadi (fast)"));
        QCOMPARE(shortLabel(s), std::string("cospadi-fast-rho-auto-cr0.20"));
        QCOMPARE(settingsOf(s).at("rho"), std::string("auto"));
        QCOMPARE(settingsOf(s).at("coefficient_bits"), std::string("usual"));

        // A number is what it was, with the fields that there were.
        const RunSpecification number = runSpecificationFromJson({{"rho", 2.5}});
        QVERIFY(!number.autoRho && !isAllocated(number) && rhoCandidatesOf(number).empty());
        QCOMPARE(toJson(number).at("rho"), json(2.5));
        QCOMPARE(toJson(RunSpecification()).at("rho").dump(), std::string("2.0"));
        QVERIFY(!toJson(number).contains("auto_rho"));
        QCOMPARE(toJson(number).size(), toJson(s).size());
        QCOMPARE(shortLabel(number), std::string("cospadi-fast-cr0.20"));
        QVERIFY(!labelledSettings().contains("rho"));
        RunSpecification back = s;
        setSetting(back, "rho", 3);
        QVERIFY(!back.autoRho && back.rho == 3);
    }

    void wrongChoicesAreRefusedByName_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("field");
        QTest::newRow("another word") << R"({"rho": "best"})"
                                      << "rho";
        for (const char* method : {"svd", "svd-llm", "rtn", "gptq", "wanda"}) {
            QTest::newRow(method) << QString(R"({"rho": "auto", "method": "%1"})").arg(method)
                                  << "rho";
        }
        QTest::newRow("groups") << R"({"rho": "auto", "groups": "pairs"})"
                                << "rho";
        QTest::newRow("fixed bits") << R"({"rho": "auto", "coefficient_bits": 14})"
                                    << "coefficient_bits";
    }

    void wrongChoicesAreRefusedByName() {
        QFETCH(QString, text);
        QFETCH(QString, field);
        try {
            validate(runSpecificationFromJson(json::parse(text.toStdString())));
            QFAIL("was accepted");
        } catch (const Error& error) {
            QCOMPARE(QString::fromStdString(error.where()), field);
        }
    }

    void autoIsAValueOfASweep() {
        const auto runs = expandGrid({{"rho", {2, "auto"}}, {"cr", {0.2, 0.3}}});
        QCOMPARE(runs.size(), std::size_t{4});
        std::multiset<bool> automatic;
        for (const RunSpecification& run : runs) {
            automatic.insert(run.autoRho);
        }
        QCOMPARE(automatic.count(true), std::size_t{2});
    }

    // ---- runs

    void runsChooseAndGoOn() {
        RunSpecification s = small_runs::specification();
        s.layers = "blk\\.0\\.";
        s.autoRho = true;
        s.cr = 0.3;
        RunExecution execution;
        execution.writeModel = false;
        execution.threads = 1;
        const fs::path whole = place("whole");
        QCOMPARE(executeRun(s, whole, execution).termination, Termination::Converged);

        const json record = json::parse(bytesOf(whole / "allocation.json"));
        QCOMPARE(record.at("rule"), json("uniform"));
        const json matrices = matricesOf(whole);
        QVERIFY(!matrices.empty());
        for (const json& matrix : matrices) {
            const json& own = record.at(matrix.at("name").get<std::string>());
            LayerInfo layer;
            layer.d1 = matrix.at("d1").get<std::int64_t>();
            layer.d2 = matrix.at("d2").get<std::int64_t>();
            const Eq11Sizes sizes = eq11Sizes(layer, 0.3, own.at("rho").get<double>());
            QCOMPARE(own.at("cr").get<double>(), 0.3);
            QCOMPARE(matrix.at("k").get<double>(), sizes.k);
            QCOMPARE(matrix.at("s").get<double>(), sizes.s);
        }

        // Stopped after the first matrix, it goes on with what it chose.
        const fs::path stopped = place("stopped");
        std::stop_source stop;
        RunExecution first = execution;
        first.onEvent = [&](const json& event) {
            if (event.at("event") == "matrix_finished") {
                stop.request_stop();
            }
        };
        QCOMPARE(executeRun(s, stopped, first, stop.get_token()).termination,
                 Termination::Cancelled);
        const std::string chosen = bytesOf(stopped / "allocation.json");
        QCOMPARE(chosen, bytesOf(whole / "allocation.json"));
        int allocations = 0;
        RunExecution second = execution;
        second.onEvent = [&](const json& event) {
            allocations += event.at("event") == "allocation_finished" ? 1 : 0;
        };
        QCOMPARE(executeRun(s, stopped, second).termination, Termination::Converged);
        QCOMPARE(allocations, 0);
        QCOMPARE(bytesOf(stopped / "allocation.json"), chosen);
        QCOMPARE(matricesOf(stopped), matrices);
        QVERIFY(matrix_contents::ofRun(stopped) == matrix_contents::ofRun(whole));

        // The index tells it apart from any number.
        RunStore store = RunStore::open(place("index.sqlite"));
        const RunRow row = store.find(store.importRun(whole));
        QVERIFY(row.hasAutoRho());
        QVERIFY(specificationOf(row)->autoRho);
        QCOMPARE(store.group({"rho"}, {}).at(0).values.at(0), std::string("auto"));
    }

    void aChoiceThatIsDamagedIsNamed() {
        RunSpecification s = small_runs::specification();
        s.layers = "blk\\.0\\.attn_q";
        s.autoRho = true;
        const fs::path directory = place("damaged");
        executeRun(s, directory, {});
        const fs::path file = directory / "allocation.json";
        json record = json::parse(bytesOf(file));
        record.at("blk.0.attn_q").erase("rho");
        std::ofstream(file) << record;
        fs::remove(directory / "matrices" / "blk.0.attn_q.safetensors");
        const QString problem = oracle::errorOf([&] { executeRun(s, directory, {}); });
        QVERIFY2(problem.contains("rho"), qPrintable(problem));
    }
};

COSPADI_TEST(TestRhoChoice)

}  // namespace tst_rho_choice

#include "tst_rho_choice.moc"
