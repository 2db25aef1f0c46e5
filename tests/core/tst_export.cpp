// Exports against the outside: Python reads the files with nothing but its standard library and
// multiplies D_a S out itself; llama.cpp scores the same tokens where COSPADI_PYTHON names a
// Python that has llama-cpp-python (CMAKE_ARGS=-DGGML_NATIVE=ON pip install llama-cpp-python).
#include <sys/resource.h>

#include <QProcess>
#include <QtTest>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <list>
#include <nlohmann/json.hpp>
#include <random>

#include "core/base/error.h"
#include "core/exports/compressed_model.h"
#include "core/exports/export_model.h"
#include "core/exports/gguf_types.h"
#include "core/methods/method.h"
#include "core/model/forward.h"
#include "core/model/model_locator.h"
#include "core/run/compression_run.h"
#include "core/tensors/gguf.h"
#include "core/tensors/safetensors_writer.h"
#include "own_folder.h"
#include "tests/registered_test.h"

namespace tst_export {

using namespace cospadi;
namespace fs = std::filesystem;
using nlohmann::json;

namespace {

const fs::path kArch = COSPADI_TEST_DATA "/oracle/arch";
const fs::path kModel = kArch / "a_llama_gqa";

Eigen::MatrixXf logitsOf(const Model& model) {
    ThreadPool pool(2);
    ForwardPass forward(model, pool);
    std::vector<std::int32_t> ids;
    for (int i = 0; i < 48; ++i) {
        ids.push_back((i * 37 + 11) % 500);
    }
    return forward.logits(forward.hiddenStates(ids, 48));
}

float distance(const Eigen::MatrixXf& a, const Eigen::MatrixXf& b) {
    return a.rows() == b.rows() && a.cols() == b.cols() ? (a - b).cwiseAbs().maxCoeff() : 1e9F;
}

QString runPython(const QString& interpreter, const QString& script, const QStringList& arguments) {
    QProcess process;
    process.start(interpreter, QStringList{"-c", script} + arguments);
    process.waitForFinished(300000);
    const QString errors = process.readAllStandardError();
    return process.exitCode() == 0 ? QString(process.readAllStandardOutput()).trimmed() : errors;
}

// Everything in a folder, to see that a failed export left nothing.
int entriesIn(const fs::path& folder) {
    return static_cast<int>(std::distance(fs::directory_iterator(folder), {}));
}

// As docs/formats.md describes the files. Prints the largest difference, relative to the largest
// element, between an exported tensor and D_a S of the matrix file, and the type of the former.
const char* kMultiplyOut =
    "import json, struct, sys\n"
    "def load(path):\n"
    "    raw = open(path, 'rb').read()\n"
    "    n = struct.unpack('<Q', raw[:8])[0]\n"
    "    head = json.loads(raw[8:8 + n])\n"
    "    meta = head.pop('__metadata__', {})\n"
    "    get = lambda t: raw[8 + n + t['data_offsets'][0]:8 + n + t['data_offsets'][1]]\n"
    "    return {k: (t['dtype'], t['shape'], get(t)) for k, t in head.items()}, meta\n"
    "def bf16(bits): return struct.unpack('<f', struct.pack('<I', bits << 16))[0]\n"
    "def floats(t):\n"
    "    kind, shape, raw = t\n"
    "    if kind == 'F32': return struct.unpack('<%df' % (len(raw) // 4), raw)\n"
    "    if kind == 'F16': return struct.unpack('<%de' % (len(raw) // 2), raw)\n"
    "    return [bf16(b) for b in struct.unpack('<%dH' % (len(raw) // 2), raw)]\n"
    "matrix, meta = load(sys.argv[1])\n"
    "layer = meta['layer']\n"
    "k, d1, d2, bits = (int(meta[f]) for f in ('k', 'd1', 'd2', 'coefficient_bits'))\n"
    "side = meta.get('side', 'input')\n"
    "def coefficient(code):\n"
    "    if bits == 16 or meta.get('coefficient_format', 'short-mantissa') == 'short-mantissa':\n"
    "        return bf16(code << (16 - bits))\n"
    "    E = max(3, bits - 8); M = bits - 1 - E; F = 2 ** E - 1\n"
    "    f, m = code >> M & F, code & (2 ** M - 1)\n"
    "    size = 2.0 ** (f - F) * (1 + m / 2 ** M) if f else 2.0 ** (1 - F) * m / 2 ** M\n"
    "    return -size if code >> (bits - 1) else size\n"
    "length, columns = (d1, d2) if side == 'input' else (d2, d1)\n"
    "atoms = floats(matrix[layer + '.dictionary'])\n"
    "mask = matrix[layer + '.mask'][2]\n"
    "stream = int.from_bytes(matrix[layer + '.values'][2], 'little')\n"
    "W = [0.0] * (d1 * d2); seen = 0\n"
    "for j in range(columns):\n"
    "    for i in range(k):\n"
    "        at = j * k + i\n"
    "        if mask[at // 8] >> (at % 8) & 1:\n"
    "            code = (stream >> (seen * bits)) & ((1 << bits) - 1); seen += 1\n"
    "            s = coefficient(code)\n"
    "            for r in range(length):\n"
    "                W[j * d1 + r if side == 'input' else r * d1 + j] += s * atoms[i * length + "
    "r]\n"
    "model, _ = load(sys.argv[2])\n"
    "kind, shape, _ = model[sys.argv[3]]\n"
    "theirs = floats(model[sys.argv[3]])\n"
    "assert shape == [d2, d1], shape\n"
    "top = max(abs(w) for w in W)\n"
    "print(kind, bits, side, max(abs(a - b) for a, b in zip(W, theirs)) / top)\n";

// Perplexity of ids 0…n−1 of a list by llama.cpp, and the ids of a text.
const char* kLlamaCpp =
    "import sys, json, numpy as np\n"
    "from llama_cpp import Llama\n"
    "path, ids, text = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3].encode()\n"
    "m = Llama(model_path=path, n_ctx=256, n_batch=256, logits_all=True, verbose=False)\n"
    "if text: ids = m.tokenize(text, add_bos=False, special=False)\n"
    "m.eval(ids)\n"
    "s = np.array(m.scores[:len(ids)], dtype=np.float64)\n"
    "s -= s.max(1, keepdims=True)\n"
    "p = s - np.log(np.exp(s).sum(1, keepdims=True))\n"
    "nll = -np.mean([p[t - 1, ids[t]] for t in range(1, len(ids))])\n"
    "print(json.dumps({'ids': ids, 'perplexity': float(np.exp(nll))}))\n";

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

double ourPerplexity(const Model& model, const std::vector<std::int32_t>& ids) {
    ThreadPool pool(2);
    ForwardPass forward(model, pool);
    const Eigen::MatrixXf hidden = forward.hiddenStates(ids, static_cast<std::int64_t>(ids.size()));
    const std::vector<std::int32_t> targets(ids.begin() + 1, ids.end());
    double sum = 0;
    for (const double p : forward.logProbabilities(hidden.leftCols(hidden.cols() - 1), targets)) {
        sum -= p;
    }
    return std::exp(sum / static_cast<double>(targets.size()));
}

}  // namespace

class TestExport : public QObject, OwnFolder {
    Q_OBJECT
    fs::path m_run;

