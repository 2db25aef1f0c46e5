// GGUF: dequantised weights bit for bit as the reference; damaged files end in a named error.
#include <QTemporaryDir>
#include <bit>
#include <cstdint>
#include <numeric>

#include "core/base/sha256.h"
#include "core/model/model_info.h"
#include "core/tensors/gguf.h"
#include "oracle_data.h"
#include "tests/registered_test.h"

namespace tst_gguf {

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

    static std::filesystem::path data(const std::string& name) {
        return std::filesystem::path(COSPADI_TEST_DATA) / "gguf" / name;
    }

    static nlohmann::json expected() {
        return nlohmann::json::parse(oracle::text(data("expected.json")));
    }

    static std::string sha256Of(std::span<const std::byte> bytes) {
        Sha256 sum;
        sum.update(bytes);
        return sum.finish();
    }

    // The value as the Python package gives it, in JSON; null where there is none.
    static nlohmann::json valueOf(const GgufFile& file, const std::string& key) {
        const auto found = file.metadata().find(key);
        if (found == file.metadata().end()) {
            return nullptr;
        }
        return std::visit([](const auto& value) { return nlohmann::json(value); }, found->second);
    }

  private slots:
    // Files made by the Python package gguf (tests/data/gguf/make_reference.py): metadata, tensor
    // directory and raw bytes.
    void readsReferenceFiles_data() {
        QTest::addColumn<QString>("name");
        QTest::newRow("version 3") << "blocks_v3.gguf";
        QTest::newRow("version 2, alignment 64") << "blocks_v2_align64.gguf";
    }

    void readsReferenceFiles() {
        QFETCH(const QString, name);
        const auto reference = expected()[name.toStdString()];
        const GgufFile file = GgufFile::open(data(name.toStdString()));
        QCOMPARE(file.tensors().size(), reference["tensors"].size());
        for (std::size_t i = 0; i < file.tensors().size(); ++i) {
            const TensorView& view = file.tensors()[i];
            const auto& tensor = reference["tensors"][i];
            QCOMPARE(view.name, tensor["name"].get<std::string>());
            QCOMPARE(std::string(dtypeName(view.dtype)), tensor["type"].get<std::string>());
            QCOMPARE(view.shape, tensor["shape"].get<std::vector<std::int64_t>>());
            QCOMPARE(view.bytes.size(), tensor["bytes"].get<std::size_t>());
            QCOMPARE(view.bytes.data() - file.mapping()->bytes().data(),
                     tensor["offset"].get<std::ptrdiff_t>());
            QCOMPARE(sha256Of(view.bytes), tensor["sha256"].get<std::string>());
        }
        QCOMPARE(file.metadata().size(), reference["metadata"].size());
        for (const auto& [key, entry] : reference["metadata"].items()) {
            nlohmann::json value = entry["value"];
            if (entry["types"].back() == "BOOL" && value.is_array()) {
                for (nlohmann::json& item : value) {
                    item = item.get<bool>() ? 1 : 0;  // arrays of them are read as integers
                }
            }
            QVERIFY2(valueOf(file, key) == value, key.c_str());
        }
    }

