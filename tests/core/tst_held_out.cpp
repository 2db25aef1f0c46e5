// Text that is held out: how a draw is split, that what is fitted does not feel it, and the errors
// on it, against arithmetic in double on the inputs X of the held-out tokens themselves.
#include <QtTest>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/allocation/trial.h"
#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/calibration/calibration.h"
#include "core/calibration/gram_cache.h"
#include "core/exports/compressed_model.h"
#include "core/forms/matrix_file.h"
#include "core/linalg/cpu_backend.h"
#include "core/methods/compress_matrix.h"
#include "core/model/forward.h"
#include "core/run/compression_run.h"
#include "core/store/run_file.h"
#include "core/store/run_store.h"
#include "matrix_contents.h"
#include "small_runs.h"
#include "tests/core/oracle_data.h"
#include "tests/core/reference_algebra.h"
#include "tests/core/sample_layers.h"
#include "tests/core/small_model_fixture.h"
#include "tests/registered_test.h"

namespace tst_held_out {

using namespace cospadi;
using Eigen::MatrixXd;
using Eigen::MatrixXf;
using small_runs::recordsOf;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kSequences = 13;  // one batch, if nothing were held out
constexpr std::int64_t kHeldOut = 2;     // 0.125 of them
constexpr std::int64_t kLength = 64;

using Inputs = std::map<std::string, MatrixXd>;  // X (d1, tokens) by Gram

Inputs inputsOf(const Model& model, std::span<const std::int32_t> ids) {
    Inputs inputs;
    ForwardHooks hooks;
    hooks.linearInput = [&](const std::string& key, const Eigen::Ref<const MatrixXf>& x) {
        inputs[key] = x.cast<double>();
    };
    ThreadPool pool(2);
    ForwardPass(model, pool).hiddenStates({ids.begin(), ids.end()}, kLength, hooks);
    return inputs;
}

double errorOn(const MatrixXd& x, const MatrixXf& w, const MatrixXd& found) {
    const MatrixXd wanted = w.cast<double>();
    return (x.transpose() * (wanted - found)).norm() / (x.transpose() * wanted).norm();
}

}  // namespace

class TestHeldOut : public QObject, SmallModelFixture {
    Q_OBJECT

    RunSpecification specification(const char* method, double heldOut = 0.125) const {
        RunSpecification s;
        s.model = m_model.string();
        s.method = &methodFromName(method);
        s.heldOut = heldOut;
        s.calibration = small_runs::onText(kSequences, kLength);
        return s;
    }

    CalibrationOptions calibration(std::int64_t sequences, std::int64_t heldOut) const {
        CalibrationOptions options;
        options.text = oracle::file("GPL-3.txt");
        options.sequences = sequences;
        options.length = kLength;
        options.heldOut = heldOut;
        return options;
    }

    // The last sequences of the draw.
    std::vector<std::int32_t> heldOutIds(const Model& model) const {
        const auto ids = sampleSequences(model.tokenizer(), calibration(kSequences, 0));
        return {ids.end() - kHeldOut * kLength, ids.end()};
    }

  private slots:
    void initTestCase() { makeModel(); }

    void shareOfTheSequences_data() {
        QTest::addColumn<double>("share");
        QTest::addColumn<int>("sequences");
        QTest::addColumn<int>("heldOut");
        QTest::newRow("an eighth") << 0.125 << 64 << 8;
        QTest::newRow("to the nearest") << 0.125 << 13 << 2;
        QTest::newRow("one at least") << 0.001 << 64 << 1;
        QTest::newRow("never all") << 0.5 << 2 << 1;
        QTest::newRow("none") << 0.0 << 64 << 0;
    }

    void shareOfTheSequences() {
        QFETCH(double, share);
        QFETCH(int, sequences);
        QFETCH(int, heldOut);
        QCOMPARE(heldOutSequences(share, sequences), std::int64_t{heldOut});
    }

    // Without a split the key, and so every cache, stays what it was; each split has its own.
    void cacheKeysNameTheSplit() {
        const CalibrationOptions whole = calibration(kSequences, 0);
        QCOMPARE(gramCacheKey("ab", whole),
                 sha256OfString("cospadi-grams-2\nab\n" + sha256OfFile(whole.text) + "\n13 64 42"));
        const std::string split = gramCacheKey("ab", calibration(kSequences, 2));
        QVERIFY(split != gramCacheKey("ab", whole));
        QVERIFY(split != gramCacheKey("ab", calibration(kSequences, 1)));
        QVERIFY(split != gramCacheKey("ab", calibration(kSequences - 2, 0)));
    }

    void aSplitLeavesSomethingToFit() {
        for (const std::int64_t heldOut : {-1, 2, 3}) {
            QVERIFY_THROWS_EXCEPTION(Error, calibration(2, heldOut).validate());
        }
        RunSpecification s = specification("cospadi");
        s.calibration.sequences = 1;
        QVERIFY(oracle::errorOf([&] { validate(s); }).contains("held_out"));
        s = specification("cospadi", 0.6);
        QVERIFY(oracle::errorOf([&] { validate(s); }).contains("0.5"));
    }

