// Whole models with something wrong in them: the error says which file, what, and what to do.
#include <sys/stat.h>

#include <QTemporaryDir>
#include <algorithm>
#include <limits>
#include <utility>

#include "core/model/model_info.h"
#include "core/tensors/gguf_writer.h"
#include "core/tensors/safetensors_writer.h"
#include "oracle_data.h"
#include "tests/registered_test.h"

namespace tst_model_files {

using namespace cospadi;

namespace {

namespace fs = std::filesystem;

const fs::path kModel = fs::path(COSPADI_TEST_DATA) / "arch" / "llama_biases";  // float32

// A copy of the model with one tensor changed.
void writeChanged(const fs::path& folder, const std::string& name, DType dtype,
                  const std::vector<std::int64_t>& shape, std::span<const std::byte> bytes) {
    const SafetensorsFile original = SafetensorsFile::open(kModel / "model.safetensors");
    std::vector<TensorToWrite> tensors;
    for (const TensorView& view : original.tensors()) {
        if (view.name == name) {
            tensors.push_back({name, dtype, shape, bytes});
        } else {
            tensors.push_back({view.name, view.dtype, view.shape, view.bytes});
        }
    }
    writeSafetensors(folder / "model.safetensors", tensors);
    fs::copy_file(kModel / "config.json", folder / "config.json",
                  fs::copy_options::overwrite_existing);
}

bool says(const QString& error, std::initializer_list<const char*> parts) {
    return std::all_of(parts.begin(), parts.end(),
                       [&](const char* part) { return error.contains(part); });
}

}  // namespace

class TestModelFiles : public QObject {
    Q_OBJECT

  private slots:
    void damagedWeights_data() {
        QTest::addColumn<QString>("tensor");
        QTest::addColumn<float>("value");
        QTest::addColumn<bool>("half");  // stored as F16, so that it is widened, not mapped
        const float infinity = std::numeric_limits<float>::infinity();
        const float nan = std::numeric_limits<float>::quiet_NaN();
        QTest::newRow("NaN in a layer") << "model.layers.1.mlp.up_proj.weight" << nan << false;
        QTest::newRow("NaN in a half layer") << "model.layers.1.mlp.up_proj.weight" << nan << true;
        QTest::newRow("infinity in a norm") << "model.norm.weight" << infinity << false;
        QTest::newRow("-infinity in a bias")
            << "model.layers.0.self_attn.q_proj.bias" << -infinity << true;
        QTest::newRow("infinity in the head") << "lm_head.weight" << infinity << false;
    }

    void damagedWeights() {
        QFETCH(const QString, tensor);
        QFETCH(const float, value);
        QFETCH(const bool, half);
        const std::string name = tensor.toStdString();
        const SafetensorsFile original = SafetensorsFile::open(kModel / "model.safetensors");
        const TensorView& view = original.require(name);
        std::vector<float> values = view.toFloat();
        QTemporaryDir place;
        const fs::path folder = place.path().toStdString();
        const auto write = [&] {
            std::vector<std::uint16_t> halves;
            for (const float x : values) {
                halves.push_back(floatToHalf(x));
            }
            writeChanged(
                folder, name, half ? DType::F16 : DType::F32, view.shape,
                half ? std::as_bytes(std::span(halves)) : std::as_bytes(std::span(values)));
        };
        write();
        QCOMPARE(oracle::errorOf([&] { Model::load(folder); }), QString());
        for (const std::size_t at : {std::size_t{0}, values.size() / 2, values.size() - 1}) {
            const float before = std::exchange(values[at], value);
            write();
            const QString error = oracle::errorOf([&] { Model::load(folder); });
            QVERIFY2(says(error, {"model.safetensors", name.c_str(), "NaN or infinite", "fetch"}),
                     qPrintable(error));
            QCOMPARE(oracle::errorOf([&] { Model::load(folder, {.deferredAbove = 0}); }), error);
            values[at] = before;
        }
        QVERIFY(inspectModel(folder).parameters > 0);  // reads headers only
    }

    void wrongTensors_data() {
        QTest::addColumn<QString>("tensor");
        QTest::newRow("layer") << "model.layers.0.mlp.down_proj.weight";
        QTest::newRow("bias") << "model.layers.1.mlp.down_proj.bias";
        QTest::newRow("embedding") << "model.embed_tokens.weight";
        QTest::newRow("norm") << "model.layers.1.input_layernorm.weight";
    }

    void wrongTensors() {
        QFETCH(const QString, tensor);
        QTemporaryDir place;
        const fs::path folder = place.path().toStdString();
        const std::vector<float> values(12, 1.0F);
        writeChanged(folder, tensor.toStdString(), DType::F32, {3, 4},
                     std::as_bytes(std::span(values)));
        const QString error = oracle::errorOf([&] { Model::load(folder); });
        QVERIFY2(says(error, {"model.safetensors", "does not have the shape", "belong together"}) &&
                     error.contains(tensor),
                 qPrintable(error));
        const SafetensorsFile original = SafetensorsFile::open(kModel / "model.safetensors");
        const TensorView& view = original.require(tensor.toStdString());
        const std::vector<std::int32_t> integers(static_cast<std::size_t>(view.elementCount()), 1);
        writeChanged(folder, tensor.toStdString(), DType::I32, view.shape,
                     std::as_bytes(std::span(integers)));
        QVERIFY(says(oracle::errorOf([&] { Model::load(folder); }), {"type", "model.safetensors"}));
    }

