// Exports in the block formats of GGUF: types and mixtures of llama.cpp, and, where COSPADI_PYTHON
// names a Python that has the package gguf, its own numbers.

#include <QtTest>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <list>
#include <random>

#include "core/base/error.h"
#include "core/exports/compressed_model.h"
#include "core/exports/gguf_types.h"
#include "core/tensors/gguf.h"
#include "core/tensors/safetensors_writer.h"
#include "export_fixture.h"
#include "tests/registered_test.h"

namespace tst_export_quantised {

using namespace cospadi;
using namespace cospadi::export_fixture;

namespace {

// Types of a GGUF file's tensors as the package gguf reads them, and how many of the quantised ones
// differ from what it makes itself of the float32 values in another file.
const char* kReadQuantised =
    "import sys, json, numpy as np\n"
    "from gguf import GGUFReader, GGMLQuantizationType as T\n"
    "from gguf.quants import quantize\n"
    "ours, plain = (GGUFReader(p) for p in sys.argv[1:3])\n"
    "wide = {t.name: t for t in plain.tensors}\n"
    "types, other = {}, []\n"
    "for t in ours.tensors:\n"
    "    kind = T(t.tensor_type).name\n"
    "    types[t.name] = kind\n"
    "    assert list(t.shape) == list(wide[t.name].shape)\n"
    "    if kind.startswith('Q'):\n"
    "        rows = wide[t.name].data.reshape(t.shape[::-1])\n"
    "        same = np.array_equal(quantize(rows, T[kind]).ravel(), "
    "t.data.view(np.uint8).ravel())\n"
    "        if not same: other.append(t.name)\n"
    "version = ours.fields['general.quantization_version'].parts[-1][0]\n"
    "kind = ours.fields['general.file_type'].parts[-1][0]\n"
    "print(json.dumps({'types': types, 'other': other, 'version': int(version), 'kind': "
    "int(kind)}))\n";

// Of a GGUF file in K-blocks as the package gguf reads it: types of its tensors, and for those in
// K-blocks the squared error against the float32 values in another file, beside that of plain
// ranges: the groups' ends in 4, 5 or 6 bits, scales in 6 or 8 of a float16.
const char* kReadKQuantised =
    "import sys, json, numpy as np\n"
    "from gguf import GGUFReader, GGMLQuantizationType as T\n"
    "from gguf.quants import dequantize\n"
    "half = lambda v: np.float64(np.float16(v))\n"
    "def lines(x, bits):\n"
    "    x = x.reshape(-1, 8, 32); top = 2 ** bits - 1\n"
    "    low = np.maximum(-x.min(2), 0); scale = (x.max(2) + low) / top\n"
    "    d, e = (half(v.max(1) / 63)[:, None] for v in (scale, low))\n"
    "    scale = d * np.minimum(np.round(scale / d), 63)\n"
    "    low = e * np.minimum(np.round(low / e), 63)\n"
    "    s, m = scale[..., None], low[..., None]\n"
    "    return s * np.clip(np.round((x + m) / s), 0, top) - m\n"
    "def scales(x):\n"
    "    x = x.reshape(-1, 16, 16)\n"
    "    scale = np.abs(x).max(2) / 31; d = half(scale.max(1) / 127)[:, None]\n"
    "    s = (d * np.clip(np.round(scale / d), -128, 127))[..., None]\n"
    "    return s * np.clip(np.round(x / s), -32, 31)\n"
    "ours, plain = (GGUFReader(p) for p in sys.argv[1:3])\n"
    "wide = {t.name: t for t in plain.tensors}\n"
    "types, errors = {}, {}\n"
    "for t in ours.tensors:\n"
    "    kind = T(t.tensor_type).name\n"
    "    types[t.name] = kind\n"
    "    if kind.endswith('_K'):\n"
    "        x = wide[t.name].data.astype(np.float64).ravel()\n"
    "        back = dequantize(t.data, t.tensor_type).astype(np.float64).ravel()\n"
    "        other = scales(x) if kind == 'Q6_K' else lines(x, int(kind[1]))\n"
    "        errors[t.name] = [float(((y.ravel() - x) ** 2).sum()) for y in (back, other)]\n"
    "print(json.dumps({'types': types, 'errors': errors, 'kind': "
    "int(ours.fields['general.file_type'].parts[-1][0])}))\n";

}  // namespace

class TestExportQuantised : public QObject, ExportFixture {
    Q_OBJECT

