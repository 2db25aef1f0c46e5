// `cospadi export --format hf-factors` by the command line: every form and every architecture. What
// the folder holds is looked at here; transformers itself loads it where
// COSPADI_TEST_TRANSFORMERS_PYTHON names a Python with torch, transformers 5 and safetensors
// (tests/python/check_hf_factors.py).
#include <QtTest>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cli_under_test.h"
#include "core/model/model_locator.h"
#include "core/tensors/safetensors.h"
#include "tests/registered_test.h"

namespace tst_hf_factors {

using namespace cospadi;
namespace fs = std::filesystem;
using nlohmann::json;

namespace {

json jsonIn(const fs::path& path) {
    std::ifstream file(path);
    return json::parse(file);
}

QString textIn(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

struct Case {
    QString name;
    QString model;  // a folder of tests/data/arch; empty: CliUnderTest::model()
    QStringList settings;
    QString form;  // of every compressed layer
};

std::vector<Case> cases() {
    const QStringList free{"--method", "cospadi-free"};
    const QStringList few{"--sequences", "4", "--length", "32"};
    std::vector<Case> all = {
        {"low rank", "", {"--method", "svd"}, "low-rank"},
        {"low rank, packed8", "", {"--method", "svd", "--accounting", "packed8"}, "low-rank"},
        {"low rank, integers", "", {"--method", "svd", "--accounting", "integers"}, "low-rank"},
        {"remapped", "", {"--method", "svd", "--accounting", "remapped"}, "remapped-low-rank"},
        {"low rank, shared", "", QStringList{"--method", "svd-llm", "--groups", "2"} + few,
         "low-rank"},
        {"dictionary", "", free, "sparse-dictionary"},
        {"dictionary, bf16", "", free + QStringList{"--accounting", "eq10"}, "sparse-dictionary"},
        {"dictionary, short mantissa", "",
         free + QStringList{"--solver", "ksvd", "--iterations", "2"}, "sparse-dictionary"},
        {"dictionary, 4:8 codes", "", free + QStringList{"--code-pattern", "4:8"},
         "sparse-dictionary"},
        {"dictionary, packed8", "", free + QStringList{"--accounting", "packed8"},
         "sparse-dictionary"},
        {"dictionary, integers", "",
         free + QStringList{"--accounting", "integers", "--dictionary-bits", "5",
                            "--coefficient-bits", "4"},
         "sparse-dictionary"},
        {"dictionary over outputs", "", free + QStringList{"--side", "output"},
         "sparse-dictionary"},
        {"dictionary, shared", "", QStringList{"--method", "cospadi", "--groups", "2"} + few,
         "sparse-dictionary"},
        {"rtn", "", {"--method", "rtn", "--bits", "3", "--group-size", "32"}, "group-quantised"},
        {"rtn around zero",
         "",
         {"--method", "rtn", "--bits", "5", "--group-size", "32", "--zero-point", "none"},
         "group-quantised"},
        {"gptq", "", QStringList{"--method", "gptq", "--group-size", "32"} + few,
         "group-quantised"},
        {"pruned", "", QStringList{"--method", "wanda", "--cr", "0.3"} + few, "pruned"},
        {"pruned 2:4", "", QStringList{"--method", "wanda", "--pattern", "2:4"} + few, "pruned"},
        {"one layer", "", free + QStringList{"--layers", "blk.1.ffn_down"}, "sparse-dictionary"},
    };
    for (const char* model :
         {"llama2", "llama_biases", "llama31_long", "llama32", "smollm2", "mistral_defaults",
          "mistral_window", "qwen25", "qwen3", "qwen3_biases"}) {
        all.push_back({model, model, free, "sparse-dictionary"});
    }
    return all;
}

}  // namespace

class TestHfFactors : public QObject, CliUnderTest {
    Q_OBJECT

    std::map<QString, json> m_made;     // of every case what `compress` and `export` said
    std::map<QString, json> m_checked;  // and what transformers came to
    QProcess m_checker;                 // one for all: torch takes seconds to start

    QString runOf(const QString& name) const { return place("run of " + name); }
    QString folderOf(const QString& name) const { return place("export of " + name); }

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
            const QString source =
                one.model.isEmpty() ? model() : QString(COSPADI_TEST_DATA "/arch/") + one.model;
            const CliOutcome compressed = run(
                QStringList{"compress", source, "--out", runOf(one.name), "--no-model", "--json"} +
                one.settings +
                (one.settings.contains("--sequences") ? QStringList{"--calibration", text()}
                                                      : QStringList()));
            QVERIFY2(compressed.exitCode == 0,
                     qPrintable(one.name + ": " + compressed.error + compressed.out));
            const CliOutcome exported = run({"export", runOf(one.name), "--format", "hf-factors",
                                             "--out", folderOf(one.name), "--json"});
            QVERIFY2(exported.exitCode == 0,
                     qPrintable(one.name + ": " + exported.error + exported.out));
            m_made[one.name] = {{"compress", compressed.object()}, {"export", exported.object()}};
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