    // A list of layers is never longer than the file that should hold them.
    void moreBlocksThanTensors() {
        QTemporaryDir place;
        const fs::path folder = place.path().toStdString();
        fs::copy_file(kModel / "model.safetensors", folder / "model.safetensors");
        auto config = nlohmann::json::parse(oracle::text(kModel / "config.json"));
        config["num_hidden_layers"] = 16'000'000;
        std::ofstream(folder / "config.json") << config;
        const QString error = oracle::errorOf([&] { inspectModel(folder); });
        QVERIFY2(says(error, {"16000000 blocks", "tensors"}), qPrintable(error));
    }

    void configurationsThatAreNone_data() {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("message");
        QTest::newRow("empty") << QByteArray() << "not a JSON object";
        QTest::newRow("cut") << QByteArray("{\"model_type\":\"lla") << "not a JSON object";
        QTest::newRow("NaN") << QByteArray("{\"model_type\":\"llama\",\"rope_theta\":NaN}")
                             << "not a JSON object";
        QTest::newRow("no UTF-8") << QByteArray("{\"model_type\":\"\xff\"}") << "not a JSON object";
        QTest::newRow("deep") << QByteArray(100000, '[') << "nested too deeply";
        QTest::newRow("over 10 MB") << "{\"a\":\"" + QByteArray(11'000'000, 'x') + "\"}"
                                    << "over 10 MB";
        QTest::newRow("id beyond 2^31")
            << QByteArray("{\"model_type\":\"llama\",\"bos_token_id\":4294967297}")
            << "bos_token_id";
        QTest::newRow("theta 0") << QByteArray("{\"model_type\":\"llama\",\"rope_theta\":0}")
                                 << "theta";
        QTest::newRow("size beyond 2^63")
            << QByteArray("{\"model_type\":\"llama\",\"hidden_size\":18446744073709551615}")
            << "hidden_size";
    }

    void configurationsThatAreNone() {
        QFETCH(const QByteArray, content);
        QFETCH(const QString, message);
        QTemporaryDir place;
        const fs::path folder = place.path().toStdString();
        std::ofstream(folder / "config.json").write(content.data(), content.size());
        const QString error = oracle::errorOf([&] { Model::load(folder); });
        QVERIFY2(error.contains(message) && error.contains("config.json"), qPrintable(error));
    }

    // Neither blocks nor escapes as another exception.
    void pipesAndLoops() {
        QTemporaryDir place;
        const fs::path folder = place.path().toStdString();
        QCOMPARE(mkfifo((folder / "config.json").c_str(), 0600), 0);
        QVERIFY(says(oracle::errorOf([&] { Model::load(folder); }), {"config.json", "regular"}));
        fs::remove(folder / "config.json");
        fs::copy_file(kModel / "config.json", folder / "config.json");
        QCOMPARE(mkfifo((folder / "model.safetensors").c_str(), 0600), 0);
        QVERIFY(
            says(oracle::errorOf([&] { Model::load(folder); }), {"model.safetensors", "regular"}));
        fs::remove(folder / "model.safetensors");
        fs::create_symlink("model.safetensors", folder / "model.safetensors");
        QVERIFY(says(oracle::errorOf([&] { Model::load(folder); }), {folder.c_str()}));
        QVERIFY(says(oracle::errorOf([&] { Model::load(std::string(5000, 'x')); }), {"no such"}));
    }

    // The parts but the first have no configuration at all.
    void partsOfASplitFile() {
        QTemporaryDir place;
        const fs::path path = place.filePath("model-00002-of-00002.gguf").toStdString();
        GgufMetadata metadata;
        metadata.setU32("split.count", 2);
        streamGguf(path, metadata, {});
        QVERIFY(says(oracle::errorOf([&] { Model::load(path); }),
                     {"split GGUF", "00002-of-00002.gguf", "llama-gguf-split --merge"}));
    }

    // Whatever way a folder is named.
    void namesOfFolders() {
        const fs::path whole = kModel / "config.json";
        const fs::path roundabout = kModel / "." / "config.json";
        QCOMPARE(modelConfigFromHuggingFace(roundabout).name, std::string("llama_biases"));
        QCOMPARE(modelConfigFromHuggingFace(whole).name, std::string("llama_biases"));
    }

    void pickles() {
        QTemporaryDir place;
        const fs::path folder = place.path().toStdString();
        fs::copy_file(kModel / "config.json", folder / "config.json");
        std::ofstream(folder / "pytorch_model.bin") << "x";
        QVERIFY(says(oracle::errorOf([&] { Model::load(folder); }),
                     {"pytorch_model.bin", "pickle", "safetensors"}));
        QVERIFY(
            says(oracle::errorOf([&] { Model::load(folder / "pytorch_model.bin"); }), {"pickle"}));
    }
};

COSPADI_TEST(TestModelFiles)

}  // namespace tst_model_files

#include "tst_model_files.moc"
