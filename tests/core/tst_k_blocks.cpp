// K-quantised blocks against those that ggml's own quantiser makes
// (tests/data/gguf/make_k_quantized.py), and against what the types can do without a search,
// computed here in double precision and with Qt's float16. They are read back by dequantize(),
// which tst_gguf holds against the Python package gguf bit for bit.
#include <qfloat16.h>
#include <QtTest>
#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "core/base/error.h"
#include "core/tensors/block_quantizer.h"
#include "tests/registered_test.h"

namespace tst_k_blocks {

using namespace cospadi;
using nlohmann::json;

namespace {

constexpr int kBlock = 256;

std::vector<float> throughBlocks(DType type, const std::vector<float>& values) {
    const auto count = static_cast<std::int64_t>(values.size());
    std::vector<std::byte> bytes(
        static_cast<std::size_t>(count / blockElements(type) * blockBytes(type)), std::byte{0xA5});
    quantize(type, values.data(), count, bytes.data(), "tensor t");
    std::vector<float> back(values.size());
    dequantize(type, bytes.data(), count, back.data());
    return back;
}

double asHalf(double value) {
    return static_cast<double>(static_cast<float>(qfloat16(static_cast<float>(value))));
}

// Every group by its range, the scales rounded to the block's unit: x ≈ d s q − e m.
std::vector<double> plainLines(const float* x, int bits) {
    const double top = (1 << bits) - 1;
    double scales[8];
    double minimums[8];
    for (int g = 0; g < 8; ++g) {
        const auto [least, most] = std::minmax_element(x + 32 * g, x + 32 * g + 32);
        minimums[g] = std::max(0.0, -static_cast<double>(*least));
        scales[g] = (static_cast<double>(*most) + minimums[g]) / top;
    }
    const double d = asHalf(*std::max_element(scales, scales + 8) / 63);
    const double e = asHalf(*std::max_element(minimums, minimums + 8) / 63);
    std::vector<double> back(kBlock);
    for (int i = 0; i < kBlock; ++i) {
        const int g = i / 32;
        const double scale = d > 0 ? d * std::min(63.0, std::round(scales[g] / d)) : 0;
        const double minimum = e > 0 ? e * std::min(63.0, std::round(minimums[g] / e)) : 0;
        const double q = scale > 0 ? std::clamp(std::round((x[i] + minimum) / scale), 0.0, top) : 0;
        back[static_cast<std::size_t>(i)] = scale * q - minimum;
    }
    return back;
}

// Every group by its largest element, which takes the lowest code: x ≈ d s q.
std::vector<double> plainScales(const float* x) {
    double scales[16];
    double largest = 0;
    for (int g = 0; g < 16; ++g) {
        scales[g] = -*std::max_element(x + 16 * g, x + 16 * g + 16, [](float a, float b) {
            return std::abs(a) < std::abs(b);
        }) / 32.0;
        largest = std::abs(scales[g]) > std::abs(largest) ? scales[g] : largest;
    }
    const double d = asHalf(-largest / 128);
    std::vector<double> back(kBlock);
    for (int i = 0; i < kBlock; ++i) {
        const double s = d != 0 ? std::clamp(std::round(scales[i / 16] / d), -128.0, 127.0) : 0;
        const double scale = d * s;
        const double q = scale != 0 ? std::clamp(std::round(x[i] / scale), -32.0, 31.0) : 0;
        back[static_cast<std::size_t>(i)] = scale * q;
    }
    return back;
}

std::vector<double> plain(DType type, const float* x) {
    return type == DType::Q6_K ? plainScales(x) : plainLines(x, type == DType::Q4_K ? 4 : 5);
}

// Weighted as k_block_quantizer.h says.
template <typename T>
double errorOf(DType type, const float* x, const T* back) {
    double sum = 0;
    for (int group = 0; group < 8; ++group) {
        double squares = 0;
        for (int i = 32 * group; i < 32 * group + 32; ++i) {
            squares += static_cast<double>(x[i]) * x[i];
        }
        for (int i = 32 * group; i < 32 * group + 32; ++i) {
            const double weight =
                type == DType::Q6_K ? static_cast<double>(x[i]) * x[i]
                                    : std::sqrt(squares / 32) + std::abs(static_cast<double>(x[i]));
            const double off = static_cast<double>(back[i]) - x[i];
            sum += weight * off * off;
        }
    }
    return sum;
}

template <typename T>
double squaredError(const float* x, const T* back) {
    double sum = 0;
    for (int i = 0; i < kBlock; ++i) {
        sum += std::pow(static_cast<double>(back[i]) - x[i], 2);
    }
    return sum;
}

std::vector<float> drawn(const std::string& what, std::mt19937& draw) {
    std::normal_distribution<float> normal(0, 0.05F);
    std::student_t_distribution<float> heavy(2);
    std::uniform_real_distribution<float> flat(3, 5);
    std::vector<float> values(kBlock);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = what == "normal"        ? normal(draw)
                    : what == "heavy tails" ? 0.02F * heavy(draw)
                    : what == "above zero"  ? flat(draw)
                    : what == "below zero"  ? -flat(draw)
                    : what == "mostly zero" ? (draw() % 5 == 0 ? normal(draw) : 0.0F)
                    : what == "small"       ? 0.02F * normal(draw)
                    : what == "uneven groups"
                        ? normal(draw) * std::pow(4.0F, static_cast<float>(i / 32))
                        : normal(draw) + (i % 64 == 5 ? 3.0F : 0.0F);
    }
    return values;
}

json ggmlBlocks() {
    std::ifstream file(COSPADI_TEST_DATA "/gguf/k_quantized.json");
    return json::parse(file);
}

std::vector<float> floatsOf(const json& row) {
    std::vector<float> values;
    for (const json& bits : row) {
        const auto word = std::stoul(bits.get<std::string>(), nullptr, 16);
        values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(word)));
    }
    return values;
}

