// Weights that stay in memory as their file has them: blocks of GGUF against dequantize() and
// double, codes of 2 to 8 bits with scales and minima against double, bfloat16 against what is
// packed from floats, for every instruction set of this machine.
#include <QtTest>
#include <cstring>
#include <optional>
#include <random>
#include <vector>

#include "core/base/bfloat16.h"
#include "core/packed/packed_matrix.h"
#include "core/packed/packed_products.h"
#include "core/tensors/dtype.h"
#include "tests/registered_test.h"

namespace tst_quantised_layers {

using namespace cospadi;

namespace {

std::uint16_t halfBits(int exponent, unsigned mantissa, bool negative) {
    return static_cast<std::uint16_t>((negative ? 0x8000U : 0U) |
                                      static_cast<unsigned>(exponent + 15) << 10U |
                                      (mantissa & 0x3ffU));
}

// Columns of `rows` values as a file has them, every bit of the codes random.
struct FileColumns {
    DType type;
    std::int64_t rows, cols;
    std::vector<std::byte> bytes;

    FileColumns(DType dtype, std::int64_t d1, std::int64_t d2, unsigned seed)
        : type(dtype), rows(d1), cols(d2) {
        std::mt19937 random(seed);
        bytes.resize(static_cast<std::size_t>(columnBytes() * cols));
        for (std::byte& byte : bytes) {
            byte = static_cast<std::byte>(random() & 255U);
        }
        const std::int64_t blocks = static_cast<std::int64_t>(bytes.size()) / blockBytes(type);
        for (std::int64_t block = 0; block < blocks; ++block) {
            setHalf(block, 0,
                    halfBits(-9 + static_cast<int>(random() % 4), random(), random() % 2 == 0));
            if (type == DType::Q4_1) {
                setHalf(block, 2, halfBits(-7, random(), random() % 2 == 0));
            }
        }
    }

    std::int64_t columnBytes() const { return rows / blockElements(type) * blockBytes(type); }
    void setHalf(std::int64_t block, std::int64_t at, std::uint16_t bits) {
        std::memcpy(bytes.data() + block * blockBytes(type) + at, &bits, sizeof bits);
    }
    const std::byte* column(std::int64_t c) const { return bytes.data() + c * columnBytes(); }
    std::optional<PackedMatrix> packed() const {
        return PackedMatrix::fromFile(type, rows, cols,
                                      [this](std::int64_t c) { return column(c); });
    }
    Eigen::MatrixXf dequantized() const {
        Eigen::MatrixXf a(rows, cols);
        for (std::int64_t c = 0; c < cols; ++c) {
            dequantize(type, column(c), rows, a.col(c).data());
        }
        return a;
    }
    // |d q| + |m|, of which sums are made.
    Eigen::MatrixXd magnitudes() const {
        Eigen::MatrixXd result = dequantized().cast<double>().cwiseAbs();
        for (std::int64_t c = 0; c < cols && type != DType::Q8_0; ++c) {
            for (std::int64_t block = 0; block < rows / 32; ++block) {
                std::uint16_t bits = 0;
                std::memcpy(&bits,
                            column(c) + block * blockBytes(type) + (type == DType::Q4_1 ? 2 : 0),
                            sizeof bits);
                const double m = std::abs(static_cast<double>(halfToFloat(bits))) *
                                 (type == DType::Q4_0 ? 8 : 1);
                result.block(block * 32, c, 32, 1).array() += 2 * m;
            }
        }
        return result;
    }
};

Eigen::MatrixXf normal(std::int64_t rows, std::int64_t cols, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> distribution;
    return Eigen::MatrixXf::NullaryExpr(rows, cols, [&] { return distribution(random); });
}

struct Blocks {
    std::optional<PackedMatrix> packed;
    Eigen::MatrixXf exact;
    Eigen::MatrixXd magnitudes;
};

float randomHalf(std::mt19937& random, int exponent) {
    return halfToFloat(halfBits(exponent, random(), random() % 2 == 0));
}

// Codes of so many bits, the largest and the least among them.
Blocks codesOf(int bits, std::int64_t rows, std::int64_t cols, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::uint8_t> codes(static_cast<std::size_t>(rows * cols));
    for (std::uint8_t& code : codes) {
        code = static_cast<std::uint8_t>(random() % (1U << static_cast<unsigned>(bits)));
    }
    codes.front() = 0;
    codes.back() = static_cast<std::uint8_t>((1 << bits) - 1);
    Eigen::MatrixXf d(rows / 32, cols), m(rows / 32, cols);
    Blocks result;
    result.exact.resize(rows, cols);
    result.magnitudes.resize(rows, cols);
    const int middle = bits > 4 ? 128 : 0;  // codes are kept around it
    for (std::int64_t c = 0; c < cols; ++c) {
        for (std::int64_t i = 0; i < rows; ++i) {
            if (i % 32 == 0) {
                d(i / 32, c) = randomHalf(random, -9 + static_cast<int>(random() % 4));
                m(i / 32, c) = randomHalf(random, -7);
            }
            const double scale = d(i / 32, c), minimum = m(i / 32, c);
            const int code = codes[static_cast<std::size_t>(c * rows + i)];
            result.exact(i, c) = static_cast<float>(scale * code + minimum);
            result.magnitudes(i, c) =
                std::abs(scale * (code - middle)) + std::abs(minimum + scale * middle);
        }
    }
    result.packed =
        PackedMatrix::quantised(rows, cols, bits, [&](std::int64_t column, std::int64_t step) {
            return CodeBlock{d(step, column), m(step, column),
                             codes.data() + column * rows + 32 * step};
        });
    return result;
}

// bits: of codes that are no file's; else 0.
void addTypes() {
    QTest::addColumn<int>("type");
    QTest::addColumn<int>("bits");
    QTest::newRow("Q4_0") << static_cast<int>(DType::Q4_0) << 0;
    QTest::newRow("Q4_1") << static_cast<int>(DType::Q4_1) << 0;
    QTest::newRow("Q8_0") << static_cast<int>(DType::Q8_0) << 0;
    for (const int bits : {2, 3, 4, 5, 8}) {
        QTest::addRow("%d bits", bits) << static_cast<int>(DType::F32) << bits;
    }
}

Blocks blocksOf(int type, int bits, std::int64_t rows, std::int64_t cols, unsigned seed) {
    if (bits > 0) {
        return codesOf(bits, rows, cols, seed);
    }
    const FileColumns file(static_cast<DType>(type), rows, cols, seed);
    return {file.packed(), file.dequantized(), file.magnitudes()};
}

}  // namespace

class TestQuantisedLayers : public QObject {
    Q_OBJECT

