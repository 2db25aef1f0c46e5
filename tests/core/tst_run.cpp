// Runs on a small random model: what is written is what is reported and loads again; a run that
// cannot begin leaves nothing behind.
#include <QtTest>
#include <filesystem>
#include <fstream>
#include <set>

#include "core/allocation/trial.h"
#include "core/base/error.h"
#include "core/calibration/calibration.h"
#include "core/calibration/gram_cache.h"
#include "core/exports/compressed_model.h"
#include "core/forms/matrix_file.h"
#include "core/linalg/cpu_backend.h"
#include "core/model/layer_pattern.h"
#include "core/model/model_info.h"
#include "core/run/compression_run.h"
#include "core/run/resolve_specification.h"
#include "core/run/shared_whitenings.h"
#include "oracle_data.h"
#include "own_folder.h"
#include "small_runs.h"
#include "tests/core/message_of.h"
#include "tests/registered_test.h"

namespace tst_run {

using namespace cospadi;
using small_runs::kModel;
using small_runs::logitsOf;
using small_runs::specification;
namespace fs = std::filesystem;

class TestRun : public QObject, OwnFolder {
    Q_OBJECT

  private slots:
    void initTestCase() {
        QVERIFY(m_folder.isValid());
        qputenv("XDG_CACHE_HOME", m_folder.path().toLocal8Bit());
        QVERIFY2(fs::exists(kModel / "config.json"),
                 "tests/data/oracle/arch/a_llama_gqa is missing");
    }

    // What a layer gets is what the factor of its Gram alone gives, whoever asked first.
    void layersOfAGramShareItsFactor() {
        SKIP_WITHOUT_MODEL();
        ThreadPool pool(2);
        const Model model = Model::load(*oracle::defaultModel(), {&pool, {}});
        CalibrationOptions options;
        options.text = oracle::file("GPL-3.txt");
        options.sequences = 2;
        options.length = 64;
        const auto grams = calibrate(model, pool, options);
        QVERIFY(grams.has_value());
        const std::vector<LayerInfo> layers(model.layers().begin(), model.layers().begin() + 7);
        SharedWhitenings shared(*grams, GramShare::Fitted, layers);
        TrialLayers trials(model, &*grams, 1);  // keeps fewer factors than there are
        std::set<std::string> keys;
        CpuBackend backend(1);
        for (const LayerInfo& layer : layers) {
            const Eigen::MatrixXf w = model.weight(layer.name);
            const Whitening alone(grams->gram(layer.gramKey), layer.name, backend);
            QVERIFY(shared.of(layer, backend).whitenedFromOriginal(w) ==
                    alone.whitenedFromOriginal(w));
            const TrialLayer trial = trials.of(layer);
            QVERIFY(trial.weight == w);
            QVERIFY(trial.whitening->whitenedFromOriginal(w) == alone.whitenedFromOriginal(w));
            keys.insert(layer.gramKey);
        }
        QCOMPARE(keys.size(), std::size_t{4});  // q, k and v; attention's output; gate and up; down
    }

    // Up to the last block that is compressed; what a layer becomes does not depend on how far it
    // went.
    void calibratesWhatIsAsked() {
        SKIP_WITHOUT_MODEL();
        RunSpecification s = specification("svd-llm");
        s.model = oracle::defaultModel()->string();
        s.calibration = small_runs::onText(2, 32);
        s.layers = R"(blk\.1\.attn_k)";
        const CalibrationOptions options = calibrationOptionsOf(resolved(s));
        const std::string key = gramCacheKey(modelSha256(s.model), options);
        executeRun(s, place("second block"), {});
        QVERIFY(areGramsCached(key, 2) && !areGramsCached(key, 3) && !areGramsCached(key));
        s.layers = R"(blk\.(1|29)\.attn_k)";
        executeRun(s, place("last block"), {});
        QVERIFY(areGramsCached(key));
        const auto weightOf = [&](const char* run) {
            return small_runs::matrixOf(place(run), "blk.1.attn_k").weight;
        };
        QVERIFY(weightOf("second block")->equals(*weightOf("last block")));
    }

    void reportsWhatIsOnDisk_data() {
        QTest::addColumn<QString>("method");
        QTest::addColumn<QString>("accounting");
        QTest::newRow("svd") << "svd"
                             << "eq11";
        QTest::newRow("svd, packed") << "svd"
                                     << "packed";
        QTest::newRow("svd, packed8") << "svd"
                                      << "packed8";
        QTest::newRow("cospadi-free") << "cospadi-free"
                                      << "eq11";
        QTest::newRow("atoms of bytes") << "cospadi-free"
                                        << "packed8";
        QTest::newRow("rtn") << "rtn"
                             << "eq11";
    }