    // The small model with a tokenizer of its size: the 256 bytes and the first merges.
    fs::path withTokenizer(const std::string& name) {
        const fs::path folder = place(name);
        fs::create_directories(folder);
        fs::copy_file(kModel / "config.json", folder / "config.json");
        fs::copy_file(kModel / "model.safetensors", folder / "model.safetensors");
        std::ifstream file(COSPADI_TEST_DATA "/oracle/tokenizers/smollm_style.json");
        json tokenizer = json::parse(file);
        json vocabulary = json::object();
        const json entries = tokenizer["model"]["vocab"];
        for (const auto& [text, id] : entries.items()) {
            if (id.get<int>() < 500) {  // 12 rows of the embedding stay without a token
                vocabulary[text] = id;
            }
        }
        json merges = json::array();
        const json allMerges = tokenizer["model"]["merges"];
        for (const json& merge : allMerges) {
            const auto a = merge.is_array()
                               ? merge[0].get<std::string>()
                               : QString::fromStdString(merge).split(' ')[0].toStdString();
            const auto b = merge.is_array()
                               ? merge[1].get<std::string>()
                               : QString::fromStdString(merge).split(' ')[1].toStdString();
            if (vocabulary.contains(a) && vocabulary.contains(b) && vocabulary.contains(a + b)) {
                merges.push_back(merge);
            }
        }
        tokenizer["model"]["vocab"] = vocabulary;
        tokenizer["model"]["merges"] = merges;
        std::ofstream(folder / "tokenizer.json") << tokenizer.dump();
        std::ofstream(folder / "tokenizer_config.json")
            << "{\"eos_token\": \"<|im_end|>\", \"chat_template\": \"{{ messages }}\"}";
        return folder;
    }

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