    // Rows of 256, but of 288 in ffn_down; eight blocks; drawn weights.
    fs::path wideModel() {
        const fs::path folder = place("wide");
        if (fs::exists(folder)) {
            return folder;
        }
        fs::create_directories(folder);
        std::ifstream file(kModel / "config.json");
        json config = json::parse(file);
        config["hidden_size"] = 256;
        config["head_dim"] = 64;
        config["intermediate_size"] = 288;
        config["num_hidden_layers"] = 8;
        std::ofstream(folder / "config.json") << config.dump();
        for (const char* name : {"tokenizer.json", "tokenizer_config.json"}) {
            fs::copy_file(place("original") / name, folder / name);
        }
        std::mt19937 draw(23);
        std::normal_distribution<float> normal(0, 0.05F);
        std::list<std::vector<float>> kept;
        std::vector<TensorToWrite> tensors;
        const auto add = [&](const std::string& name, const std::vector<std::int64_t>& shape) {
            std::vector<float>& values = kept.emplace_back();
            values.resize(
                static_cast<std::size_t>(shape.size() == 1 ? shape[0] : shape[0] * shape[1]));
            std::generate(values.begin(), values.end(),
                          [&] { return shape.size() == 1 ? 1.0F : normal(draw); });
            tensors.push_back(
                {name, DType::F32, shape, std::as_bytes(std::span<const float>(values))});
        };
        add("model.embed_tokens.weight", {512, 256});
        for (int block = 0; block < 8; ++block) {
            const std::string prefix = "model.layers." + std::to_string(block) + ".";
            add(prefix + "input_layernorm.weight", {256});
            add(prefix + "post_attention_layernorm.weight", {256});
            add(prefix + "self_attn.q_proj.weight", {256, 256});
            add(prefix + "self_attn.k_proj.weight", {128, 256});
            add(prefix + "self_attn.v_proj.weight", {128, 256});
            add(prefix + "self_attn.o_proj.weight", {256, 256});
            add(prefix + "mlp.gate_proj.weight", {288, 256});
            add(prefix + "mlp.up_proj.weight", {288, 256});
            add(prefix + "mlp.down_proj.weight", {256, 288});
        }
        add("model.norm.weight", {256});
        add("lm_head.weight", {512, 256});
        writeSafetensors(folder / "model.safetensors", tensors);
        return folder;
    }

    ExportSummary exportedAs(const fs::path& model, const std::string& quantisation) {
        const GgufTypes types = ggufTypesFromName(quantisation);
        ExportRequest request{model.string(), ExportFormat::Gguf, types.layers,
                              place(quantisation + "-k.gguf")};
        request.mixture = types.mixture;
        fs::remove(request.out);
        return exportModel(request).value();
    }

  private slots:
    void initTestCase() { compress(); }

    // llama.cpp's own numbers of the types (LLAMA_FTYPE_MOSTLY_…).
    void quantisedFilesAreThoseOfGguf_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<int>("fileType");
        QTest::newRow("Q4_0") << static_cast<int>(DType::Q4_0) << 2;
        QTest::newRow("Q4_1") << static_cast<int>(DType::Q4_1) << 3;
        QTest::newRow("Q8_0") << static_cast<int>(DType::Q8_0) << 7;
        QTest::newRow("Q5_0") << static_cast<int>(DType::Q5_0) << 8;
        QTest::newRow("Q5_1") << static_cast<int>(DType::Q5_1) << 9;
    }