    // Dequantisation to the last bit, over random raw blocks and edge scales; where the package has
    // a NaN (sign and payload depend on the machine) any NaN will do.
    void dequantisesRandomBlocks_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("tensor");
        const SafetensorsFile reference = SafetensorsFile::open(data("expected.safetensors"));
        QCOMPARE(reference.tensors().size(), std::size_t{16});
        for (const TensorView& view : reference.tensors()) {
            const QStringList parts = QString::fromStdString(view.name).split('/');
            QTest::newRow(view.name.c_str()) << parts[0] << parts[1];
        }
    }

    void dequantisesRandomBlocks() {
        QFETCH(const QString, name);
        QFETCH(const QString, tensor);
        const GgufFile file = GgufFile::open(data(name.toStdString()));
        const std::vector<float> ours = file.find(tensor.toStdString())->toFloat();
        const SafetensorsFile reference = SafetensorsFile::open(data("expected.safetensors"));
        const auto theirs =
            oracle::values<float>(reference.require((name + "/" + tensor).toStdString()));
        QCOMPARE(ours.size(), theirs.size());
        for (std::size_t i = 0; i < ours.size(); ++i) {
            const bool same =
                std::bit_cast<std::uint32_t>(ours[i]) == std::bit_cast<std::uint32_t>(theirs[i]);
            QVERIFY2(same || (std::isnan(ours[i]) && std::isnan(theirs[i])),
                     qPrintable(QString("element %1: %2 is not %3")
                                    .arg(i)
                                    .arg(static_cast<double>(ours[i]), 0, 'g', 12)
                                    .arg(static_cast<double>(theirs[i]), 0, 'g', 12)));
        }
    }

    void widensAllSixteenBitValues() {
        const auto sums = expected()["all_sixteen_bit_values_sha256"];
        for (const DType type : {DType::F16, DType::BF16}) {
            std::vector<std::uint16_t> bits(65536);
            std::iota(bits.begin(), bits.end(), std::uint16_t{0});
            std::vector<float> values(bits.size());
            dequantize(type, std::as_bytes(std::span(bits)).data(), 65536, values.data());
            for (float& value : values) {
                value = std::isnan(value) ? 0.0F : value;
            }
            QCOMPARE(sha256Of(std::as_bytes(std::span(values))),
                     sums[std::string(dtypeName(type))].get<std::string>());
        }
    }

    void dequantisesExactly() {
        SKIP_WITHOUT_MODEL();
        SKIP_WITHOUT("dequant.json");
        const GgufFile file = GgufFile::open(*oracle::defaultModel());
        int checked = 0;
        for (const auto& expected : oracle::json("dequant.json")) {
            const TensorView& view = *file.find(expected["name"]);
            QCOMPARE(dtypeName(view.dtype), expected["type"].get<std::string>());
            const std::vector<float> values = view.toFloat();
            Sha256 sum;
            sum.update(std::as_bytes(std::span(values)));
            QCOMPARE(sum.finish(), expected["sha256_f32le"].get<std::string>());
            ++checked;
        }
        QVERIFY(checked > 0);
    }

    void inspectsTheDefaultModel() {
        SKIP_WITHOUT_MODEL();
        const ModelInfo info = inspectModel(*oracle::defaultModel());
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
        QCOMPARE(file.find("t")->shape, (std::vector<std::int64_t>{3, 2}));
        QVERIFY(oracle::errorOf([&] { static_cast<void>(file.string("a")); }).contains("type"));
    }

    void emptyTensorsOverlapNothing() {
        QTemporaryDir folder;
        const std::filesystem::path path = folder.filePath("empty.gguf").toStdString();
        std::ofstream(path, std::ios::binary) << Bytes()
                                                     .head(3, 0)
                                                     .tensor("t", {4}, 0, 0)
                                                     .tensor("before", {0, 4}, 0, 0)
                                                     .tensor("after", {0}, 0, 32)
                                                     .pad(32)
                                                     .data;
        const GgufFile file = GgufFile::open(path);
        QCOMPARE(file.find("t")->bytes.size(), std::size_t{16});
        QVERIFY(file.find("before")->bytes.empty());
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
        row("alignment 48", Bytes().head(0, 1).text("general.alignment").put(4U).put(48U).pad(64),
            "alignment");
        row("alignment as text",
            Bytes().head(0, 1).text("general.alignment").put(8U).text("32").pad(64),
            "general.alignment");
        row("negative alignment",
            Bytes().head(0, 1).text("general.alignment").put(5U).put(-32).pad(64), "alignment");
        row("same key", Bytes().head(0, 2).text("a").put(4U).put(1U).text("a").put(4U).put(1U),
            "twice");
        row("number beyond 2^63", Bytes().head(0, 1).text("a").put(10U).put(~std::uint64_t{0}),
            "too large");
        row("array of 2^61 numbers",
            Bytes().head(0, 1).text("a").put(9U).put(10U).put(huge / 4).pad(64), "longer");
        row("array of 2^62 strings",
            Bytes().head(0, 1).text("a").put(9U).put(8U).put(huge / 2).pad(64), "longer");
        row("2^32 - 1 dimensions", Bytes().head(1, 0).text("t").put(~0U).pad(64),
            "4294967295 dimensions");
        row("zero and wrapping dimensions",
            Bytes().head(1, 0).tensor("t", {0, huge - 1, huge - 1}, 0, 0).pad(64), "overflow");
        row("name that is no text", Bytes().head(1, 0).tensor("t\xff\n\x01", {4}, 99, 0).pad(64),
            "tensor t???");
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

COSPADI_TEST(TestGguf)

}  // namespace tst_gguf

#include "tst_gguf.moc"