    void theCardTellsWhatWasMade() {
        const QString card = textIn(folderOf("rtn") + "/README.md");
        const json& made = m_made.at("rtn");
        for (const std::string& part :
             {std::string("cospadi compress model --method rtn"), std::string("--bits 3"),
              std::to_string(made["compress"]["bytes"].get<std::int64_t>()) + " bytes",
              std::to_string(made["export"]["factor_bytes"].get<std::int64_t>()) + " bytes",
              std::string("cospadi export RUN --format hf-factors"),
              std::string("No perplexity was measured"), std::string("do not say under which"),
              std::string("trust_remote_code=True")}) {
            QVERIFY2(card.contains(QString::fromStdString(part)), part.c_str());
        }
        QVERIFY2(!card.contains(place("")), "a path of this machine");
    }

    void theCardTellsPerplexityAndLicence() {
        const CliOutcome measured = run({"evaluate", runOf("gptq"), "--perplexity", text(),
                                         "--context", "32", "--max-tokens", "128", "--json"});
        QVERIFY2(measured.exitCode == 0, qPrintable(measured.error));
        const QString readme = model() + "/README.md";
        QFile file(readme);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("---\nlanguage: en\nlicense: \"cc-by-4.0\"\n---\n# A model\nlicense: none\n");
        file.close();
        for (const char* format : {"hf", "hf-factors"}) {
            const QString out = place(QString("with perplexity, ") + format);
            const CliOutcome made =
                run({"export", runOf("gptq"), "--format", format, "--out", out});
            QVERIFY2(made.exitCode == 0, qPrintable(made.error));
            const QString card = textIn(out + "/README.md");
            const double perplexity = measured.object()["perplexity"];
            QVERIFY2(card.contains(QString("| text.txt | 32 |")), qPrintable(card));
            QVERIFY2(card.contains(QString::number(perplexity, 'f', 4)), qPrintable(card));
            QVERIFY(card.startsWith("---\nlicense: \"cc-by-4.0\"\n"));
            QVERIFY(card.contains("The original is under cc-by-4.0"));
        }
        QVERIFY(QFile::remove(readme));
    }

    // ---- what goes wrong

    void otherTypesOfTheRest() {
        const QString out = place("narrow");
        const CliOutcome made = run(
            {"export", runOf("rtn"), "--format", "hf-factors", "--dtype", "bf16", "--out", out});
        QVERIFY2(made.exitCode == 0, qPrintable(made.error));
        const fs::path folder = out.toStdString();
        const SafetensorsFile dense = SafetensorsFile::open(folder / "dense.safetensors");
        for (const TensorView& tensor : dense.tensors()) {
            QCOMPARE(tensor.dtype, DType::BF16);
        }
        QCOMPARE(jsonIn(folder / "config.json")["torch_dtype"].get<std::string>(),
                 std::string("bfloat16"));
    }

    void whatHasNoFactorsIsRefused() {
        const CliOutcome outcome =
            run({"export", model(), "--format", "hf-factors", "--out", place("never")});
        QCOMPARE(outcome.exitCode, 1);
        QVERIFY2(outcome.error.contains("none of its layers is compressed"),
                 qPrintable(outcome.error));
        QVERIFY(!QFileInfo::exists(place("never")));
    }

    void damagedMatricesAreNamed() {
        const QString copy = place("damaged");
        fs::copy(runOf("pruned").toStdString(), copy.toStdString(), fs::copy_options::recursive);
        fs::resize_file((copy + "/matrices/blk.0.attn_q.safetensors").toStdString(), 200);
        const CliOutcome outcome =
            run({"export", copy, "--format", "hf-factors", "--out", place("never")});
        QCOMPARE(outcome.exitCode, 1);
        QVERIFY2(outcome.error.contains("blk.0.attn_q"), qPrintable(outcome.error));
        QVERIFY(!QFileInfo::exists(place("never")));
    }

    void wrongWordsAreUsageErrors_data() {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<QString>("says");
        QTest::newRow("format") << QStringList{"--format", "pickle"} << "hf, hf-factors, gguf";
        QTest::newRow("type") << QStringList{"--format", "gguf", "--quantize", "Q2_K"} << "Q8_0";
        QTest::newRow("both") << QStringList{"--format", "gguf",    "--quantize",
                                             "Q8_0",     "--dtype", "f16"}
                              << "in the place of --dtype";
        QTest::newRow("of factors")
            << QStringList{"--format", "hf-factors", "--quantize", "Q8_0"} << "for --format gguf";
    }

    void wrongWordsAreUsageErrors() {
        QFETCH(const QStringList, words);
        QFETCH(const QString, says);
        const CliOutcome outcome =
            run(QStringList{"export", runOf("rtn"), "--out", place("never")} + words);
        QCOMPARE(outcome.exitCode, 2);
        QVERIFY2(outcome.error.contains(says), qPrintable(outcome.error));
        QVERIFY(!QFileInfo::exists(place("never")));
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