    ExportSummary exported(const fs::path& model, ExportFormat format, DType dtype,
                           const std::string& name) {
        ExportRequest request;
        request.model = model.string();
        request.format = format;
        request.dtype = dtype;
        request.out = place(name);
        return exportModel(request).value();
    }

  private slots:
    void initTestCase() {
        QVERIFY(m_folder.isValid());
        QVERIFY2(fs::exists(kModel / "config.json"), "tests/data/oracle is missing");
        RunSpecification s;
        s.model = withTokenizer("original").string();
        s.method = &methodFromName("cospadi-free");
        m_run = place("run");
        executeRun(s, m_run, {});
    }

    // An export of an untouched model computes what its folder computes, which tst_forward holds
    // against Hugging Face's own numbers.
    void denseModelsKeepTheirLogits_data() {
        QTest::addColumn<QString>("architecture");
        for (const char* name : {"a_llama_gqa", "b_llama3_rope", "d_qwen2", "f_llama_bf16_sharded",
                                 "h_llama_rope_linear"}) {
            QTest::newRow(name) << name;
        }
    }

    void denseModelsKeepTheirLogits() {
        QFETCH(QString, architecture);
        fs::path model = kArch / architecture.toStdString();
        if (!fs::exists(model)) {
            model = fs::path(COSPADI_SHARED_DIR "/oracle/arch") / architecture.toStdString();
        }
        if (!fs::exists(model)) {
            QSKIP("this oracle model is not on this machine");
        }
        const Eigen::MatrixXf original = logitsOf(Model::load(model));
        const fs::path folder = exported(model, ExportFormat::HuggingFace, DType::F32,
                                         "hf-" + architecture.toStdString())
                                    .path;
        QCOMPARE(logitsOf(Model::load(folder)), original);
        QVERIFY(fs::exists(folder / "generation_config.json"));

        // As GGUF, with the tokenizer that the folder lacks put beside it.
        const fs::path dressed = place("dressed-" + architecture.toStdString());
        fs::create_directories(dressed);
        for (const auto& entry : fs::directory_iterator(model)) {
            if (entry.path().filename() != "oracle.safetensors") {
                fs::copy(entry.path(), dressed / entry.path().filename());
            }
        }
        fs::copy_file(place("original") / "tokenizer.json", dressed / "tokenizer.json");
        const fs::path gguf =
            exported(dressed, ExportFormat::Gguf, DType::F32, architecture.toStdString() + ".gguf")
                .path;
        // Rope parameters pass through float32 in a GGUF file.
        QVERIFY(distance(logitsOf(Model::load(gguf)), original) < 2e-5F);
    }

    void exportsAreTheProductOfTheStoredFactors_data() {
        QTest::addColumn<int>("dtype");
        QTest::addColumn<QString>("layer");
        QTest::addColumn<QString>("tensor");
        QTest::addColumn<double>("tolerance");  // bf16: half a unit of 8 bits
        QTest::newRow("F32") << static_cast<int>(DType::F32) << "blk.1.ffn_up"
                             << "mlp.up_proj" << 1e-6;
        QTest::newRow("F32 down") << static_cast<int>(DType::F32) << "blk.1.ffn_down"
                                  << "mlp.down_proj" << 1e-6;
        QTest::newRow("BF16") << static_cast<int>(DType::BF16) << "blk.1.ffn_up"
                              << "mlp.up_proj" << 1.0 / 256;
        QTest::newRow("F16") << static_cast<int>(DType::F16) << "blk.1.ffn_up"
                             << "mlp.up_proj" << 1.0 / 2048;
    }

