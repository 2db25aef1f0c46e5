// Exports that fail or are refused say why, and leave nothing.

#include <sys/resource.h>

#include <QtTest>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <limits>
#include <list>

#include "core/base/error.h"
#include "core/exports/compressed_model.h"
#include "core/exports/model_side_files.h"
#include "core/tensors/gguf_writer.h"
#include "core/tensors/safetensors_writer.h"
#include "core/tokenizer/utf8.h"
#include "export_fixture.h"
#include "forged_files.h"
#include "oracle_data.h"
#include "tests/registered_test.h"

namespace tst_export_faults {

using namespace cospadi;
using namespace cospadi::export_fixture;

namespace {

// Everything in a folder, to see that a failed export left nothing.
int entriesIn(const fs::path& folder) {
    return static_cast<int>(std::distance(fs::directory_iterator(folder), {}));
}

}  // namespace

class TestExportFaults : public QObject, ExportFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { compress(); }

    void existingTargetsAreLeftAlone() {
        const fs::path out = place("precious.gguf");
        std::ofstream(out) << "mine";
        ExportRequest request{m_run.string(), ExportFormat::Gguf, DType::BF16, out};
        QVERIFY_THROWS_EXCEPTION(Error, exportModel(request));
        std::ifstream file(out);
        QCOMPARE(std::string(std::istreambuf_iterator<char>(file), {}), std::string("mine"));
        request.format = ExportFormat::HuggingFace;
        request.out = place("original");
        QVERIFY_THROWS_EXCEPTION(Error, exportModel(request));
        QVERIFY(fs::exists(place("original") / "config.json"));
    }

    void fullDisksLeaveNothing_data() {
        QTest::addColumn<bool>("gguf");
        QTest::newRow("gguf") << true;
        QTest::newRow("hf") << false;
    }

    // A file-size limit stands for a full disk: the write fails in the middle of a file.
    void fullDisksLeaveNothing() {
        QFETCH(bool, gguf);
        const fs::path folder = place(gguf ? "full-gguf" : "full-hf");
        fs::create_directories(folder);
        ExportRequest request{m_run.string(), gguf ? ExportFormat::Gguf : ExportFormat::HuggingFace,
                              DType::BF16, folder / "out"};
        rlimit before{};
        getrlimit(RLIMIT_FSIZE, &before);
        const rlimit small{40'000, before.rlim_max};
        std::signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &small);
        QString message;
        try {
            exportModel(request);
        } catch (const Error& error) {
            message = error.what();
        }
        setrlimit(RLIMIT_FSIZE, &before);
        QVERIFY2(message.contains("cannot be written"), qPrintable(message));
        QCOMPARE(entriesIn(folder), 0);
    }

    void cancellingLeavesNothing() {
        const fs::path folder = place("cancelled");
        fs::create_directories(folder);
        for (const ExportFormat format :
             {ExportFormat::Gguf, ExportFormat::HuggingFace, ExportFormat::HuggingFaceFactors}) {
            std::stop_source stop;
            ExportRequest request{m_run.string(), format, DType::BF16, folder / "out"};
            const auto summary = exportModel(
                request, [&](const Progress&) { stop.request_stop(); }, stop.get_token());
            QVERIFY(!summary.has_value());
            QCOMPARE(entriesIn(folder), 0);
        }
    }

    void unfitWeightsAreNamed_data() {
        QTest::addColumn<float>("value");
        QTest::addColumn<QString>("message");
        QTest::newRow("beyond float16") << 1e5F << "float16";
        QTest::newRow("NaN") << std::numeric_limits<float>::quiet_NaN() << "NaN";
    }

    void unfitWeightsAreNamed() {
        QFETCH(float, value);
        QFETCH(QString, message);
        const fs::path folder = place("unfit");
        fs::remove_all(folder);
        fs::create_directories(folder);
        fs::copy_file(kModel / "config.json", folder / "config.json");
        const SafetensorsFile original = SafetensorsFile::open(kModel / "model.safetensors");
        std::list<std::vector<float>> kept;
        std::vector<TensorToWrite> tensors;
        for (const TensorView& view : original.tensors()) {
            std::vector<float>& values = kept.emplace_back(view.toFloat());
            if (view.name == "model.layers.1.mlp.down_proj.weight") {
                values[7] = value;
            }
            tensors.push_back(
                {view.name, DType::F32, view.shape, std::as_bytes(std::span<const float>(values))});
        }
        writeSafetensors(folder / "model.safetensors", tensors);
        try {
            exportModel({folder.string(), ExportFormat::HuggingFace, DType::F16, place("never")});
            QFAIL("was accepted");
        } catch (const Error& error) {
            const QString what = error.what();
            QVERIFY2(what.contains("model.layers.1.mlp.down_proj") && what.contains(message),
                     error.what());
        }
        QVERIFY(!fs::exists(place("never")));
    }

    void aFolderWithoutTokenizerIsNoGguf() {
        try {
            exportModel({kModel.string(), ExportFormat::Gguf, DType::F16, place("never.gguf")});
            QFAIL("was accepted");
        } catch (const Error& error) {
            QVERIFY2(QString(error.what()).contains("tokenizer.json"), error.what());
        }
        QVERIFY(!fs::exists(place("never.gguf")));
    }

    void trailingSlashesAreNoFolder() {
        const ExportRequest request{(place("original") / "").string(), ExportFormat::HuggingFace,
                                    DType::BF16, place("slashed") / ""};
        QCOMPARE(exportModel(request).value().path, place("slashed"));
        QVERIFY(forged::contentOf(place("slashed") / "README.md")
                    .find("| original | original, sha256 ") != std::string::npos);
    }

