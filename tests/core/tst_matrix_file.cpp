// Files of compressed matrices: every bit comes back, they take the bytes that they are said to
// take, and a damaged one is named.
#include <QtTest>
#include <filesystem>

#include "core/base/bfloat16.h"
#include "core/base/error.h"
#include "core/forms/low_rank/low_rank_weight.h"
#include "core/forms/matrix_file.h"
#include "core/forms/matrix_tensors.h"
#include "core/forms/remapped/remapped_weight.h"
#include "core/forms/sparse_dictionary/sparsity_pattern.h"
#include "core/tensors/atomic_file.h"
#include "core/tensors/safetensors_writer.h"
#include "own_folder.h"
#include "tests/core/low_rank_factors.h"
#include "tests/core/tensor_bytes.h"
#include "tests/registered_test.h"

namespace tst_matrix_file {

using namespace cospadi;
namespace fs = std::filesystem;

namespace {

StoredWeightPtr randomFactors(int bits, DictionarySide side = DictionarySide::Input,
                              CoefficientFormat format = CoefficientFormat::ShortMantissa,
                              int dictionaryBits = 16) {
    std::srand(5);
    SparseDictionaryFactors f;
    f.dictionary =
        Eigen::MatrixXf::Random(20, 13).unaryExpr([](float v) { return roundedToBf16(v, 16); });
    f.codes = Eigen::MatrixXf::Random(13, 31).unaryExpr(
        [](float v) { return std::abs(v) > 0.2F ? v : 0.0F; });
    f.s = 13;
    f.coefficientBits = bits;
    f.coefficientFormat = format;
    f.side = side;
    f.dictionaryBits = dictionaryBits;
    if (dictionaryBits == 8) {
        f.dictionary.col(3) *= 1e-9F;
        f.dictionary.col(4).setZero();
        roundAtomsToBytes(f.dictionary);
    }
    roundCodes(f);
    return storedWeight(std::move(f));
}

// Of what randomFactors() makes.
MatrixRecord smallRecord() {
    MatrixRecord record;
    record.name = "blk.3.ffn_up";
    record.kind = "ffn_up";
    record.block = 3;
    record.d1 = 20;
    record.d2 = 31;
    record.k = record.s = 13;
    return record;
}

LowRankFactors randomLowRank(int leftBits, int rightBits, CoefficientFormat format) {
    std::srand(6);
    LowRankFactors f;
    f.leftBits = leftBits;
    f.rightBits = rightBits;
    f.rightFormat = format;
    f.left = Eigen::MatrixXf::Random(20, 13).unaryExpr([](float v) { return roundedToBf16(v); });
    f.right = Eigen::MatrixXf::Random(13, 31);
    f.right.row(2) *= 300;
    f.right.row(5).setZero();
    if (leftBits == 8) {
        f.left.col(4).setZero();
        roundAtomsToBytes(f.left);
    }
    roundCodes(f);
    return f;
}

// Of what randomLowRank() makes.
MatrixRecord lowRankRecord() {
    MatrixRecord record = smallRecord();
    record.k = record.s = 0;
    record.rank = 13;
    return record;
}

}  // namespace

class TestMatrixFile : public QObject, OwnFolder {
    Q_OBJECT

  private slots:
    void initTestCase() { QVERIFY(m_folder.isValid()); }

    void matrixFilesKeepEveryBit_data() {
        QTest::addColumn<int>("bits");
        QTest::addColumn<bool>("outputSide");
        QTest::addColumn<bool>("shortExponent");
        QTest::addColumn<int>("dictionaryBits");
        for (const bool shortExponent : {false, true}) {
            const char* format = shortExponent ? "short exponent" : "short mantissa";
            QTest::addRow("bf16, %s", format) << 16 << false << shortExponent << 16;
            QTest::addRow("14 bits, %s", format) << 14 << false << shortExponent << 16;
            QTest::addRow("11 bits, %s", format) << 11 << false << shortExponent << 16;
            QTest::addRow("8 bits, %s", format) << 8 << false << shortExponent << 16;
            QTest::addRow("14 bits, output side, %s", format) << 14 << true << shortExponent << 16;
        }
        QTest::newRow("10 bits, atoms of bytes") << 10 << false << true << 8;
        QTest::newRow("bf16, atoms of bytes, output side") << 16 << true << false << 8;
    }

