// Runs that hold text out: what they tell of it and choose by it, resumed, in groups and
// propagated, against arithmetic in double on the inputs of the held-out tokens themselves.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>

#include "core/allocation/trial.h"
#include "core/calibration/calibration.h"
#include "core/exports/compressed_model.h"
#include "core/forms/matrix_file.h"
#include "core/linalg/cpu_backend.h"
#include "core/linalg/whitening.h"
#include "core/methods/compress_matrix.h"
#include "core/run/compression_run.h"
#include "core/store/run_file.h"
#include "core/store/run_store.h"
#include "tests/core/held_out_fixture.h"
#include "tests/core/matrix_contents.h"
#include "tests/core/oracle_data.h"
#include "tests/core/small_runs.h"
#include "tests/registered_test.h"

namespace tst_held_out_runs {

using namespace cospadi;
using namespace held_out_fixture;
using small_runs::recordsOf;
namespace fs = std::filesystem;

class TestHeldOutRuns : public QObject, HeldOutFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { makeModel(); }

    void runsTellBoth_data() {
        QTest::addColumn<QString>("method");
        QTest::addColumn<bool>("iterates");
        QTest::newRow("cospadi") << "cospadi" << true;
        QTest::newRow("svd-llm") << "svd-llm" << false;
        QTest::newRow("wanda") << "wanda" << false;
    }

    // The files are those of a run over the fitted sequences alone; records, events, result and
    // index have the error on the others.
    void runsTellBoth() {
        QFETCH(QString, method);
        QFETCH(bool, iterates);
        const fs::path directory = place(method.toStdString() + "-both");
        const fs::path alone = place(method.toStdString() + "-alone");
        const RunSpecification s = specification(method.toUtf8().constData());
        int iterations = 0;
        int without = 0;
        RunExecution execution;
        execution.onEvent = [&](const nlohmann::json& event) {
            const std::string kind = event.at("event");
            iterations += kind == "iteration" ? 1 : 0;
            without += (kind == "iteration" || kind == "matrix_finished") &&
                               !event.contains("held_out_error")
                           ? 1
                           : 0;
        };
        const RunSummary summary = executeRun(s, directory, execution);
        QCOMPARE(without, 0);
        QCOMPARE(iterations > 0, iterates);
        RunSpecification fitted = specification(method.toUtf8().constData(), 0);
        fitted.calibration.sequences = kSequences - kHeldOut;
        QVERIFY(!executeRun(fitted, alone, {}).heldOutError);
        QVERIFY(matrix_contents::ofRun(directory) == matrix_contents::ofRun(alone));

        const Model original = Model::load(m_model);
        const Inputs held = inputsOf(original, heldOutIds(original));
        double sum = 0;
        const auto records = recordsOf(directory);
        const auto others = recordsOf(alone);
        for (const auto& [name, record] : records) {
            const MatrixXd stored = readMatrixFile(directory / "matrices" / (name + ".safetensors"))
                                        .weight->recomposed()
                                        .cast<double>();
            const LayerInfo layer = original.layerInfo(name);
            const double error = errorOn(held.at(layer.gramKey), original.weight(name), stored);
            QVERIFY(record.heldOutError.has_value());
            QVERIFY2(std::abs(*record.heldOutError / error - 1) < 2e-3,
                     qPrintable(QString("%1: %2, %3")
                                    .arg(QString::fromStdString(name))
                                    .arg(*record.heldOutError)
                                    .arg(error)));
            QCOMPARE(record.relativeError, others.at(name).relativeError);
            sum += *record.heldOutError;
        }
        const double mean = sum / static_cast<double>(records.size());
        QVERIFY(summary.heldOutError && std::abs(*summary.heldOutError - mean) < 1e-12);
        RunStore store = RunStore::open(place("store.sqlite"));
        const std::string id = store.importRun(directory);
        QVERIFY(std::abs(store.find(id).heldOutError - mean) < 1e-12);
        QCOMPARE(store.matrices(id).at(0).heldOutError,
                 *records.at(store.matrices(id).at(0).name).heldOutError);
        QVERIFY(std::isnan(store.find(store.importRun(alone)).heldOutError));
        for (const MatrixIterations& matrix : store.iterations(id).matrices) {
            QCOMPARE(matrix.heldOutError.size(), matrix.size());
        }
    }

    // Trials that choose a ρ are compared by their errors on the inputs that are not fitted.
    void choicesGoByIt() {
        RunSpecification s = specification("cospadi");
        s.autoRho = true;
        s.layers = "blk\\.0\\.";
        const fs::path directory = place("choices");
        executeRun(s, directory, {});
        std::ifstream file(directory / "allocation.json");
        const nlohmann::json chosen = nlohmann::json::parse(file);

        const Model model = Model::load(m_model);
        ThreadPool pool(2);
        const auto fitted = calibrate(model, pool, calibration(kSequences - kHeldOut, 0));
        const Inputs held = inputsOf(model, heldOutIds(model));
        CpuBackend backend(1);
        double farthest = 0;
        for (const auto& [name, record] : recordsOf(directory)) {
            const LayerInfo layer = model.layerInfo(name);
            const MatrixXf w = model.weight(name);
            const Whitening whitening(fitted->gram(layer.gramKey), name);
            MatrixOptions options = s;
            options.iterations = kRhoTrialIterations;
            const nlohmann::json& trials = chosen.at(name).at("rho_trials");
            QVERIFY(trials.size() > 1);
            double least = std::numeric_limits<double>::infinity();
            double best = 0;
            for (const nlohmann::json& trial : trials) {
                options.rho = trial.at(0).get<double>();
                const CompressedMatrix tried = compressMatrix(backend, w, &whitening, options);
                const double error =
                    errorOn(held.at(layer.gramKey), w, tried.weight->recomposed().cast<double>());
                const double told = trial.at(1).get<double>();
                QVERIFY2(std::abs(told / error - 1) < 2e-3,
                         qPrintable(QString("%1: %2, %3")
                                        .arg(QString::fromStdString(name))
                                        .arg(told)
                                        .arg(error)));
                farthest = std::max(farthest, std::abs(told / tried.relativeError - 1));
                best = told < least ? options.rho : best;
                least = std::min(least, told);
            }
            QCOMPARE(chosen.at(name).at("rho").get<double>(), best);
        }
        QVERIFY(farthest > 0.02);  // and not by those on the fitted ones
    }