    void wrongTypesNameTheirFile() {
        const fs::path folder = place("mistyped");
        fs::copy(place("original"), folder, fs::copy_options::recursive);
        std::ofstream(folder / "tokenizer_config.json") << R"({"add_bos_token": "yes"})";
        const QString error = oracle::errorOf([&] {
            exportModel({folder.string(), ExportFormat::Gguf, DType::F16, place("mistyped.gguf")});
        });
        QVERIFY2(error.contains("tokenizer_config.json") && error.contains("wrong type"),
                 qPrintable(error));
        std::ofstream(folder / "config.json")
            << R"({"quantization_config": {"quant_method": null}})";
        QVERIFY(!isCompressedFolder(folder));
    }

    void cardsDoWithoutAMethod() {
        const fs::path folder = place("unnamed");
        fs::copy(m_run / "model", folder, fs::copy_options::recursive);
        json config = json::parse(forged::contentOf(folder / "config.json"));
        config["quantization_config"]["method"] = nullptr;
        std::ofstream(folder / "config.json") << config;
        const fs::path out =
            exported(folder, ExportFormat::HuggingFace, DType::BF16, "unnamed-hf").path;
        QVERIFY(fs::exists(out / "README.md"));
    }

    // A Llama with biases of q, k and v alone, or a window beside its biases, is none of the
    // classes that a config.json can name.
    void biasesWithoutAClassAreRefused() {
        const fs::path whole = COSPADI_TEST_DATA "/arch/llama_biases/model.gguf";
        const fs::path path = forged::replaced(whole, place("biases.gguf"),
                                               "blk.0.attn_output.bias", "blk.0.attn_outpux.bias");
        WeightSource source = WeightSource::open(path);
        QVERIFY(oracle::errorOf([&] { huggingFaceConfig(source, "float32"); }).contains("biases"));
        source = WeightSource::open(whole);
        huggingFaceConfig(source, "float32");
        source.config.slidingWindow = 4;
        QVERIFY(oracle::errorOf([&] {
                    huggingFaceConfig(source, "float32");
                }).contains("sliding window"));
    }

    // What no config.json can say is refused before the work, not after it.
    void unwritableModelsAreRefusedFirst() {
        const fs::path whole = COSPADI_TEST_DATA "/arch/llama31_long/model.gguf";
        const fs::path path = place("rope.gguf");
        {
            const GgufFile file = GgufFile::open(whole);
            const TensorView* divisors = file.find("rope_freqs.weight");
            QVERIFY(divisors != nullptr);
            std::string content = forged::contentOf(whole);
            const float other = 2.5F;
            content.replace(
                static_cast<std::size_t>(divisors->bytes.data() - file.mapping()->bytes().data()),
                sizeof other, reinterpret_cast<const char*>(&other), sizeof other);
            std::ofstream(path, std::ios::binary) << content;
        }
        RunSpecification specification;
        specification.model = path.string();
        specification.method = &methodFromName("cospadi-free");
        const fs::path run = place("unwritable");
        const QString error = oracle::errorOf([&] { executeRun(specification, run, {}); });
        QVERIFY2(error.contains("rope_freqs") && error.contains("--no-model"), qPrintable(error));
        QVERIFY(!fs::exists(run / "matrices") || entriesIn(run / "matrices") == 0);
    }

    // A file that would be carried over at the end is looked at before the work.
    void emptySideFilesAreRefusedFirst() {
        const fs::path model = place("emptied");
        fs::copy(place("original"), model, fs::copy_options::recursive);
        std::ofstream(model / "special_tokens_map.json").flush();
        RunSpecification specification;
        specification.model = model.string();
        specification.method = &methodFromName("cospadi-free");
        const fs::path run = place("emptied-run");
        const QString error = oracle::errorOf([&] { executeRun(specification, run, {}); });
        QVERIFY2(error.contains("special_tokens_map.json") && error.contains("is empty"),
                 qPrintable(error));
        QVERIFY(!fs::exists(run / "matrices") || entriesIn(run / "matrices") == 0);
    }

    // Bytes that are no UTF-8 are no reason to fail at the end.
    void templatesBecomeUtf8() {
        GgufMetadata metadata;
        metadata.copyFrom(GgufFile::open(COSPADI_TEST_DATA "/arch/qwen25/model.gguf"));
        metadata.setText("tokenizer.chat_template", "{{ \xff }}");
        streamGguf(place("template.gguf"), metadata, {});
        WeightSource source;
        source.path = place("template.gguf");
        source.gguf = GgufFile::open(source.path);
        QCOMPARE(chatTemplateText(tokenizerConfigOf(source)),
                 json("{{ " + std::string(kReplacementCharacter) + " }}"));
        writeSideFiles(source, m_folder.path().toStdString());
    }

    void unfinishedRunsAreRefused() {
        const fs::path unfinished = place("unfinished");
        fs::copy(m_run, unfinished, fs::copy_options::recursive);
        fs::remove(unfinished / "result.json");
        try {
            exportModel({unfinished.string(), ExportFormat::Gguf, DType::F16, place("no.gguf")});
            QFAIL("was accepted");
        } catch (const Error& error) {
            QVERIFY2(QString(error.what()).contains("not finished"), error.what());
        }
    }
};

COSPADI_TEST(TestExportFaults)

}  // namespace tst_export_faults

#include "tst_export_faults.moc"