    void matrixFilesKeepEveryBit() {
        QFETCH(int, bits);
        QFETCH(bool, outputSide);
        QFETCH(bool, shortExponent);
        QFETCH(int, dictionaryBits);
        const StoredWeightPtr factors = randomFactors(
            bits, outputSide ? DictionarySide::Output : DictionarySide::Input,
            shortExponent ? CoefficientFormat::ShortExponent : CoefficientFormat::ShortMantissa,
            dictionaryBits);
        MatrixRecord record = smallRecord();
        if (outputSide) {
            std::swap(record.d1, record.d2);
        }
        const fs::path path = place("matrix.safetensors");
        writeMatrixFile(path, *factors, record);
        QCOMPARE(record.bytes, static_cast<std::int64_t>(fs::file_size(path)));
        const StoredMatrix read = readMatrixFile(path);
        const auto& a = *sparseFactors(factors);
        const auto& b = *sparseFactors(read.weight);
        QCOMPARE(a.dictionary, b.dictionary);
        QCOMPARE(a.codes, b.codes);
        QCOMPARE(read.record.name, record.name);
        QCOMPARE(read.record.block, 3);
        QVERIFY(b.side == a.side);
        QCOMPARE(read.weight->recomposed().rows(), record.d1);
        QCOMPARE(read.weight->recomposed(), factors->recomposed());
        const auto layer = read.weight->makeLayer(record.bytes);
        QCOMPARE(layer->denseWeight(), factors->recomposed());
        const SparsityPattern pattern = readSparsityPattern(path);
        for (int j = 0; j < 31; ++j) {
            for (int i = 0; i < 13; ++i) {
                QCOMPARE(pattern.entries[static_cast<std::size_t>(j * 13 + i)] != 0,
                         a.codes(i, j) != 0);
            }
        }
    }

    // The tensors take the bytes of the budget: 16 or 8 bits an entry of B with a byte of exponent
    // a column, and b bits an entry of C, to a whole byte.
    void lowRankFilesKeepEveryBit_data() {
        QTest::addColumn<int>("leftBits");
        QTest::addColumn<int>("rightBits");
        QTest::addColumn<bool>("shortExponent");
        for (const int left : {16, 8}) {
            for (const int right : {16, 13, 10, 9, 8}) {
                QTest::addRow("%d and %d bits", left, right) << left << right << true;
            }
            QTest::addRow("%d and 11 bits, short mantissa", left) << left << 11 << false;
        }
    }

    void lowRankFilesKeepEveryBit() {
        QFETCH(int, leftBits);
        QFETCH(int, rightBits);
        QFETCH(bool, shortExponent);
        const LowRankFactors factors = randomLowRank(
            leftBits, rightBits,
            shortExponent ? CoefficientFormat::ShortExponent : CoefficientFormat::ShortMantissa);
        MatrixRecord record = lowRankRecord();
        const fs::path path = place("low-rank.safetensors");
        const StoredWeightPtr weight = storedWeight(factors);
        writeMatrixFile(path, *weight, record);
        QCOMPARE(record.bytes, static_cast<std::int64_t>(fs::file_size(path)));
        const StoredMatrix read = readMatrixFile(path);
        const auto& back = *lowRankFactors(read.weight);
        QCOMPARE(back.left, factors.left);
        QCOMPARE(back.right, factors.right);
        QCOMPARE(back.leftBits, leftBits);
        QCOMPARE(back.rightBits, rightBits);
        QVERIFY(rightBits == 16 || back.rightFormat == factors.rightFormat);
        QVERIFY(weight->equals(*read.weight));
        QCOMPARE(read.weight->makeLayer(record.bytes)->denseWeight(), recompose(factors));
        const std::size_t bytes = testing::tensorBytes(path);
        const int left = leftBits == 16 ? 20 * 13 * 2 : (20 + 1) * 13;
        QCOMPARE(static_cast<int>(bytes), left + (13 * 31 * rightBits + 7) / 8);
    }