    // To the bit the Gram of the fitted sequences alone, from the computation and from the cache;
    // that of the held-out ones is Σ x xᵀ over their tokens.
    void gramsOfBothShares() {
        const Model model = Model::load(m_model);
        ThreadPool pool(2);
        const auto alone = calibrate(model, pool, calibration(kSequences - kHeldOut, 0));
        QVERIFY(alone);
        QVERIFY_THROWS_EXCEPTION(Error, alone->gram("blk.0.attn_q", GramShare::HeldOut));
        const Inputs inputs = inputsOf(model, heldOutIds(model));
        for (const bool fromCache : {false, true}) {
            const auto split = calibrate(model, pool, calibration(kSequences, kHeldOut));
            QVERIFY(split);
            QCOMPARE(split->fromCache, fromCache);
            QCOMPARE(split->heldOut, kHeldOut);
            QCOMPARE(split->keys(), alone->keys());
            for (const std::string& key : alone->keys()) {
                QVERIFY((split->gram(key).array() == alone->gram(key).array()).all());
                const MatrixXd& x = inputs.at(key);
                QCOMPARE(x.cols(), Eigen::Index{kHeldOut * kLength});
                const MatrixXd truth = x * x.transpose();
                const MatrixXd gram = split->gram(key, GramShare::HeldOut);
                QVERIFY((gram - truth).norm() < 1e-5 * truth.norm());
                QVERIFY((split->gram(key) - gram).norm() > 0.1 * gram.norm());
            }
        }
    }

    void iterationsAndWhatIsStored_data() {
        QTest::addColumn<QString>("settings");
        QTest::addColumn<int>("d1");
        QTest::addColumn<int>("d2");
        QTest::addColumn<int>("tokens");
        const char* fast = R"({"method": "cospadi", "iterations": 4})";
        QTest::newRow("inputs") << fast << 48 << 112 << 200;
        QTest::newRow("outputs") << fast << 112 << 48 << 300;
        QTest::newRow("fewer tokens than inputs") << fast << 48 << 112 << 20;
        QTest::newRow("ksvd") << R"({"method": "cospadi", "solver": "ksvd", "iterations": 2})" << 48
                              << 64 << 200;
        QTest::newRow("mod")
            << R"({"method": "cospadi", "solver": "ksvd", "update": "mod", "iterations": 2})" << 48
            << 64 << 200;
        QTest::newRow("compot") << R"({"method": "compot", "iterations": 3})" << 48 << 64 << 200;
        QTest::newRow("rocket") << R"({"method": "rocket"})" << 48 << 64 << 200;
        QTest::newRow("with a ridge")
            << R"({"method": "cospadi", "iterations": 3, "ridge": 0.05})" << 48 << 112 << 200;
        for (const char* method : {"svd-llm", "gptq", "wanda", "sparsegpt"}) {
            QTest::addRow("%s", method)
                << QString(R"({"method": "%1"})").arg(method) << 64 << 128 << 200;
        }
    }

    // ‖X_h (W − W̃)‖ / ‖X_h W‖ with X_h the held-out tokens themselves and W̃ in double: D S mapped
    // back from the space it was learned in after an iteration, the stored weight at the end. What
    // is found is the same, to the bit, as without anybody who measures.
    void iterationsAndWhatIsStored() {
        QFETCH(QString, settings);
        QFETCH(int, d1);
        QFETCH(int, d2);
        QFETCH(int, tokens);
        const RunSpecification s =
            runSpecificationFromJson(nlohmann::json::parse(settings.toStdString()));
        const MatrixXf w = sample::layerWeight(d1, d2, 5);
        const MatrixXd mixed = sample::layerWeight(d1, d1, 6).cast<double>();
        const MatrixXd fitted = mixed * sample::randomMatrix(d1, 4 * d1, 7).cast<double>();
        const MatrixXd held = mixed * sample::randomMatrix(d1, tokens, 8).cast<double>();
        const MatrixXd gram = fitted * fitted.transpose();
        CpuBackend backend(2);
        const Whitening whitening(gram, "layer", backend);
        const Whitening heldOut =
            Whitening::forMeasuring(held * held.transpose(), "layer", backend);

        MatrixXd metric = gram;
        metric.diagonal().array() += s.ridge * gram.diagonal().mean();
        const MatrixXd l = reference::choleskyFactor(metric);
        int iterations = 0;
        double worst = 0;
        const auto found = compressMatrix(
            backend, w, &whitening, s,
            [&](const IterationSummary& summary) {
                ++iterations;
                if (!summary.heldOutError) {
                    worst = 1;
                    return;
                }
                const MatrixXd product = backend.download(*summary.dictionary).cast<double>() *
                                         backend.download(*summary.codes).cast<double>();
                const bool onInputs = product.rows() == d1;
                const MatrixXd stored =
                    onInputs ? reference::solveUpper(l, product) : MatrixXd(product.transpose());
                const double error = errorOn(held, w, stored);
                worst = std::max(worst, std::abs(*summary.heldOutError / error - 1));
            },
            {}, {}, &heldOut);
        QVERIFY(found.heldOutError.has_value());
        const MatrixXd stored = found.weight->recomposed().cast<double>();
        const double error = errorOn(held, w, stored);
        QVERIFY2(std::abs(*found.heldOutError / error - 1) < 1e-3,
                 qPrintable(QString("%1 told, %2").arg(*found.heldOutError).arg(error)));
        QVERIFY2(worst < 1e-3, qPrintable(QString::number(worst)));
        QCOMPARE(iterations > 0, found.iterations > 0);
        QVERIFY(std::abs(found.relativeError / errorOn(fitted, w, stored) - 1) < 1e-3);

        const auto unwatched = compressMatrix(backend, w, &whitening, s);
        QVERIFY(!unwatched.heldOutError);
        QVERIFY(unwatched.weight->equals(*found.weight));
        QCOMPARE(unwatched.relativeError, found.relativeError);
    }

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

COSPADI_TEST(TestHeldOut)

}  // namespace tst_held_out

#include "tst_held_out.moc"
