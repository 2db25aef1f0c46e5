// GGUF: dequantised weights bit for bit as the reference; damaged files end in a named error.
#include <QTemporaryDir>
#include <cstdint>

#include "core/base/sha256.h"
#include "core/model/model_info.h"
#include "core/tensors/gguf.h"
#include "oracle_data.h"

using namespace cospadi;

namespace {

// Writes the pieces of a GGUF file.
struct Bytes {
    std::string data;

    template <typename T>
    Bytes& put(T value) {
        data.append(reinterpret_cast<const char*>(&value), sizeof value);
        return *this;
    }
    Bytes& text(const std::string& value) {
        put(static_cast<std::uint64_t>(value.size()));
        data += value;
        return *this;
    }
    Bytes& head(std::uint64_t tensors, std::uint64_t values, std::uint32_t version = 3) {
        data += "GGUF";
        return put(version).put(tensors).put(values);
    }
    Bytes& tensor(const std::string& name, std::vector<std::uint64_t> extents, std::uint32_t type,
                  std::uint64_t offset) {
        text(name).put(static_cast<std::uint32_t>(extents.size()));
        for (const std::uint64_t extent : extents) {
            put(extent);
        }
        return put(type).put(offset);
    }
    Bytes& pad(std::size_t bytes) {
        data.append((32 - data.size() % 32) % 32 + bytes, '\0');
        return *this;
    }
};

}  // namespace

class TestGguf : public QObject {
    Q_OBJECT

  private slots:
    void dequantisesExactly() {
        SKIP_WITHOUT_MODEL();
        SKIP_WITHOUT("dequant.json");
        const GgufFile file = GgufFile::open(*oracle::defaultModel());
        int checked = 0;
        for (const auto& expected : oracle::json("dequant.json")) {
            const TensorView& view = file.require(expected["name"]);
            QCOMPARE(dtypeName(view.dtype), expected["type"].get<std::string>());
            const std::vector<float> values = view.toFloat();
            Sha256 sum;
            sum.update(std::as_bytes(std::span(values)));
            QCOMPARE(sum.finish(), expected["sha256_f32le"].get<std::string>());
            ++checked;
        }
        QVERIFY(checked > 0);
    }

    void inspectsFast() {
        SKIP_WITHOUT_MODEL();
        QElapsedTimer timer;
        timer.start();
        const ModelInfo info = inspectModel(*oracle::defaultModel());
        QVERIFY2(timer.elapsed() < 500, qPrintable(QString::number(timer.elapsed())));
        qInfo("inspect: %lld ms", timer.elapsed());
        QCOMPARE(info.layers.size(), std::size_t{210});
        QCOMPARE(info.layers[5].name, std::string("blk.0.ffn_up"));
        QCOMPARE(info.layers[5].gramKey, std::string("blk.0.ffn_gate"));
        QCOMPARE(info.layers[5].storedDtype, std::string("Q4_1"));
        QCOMPARE(info.layers[5].d1, std::int64_t{576});
        QCOMPARE(info.layers[5].d2, std::int64_t{1536});
        QCOMPARE(info.totalBytes, std::int64_t{98362432});
        QCOMPARE(info.tensorCount, std::int64_t{272});
        QCOMPARE(info.tokenizer.preTokenizer, std::string("smollm"));
    }

    void readsVersion2() {
        QTemporaryDir folder;
        const std::filesystem::path path = folder.filePath("v2.gguf").toStdString();
        std::ofstream(path, std::ios::binary) << Bytes()
                                                     .head(1, 1, 2)
                                                     .text("a")
                                                     .put(4U)
                                                     .put(7U)
                                                     .tensor("t", {2, 3}, 0, 0)
                                                     .pad(24)
                                                     .data;
        const GgufFile file = GgufFile::open(path);
        QCOMPARE(file.integer("a").value(), std::int64_t{7});
        QCOMPARE(file.require("t").shape, (std::vector<std::int64_t>{3, 2}));
        QVERIFY(oracle::errorOf([&] { static_cast<void>(file.string("a")); }).contains("type"));
    }

