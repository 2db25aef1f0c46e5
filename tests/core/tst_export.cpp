// Exports against the outside: Python reads the files with nothing but its standard library and
// multiplies D_a S out itself; llama.cpp scores the same tokens where COSPADI_PYTHON names a
// Python that has llama-cpp-python (CMAKE_ARGS=-DGGML_NATIVE=ON pip install llama-cpp-python).

#include <QtTest>
#include <filesystem>
#include <fstream>

#include "core/exports/compressed_model.h"
#include "core/model/forward.h"
#include "core/model/model_locator.h"
#include "core/tensors/gguf.h"
#include "export_fixture.h"
#include "following_tokens.h"
#include "tests/registered_test.h"

namespace tst_export {

using namespace cospadi;
using namespace cospadi::export_fixture;

namespace {

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

double ourPerplexity(const Model& model, const std::vector<std::int32_t>& ids) {
    ThreadPool pool(2);
    ForwardPass forward(model, pool);
    const Eigen::MatrixXf hidden = forward.hiddenStates(ids, static_cast<std::int64_t>(ids.size()));
    const std::vector<std::int32_t> targets(ids.begin() + 1, ids.end());
    double sum = 0;
    for (const double p :
         oracle::logProbabilities(forward, hidden.leftCols(hidden.cols() - 1), targets)) {
        sum -= p;
    }
    return std::exp(sum / static_cast<double>(targets.size()));
}

}  // namespace

class TestExport : public QObject, ExportFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { compress(); }

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
        const Model stored = Model::load(model);
        const Model back = Model::load(folder);
        for (const LayerInfo& layer : stored.layers()) {
            QVERIFY(back.weight(layer.name) == stored.weight(layer.name));
        }
        QVERIFY(back.embedding().denseWeight() == stored.embedding().denseWeight());
        QVERIFY(back.head().denseWeight() == stored.head().denseWeight());
        // bfloat16 and float32 are summed in different orders.
        QVERIFY(distance(logitsOf(back), original) < 2e-5F);
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

    // A GGUF file calls Mistral a Llama; its window tells them apart.
    void windowsSurviveGguf() {
        const fs::path folder = changedOriginal("mistral", "config.json",
                                                {{"model_type", "mistral"},
                                                 {"architectures", {"MistralForCausalLM"}},
                                                 {"sliding_window", 3}});
        const fs::path gguf = exported(folder, ExportFormat::Gguf, DType::F32, "mistral.gguf").path;
        const fs::path back = exported(gguf, ExportFormat::HuggingFace, DType::F32, "window").path;
        const json config = jsonOf(back / "config.json");
        QCOMPARE(config.value("model_type", ""), std::string("mistral"));
        QCOMPARE(config["architectures"], json::array({"MistralForCausalLM"}));
        QCOMPARE(config.value("sliding_window", 0), 3);
        QCOMPARE(Model::load(back).config().slidingWindow, std::int64_t{3});
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
};

COSPADI_TEST(TestExport)

}  // namespace tst_export

#include "tst_export.moc"