    void quantisedFilesAreThoseOfGguf() {
        QFETCH(int, type);
        QFETCH(int, fileType);
        const std::string name = QTest::currentDataTag();
        const auto dtype = static_cast<DType>(type);
        const ExportSummary made = exported(m_run, ExportFormat::Gguf, dtype, name + ".gguf");
        QCOMPARE(made.bytes, static_cast<std::int64_t>(fs::file_size(made.path)));
        const GgufFile file = GgufFile::open(made.path);
        QCOMPARE(file.find("blk.0.attn_q.weight")->dtype, dtype);
        QCOMPARE(file.find("token_embd.weight")->dtype, DType::Q8_0);
        QCOMPARE(file.find("blk.0.attn_norm.weight")->dtype, DType::F32);
        QCOMPARE(file.integer("general.file_type").value_or(-1), std::int64_t{fileType});
        // The engine computes with it. With 8 bits what changed is a 256th of each weight at most.
        const Eigen::MatrixXf ours = logitsOf(loadModelOrRun(m_run.string()));
        const Eigen::MatrixXf theirs = logitsOf(Model::load(made.path));
        const float size = ours.cwiseAbs().maxCoeff();
        QVERIFY(distance(theirs, ours) < (dtype == DType::Q8_0 ? 0.05F : 0.6F) * size);
        QVERIFY(distance(theirs, ours) > 0);

        const QString interpreter = qEnvironmentVariable("COSPADI_PYTHON");
        if (interpreter.isEmpty() ||
            runPython(interpreter, "import gguf; print('here')", {}) != "here") {
            QSKIP("COSPADI_PYTHON names no Python with gguf");
        }
        const fs::path plain =
            exported(m_run, ExportFormat::Gguf, DType::F32, name + "-plain.gguf").path;
        const QString answer = runPython(
            interpreter, kReadQuantised,
            {QString::fromStdString(made.path.string()), QString::fromStdString(plain.string())});
        const json read = json::parse(answer.toStdString(), nullptr, false);
        QVERIFY2(read.is_object(), qPrintable(answer));
        QVERIFY2(read["other"].empty(), read["other"].dump().c_str());
        QCOMPARE(read["version"].get<int>(), 2);
        QCOMPARE(read["kind"].get<int>(), fileType);
        QCOMPARE(read["types"]["blk.1.ffn_down.weight"].get<std::string>(), name);
        QCOMPARE(read["types"]["output_norm.weight"].get<std::string>(), std::string("F32"));
    }

    // Types by tensor, and what llama.cpp takes where 288 is no multiple of 256 (llama-quant.cpp).
    void kQuantsFallBackTensorByTensor_data() {
        QTest::addColumn<QString>("fallback");
        QTest::addColumn<int>("fileType");
        QTest::newRow("Q4_K") << "Q5_0" << 14;
        QTest::newRow("Q5_K") << "Q5_1" << 16;
        QTest::newRow("Q6_K") << "Q8_0" << 18;
    }

    void kQuantsFallBackTensorByTensor() {
        QFETCH(QString, fallback);
        QFETCH(int, fileType);
        const std::string name = QTest::currentDataTag();
        const ExportSummary made = exportedAs(wideModel(), name);
        QCOMPARE(made.bytes, static_cast<std::int64_t>(fs::file_size(made.path)));
        const GgufFile file = GgufFile::open(made.path);
        const auto typeOf = [&](const std::string& tensor) {
            return std::string(dtypeName(file.find(tensor + ".weight")->dtype));
        };
        for (int block = 0; block < 8; ++block) {
            const std::string prefix = "blk." + std::to_string(block) + ".";
            for (const char* kind :
                 {"attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up"}) {
                QCOMPARE(typeOf(prefix + kind), name);
            }
            QCOMPARE(typeOf(prefix + "ffn_down"), fallback.toStdString());
            QCOMPARE(typeOf(prefix + "attn_norm"), std::string("F32"));
        }
        QCOMPARE(typeOf("token_embd"), std::string("Q8_0"));
        QCOMPARE(typeOf("output"), std::string("Q8_0"));
        QCOMPARE(file.integer("general.file_type").value_or(-1), std::int64_t{fileType});
        QCOMPARE(file.integer("general.quantization_version").value_or(-1), std::int64_t{2});
        QCOMPARE(made.fallbacks.size(), std::size_t{1});
        QCOMPARE(std::string(dtypeName(made.fallbacks[0].wanted)), name);
        QCOMPARE(std::string(dtypeName(made.fallbacks[0].written)), fallback.toStdString());
        QCOMPARE(made.fallbacks[0].columns, std::int64_t{288});
        QCOMPARE(made.fallbacks[0].tensors, std::int64_t{8});

        const QString interpreter = qEnvironmentVariable("COSPADI_PYTHON");
        if (interpreter.isEmpty() ||
            runPython(interpreter, "import gguf; print('here')", {}) != "here") {
            QSKIP("COSPADI_PYTHON names no Python with gguf");
        }
        const fs::path plain =
            exported(wideModel(), ExportFormat::Gguf, DType::F32, name + "-wide.gguf").path;
        const QString answer = runPython(
            interpreter, kReadKQuantised,
            {QString::fromStdString(made.path.string()), QString::fromStdString(plain.string())});
        const json read = json::parse(answer.toStdString(), nullptr, false);
        QVERIFY2(read.is_object(), qPrintable(answer));
        QCOMPARE(read["kind"].get<int>(), fileType);
        QCOMPARE(read["types"]["blk.1.attn_k.weight"].get<std::string>(), name);
        const json& errors = read["errors"];
        QCOMPARE(errors.size(), std::size_t{48});
        for (const auto& [tensor, pair] : errors.items()) {
            const auto ours = pair[0].get<double>();
            QVERIFY2(ours > 0 && ours <= pair[1].get<double>(),
                     (tensor + " " + pair.dump()).c_str());
        }
    }