    void exportsAreTheProductOfTheStoredFactors() {
        QFETCH(int, dtype);
        QFETCH(QString, layer);
        QFETCH(QString, tensor);
        QFETCH(double, tolerance);
        const QString name = QTest::currentDataTag();
        const ExportSummary summary =
            exported(m_run, ExportFormat::HuggingFace, static_cast<DType>(dtype),
                     "product-" + name.toStdString());
        const QString matrix = QString::fromStdString((m_run / "matrices/").string()) + layer;
        const QStringList answer =
            runPython("python3", kMultiplyOut,
                      {matrix + ".safetensors",
                       QString::fromStdString((summary.path / "model.safetensors").string()),
                       "model.layers.1." + tensor + ".weight"})
                .split(' ');
        QVERIFY2(answer.size() == 4, qPrintable(answer.join(' ')));
        QCOMPARE(answer[0], name.split(' ').first());
        QCOMPARE(answer[1], QString("14"));
        QVERIFY2(answer[3].toDouble() < tolerance, qPrintable(answer[3]));

        const Model dense = Model::load(summary.path);
        if (static_cast<DType>(dtype) == DType::F32) {
            const Eigen::MatrixXf ours = logitsOf(loadModelOrRun(m_run.string()));
            QVERIFY(distance(logitsOf(dense), ours) < 1e-4F);
        } else {  // nothing but rounded: what that does to the logits has no bound of its own
            const Model wide = Model::load(exported(m_run, ExportFormat::HuggingFace, DType::F32,
                                                    "product-wide-" + name.toStdString())
                                               .path);
            for (const LayerInfo& info : dense.layers()) {
                const Eigen::MatrixXf product = wide.weight(info.name);
                const Eigen::MatrixXf rounded =
                    static_cast<DType>(dtype) == DType::BF16
                        ? Eigen::MatrixXf(product.cast<Eigen::bfloat16>().cast<float>())
                        : Eigen::MatrixXf(product.cast<Eigen::half>().cast<float>());
                QVERIFY2(dense.weight(info.name) == rounded, info.name.c_str());
            }
        }
        std::int64_t bytes = 0;
        for (const auto& entry : fs::directory_iterator(summary.path)) {
            bytes += static_cast<std::int64_t>(entry.file_size());
        }
        QCOMPARE(summary.bytes, bytes);
    }

    void compressedFoldersExportToo() {
        const fs::path fromRun = exported(m_run, ExportFormat::Gguf, DType::F32, "a.gguf").path;
        const fs::path fromFolder =
            exported(m_run / "model", ExportFormat::Gguf, DType::F32, "b.gguf").path;
        QCOMPARE(logitsOf(Model::load(fromRun)), logitsOf(Model::load(fromFolder)));
    }

    void foldersCarryTheTokenizerAlong() {
        for (const fs::path& folder :
             {m_run / "model",
              exported(m_run, ExportFormat::HuggingFace, DType::BF16, "carried").path}) {
            for (const char* file : {"tokenizer.json", "tokenizer_config.json"}) {
                std::ifstream a(folder / file);
                std::ifstream b(place("original") / file);
                QCOMPARE(json::parse(a), json::parse(b));
            }
        }
        std::ifstream file(place("carried") / "config.json");
        const json config = json::parse(file);
        QCOMPARE(config.value("torch_dtype", ""), std::string("bfloat16"));
        QVERIFY(!config.contains("quantization_config"));
    }

    void ggufTokenizerIsTheFolders() {
        const fs::path gguf = exported(m_run, ExportFormat::Gguf, DType::F16, "tok.gguf").path;
        const Tokenizer theirs = Tokenizer::fromJson(place("original") / "tokenizer.json");
        const GgufFile file = GgufFile::open(gguf);
        const Tokenizer ours = Tokenizer::fromGguf(file);
        for (const char* text : {"The capital of France is Paris, 1234567.", " déjà vu\n\n\tx = 3;",
                                 "<|im_start|>user<|im_end|>"}) {
            QCOMPARE(ours.encode(text), theirs.encode(text));
            QCOMPARE(ours.encode(text, true), theirs.encode(text, true));
        }
        QCOMPARE(static_cast<int>(ours.vocabularySize()), 512);
        QCOMPARE(file.string("tokenizer.chat_template").value_or(""),
                 std::string("{{ messages }}"));
        QCOMPARE(static_cast<int>(file.integer("general.file_type").value_or(-1)), 1);
        QCOMPARE(file.find("blk.0.attn_norm.weight")->dtype, DType::F32);
        QCOMPARE(file.find("blk.0.attn_q.weight")->dtype, DType::F16);
    }

