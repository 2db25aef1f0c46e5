// Safetensors: what is written is read back; damaged and hostile files end in a named error.
#include <QProcess>
#include <QTemporaryDir>
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>

#include "core/base/sha256.h"
#include "core/tensors/safetensors_writer.h"
#include "oracle_data.h"
#include "tests/registered_test.h"

namespace tst_safetensors {

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

    static std::filesystem::path data(const std::string& name) {
        return std::filesystem::path(COSPADI_TEST_DATA) / "safetensors" / name;
    }

    // What make_reference.py says of a file, and what the engine says of it.
    static void compare(const std::filesystem::path& path, const nlohmann::json& expected) {
        const SafetensorsFile file = SafetensorsFile::open(path);
        QCOMPARE(file.tensors().size(), expected["tensors"].size());
        for (const auto& [name, tensor] : expected["tensors"].items()) {
            const TensorView& view = file.require(name);
            QCOMPARE(std::string(dtypeName(view.dtype)), tensor["dtype"].get<std::string>());
            QCOMPARE(view.shape, tensor["shape"].get<std::vector<std::int64_t>>());
            Sha256 sum;
            sum.update(view.bytes);
            QCOMPARE(sum.finish(), tensor["sha256"].get<std::string>());
        }
        QVERIFY(nlohmann::json(file.metadata()) == expected["metadata"]);
    }

    static std::int64_t writeSample(const std::filesystem::path& path) {
        const std::vector<double> doubles = {1.5, -2.25, 1e300};
        const std::vector<std::uint32_t> floats = {0x7fc00001, 0xff800000, 1, 0x80000000, 5, 6};
        const std::vector<std::uint16_t> halves = {0x3c00, 0x0001, 0x7e00};
        const std::vector<std::uint8_t> bytes = {7, 8, 9};
        return writeSafetensors(
            path,
            {{"mask", DType::U8, {3}, std::as_bytes(std::span(bytes))},
             {"weird \"name\"\\\n日本", DType::F32, {2, 3}, std::as_bytes(std::span(floats))},
             {"empty", DType::F32, {0, 4}, {}},
             {"scalar", DType::U8, {}, std::as_bytes(std::span(bytes)).first(1)},
             {"half", DType::F16, {3}, std::as_bytes(std::span(halves))},
             {"brain", DType::BF16, {1, 3}, std::as_bytes(std::span(halves))},
             {"g", DType::F64, {3}, std::as_bytes(std::span(doubles))}},
            {{"made by", "a test \"quoted\" ü 😀"}, {"empty", ""}});
    }

  private slots:
    // A file made by the Python package safetensors (tests/data/safetensors/make_reference.py).
    void readsReferenceFile() {
        compare(data("reference.safetensors"),
                nlohmann::json::parse(oracle::text(data("expected.json"))));
    }

    // Our file by the rules of the format: u64 length, header that begins with '{' and is padded
    // with spaces so that the data is aligned, offsets from 0 without holes, elements aligned.
    void writesByTheRules() {
        QTemporaryDir folder;
        const std::filesystem::path path = folder.filePath("a.safetensors").toStdString();
        const auto size = static_cast<std::size_t>(writeSample(path));
        const std::string content = oracle::text(path);
        QCOMPARE(content.size(), size);
        std::uint64_t length = 0;
        std::memcpy(&length, content.data(), 8);
        QVERIFY(length < size && length % 8 == 0 && content[8] == '{');
        const std::string header = content.substr(8, length);
        QCOMPARE(header.find_last_not_of(' '), header.rfind('}'));
        const nlohmann::json json = nlohmann::json::parse(header);
        QCOMPARE(json["__metadata__"]["made by"].get<std::string>(),
                 std::string("a test \"quoted\" ü 😀"));
        const std::map<std::string, std::size_t> widths = {
            {"F64", 8}, {"F32", 4}, {"F16", 2}, {"BF16", 2}, {"U8", 1}};
        std::vector<std::pair<std::size_t, std::size_t>> ranges;
        for (const auto& [name, tensor] : json.items()) {
            if (name == "__metadata__") {
                continue;
            }
            std::size_t bytes = widths.at(tensor["dtype"].get<std::string>());
            QCOMPARE(tensor["data_offsets"][0].get<std::size_t>() % bytes, std::size_t{0});
            for (const auto& extent : tensor["shape"]) {
                bytes *= extent.get<std::size_t>();
            }
            ranges.emplace_back(tensor["data_offsets"][0], tensor["data_offsets"][1]);
            QCOMPARE(ranges.back().second - ranges.back().first, bytes);
        }
        QCOMPARE(ranges.size(), std::size_t{7});
        std::sort(ranges.begin(), ranges.end());
        std::size_t next = 0;
        for (const auto& [begin, end] : ranges) {
            QCOMPARE(begin, next);
            next = end;
        }
        QCOMPARE(next, size - 8 - length);
    }