  private slots:
    void blocksKeepTheirValues_data() { addTypes(); }

    void blocksKeepTheirValues() {
        QFETCH(int, type);
        QFETCH(int, bits);
        for (const auto& [rows, cols] : {std::pair(32, 1), {64, 16}, {96, 17}, {576, 130}}) {
            const auto [packed, exact, magnitudes] = blocksOf(type, bits, rows, cols, 1);
            QVERIFY(packed.has_value());
            QVERIFY(packed->isQuantised());
            QVERIFY(packed->unpacked() == exact);
            std::vector<float> column(static_cast<std::size_t>(rows));
            packed->unpackColumn(cols - 1, column.data());
            QVERIFY(Eigen::Map<Eigen::VectorXf>(column.data(), rows) == exact.col(cols - 1));
            for (const PackedInstructions instructions : packedInstructions()) {
                const PackedGroups groups = packed->groups();
                Eigen::MatrixXf transposed(groups.groups() * kPackedColumns, rows);
                unpack(instructions, groups, 0, groups.groups(), transposed.data());
                QVERIFY(Eigen::MatrixXf(transposed.topRows(cols).transpose()) == exact);
            }
        }
    }

    void productsMatchDouble_data() { addTypes(); }

    void productsMatchDouble() {
        QFETCH(int, type);
        QFETCH(int, bits);
        ThreadPool two(2);
        for (const auto& [rows, cols] : {std::pair(32, 1), {96, 17}, {576, 130}, {1536, 333}}) {
            const auto [packed, values, magnitudes] = blocksOf(type, bits, rows, cols, 2);
            QVERIFY(packed.has_value());
            for (const std::int64_t tokens : {1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 32, 33, 80}) {
                const Eigen::MatrixXf x = normal(rows, tokens, 3);
                const Eigen::MatrixXd exact = values.cast<double>().transpose() * x.cast<double>();
                const Eigen::MatrixXd bound =
                    4e-7 * std::sqrt(rows) * (magnitudes.transpose() * x.cast<double>().cwiseAbs());
                for (const PackedInstructions instructions : packedInstructions()) {
                    Eigen::MatrixXf y;
                    const PackedProduct one{&*packed, nullptr, &y};
                    multiplyTransposed(two, {&one, 1}, x, instructions);
                    QVERIFY2(((y.cast<double>() - exact).cwiseAbs().array() <= bound.array()).all(),
                             qPrintable(QString("%1, %2 rows, %3 tokens")
                                            .arg(name(instructions))
                                            .arg(rows)
                                            .arg(tokens)));
                }
            }
        }
    }

