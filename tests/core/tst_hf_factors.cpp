// `cospadi export --format hf-factors` by the command line: every form and every architecture. What
// the folder holds is looked at here; transformers itself loads it where
// COSPADI_TEST_TRANSFORMERS_PYTHON names a Python with torch, transformers 5 and safetensors
// (tests/python/check_hf_factors.py).
#include <QtTest>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "core/model/model_locator.h"
#include "core/tensors/safetensors.h"
#include "tests/core/hf_factors_under_test.h"
#include "tests/registered_test.h"

namespace tst_hf_factors {

using namespace cospadi;
using namespace hf_factors;
namespace fs = std::filesystem;
using nlohmann::json;

class TestHfFactors : public QObject, HfFactorsUnderTest {
    Q_OBJECT

    std::map<QString, json> m_checked;  // of every case what transformers came to
    QProcess m_checker;                 // one for all: torch takes seconds to start

    void startChecking() {
        const QString python = qEnvironmentVariable("COSPADI_TEST_TRANSFORMERS_PYTHON");
        if (python.isEmpty()) {
            return;
        }
        QStringList arguments{COSPADI_SOURCE_DIR "/tests/python/check_hf_factors.py", "--cospadi",
                              COSPADI_CLI};
        for (const Case& one : cases()) {
            arguments << runOf(one.name) + "=" + folderOf(one.name);
        }
        m_checker.setProcessEnvironment(environment);
        m_checker.start(python, arguments);
    }

    // Up to the result of this folder: all together take longer than Qt lets a function of a test.
    void readChecked(const QString& folder) {
        constexpr int kPatience = 280000;
        while (!m_checked.contains(folder)) {
            if (!m_checker.canReadLine() && !m_checker.waitForReadyRead(kPatience)) {
                return;
            }
            while (m_checker.canReadLine()) {
                const QByteArray line = m_checker.readLine();
                if (line.startsWith('{')) {
                    const json result = json::parse(line.toStdString());
                    m_checked[QString::fromStdString(result["folder"])] = result;
                }
            }
        }
    }

    void addCases() {
        QTest::addColumn<QString>("form");
        for (const Case& one : cases()) {
            QTest::newRow(qPrintable(one.name)) << one.form;
        }
    }

  private slots:
    void initTestCase() {
        QVERIFY(isValid());
        for (const Case& one : cases()) {
            make(one);
            if (QTest::currentTestFailed()) {
                return;
            }
        }
        startChecking();
    }

    // The tensors of the run's matrix files are there as they were, under other names, and nothing
    // else is among the factors; their bytes are those of the run less the heads of its files.
    void factorsAreThoseOfTheRun_data() { addCases(); }