// A block of ggml's as the engine reads it.
std::vector<float> readBlock(DType type, const std::string& hex) {
    const QByteArray bytes = QByteArray::fromHex(QByteArray::fromStdString(hex));
    std::vector<float> back(kBlock);
    dequantize(type, reinterpret_cast<const std::byte*>(bytes.data()), kBlock, back.data());
    return back;
}

void requireError(DType type, const std::vector<float>& values, const char* text) {
    try {
        throughBlocks(type, values);
        QFAIL("was accepted");
    } catch (const Error& error) {
        const QString message = error.what();
        QVERIFY2(message.contains("tensor t") && message.contains(text), error.what());
    }
}

}  // namespace

class TestKBlocks : public QObject {
    Q_OBJECT

    void addTypes() {
        QTest::addColumn<int>("type");
        for (const DType type : {DType::Q4_K, DType::Q5_K, DType::Q6_K}) {
            QTest::newRow(std::string(dtypeName(type)).c_str()) << static_cast<int>(type);
        }
    }

  private slots:
    void errNoMoreThanPlainRanges_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<QString>("values");
        for (const DType type : {DType::Q4_K, DType::Q5_K, DType::Q6_K}) {
            for (const char* values : {"normal", "heavy tails", "above zero", "below zero",
                                       "mostly zero", "small", "uneven groups", "outliers"}) {
                QTest::newRow((std::string(dtypeName(type)) + ", " + values).c_str())
                    << static_cast<int>(type) << values;
            }
        }
    }

    void errNoMoreThanPlainRanges() {
        QFETCH(int, type);
        QFETCH(QString, values);
        const auto which = static_cast<DType>(type);
        std::mt19937 draw(11);
        double ours = 0;
        double theirs = 0;
        double oursSquared = 0;
        double theirsSquared = 0;
        for (int trial = 0; trial < 60; ++trial) {
            const std::vector<float> x = drawn(values.toStdString(), draw);
            const std::vector<float> back = throughBlocks(which, x);
            const std::vector<double> other = plain(which, x.data());
            const double error = errorOf(which, x.data(), back.data());
            const double plainError = errorOf(which, x.data(), other.data());
            QVERIFY2(
                error <= plainError * 1.0001,
                qPrintable(QString("block %1: %2 > %3").arg(trial).arg(error).arg(plainError)));
            ours += error;
            theirs += plainError;
            oursSquared += squaredError(x.data(), back.data());
            theirsSquared += squaredError(x.data(), other.data());
        }
        qInfo("of plain ranges' error: %.3f, unweighted %.3f", ours / theirs,
              oursSquared / theirsSquared);
        QVERIFY(ours < theirs);
        QVERIFY(oursSquared < theirsSquared);
    }

    void blocksOfGgmlAreRead_data() { addTypes(); }

    void blocksOfGgmlAreRead() {
        QFETCH(int, type);
        const auto which = static_cast<DType>(type);
        const std::string name(dtypeName(which));
        const json ggml = ggmlBlocks();
        const json& rows = ggml.at("values");
        QVERIFY(rows.size() >= 12);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::vector<float> x = floatsOf(rows[i]);
            const double error =
                squaredError(x.data(), readBlock(which, ggml.at("blocks").at(name)[i]).data());
            const auto theirs = ggml.at("squared").at(name)[i].get<double>();
            QVERIFY2(std::abs(error - theirs) <= 1e-6 * theirs,
                     qPrintable(QString("row %1: %2, not %3").arg(i).arg(error).arg(theirs)));
        }
    }

    // The same search with the neighbours of every scale besides: better as a whole, and nowhere
    // much worse, as the unit of a block decides for 8 or 16 groups at once.
    void errNoMoreThanGgml_data() { addTypes(); }

    void errNoMoreThanGgml() {
        QFETCH(int, type);
        const auto which = static_cast<DType>(type);
        const std::string name(dtypeName(which));
        const json ggml = ggmlBlocks();
        const json& rows = ggml.at("values");
        double logarithms = 0;
        for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
            const std::vector<float> x = floatsOf(rows[i]);
            const double ours = errorOf(which, x.data(), throughBlocks(which, x).data());
            const double theirs =
                errorOf(which, x.data(), readBlock(which, ggml.at("blocks").at(name)[i]).data());
            QVERIFY2(ours <= 1.05 * theirs,
                     qPrintable(QString("row %1: %2 > %3").arg(i).arg(ours).arg(theirs)));
            logarithms += std::log(ours / theirs);
        }
        qInfo("of ggml's error: %.4f", std::exp(logarithms / static_cast<double>(rows.size() - 1)));
        QVERIFY(logarithms < 0);
    }

    void zerosStayZeros_data() { addTypes(); }

    void zerosStayZeros() {
        QFETCH(int, type);
        const auto which = static_cast<DType>(type);
        for (const float value : throughBlocks(which, std::vector<float>(2 * kBlock, 0.0F))) {
            QCOMPARE(value, 0.0F);
        }
        // Also a group of zeros among others, as pruning leaves them.
        std::vector<float> values(kBlock, 0.0F);
        for (std::size_t i = 0; i < 32; ++i) {
            values[i] = static_cast<float>(i) - 7;
        }
        const std::vector<float> back = throughBlocks(which, values);
        for (std::size_t i = 32; i < values.size(); ++i) {
            QCOMPARE(back[i], 0.0F);
        }
    }

    // One number all over is a number in float16 times one of 6 bits or more: off by 2⁻¹¹ of it at
    // most.
    void constantsStay_data() { addTypes(); }

    void constantsStay() {
        QFETCH(int, type);
        for (const float constant : {0.75F, -0.75F, -313.7F, 60000.0F}) {
            for (const float value :
                 throughBlocks(static_cast<DType>(type), std::vector<float>(kBlock, constant))) {
                QVERIFY2(std::abs(value - constant) <= std::abs(constant) / 2048,
                         qPrintable(QString("%1 for %2").arg(value).arg(constant)));
            }
        }
    }

    // Below what float16 has a unit for, weights are off by no more than their size.
    void tinyValuesDoNotGrow_data() { addTypes(); }

    void tinyValuesDoNotGrow() {
        QFETCH(int, type);
        for (const float size : {1e-6F, 1e-9F, 1e-20F, 1e-38F, 1e-44F}) {
            std::mt19937 draw(5);
            std::uniform_real_distribution<float> within(-1, 1);
            std::vector<float> values(kBlock);
            for (float& value : values) {
                value = size * within(draw);
            }
            for (const float value : throughBlocks(static_cast<DType>(type), values)) {
                QVERIFY(std::abs(value) <= 2 * size);
            }
        }
    }

    void hugeValuesAreNamed_data() { addTypes(); }

    void hugeValuesAreNamed() {
        QFETCH(int, type);
        const auto which = static_cast<DType>(type);
        for (const float huge : {1e10F, -1e10F, 3e38F, -3e38F}) {
            std::vector<float> values(kBlock, 1.0F);
            values[77] = huge;
            requireError(which, values, "float16");
        }
        std::vector<float> ends(kBlock, 3e38F);
        ends[3] = -3e38F;
        requireError(which, ends, "float16");
    }
};

COSPADI_TEST(TestKBlocks)

}  // namespace tst_k_blocks

#include "tst_k_blocks.moc"
