// Safetensors: what is written is read back; damaged and hostile files end in a named error.
#include <QTemporaryDir>
#include <cstdint>

#include "core/tensors/safetensors_writer.h"
#include "oracle_data.h"

using namespace cospadi;

namespace {

std::string fileWith(const std::string& header, std::size_t dataBytes, std::uint64_t length) {
    std::string file(8, '\0');
    std::memcpy(file.data(), &length, 8);
    return file + header + std::string(dataBytes, '\1');
}

std::string fileWith(const std::string& header, std::size_t dataBytes) {
    return fileWith(header, dataBytes, header.size());
}

std::string entry(const std::string& name, const std::string& shape, const std::string& offsets) {
    return "\"" + name + "\":{\"dtype\":\"F32\",\"shape\":" + shape +
           ",\"data_offsets\":" + offsets + "}";
}

}  // namespace

class TestSafetensors : public QObject {
    Q_OBJECT

  private slots:
    void roundTrip() {
        QTemporaryDir folder;
        const std::filesystem::path path = folder.filePath("a.safetensors").toStdString();
        const std::vector<double> doubles = {1.5, -2.25, 1e300};
        const std::vector<float> floats = {1, 2, 3, 4, 5, 6};
        const std::vector<std::uint8_t> bytes = {7, 8, 9};
        const std::int64_t size =
            writeSafetensors(path,
                             {{"mask", DType::U8, {3}, std::as_bytes(std::span(bytes))},
                              {"w", DType::F32, {2, 3}, std::as_bytes(std::span(floats))},
                              {"empty", DType::F32, {0, 4}, {}},
                              {"g", DType::F64, {3}, std::as_bytes(std::span(doubles))}},
                             {{"made by", "a test \"quoted\" ü"}});
        QCOMPARE(std::filesystem::file_size(path), static_cast<std::uintmax_t>(size));
        const SafetensorsFile file = SafetensorsFile::open(path);
        QCOMPARE(file.metadata().at("made by"), std::string("a test \"quoted\" ü"));
        QCOMPARE(file.require("g").shape, (std::vector<std::int64_t>{3}));
        QCOMPARE(file.require("w").shape, (std::vector<std::int64_t>{2, 3}));
        QCOMPARE(oracle::values<double>(file.require("g")), doubles);
        QCOMPARE(file.require("w").toFloat(), floats);
        QCOMPARE(oracle::values<std::uint8_t>(file.require("mask")), bytes);
        QCOMPARE(file.require("empty").elementCount(), std::int64_t{0});
        QVERIFY(oracle::errorOf([&] { file.require("absent"); }).contains("absent"));
        QVERIFY(oracle::errorOf([&] { file.require("mask").toFloat(); }).contains("U8"));
    }

    void widensHalfAndBfloat() {
        QCOMPARE(halfToFloat(0x3c00), 1.0F);
        QCOMPARE(halfToFloat(0x0001), 0x1p-24F);
        QCOMPARE(halfToFloat(0xfbff), -65504.0F);
        QVERIFY(std::isinf(halfToFloat(0x7c00)) && std::isnan(halfToFloat(0x7e00)));
        for (std::uint32_t bits = 0; bits < 65536; ++bits) {
            const auto half = static_cast<std::uint16_t>(bits);
            if (!std::isnan(halfToFloat(half))) {
                QCOMPARE(floatToHalf(halfToFloat(half)), half);
            }
            if (!std::isnan(bfloat16ToFloat(half))) {
                QCOMPARE(floatToBfloat16(bfloat16ToFloat(half)), half);
            }
        }
        QCOMPARE(floatToBfloat16(1.00390625F), std::uint16_t{0x3f80});  // a tie: to even
        QCOMPARE(floatToBfloat16(1.01171875F), std::uint16_t{0x3f82});
    }