    // What a GGUF original has beside its weights comes through with its exact types.
    void ggufMetadataIsCarriedOver() {
        const fs::path first = exported(m_run, ExportFormat::Gguf, DType::F32, "first.gguf").path;
        const fs::path second = exported(first, ExportFormat::Gguf, DType::F32, "second.gguf").path;
        std::ifstream a(first, std::ios::binary);
        std::ifstream b(second, std::ios::binary);
        const std::string one{std::istreambuf_iterator<char>(a), {}};
        const std::string two{std::istreambuf_iterator<char>(b), {}};
        QVERIFY(one == two);
        const Model model = Model::load(second);
        const fs::path back = exported(second, ExportFormat::HuggingFace, DType::F32, "back").path;
        QCOMPARE(logitsOf(Model::load(back)), logitsOf(model));
    }

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

    void llamaCppAgrees_data() {
        QTest::addColumn<QString>("which");
        QTest::addColumn<int>("type");
        for (const DType type : {DType::F32, DType::Q8_0, DType::Q4_1, DType::Q4_0, DType::Q6_K,
                                 DType::Q5_K, DType::Q4_K}) {
            const std::string name(dtypeName(type));
            QTest::newRow(("small model, " + name).c_str()) << "small" << static_cast<int>(type);
            QTest::newRow(("default model, " + name).c_str())
                << "default" << static_cast<int>(type);
        }
    }

    void llamaCppAgrees() {
        QFETCH(QString, which);
        QFETCH(int, type);
        const QString interpreter = qEnvironmentVariable("COSPADI_PYTHON");
        if (interpreter.isEmpty()) {
            QSKIP("COSPADI_PYTHON names no Python with llama-cpp-python");
        }
        if (runPython(interpreter, "import llama_cpp; print('here')", {}) != "here") {
            QSKIP("the Python that COSPADI_PYTHON names has no llama-cpp-python");
        }
        if (which == "default" && !fs::exists(defaultModelPath())) {
            QSKIP("the default model is not on this machine");
        }
        const fs::path source = which == "small" ? m_run : defaultModelPath();
        const auto dtype = static_cast<DType>(type);
        const fs::path gguf =
            exported(source, ExportFormat::Gguf, dtype, which.toStdString() + "-llama.gguf").path;
        json ids = json::array();
        for (int i = 0; i < 200; ++i) {
            ids.push_back((i * 37 + 11) % 500);
        }
        const QString text =
            which == "small"
                ? ""
                : "The Eiffel Tower is a wrought-iron lattice tower on the Champ de Mars in Paris. "
                  "It is named after the engineer Gustave Eiffel, whose company designed and built "
                  "the tower from 1887 to 1889.";
        const QString answer = runPython(
            interpreter, kLlamaCpp,
            {QString::fromStdString(gguf.string()), QString::fromStdString(ids.dump()), text});
        const json theirs = json::parse(answer.toStdString(), nullptr, false);
        QVERIFY2(theirs.is_object(), qPrintable(answer));
        const Model model = Model::load(gguf);
        const auto used = theirs["ids"].get<std::vector<std::int32_t>>();
        if (!text.isEmpty()) {
            QCOMPARE(model.tokenizer().encode(text.toStdString()), used);
        }
        const double ours = ourPerplexity(model, used);
        const double perplexity = theirs["perplexity"].get<double>();
        qInfo("perplexity %.5f, llama.cpp %.5f", ours, perplexity);
        QVERIFY(fs::remove(gguf));
        // llama.cpp keeps keys and values in float16, and with quantised weights it rounds what
        // they are multiplied with to 8 bits, a scale for every 32.
        QVERIFY(std::abs(ours - perplexity) < (dtype == DType::F32 ? 2e-3 : 2e-2) * ours);
    }

    // ---- what goes wrong

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

COSPADI_TEST(TestExport)

}  // namespace tst_export

#include "tst_export.moc"