    // Beside weights of another kind and on any number of threads: as alone, to the bit.
    void besideOthers() {
        const FileColumns nibbles(DType::Q4_1, 192, 110, 4);
        const FileColumns bytes(DType::Q8_0, 192, 64, 5);
        const PackedMatrix a = *nibbles.packed();
        const PackedMatrix b = *bytes.packed();
        const PackedMatrix c = PackedMatrix::dense(
            normal(192, 48, 6).unaryExpr([](float v) { return roundedToBf16(v); }));
        const PackedMatrix d = *codesOf(8, 192, 80, 10).packed;
        for (const std::int64_t tokens : {1, 3, 9, 80}) {
            const Eigen::MatrixXf x = normal(192, tokens, 7);
            std::vector<Eigen::MatrixXf> alone;
            for (const PackedMatrix* one : {&a, &b, &c, &d}) {
                ThreadPool single(1);
                PackedProduct product{one, nullptr, &alone.emplace_back()};
                multiplyTransposed(single, {&product, 1}, x);
            }
            for (const int threads : {1, 2, 3, 8}) {
                ThreadPool pool(threads);
                Eigen::MatrixXf y[4];
                const PackedProduct products[] = {{&a, nullptr, &y[0]},
                                                  {&b, nullptr, &y[1]},
                                                  {&c, nullptr, &y[2]},
                                                  {&d, nullptr, &y[3]}};
                multiplyTransposed(pool, products, x);
                for (std::size_t i = 0; i < std::size(y); ++i) {
                    QVERIFY(y[i] == alone[i]);
                }
                Eigen::MatrixXf passed = Eigen::MatrixXf::Zero(a.cols(), tokens);
                const UseOfPart use = [&](std::int64_t row, std::int64_t column, const auto& part) {
                    passed.block(row, column, part.rows(), part.cols()) += part;
                };
                const PackedProduct inParts{&a, nullptr, nullptr, &use};
                multiplyTransposed(pool, {&inParts, 1}, x);
                QVERIFY(passed == alone[0]);
            }
        }
    }

    void bfloat16IsReadAsItLies() {
        for (const auto& [rows, cols] : {std::pair(1, 1), {33, 17}, {200, 64}}) {
            const Eigen::MatrixXf a =
                normal(rows, cols, 8).unaryExpr([](float v) { return roundedToBf16(v); });
            std::vector<std::uint16_t> stored;
            for (const float value : a.reshaped()) {
                stored.push_back(bf16FromFloat(value));
            }
            const auto column = [&, d1 = rows](std::int64_t c) {
                return reinterpret_cast<const std::byte*>(stored.data() + c * d1);
            };
            const auto packed = PackedMatrix::fromFile(DType::BF16, rows, cols, column);
            QVERIFY(packed.has_value());
            QVERIFY(!packed->isQuantised());
            QVERIFY(packed->unpacked() == a);
            stored.back() = 0x7f80;  // infinity
            QVERIFY(!PackedMatrix::fromFile(DType::BF16, rows, cols, column));
            stored.back() = 0xffc0;  // NaN
            QVERIFY(!PackedMatrix::fromFile(DType::BF16, rows, cols, column));
        }
    }

    void whatCannotBeHeld() {
        QVERIFY(!PackedMatrix::canHold(DType::Q4_1, 48));
        QVERIFY(!PackedMatrix::canHold(DType::Q4_K, 256));
        QVERIFY(!PackedMatrix::canHold(DType::F16, 64));
        for (const DType type : {DType::Q4_0, DType::Q4_1, DType::Q8_0}) {
            FileColumns file(type, 64, 20, 9);
            file.setHalf(39, 0, 0x7c00);  // infinity, in the last block
            QVERIFY(!file.packed());
        }
        FileColumns minimum(DType::Q4_1, 64, 20, 9);
        minimum.setHalf(39, 2, 0xfe00);  // NaN
        QVERIFY(!minimum.packed());
        FileColumns large(DType::Q4_0, 64, 20, 9);
        large.setHalf(39, 0, halfBits(13, 0, false));  // 8192: −8 d is beyond float16
        QVERIFY(!large.packed());
        // A code's scale that float16 does not have, and one that it has not exactly.
        const std::vector<std::uint8_t> codes(64);
        for (const float scale : {1e6F, 1.0001F}) {
            QVERIFY(!PackedMatrix::quantised(64, 1, 8, [&](std::int64_t, std::int64_t step) {
                return CodeBlock{step == 1 ? scale : 1, 0, codes.data()};
            }));
        }
        QVERIFY(!PackedMatrix::quantised(48, 1, 8, [&](std::int64_t, std::int64_t) {
            return CodeBlock{1, 0, codes.data()};
        }));
        // The least numbers, whose exponents are no normal ones.
        FileColumns small(DType::Q4_0, 64, 20, 9);
        for (std::int64_t block = 0; block < 40; ++block) {
            small.setHalf(block, 0, static_cast<std::uint16_t>(1 + 131 * block % 0x7ff));
        }
        QVERIFY(small.packed().has_value());
        QVERIFY(small.packed()->unpacked() == small.dequantized());
    }
};

COSPADI_TEST(TestQuantisedLayers)

}  // namespace tst_quantised_layers

#include "tst_quantised_layers.moc"