    void refusesBadFiles_data() {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const std::string& content, const char* says) {
            QTest::newRow(name) << QByteArray::fromStdString(content) << QString(says);
        };
        const std::string good = "{" + entry("a", "[2]", "[0,8]") + "}";
        row("empty file", "", "empty");
        row("seven bytes", "1234567", "shorter");
        row("header length near 2^64", fileWith(good, 8, ~std::uint64_t{0} - 3), "100 MB");
        row("header of 101 MB", fileWith(good, 8, 101'000'000), "100 MB");
        row("header beyond the file", fileWith(good, 8, 5000), "ends inside");
        row("no JSON", fileWith("hello", 0), "JSON");
        row("an array", fileWith("[]", 0), "not a JSON object");
        row("deep JSON", fileWith(std::string(100000, '['), 0), "deeply");
        row("deep value", fileWith("{\"a\":" + std::string(50000, '['), 0), "deeply");
        row("negative offset", fileWith("{" + entry("a", "[2]", "[-8,0]") + "}", 8),
            "non-negative");
        row("reversed offsets", fileWith("{" + entry("a", "[2]", "[8,0]") + "}", 8), "reversed");
        row("real offset", fileWith("{" + entry("a", "[2]", "[0,8.0]") + "}", 8), "non-negative");
        row("beyond the file", fileWith("{" + entry("a", "[4]", "[0,16]") + "}", 8), "beyond");
        row("huge offset",
            fileWith("{" + entry("a", "[2]", "[18446744073709551608,18446744073709551615]") + "}",
                     8),
            "non-negative");
        row("too few bytes", fileWith("{" + entry("a", "[3]", "[0,8]") + "}", 8), "fit");
        row("shape that wraps",
            fileWith("{" + entry("a", "[4294967296,4294967296,4294967296]", "[0,8]") + "}", 8),
            "overflow");
        row("negative extent", fileWith("{" + entry("a", "[-2]", "[0,8]") + "}", 8),
            "non-negative");
        row("overlap",
            fileWith("{" + entry("a", "[2]", "[0,8]") + "," + entry("b", "[2]", "[4,12]") + "}",
                     12),
            "overlaps");
        row("hole",
            fileWith("{" + entry("a", "[2]", "[0,8]") + "," + entry("b", "[2]", "[12,20]") + "}",
                     20),
            "hole");
        row("rest", fileWith(good, 12), "belongs to no tensor");
        row("truncated data", fileWith(good, 7), "beyond");
        row("duplicate name",
            fileWith("{" + entry("a", "[2]", "[0,8]") + "," + entry("a", "[2]", "[8,16]") + "}",
                     16),
            "twice");
        row("unknown type",
            fileWith("{\"a\":{\"dtype\":\"F3\",\"shape\":[2],\"data_offsets\":[0,8]}}", 8), "F3");
        row("no shape", fileWith("{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,8]}}", 8),
            "missing");
        row("metadata of numbers", fileWith("{\"__metadata__\":{\"a\":1}}", 0), "strings");
    }

    void refusesBadFiles() {
        QFETCH(const QByteArray, content);
        QFETCH(const QString, says);
        QTemporaryDir folder;
        const std::filesystem::path path = folder.filePath("bad.safetensors").toStdString();
        std::ofstream(path, std::ios::binary).write(content.data(), content.size());
        const QString error = oracle::errorOf([&] { SafetensorsFile::open(path); });
        QVERIFY2(error.contains(says) && error.contains("bad.safetensors"), qPrintable(error));
    }

    void refusesPickles() {
        for (const char* name : {"pytorch_model.bin", "model.pt", "model.pth", "model.ckpt"}) {
            QVERIFY(oracle::errorOf([&] { SafetensorsFile::open(name); }).contains("pickle"));
        }
    }

    void folders_data() {
        QTest::addColumn<QString>("shard");
        QTest::addColumn<QString>("says");
        QTest::newRow("good") << "sub/one.safetensors"
                              << "";
        QTest::newRow("parent") << "../one.safetensors"
                                << "outside";
        QTest::newRow("hidden parent") << "sub/../../one.safetensors"
                                       << "outside";
        QTest::newRow("absolute") << "/etc/passwd"
                                  << "outside";
        QTest::newRow("missing") << "two.safetensors"
                                 << "missing";
        QTest::newRow("pickle") << "two.bin"
                                << "pickle";
        QTest::newRow("without the tensor") << "other.safetensors"
                                            << "does not hold";
    }

    void folders() {
        QFETCH(const QString, shard);
        QFETCH(const QString, says);
        QTemporaryDir root;
        const std::filesystem::path folder =
            std::filesystem::path(root.path().toStdString()) / "model";
        std::filesystem::create_directories(folder / "sub");
        const std::vector<float> value = {1};
        const std::vector<TensorToWrite> one = {
            {"a", DType::F32, {1}, std::as_bytes(std::span(value))}};
        writeSafetensors(folder / "sub/one.safetensors", one);
        writeSafetensors(folder.parent_path() / "one.safetensors", one);
        writeSafetensors(folder / "other.safetensors", {});
        std::ofstream(folder / "model.safetensors.index.json")
            << "{\"weight_map\":{\"a\":\"" << shard.toStdString() << "\"}}";
        const QString error = oracle::errorOf(
            [&] { QCOMPARE(SafetensorsFolder::open(folder).require("a").toFloat(), value); });
        QVERIFY2(says.isEmpty() ? error.isEmpty() : error.contains(says), qPrintable(error));
    }

    // A write that fails at its start or at its end leaves no temporary file.
    void failedWriteLeavesNothing() {
        QTemporaryDir folder;
        const std::filesystem::path target =
            std::filesystem::path(folder.path().toStdString()) / "no such folder" / "x.safetensors";
        QVERIFY(!oracle::errorOf([&] { writeSafetensors(target, {}); }).isEmpty());
        const std::filesystem::path busy = folder.filePath("busy").toStdString();
        std::filesystem::create_directories(busy / "inside");  // rename onto it fails at the end
        QVERIFY(!oracle::errorOf([&] { writeSafetensors(busy, {}); }).isEmpty());
        int entries = 0;
        for ([[maybe_unused]] const auto& item :
             std::filesystem::directory_iterator(folder.path().toStdString())) {
            ++entries;
        }
        QCOMPARE(entries, 1);
    }
};

QTEST_GUILESS_MAIN(TestSafetensors)
#include "tst_safetensors.moc"