    // The same by the Python package itself, where COSPADI_PYTHON names an interpreter that has
    // safetensors and numpy.
    void pythonReadsWhatIsWritten() {
        const QString python = qEnvironmentVariable("COSPADI_PYTHON");
        if (python.isEmpty()) {
            QSKIP("COSPADI_PYTHON does not name a Python with the package safetensors");
        }
        QTemporaryDir folder;
        const std::filesystem::path path = folder.filePath("a.safetensors").toStdString();
        writeSample(path);
        QProcess process;
        process.start(python, {QString::fromStdString(data("make_reference.py").string()),
                               QString::fromStdString(path.string())});
        QVERIFY(process.waitForFinished(60000));
        const QByteArray errors = process.readAllStandardError();
        QVERIFY2(process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0,
                 errors.constData());
        compare(path, nlohmann::json::parse(process.readAllStandardOutput().toStdString()));
    }

    // A reader sees the old file or the new one whole, however often it looks meanwhile.
    void replacesAtomically() {
        QTemporaryDir folder;
        const std::filesystem::path path = folder.filePath("a.safetensors").toStdString();
        std::vector<float> values(20000, 0.0F);
        const auto write = [&] {
            writeSafetensors(path, {{"x", DType::F32, {20000}, std::as_bytes(std::span(values))}});
        };
        write();
        std::atomic<bool> stop{false};
        std::atomic<int> reads{0};
        std::atomic<int> torn{0};
        std::thread reader([&] {
            while (!stop) {
                const std::vector<float> seen = SafetensorsFile::open(path).require("x").toFloat();
                torn += std::count(seen.begin(), seen.end(), seen[0]) != 20000 ? 1 : 0;
                ++reads;
            }
        });
        for (int i = 1; i <= 40 || reads < 40; ++i) {
            std::fill(values.begin(), values.end(), static_cast<float>(i));
            write();
        }
        stop = true;
        reader.join();
        QCOMPARE(torn.load(), 0);
    }

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
        QTest::newRow("empty") << ""
                               << "outside";
        QTest::newRow("a folder") << "sub"
                                  << "missing";
        QTest::newRow("too long a name") << QString(5000, 'x') + ".safetensors"
                                         << "missing";
        QTest::newRow("with a zero byte") << "sub/one.safetensors\\u0000/../.."
                                          << "outside";
        QTest::newRow("pickle") << "two.bin"
                                << "pickle";
        QTest::newRow("without the tensor") << "other.safetensors"
                                            << "does not contain";
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
            [&] { QCOMPARE(SafetensorsFolder::open(folder).find("a")->toFloat(), value); });
        QVERIFY2(says.isEmpty() ? error.isEmpty() : error.contains(says), qPrintable(error));
    }

    void badIndices_data() {
        QTest::addColumn<QString>("content");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const QString& content, const char* says) {
            QTest::newRow(name) << content << QString(says);
        };
        row("no JSON", "hello", "JSON object");
        row("empty", "", "JSON object");
        row("a list", "[]", "JSON object");
        row("deep", QString(100000, '['), "deeply");
        row("no map", "{}", "weight_map");
        row("list as map", "{\"weight_map\":[]}", "weight_map");
        row("number as shard", "{\"weight_map\":{\"a\":1}}", "file names");
    }

    void badIndices() {
        QFETCH(const QString, content);
        QFETCH(const QString, says);
        QTemporaryDir root;
        const std::filesystem::path folder = root.path().toStdString();
        std::ofstream(folder / "model.safetensors.index.json") << content.toStdString();
        const QString error = oracle::errorOf([&] { SafetensorsFolder::open(folder); });
        QVERIFY2(error.contains(says) && error.contains("model.safetensors.index.json"),
                 qPrintable(error));
    }

    void truncatedShard() {
        QTemporaryDir root;
        const std::filesystem::path folder = root.path().toStdString();
        writeSample(folder / "one.safetensors");
        std::ofstream(folder / "model.safetensors.index.json")
            << "{\"weight_map\":{\"g\":\"one.safetensors\"}}";
        QCOMPARE(SafetensorsFolder::open(folder).find("g")->shape[0], std::int64_t{3});
        std::filesystem::resize_file(folder / "one.safetensors",
                                     std::filesystem::file_size(folder / "one.safetensors") - 1);
        const QString error = oracle::errorOf([&] { SafetensorsFolder::open(folder); });
        QVERIFY2(error.contains("one.safetensors") && error.contains("beyond"), qPrintable(error));
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

COSPADI_TEST(TestSafetensors)

}  // namespace tst_safetensors

#include "tst_safetensors.moc"
