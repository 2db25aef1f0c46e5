// Quantised blocks against the Python package gguf (tests/data/gguf/make_quantized.py), bit for
// bit, and against what rounding to a grid can be off by.
#include <QtTest>
#include <bit>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "core/base/error.h"
#include "core/tensors/block_quantizer.h"
#include "tests/registered_test.h"

namespace tst_block_quantizer {

using namespace cospadi;
using nlohmann::json;

namespace {

std::vector<std::byte> quantized(DType type, const std::vector<float>& values) {
    const auto count = static_cast<std::int64_t>(values.size());
    std::vector<std::byte> bytes(
        static_cast<std::size_t>(count / blockElements(type) * blockBytes(type)));
    quantize(type, values.data(), count, bytes.data(), "tensor t");
    return bytes;
}

std::string hexOf(const std::vector<std::byte>& bytes) {
    std::string text;
    for (const std::byte byte : bytes) {
        constexpr const char* kDigits = "0123456789abcdef";
        text += kDigits[std::to_integer<unsigned>(byte) >> 4U];
        text += kDigits[std::to_integer<unsigned>(byte) & 15U];
    }
    return text;
}

}  // namespace

class TestBlockQuantizer : public QObject {
    Q_OBJECT

    void addTypes() {
        QTest::addColumn<int>("type");
        for (const DType type : {DType::Q4_0, DType::Q4_1, DType::Q5_0, DType::Q5_1, DType::Q8_0}) {
            QTest::newRow(std::string(dtypeName(type)).c_str()) << static_cast<int>(type);
        }
    }

  private slots:
    void blocksAreThoseOfGguf_data() { addTypes(); }

    void blocksAreThoseOfGguf() {
        QFETCH(int, type);
        const auto which = static_cast<DType>(type);
        std::ifstream file(COSPADI_TEST_DATA "/gguf/quantized.json");
        const json reference = json::parse(file);
        const json& rows = reference.at("values");
        const json& blocks = reference.at("blocks").at(std::string(dtypeName(which)));
        QVERIFY(rows.size() >= 70);
        QCOMPARE(blocks.size(), rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            std::vector<float> values;
            for (const json& bits : rows[i]) {
                const auto word = std::stoul(bits.get<std::string>(), nullptr, 16);
                values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(word)));
            }
            const std::string ours = hexOf(quantized(which, values));
            QVERIFY2(ours == blocks[i].get<std::string>(),
                     qPrintable(QString("row %1: %2").arg(i).arg(QString::fromStdString(ours))));
        }
    }

    // What is read back is within half a step of what went in; the scale's own rounding to float16
    // moves it by 2⁻¹¹ of the block's size besides. One end of a grid around zero is a step short.
    void errorsAreThoseOfTheGrid_data() { addTypes(); }

    void errorsAreThoseOfTheGrid() {
        QFETCH(int, type);
        const auto which = static_cast<DType>(type);
        const int bits = which == DType::Q8_0                           ? 8
                         : which == DType::Q4_0 || which == DType::Q4_1 ? 4
                                                                        : 5;
        const bool hasMinimum = which == DType::Q4_1 || which == DType::Q5_1;
        const bool isShort = which == DType::Q4_0 || which == DType::Q5_0;
        std::mt19937 draw(3);
        std::normal_distribution<float> normal(0, 0.05F);
        for (int trial = 0; trial < 200; ++trial) {
            std::vector<float> values(64);
            for (float& value : values) {
                value = normal(draw);
            }
            const std::vector<std::byte> bytes = quantized(which, values);
            std::vector<float> back(values.size());
            dequantize(which, bytes.data(), 64, back.data());
            for (int block = 0; block < 2; ++block) {
                double least = values[static_cast<std::size_t>(32 * block)];
                double most = least;
                for (int i = 0; i < 32; ++i) {
                    const double value = values[static_cast<std::size_t>(32 * block + i)];
                    least = std::min(least, value);
                    most = std::max(most, value);
                }
                const double size = std::max(std::abs(least), std::abs(most));
                const double step = hasMinimum ? (most - least) / ((1 << bits) - 1)
                                    : isShort  ? size / (1 << (bits - 1))
                                               : size / 127;
                const double limit = (isShort ? 1 : 0.5) * step + 2 * size / 2048;
                for (int i = 0; i < 32; ++i) {
                    const auto at = static_cast<std::size_t>(32 * block + i);
                    QVERIFY(std::abs(static_cast<double>(values[at]) - back[at]) <= limit);
                }
            }
        }
    }

    void scalesBeyondFloat16AreNamed() {
        std::vector<float> values(32, 1.0F);
        values[3] = 1e7F;
        for (const DType type : {DType::Q4_0, DType::Q5_1}) {
            try {
                quantized(type, values);
                QFAIL("was accepted");
            } catch (const Error& error) {
                QVERIFY2(QString(error.what()).contains("tensor t"), error.what());
            }
        }
    }

    void otherTypesAreNotWritten() {
        QVERIFY(!isWritableBlockType(DType::Q3_K));
        QVERIFY(!isWritableBlockType(DType::BF16));
        QVERIFY_THROWS_EXCEPTION(Error, quantized(DType::Q3_K, std::vector<float>(256, 1.0F)));
    }

    void valuesThatAreNoNumbersAreRefused() {
        for (const DType type : writableBlockTypes()) {
            for (const float value : {NAN, INFINITY, -INFINITY}) {
                std::vector<float> values(512, 1.0F);
                values[300] = value;
                try {
                    quantized(type, values);
                    QFAIL("was accepted");
                } catch (const Error& error) {
                    const QString what = error.what();
                    QVERIFY2(what.contains("tensor t") && what.contains("NaN"), error.what());
                }
            }
        }
    }
};

COSPADI_TEST(TestBlockQuantizer)

}  // namespace tst_block_quantizer

#include "tst_block_quantizer.moc"