    // A killed run goes on with the split that it was begun with, to the same errors.
    void resumeKeepsTheSplit() {
        const fs::path whole = place("whole");
        const fs::path stopped = place("stopped");
        executeRun(specification("cospadi"), whole, {});
        std::stop_source stop;
        RunExecution execution;
        execution.threads = 1;
        int finished = 0;
        execution.onEvent = [&](const nlohmann::json& event) {
            if (event.at("event") == "matrix_finished" && ++finished == 3) {
                stop.request_stop();
            }
        };
        QCOMPARE(
            executeRun(specification("cospadi"), stopped, execution, stop.get_token()).termination,
            Termination::Cancelled);
        const auto refusal = [&](double heldOut) {
            return oracle::errorOf(
                [&] { executeRun(specification("cospadi", heldOut), stopped, {}); });
        };
        QVERIFY2(refusal(0).contains("held_out was 0.125"), qPrintable(refusal(0)));
        QVERIFY2(refusal(0.25).contains("held_out was 0.125 and is now 0.25"),
                 qPrintable(refusal(0.25)));
        execution.onEvent = {};
        QVERIFY(executeRun(specification("cospadi"), stopped, execution).heldOutError);
        const auto expected = recordsOf(whole);
        for (const auto& [name, record] : recordsOf(stopped)) {
            QVERIFY(record.heldOutError == expected.at(name).heldOutError);
        }
        QVERIFY(matrix_contents::ofRun(stopped) == matrix_contents::ofRun(whole));
    }

    // Each layer of a group is told in its own metric.
    void groups() {
        const fs::path directory = place("groups");
        RunSpecification s = specification("cospadi");
        setOwnOption(s, "groups", "pairs");
        s.layers = "ffn_up";
        executeRun(s, directory, {});
        const Model original = Model::load(m_model);
        const Inputs held = inputsOf(original, heldOutIds(original));
        for (const auto& [name, record] : recordsOf(directory)) {
            QVERIFY(!record.unit.empty() && record.heldOutError);
            const MatrixXd stored = readMatrixFile(directory / "matrices" / (name + ".safetensors"))
                                        .weight->recomposed()
                                        .cast<double>();
            const double error =
                errorOn(held.at(original.layerInfo(name).gramKey), original.weight(name), stored);
            QVERIFY(std::abs(*record.heldOutError / error - 1) < 2e-3);
        }
    }

    void propagation_data() {
        QTest::addColumn<QString>("kind");
        QTest::newRow("input") << "input";
        QTest::newRow("target") << "target";
    }

    // What the layers compressed before leave to the held-out tokens, in the metric of which the
    // layer's own weight is missed; the others are fitted as if they were alone.
    void propagation() {
        QFETCH(QString, kind);
        const fs::path directory = place(kind.toStdString());
        const fs::path alone = place(kind.toStdString() + "-alone");
        RunSpecification s = specification("svd-llm");
        s.propagation = propagationFromName(kind.toStdString());
        executeRun(s, directory, {});
        s.heldOut = 0;
        s.calibration.sequences = kSequences - kHeldOut;
        executeRun(s, alone, {});
        QVERIFY(matrix_contents::ofRun(directory) == matrix_contents::ofRun(alone));
        const Model original = Model::load(m_model);
        const Model compressed = loadModelOrRun(directory.string());
        const Inputs held = inputsOf(compressed, heldOutIds(original));
        for (const auto& [name, record] : recordsOf(directory)) {
            const MatrixXd stored = readMatrixFile(directory / "matrices" / (name + ".safetensors"))
                                        .weight->recomposed()
                                        .cast<double>();
            const double error =
                errorOn(held.at(original.layerInfo(name).gramKey), original.weight(name), stored);
            QVERIFY(record.heldOutError.has_value());
            QVERIFY2(std::abs(*record.heldOutError / error - 1) < 0.01,
                     qPrintable(QString("%1: %2, %3")
                                    .arg(QString::fromStdString(name))
                                    .arg(*record.heldOutError)
                                    .arg(error)));
        }
    }

    // It does not count for a method that reads no text.
    void methodsWithoutCalibration() {
        const fs::path directory = place("svd");
        QVERIFY(!executeRun(specification("svd"), directory, {}).heldOutError);
        const nlohmann::json run = readRunJson(directory / "run.json", "");
        QVERIFY(!run.at("specification").contains("held_out"));
    }
};

COSPADI_TEST(TestHeldOutRuns)

}  // namespace tst_held_out_runs

#include "tst_held_out_runs.moc"