    void factorsAreThoseOfTheRun() {
        QFETCH(QString, form);
        const QString name = QTest::currentDataTag();
        const fs::path folder = folderOf(name).toStdString();
        const SafetensorsFile factors = SafetensorsFile::open(folder / "factors.safetensors");
        std::multiset<std::string> there;
        std::int64_t bytes = 0;
        for (const TensorView& tensor : factors.tensors()) {
            there.emplace(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
            bytes += static_cast<std::int64_t>(tensor.bytes.size());
        }
        std::multiset<std::string> stored;
        std::int64_t files = 0;
        std::int64_t heads = 0;
        for (const auto& entry : fs::directory_iterator(runOf(name).toStdString() + "/matrices")) {
            const SafetensorsFile file = SafetensorsFile::open(entry.path());
            files += static_cast<std::int64_t>(entry.file_size());
            heads += static_cast<std::int64_t>(entry.file_size());
            for (const TensorView& tensor : file.tensors()) {
                stored.emplace(reinterpret_cast<const char*>(tensor.bytes.data()),
                               tensor.bytes.size());
                heads -= static_cast<std::int64_t>(tensor.bytes.size());
            }
        }
        QVERIFY(!stored.empty());
        QVERIFY(there == stored);
        const json& made = m_made.at(name);
        QCOMPARE(made["compress"]["bytes"].get<std::int64_t>(), files);
        QCOMPARE(made["export"]["factor_bytes"].get<std::int64_t>(), bytes);
        QCOMPARE(bytes, files - heads);

        const json config = jsonIn(folder / "config.json");
        const json& layers = config["cospadi"]["layers"];
        QCOMPARE(static_cast<std::int64_t>(layers.size()),
                 made["compress"]["matrices"].get<std::int64_t>());
        QCOMPARE(config["cospadi"]["count"].get<std::size_t>(), layers.size());
        // Not every layer has a partner; but a shared factor belongs to two or more.
        const json& shared = config["cospadi"]["shared"];
        QCOMPARE(shared.empty(), !name.endsWith("shared"));
        std::vector<int> owners(shared.size());
        for (const json& spec : layers) {
            QCOMPARE(spec["form"].get<std::string>(), form.toStdString());
            if (spec.contains("shared")) {
                ++owners.at(spec["shared"].get<std::size_t>());
            }
        }
        for (const int count : owners) {
            QVERIFY(count >= 2);
        }
    }

    // What else the folder holds: every other tensor once and as it was in the model, and the files
    // that it is loaded with. All of it is in `bytes`.
    void theRestIsTheModels_data() { addCases(); }

    void theRestIsTheModels() {
        const QString name = QTest::currentDataTag();
        const fs::path folder = folderOf(name).toStdString();
        const fs::path source =
            jsonIn(runOf(name).toStdString() + "/run.json")["specification"]["model"]
                .get<std::string>();
        const SafetensorsFolder original = SafetensorsFolder::open(source);
        const SafetensorsFile dense = SafetensorsFile::open(folder / "dense.safetensors");
        const json index = jsonIn(folder / "model.safetensors.index.json")["weight_map"];
        const json layers = jsonIn(folder / "config.json")["cospadi"]["layers"];
        for (const TensorView& tensor : dense.tensors()) {
            const TensorView* before = original.find(tensor.name);
            QVERIFY2(before != nullptr, tensor.name.c_str());
            QCOMPARE(tensor.dtype, before->dtype);
            QVERIFY(std::equal(tensor.bytes.begin(), tensor.bytes.end(), before->bytes.begin(),
                               before->bytes.end()));
            QVERIFY(!layers.contains(tensor.name.substr(0, tensor.name.rfind(".weight"))));
            QCOMPARE(index[tensor.name].get<std::string>(), std::string("dense.safetensors"));
        }
        // Some of these architectures have a head of their own in the file although it is tied.
        QVERIFY(dense.tensors().size() + layers.size() <= original.tensorCount());
        QVERIFY(dense.tensors().size() + layers.size() + 1 >= original.tensorCount());
        std::int64_t bytes = 0;
        for (const auto& entry : fs::directory_iterator(folder)) {
            bytes += static_cast<std::int64_t>(entry.file_size());
        }
        QCOMPARE(m_made.at(name)["export"]["bytes"].get<std::int64_t>(), bytes);
        QCOMPARE(textIn(folderOf(name) + "/modeling_cospadi.py"),
                 textIn(COSPADI_SOURCE_DIR "/python/src/cospadi_transformers/modeling_cospadi.py"));
    }

    void transformersComputesTheSame_data() { addCases(); }

    void transformersComputesTheSame() {
        const QString python = qEnvironmentVariable("COSPADI_TEST_TRANSFORMERS_PYTHON");
        if (python.isEmpty()) {
            QSKIP("COSPADI_TEST_TRANSFORMERS_PYTHON names no Python with torch and transformers");
        }
        const QString name = QTest::currentDataTag();
        readChecked(folderOf(name));
        QVERIFY2(m_checked.contains(folderOf(name)),
                 m_checker.readAllStandardError().right(3000).constData());
        const json& result = m_checked.at(folderOf(name));
        QVERIFY2(result["failures"].empty(), result["failures"].dump(1).c_str());
        QCOMPARE(result["factored"], m_made.at(name)["compress"]["matrices"]);
        const double difference = result["difference"];
        qInfo("%s: logits differ by %.2g at most", qPrintable(name), difference);
        QVERIFY(difference < 1e-3);
    }

    // Twenty items of piqa by lm-eval's own `hf` backend, and by the engine. Attention of one block
    // is compressed: enough to be no model that transformers knows.
    void lmEvalScoresAsTheEngine() {
        const QString python = qEnvironmentVariable("COSPADI_TEST_TRANSFORMERS_PYTHON");
        if (python.isEmpty() || run({"-c", "import lm_eval"}, python).exitCode != 0) {
            QSKIP("COSPADI_TEST_TRANSFORMERS_PYTHON names no Python with torch and lm-eval");
        }
        if (!fs::exists(defaultModelPath())) {
            QSKIP("the default model is not on this machine");
        }
        const QString stored = place("default");
        const CliOutcome compressed =
            run({"compress", QString::fromStdString(defaultModelPath().string()), "--layers",
                 "blk\\.0\\.attn", "--method", "svd", "--out", stored, "--no-model"});
        QVERIFY2(compressed.exitCode == 0, qPrintable(compressed.error));
        const QString folder = place("export of default");
        const CliOutcome exported =
            run({"export", stored, "--format", "hf-factors", "--out", folder});
        QVERIFY2(exported.exitCode == 0, qPrintable(exported.error));
        const CliOutcome scored =
            run({"evaluate", stored, "--tasks", "piqa", "--limit", "20", "--json"});
        QVERIFY2(scored.exitCode == 0, qPrintable(scored.error));

        // lm-eval's piqa, its data from the sample that ships with the program.
        QDir().mkpath(place("tasks"));
        QFile task(place("tasks/piqa_here.yaml"));
        QVERIFY(task.open(QIODevice::WriteOnly));
        task.write(
            "task: piqa_here\ndataset_path: json\ndataset_kwargs:\n  data_files:\n    "
            "validation: " COSPADI_SOURCE_DIR
            "/resources/tasks/piqa.jsonl\n"
            "output_type: multiple_choice\nvalidation_split: validation\n"
            "doc_to_text: \"Question: {{goal}}\\nAnswer:\"\ndoc_to_target: label\n"
            "doc_to_choice: \"{{[sol1, sol2]}}\"\n"
            "metric_list:\n  - metric: acc\n  - metric: acc_norm\n");
        task.close();
        QProcess process;
        QProcessEnvironment own = environment;
        own.insert("HF_HUB_OFFLINE", "1");
        own.insert("HF_HOME", place("hf-home"));
        process.setProcessEnvironment(own);
        process.start(
            python, {"-m", "lm_eval", "--model", "hf", "--model_args",
                     "pretrained=" + folder + ",trust_remote_code=True,dtype=float32", "--tasks",
                     "piqa_here", "--include_path", place("tasks"), "--device", "cpu",
                     "--batch_size", "4", "--limit", "20", "--output_path", place("lm-eval.json")});
        QVERIFY(process.waitForFinished(900000));
        const QString errors = process.readAllStandardError();
        const QStringList found = QDir(place("")).entryList({"lm-eval*.json"});
        QVERIFY2(found.size() == 1, qPrintable(errors.right(2000)));
        const json theirs = jsonIn(place(found.first()).toStdString())["results"]["piqa_here"];
        const json ours = scored.object()["results"];
        QCOMPARE(ours.size(), std::size_t{2});
        for (const json& metric : ours) {
            const auto name = metric["metric"].get<std::string>();
            QCOMPARE(theirs[name + ",none"].get<double>(), metric["value"].get<double>());
        }
    }

    // All of its results were read, or the tests that want them were not asked for.
    void cleanupTestCase() {
        if (m_checked.size() < cases().size()) {
            m_checker.kill();
        }
        m_checker.waitForFinished();
    }
};

COSPADI_TEST(TestHfFactors)

}  // namespace tst_hf_factors

#include "tst_hf_factors.moc"