    // llama.cpp gives more bits to blocks 0, 3, 6 and 7 of eight.
    void mixturesAreThoseOfLlamaCpp_data() {
        QTest::addColumn<QString>("layers");
        QTest::addColumn<QString>("fallback");
        QTest::addColumn<int>("fileType");
        QTest::newRow("Q4_K_M") << "Q4_K"
                                << "Q5_0" << 15;
        QTest::newRow("Q5_K_M") << "Q5_K"
                                << "Q5_1" << 17;
    }

    void mixturesAreThoseOfLlamaCpp() {
        QFETCH(QString, layers);
        QFETCH(QString, fallback);
        QFETCH(int, fileType);
        const ExportSummary made = exportedAs(wideModel(), QTest::currentDataTag());
        const GgufFile file = GgufFile::open(made.path);
        const auto typeOf = [&](const std::string& tensor) {
            const std::string_view type = dtypeName(file.find(tensor + ".weight")->dtype);
            return QString::fromUtf8(type.data(), static_cast<qsizetype>(type.size()));
        };
        for (const int block : {0, 1, 2, 3, 4, 5, 6, 7}) {
            const std::string prefix = "blk." + std::to_string(block) + ".";
            const bool more = block == 0 || block == 3 || block == 6 || block == 7;
            QCOMPARE(typeOf(prefix + "attn_v"), more ? QString("Q6_K") : layers);
            QCOMPARE(typeOf(prefix + "ffn_down"), more ? QString("Q8_0") : fallback);
            for (const char* kind : {"attn_q", "attn_k", "attn_output", "ffn_gate", "ffn_up"}) {
                QCOMPARE(typeOf(prefix + kind), layers);
            }
        }
        QCOMPARE(typeOf("token_embd"), layers);
        QCOMPARE(typeOf("output"), QString("Q6_K"));
        QCOMPARE(file.integer("general.file_type").value_or(-1), std::int64_t{fileType});
        QCOMPARE(made.fallbacks.size(), std::size_t{2});
        QCOMPARE(made.fallbacks[0].tensors + made.fallbacks[1].tensors, std::int64_t{8});
    }

    void rowsThatFitNoBlockAreFloat16() {
        const ExportSummary made = exportedAs(m_run, "Q4_K");  // rows of 64 and 160
        QCOMPARE(GgufFile::open(made.path).find("blk.0.attn_q.weight")->dtype, DType::Q5_0);
        RecomposedTensor tensor;
        tensor.huggingFaceName = "model.layers.0.mlp.up_proj.weight";
        tensor.shape = {8, 80};
        const GgufTensorType type = ggufTensorType(tensor, ggufTypesFromName("Q6_K"), {});
        QCOMPARE(type.wanted, DType::Q6_K);
        QCOMPARE(type.written, DType::F16);
    }

    void otherQuantisationsAreRefusedByName_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"Q4_K_S", "Q2_K", "IQ4_XS", "q4_k", ""}) {
            QTest::newRow(name) << name;
        }
    }

    void otherQuantisationsAreRefusedByName() {
        QFETCH(QString, name);
        try {
            ggufTypesFromName(name.toStdString());
            QFAIL("was accepted");
        } catch (const Error& error) {
            const QString what = error.what();
            QVERIFY2(what.contains("\"" + name + "\"") && what.contains("Q4_K_M"), error.what());
        }
    }
};

COSPADI_TEST(TestExportQuantised)

}  // namespace tst_export_quantised

#include "tst_export_quantised.moc"