    void refusesBadFiles_data() {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const Bytes& bytes, const char* says) {
            QTest::newRow(name) << QByteArray::fromStdString(bytes.data) << QString(says);
        };
        const std::uint64_t huge = std::uint64_t{1} << 63;
        row("foreign", Bytes().text("hello world, no model"), "GGUF");
        row("truncated", Bytes().put(std::uint32_t{0x46554747}), "ends inside");
        row("version 1", Bytes().head(0, 0, 1).pad(0), "version 1");
        row("big endian", Bytes().head(0, 0, 0x03000000).pad(0), "version");
        row("tensor count", Bytes().head(huge, 0).pad(0), "more entries");
        row("value count", Bytes().head(0, ~std::uint64_t{0}).pad(0), "more entries");
        row("key length", Bytes().head(0, 1).put(~std::uint64_t{0}).pad(64), "longer");
        row("array length", Bytes().head(0, 1).text("a").put(9U).put(4U).put(huge / 2).pad(64),
            "longer");
        row("array of arrays",
            Bytes().head(0, 1).text("a").put(9U).put(9U).put(std::uint64_t{1}).pad(64), "element");
        row("unknown value type", Bytes().head(0, 1).text("a").put(77U).pad(64), "unknown type");
        row("no dimensions", Bytes().head(1, 0).tensor("t", {}, 0, 0).pad(64), "0 dimensions");
        row("many dimensions", Bytes().head(1, 0).tensor("t", {1, 1, 1, 1, 1}, 0, 0).pad(64),
            "5 dimensions");
        row("huge dimension", Bytes().head(1, 0).tensor("t", {huge}, 0, 0).pad(64), "too large");
        row("product wraps", Bytes().head(1, 0).tensor("t", {huge / 2, 16}, 0, 0).pad(64),
            "overflow");
        row("bytes wrap", Bytes().head(1, 0).tensor("t", {huge / 2}, 0, 0).pad(64), "overflow");
        row("unknown tensor type", Bytes().head(1, 0).tensor("t", {4}, 99, 0).pad(64), "type 99");
        row("half a block", Bytes().head(1, 0).tensor("t", {33}, 3, 0).pad(64), "block");
        row("offset beyond", Bytes().head(1, 0).tensor("t", {4}, 0, 320).pad(64), "beyond");
        row("offset wraps", Bytes().head(1, 0).tensor("t", {4}, 0, ~std::uint64_t{31}).pad(64),
            "beyond");
        row("misaligned", Bytes().head(1, 0).tensor("t", {4}, 0, 5).pad(64), "misaligned");
        row("truncated data", Bytes().head(1, 0).tensor("t", {64}, 0, 0).pad(64), "beyond");
        row("same name", Bytes().head(2, 0).tensor("t", {4}, 0, 0).tensor("t", {4}, 0, 32).pad(64),
            "twice");
        row("overlap", Bytes().head(2, 0).tensor("t", {9}, 0, 0).tensor("u", {4}, 0, 32).pad(64),
            "overlap");
        row("alignment 0", Bytes().head(0, 1).text("general.alignment").put(4U).put(0U).pad(64),
            "alignment");
        row("alignment huge",
            Bytes().head(0, 1).text("general.alignment").put(4U).put(0x80000000U).pad(64),
            "alignment");
    }

    void refusesBadFiles() {
        QFETCH(const QByteArray, content);
        QFETCH(const QString, says);
        QTemporaryDir folder;
        const std::filesystem::path path = folder.filePath("bad.gguf").toStdString();
        std::ofstream(path, std::ios::binary).write(content.data(), content.size());
        const QString error = oracle::errorOf([&] { GgufFile::open(path); });
        QVERIFY2(error.contains(says) && error.contains("bad.gguf"), qPrintable(error));
    }

    void truncatedModel() {
        SKIP_WITHOUT_MODEL();
        QTemporaryDir folder;
        const std::filesystem::path path = folder.filePath("cut.gguf").toStdString();
        std::ifstream whole(*oracle::defaultModel(), std::ios::binary);
        std::string begin(5'000'000, '\0');
        whole.read(begin.data(), static_cast<std::streamsize>(begin.size()));
        for (const std::size_t size :
             {std::size_t{3}, std::size_t{100}, std::size_t{1'000'000}, std::size_t{5'000'000}}) {
            std::ofstream(path, std::ios::binary)
                .write(begin.data(), static_cast<std::streamsize>(size));
            QVERIFY(oracle::errorOf([&] { Model::load(path); }).contains("cut.gguf"));
        }
    }

    void unsupportedArchitecture() {
        QTemporaryDir folder;
        const std::filesystem::path path = folder.filePath("other.gguf").toStdString();
        std::ofstream(path, std::ios::binary)
            << Bytes().head(0, 1).text("general.architecture").put(8U).text("mamba").pad(0).data;
        const QString error = oracle::errorOf([&] { Model::load(path); });
        QVERIFY2(error.contains("mamba") && error.contains("qwen2"), qPrintable(error));
    }

    void locator() {
        QVERIFY(oracle::errorOf([] { locateModel("/no/such/model.gguf"); }).contains("no such"));
        QVERIFY(oracle::errorOf([] { locateModel("/tmp"); }).contains("config.json"));
        qputenv("COSPADI_DEFAULT_MODEL", "/no/such/default.gguf");
        QVERIFY(oracle::errorOf([] { locateModel("default"); }).contains("./run fetch"));
        qunsetenv("COSPADI_DEFAULT_MODEL");
    }
};

QTEST_GUILESS_MAIN(TestGguf)
#include "tst_gguf.moc"