    void reportsWhatIsOnDisk() {
        QFETCH(QString, method);
        QFETCH(QString, accounting);
        const fs::path directory =
            place(QStringLiteral("disk-%1-%2").arg(method, accounting).toUtf8().constData());
        RunSpecification settings = specification(method.toUtf8().constData());
        settings.accounting = accountingFromName(accounting.toStdString());
        if (method == "rtn") {
            settings.own["group_size"] = std::int64_t{16};
        }
        const RunSummary run = executeRun(settings, directory, {});
        QCOMPARE(run.termination, Termination::Converged);
        QCOMPARE(run.matrices, 14);
        std::int64_t bytes = 0;
        for (const auto& entry : fs::directory_iterator(directory / "matrices")) {
            bytes += static_cast<std::int64_t>(entry.file_size());
        }
        QCOMPARE(run.bytes, bytes);

        // The folder loads again to the same logits as the run, and both as the dense product.
        const Eigen::MatrixXf fromRun = logitsOf(loadModelOrRun(directory.string()));
        const Eigen::MatrixXf fromFolder = logitsOf(loadModelOrRun((directory / "model").string()));
        QCOMPARE(fromRun, fromFolder);
        // Layers made when they are asked for, and again.
        for (const fs::path& path : {directory, directory / "model"}) {
            const Model deferred = loadModelOrRun(path.string(), {.deferredAbove = 0});
            QCOMPARE(logitsOf(deferred), fromRun);
            deferred.letGo();
            QCOMPARE(logitsOf(deferred), fromRun);
        }
        Model dense = Model::load(kModel);
        const Eigen::MatrixXf original = logitsOf(dense);
        for (const LayerInfo& layer : std::vector<LayerInfo>(dense.layers())) {
            const StoredMatrix stored =
                readMatrixFile(directory / "matrices" / (layer.name + ".safetensors"));
            // The error in the record is the error of these factors.
            const Eigen::MatrixXf w = dense.weight(layer.name);
            const double error = (w - stored.weight->recomposed()).norm() / w.norm();
            QVERIFY(std::abs(error - stored.record.relativeError) < 1e-4);
            dense.replaceLayer(layer.name,
                               std::make_unique<DenseLayer>(stored.weight->recomposed(), 0));
        }
        const Eigen::MatrixXf recomposed = logitsOf(dense);
        QVERIFY((fromRun - recomposed).cwiseAbs().maxCoeff() < 1e-4F);
        QVERIFY((fromRun - original).cwiseAbs().maxCoeff() > 1e-2F);  // something was compressed
    }

    // By the field or flag that they stand in.
    void patternsThatAreNoneAreNamed() {
        QVERIFY(LayerPattern("ffn_(up|gate)$").finds("blk.3.ffn_up"));
        QVERIFY(!LayerPattern("^ffn_up").finds("blk.3.ffn_up"));
        for (const char* wrong : {"ffn_(up", "[a", "*", "a{2", "\\"}) {
            QCOMPARE(whereOf([&] { LayerPattern pattern(wrong); }), std::string("layers"));
            QCOMPARE(whereOf([&] { LayerPattern pattern(wrong, "--exclude"); }),
                     std::string("--exclude"));
            QVERIFY2(!problemOfPattern(wrong).empty(), wrong);
        }
        QCOMPARE(problemOfPattern(".*"), std::string());
    }

    // Before any text is read: this model has no tokenizer to read it with.
    void shapesThatDoNotFitAreRefusedByName() {
        RunSpecification s = specification("sparsegpt");
        setOwnOption(s, "pattern", "3:7");
        try {
            requireRunnable(s);
            QFAIL("7 divides no layer's inputs");
        } catch (const Error& error) {
            const QString where = QString::fromStdString(error.where());
            QVERIFY2(where.startsWith("blk.0.") && where.endsWith(", pattern"), error.what());
        }
    }

    // What is wrong before the first matrix leaves no directory behind.
    void badStartsLeaveNoDirectory_data() {
        QTest::addColumn<QString>("layers");
        QTest::addColumn<QString>("method");
        QTest::addColumn<QString>("says");
        QTest::newRow("no layer") << "nosuch"
                                  << "svd"
                                  << "layers: 'nosuch' matches no layer";
        QTest::newRow("no tokenizer to calibrate with") << ".*"
                                                        << "cospadi"
                                                        << "tokenizer.json: ";
    }

    void badStartsLeaveNoDirectory() {
        QFETCH(QString, layers);
        QFETCH(QString, method);
        QFETCH(QString, says);
        RunSpecification s = specification(method.toUtf8().constData());
        s.layers = layers.toStdString();
        const fs::path directory = place("bad-start");
        const QString message = oracle::errorOf([&] { executeRun(s, directory, {}); });
        QVERIFY2(message.contains(says), qPrintable(message));
        QVERIFY(!fs::exists(directory));
    }

    void aNewRunIsNamedAsItsDirectory() {
        qputenv("COSPADI_RUNS", place("runs").string().c_str());
        const RunSummary run = executeRun(specification("svd"), {}, {});
        qunsetenv("COSPADI_RUNS");
        QCOMPARE(run.directory.filename().string(), run.id);
        QCOMPARE(run.directory.parent_path(), place("runs"));
    }

    void refusesAForeignDirectory() {
        fs::create_directories(place("foreign"));
        std::ofstream(place("foreign") / "letter.txt") << "dear reader";
        QVERIFY_THROWS_EXCEPTION(Error, executeRun(specification(), place("foreign"), {}));
        QVERIFY(fs::exists(place("foreign") / "letter.txt"));
        QVERIFY(!fs::exists(place("foreign") / "run.json"));
    }
};

COSPADI_TEST(TestRun)

}  // namespace tst_run

#include "tst_run.moc"