    void damagedMatrixFilesAreNamed_data() {
        QTest::addColumn<bool>("lowRank");
        QTest::newRow("sparse") << false;
        QTest::newRow("low rank") << true;
    }

    // Cut short, or with sizes in its head that its tensors or no layer has.
    void damagedMatrixFilesAreNamed() {
        QFETCH(bool, lowRank);
        const fs::path path = place("damaged.safetensors");
        MatrixRecord record = lowRank ? lowRankRecord() : smallRecord();
        const StoredWeightPtr factors =
            lowRank ? storedWeight(randomLowRank(8, 9, CoefficientFormat::ShortExponent))
                    : randomFactors(14);
        if (lowRank) {
            record.d2 = 32;
            writeMatrixFile(path, *factors, record);
            QVERIFY_THROWS_EXCEPTION(Error, static_cast<void>(readMatrixFile(path)));
            record.d2 = 31;
        }
        writeMatrixFile(path, *factors, record);
        fs::resize_file(path, fs::file_size(path) - 5);
        try {
            static_cast<void>(readMatrixFile(path));
            QFAIL("was accepted");
        } catch (const Error& error) {
            QVERIFY(QString::fromStdString(error.what()).contains("damaged.safetensors"));
        }
        record.s = -1;
        MatrixTensors tensors(record.name);
        factors->write(tensors);
        std::map<std::string, std::string> metadata = tensors.metadata();
        metadata["form"] = factors->form();
        metadata["result"] = toJson(record).dump();
        writeSafetensors(path, tensors.tensors(), metadata);
        QVERIFY_THROWS_EXCEPTION(Error, static_cast<void>(readMatrixFile(path)));
    }

    // Products would divide by their size.
    void factorsWithoutColumnsAreRefused() {
        LowRankFactors lowRank;
        lowRank.left.resize(20, 0);
        lowRank.right.resize(0, 31);
        SparseDictionaryFactors sparse;
        sparse.dictionary.resize(20, 0);
        sparse.codes.resize(0, 31);
        const StoredWeightPtr weights[] = {
            storedWeight(std::move(lowRank)), storedWeight(std::move(sparse)),
            std::make_shared<const RemappedWeight>(remapped(Eigen::MatrixXf(20, 0), 20),
                                                   remapped(Eigen::MatrixXf(31, 0), 20))};
        const fs::path path = place("no-columns.safetensors");
        for (const StoredWeightPtr& weight : weights) {
            MatrixRecord record = smallRecord();
            writeMatrixFile(path, *weight, record);
            QVERIFY_THROWS_EXCEPTION(Error, static_cast<void>(readMatrixFile(path)));
        }
    }

    // As data managers leave them in place of large files; the way to the file itself depends on
    // the folder.
    void symbolicLinksAreFollowed() {
        const fs::path folder = place("linked");
        fs::create_directories(folder / "matrices");
        fs::create_directories(folder / "out/model");
        MatrixRecord record = smallRecord();
        writeMatrixFile(folder / "stored.safetensors", *randomFactors(14), record);
        const fs::path link = folder / "matrices/blk.3.ffn_up.safetensors";
        fs::create_symlink("../stored.safetensors", link);
        const fs::path copy = folder / "out/model" / link.filename();
        linkOrCopy(link, copy);
        QVERIFY(fs::is_regular_file(fs::symlink_status(copy)));
        QVERIFY(readMatrixFile(copy).weight->equals(*randomFactors(14)));
        fs::remove(folder / "stored.safetensors");
        QVERIFY_THROWS_EXCEPTION(Error, linkOrCopy(link, copy));
        QVERIFY(fs::exists(copy));  // what stood there still does
    }
};

COSPADI_TEST(TestMatrixFile)

}  // namespace tst_matrix_file

#include "tst_matrix_file.moc"
