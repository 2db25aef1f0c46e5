// Storage budgets against the figures that the paper prints.
#include <QtTest>
#include <cmath>

#include "core/base/error.h"
#include "core/dictionary/budget.h"
#include "tests/core/message_of.h"
#include "tests/registered_test.h"

namespace tst_budget {

using namespace cospadi;

namespace {

int bitsOfGroups(int kept, int group) {
    return sparseBudget(576, 1536, 0.2, 2, Accounting::Eq11, 0, 0, {kept, group}).coefficientBits;
}

}  // namespace

class TestBudget : public QObject {
    Q_OBJECT

  private slots:
    // Appendix "Detailed storage breakdown": down_proj of Qwen3-8B, CR 0.2, ρ 2.
    void paperExample_data() {
        QTest::addColumn<int>("accounting");
        QTest::addColumn<int>("k");
        QTest::addColumn<int>("s");
        QTest::addColumn<double>("dictionaryMiB");
        QTest::addColumn<double>("valuesMiB");
        QTest::addColumn<double>("maskMiB");
        QTest::newRow("eq 10") << 0 << 3657 << 1828 << 28.57 << 42.84 << 5.36;
        QTest::newRow("eq 11") << 1 << 3932 << 1966 << 30.72 << 40.32 << 5.76;
    }

    void paperExample() {
        QFETCH(int, accounting);
        QFETCH(int, k);
        QFETCH(int, s);
        QFETCH(double, dictionaryMiB);
        QFETCH(double, valuesMiB);
        QFETCH(double, maskMiB);
        const SparseBudget b = sparseBudget(4096, 12288, 0.2, 2,
                                            accounting == 0 ? Accounting::Eq10 : Accounting::Eq11);
        constexpr double kMiB = 1024.0 * 1024.0;
        QCOMPARE(b.k, k);
        QCOMPARE(b.s, s);
        QVERIFY(std::abs(b.dictionaryBytes() / kMiB - dictionaryMiB) < 0.01);
        QVERIFY(std::abs(b.valueBytes() / kMiB - valuesMiB) < 0.01);
        QVERIFY(std::abs(b.maskBytes() / kMiB - maskMiB) < 0.01);
    }

    // By the bytes that they are: as many atoms as fit, no more, whatever the bits; with 16 the
    // convention is that of eq 10.
    void packedFillsItsBytes_data() {
        QTest::addColumn<int>("bits");
        QTest::addColumn<bool>("byteAtoms");
        for (const int bits : {0, 8, 11, 16}) {
            QTest::addRow("%d", bits) << bits << false;
            QTest::addRow("%d, atoms of bytes", bits) << bits << true;
        }
    }

    void packedFillsItsBytes() {
        QFETCH(int, bits);
        QFETCH(bool, byteAtoms);
        const Accounting accounting = byteAtoms ? Accounting::Packed8 : Accounting::Packed;
        for (const double cr : {0.1, 0.2, 0.3, 0.4, 0.6}) {
            for (const double rho : {1.25, 2.0, 5.0}) {
                const SparseBudget b = sparseBudget(576, 1536, cr, rho, accounting, bits);
                const int implied = byteAtoms ? (cr < 0.3    ? 10
                                                 : cr < 0.45 ? 9
                                                             : 8)
                                              : (cr < 0.25 ? 9 : 8);
                const int expected = bits > 0 ? bits : implied;
                QCOMPARE(b.coefficientBits, expected);
                QCOMPARE(b.s, static_cast<std::int64_t>(static_cast<double>(b.k) / rho));
                const double room = (1 - cr) * b.denseBytes();
                // dictionary, values and mask of one atom
                const double entries = byteAtoms ? 576 + 1 : 2 * 576;  // with its exponent
                const double atom = entries + 1536 / rho * expected / 8 + 1536 / 8.0;
                const double column = 1536 * expected / 8.0;  // s is rounded down
                QVERIFY(b.totalBytes() <= room);
                QVERIFY(b.totalBytes() > room - atom - column);
                if (bits == 16 && !byteAtoms) {
                    QCOMPARE(b.k, sparseBudget(576, 1536, cr, rho, Accounting::Eq10).k);
                }
            }
        }
        QCOMPARE(accountingFromName(name(accounting)), accounting);
        QCOMPARE(std::string(name(accounting)), std::string(byteAtoms ? "packed8" : "packed"));
    }

    // Table "Memory footprint breakdown": whole models, MB as printed (MiB, rounded).
    void paperTable_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<double>("cr");
        QTest::addColumn<int>("accounting");
        QTest::addColumn<int>("dictionary");
        QTest::addColumn<int>("values");
        QTest::addColumn<int>("mask");
        QTest::newRow("llama 20 eq10") << "llama" << 0.2 << 0 << 990 << 438 << 54;
        QTest::newRow("llama 20 eq11") << "llama" << 0.2 << 1 << 1018 << 408 << 58;
        QTest::newRow("llama 30 eq10") << "llama" << 0.3 << 0 << 866 << 383 << 47;
        QTest::newRow("llama 30 eq11") << "llama" << 0.3 << 1 << 890 << 357 << 51;
        QTest::newRow("llama 40 eq10") << "llama" << 0.4 << 0 << 743 << 329 << 41;
        QTest::newRow("llama 40 eq11") << "llama" << 0.4 << 1 << 763 << 306 << 43;
        QTest::newRow("qwen 20 eq10") << "qwen" << 0.2 << 0 << 7005 << 3192 << 399;
        QTest::newRow("qwen 20 eq11") << "qwen" << 0.2 << 1 << 7226 << 2948 << 421;
        QTest::newRow("qwen 30 eq10") << "qwen" << 0.3 << 0 << 6129 << 2793 << 349;
        QTest::newRow("qwen 30 eq11") << "qwen" << 0.3 << 1 << 6322 << 2579 << 368;
        QTest::newRow("qwen 40 eq10") << "qwen" << 0.4 << 0 << 5253 << 2393 << 299;
        QTest::newRow("qwen 40 eq11") << "qwen" << 0.4 << 1 << 5419 << 2211 << 315;
    }

    void paperTable() {
        QFETCH(QString, model);
        QFETCH(double, cr);
        QFETCH(int, accounting);
        QFETCH(int, dictionary);
        QFETCH(int, values);
        QFETCH(int, mask);
        using Shape = std::pair<int, int>;
        // q, k, v, o, gate, up, down. The paper counts its table on weights as PyTorch stores them,
        // (out, in); with (in, out) only the totals agree.
        const std::vector<Shape> shapes =
            model == "llama"
                ? std::vector<Shape>{{2048, 2048}, {512, 2048},  {512, 2048}, {2048, 2048},
                                     {8192, 2048}, {8192, 2048}, {2048, 8192}}
                : std::vector<Shape>{{4096, 4096},  {1024, 4096},  {1024, 4096}, {4096, 4096},
                                     {12288, 4096}, {12288, 4096}, {4096, 12288}};
        const int blocks = model == "llama" ? 16 : 36;
        double sums[3] = {0, 0, 0};
        for (const auto& [d1, d2] : shapes) {
            const SparseBudget b =
                sparseBudget(d1, d2, cr, 2, accounting == 0 ? Accounting::Eq10 : Accounting::Eq11);
            sums[0] += blocks * b.dictionaryBytes();
            sums[1] += blocks * b.valueBytes();
            sums[2] += blocks * b.maskBytes();
        }
        constexpr double kMiB = 1024.0 * 1024.0;
        // "To the last MB": one unit of the printed figure covers rounding up or down there.
        QVERIFY2(std::abs(sums[0] / kMiB - dictionary) <= 1,
                 qPrintable(QString::number(sums[0] / kMiB)));
        QVERIFY2(std::abs(sums[1] / kMiB - values) <= 1,
                 qPrintable(QString::number(sums[1] / kMiB)));
        QVERIFY2(std::abs(sums[2] / kMiB - mask) <= 1, qPrintable(QString::number(sums[2] / kMiB)));
    }

    // Bits by hand: a column of the left factor and its row of the right one cost 16 d1 + 16 d2,
    // packed 16 d1 + b d2, packed8 8 (d1 + 1) + b d2, remapped 16 max(d1, d2) and two scales of 16.
    // As many as fit into (1 − CR) 16 d1 d2, but no more than the matrix has dimensions.
    void lowRankFillsItsBytes_data() {
        QTest::addColumn<int>("d1");
        QTest::addColumn<int>("d2");
        for (const auto& [d1, d2] : {std::pair{576, 1536}, {1536, 576}, {101, 37}, {64, 4096}}) {
            QTest::addRow("%d x %d", d1, d2) << d1 << d2;
        }
    }

    void lowRankFillsItsBytes() {
        QFETCH(int, d1);
        QFETCH(int, d2);
        for (const double cr : {0.1, 0.2, 0.25, 0.3, 0.4, 0.45, 0.6}) {
            const auto check = [&](Accounting accounting, int asked, int left, int right) {
                const LowRankBudget b = lowRankBudget(d1, d2, cr, accounting, asked);
                QCOMPARE(b.leftBits, left);
                QCOMPARE(b.rightBits, right);
                const std::int64_t bits = accounting == Accounting::Remapped
                                              ? 16 * std::max(d1, d2) + 32
                                              : left * (d1 + (left == 8 ? 1 : 0)) + right * d2;
                const double room = (1 - cr) * 16 * d1 * d2 * (1 + 1e-9);
                QCOMPARE(b.totalBytes(), static_cast<double>(b.rank * bits) / 8);
                QCOMPARE(b.totalBytes(), b.leftBytes() + b.rightBytes());
                QVERIFY(static_cast<double>(b.rank * bits) <= room);
                QVERIFY(b.rank == std::min(d1, d2) ||
                        static_cast<double>((b.rank + 1) * bits) > room);
                QVERIFY(b.rank <= std::min(d1, d2));
            };
            for (const int asked : {0, 9, 16}) {  // bf16 factors, whatever is asked
                check(Accounting::Eq10, asked, 16, 16);
                check(Accounting::Eq11, asked, 16, 16);
            }
            check(Accounting::Packed, 0, 16, cr < 0.25 ? 9 : 8);
            check(Accounting::Packed, 12, 16, 12);
            check(Accounting::Packed8, 0, 8, cr < 0.3 ? 10 : cr < 0.45 ? 9 : 8);
            check(Accounting::Packed8, 8, 8, 8);
            check(Accounting::Remapped, 0, d1 < d2 ? 8 : 16, d2 < d1 ? 8 : 16);
            check(Accounting::Remapped, 12, d1 < d2 ? 8 : 16, d2 < d1 ? 8 : 16);
        }
    }

    // d columns of two bytes an entry; and no dictionary is remapped.
    void remappedIsOfLowRankAlone() {
        const LowRankBudget square = lowRankBudget(100, 100, 0.49, Accounting::Remapped);
        QCOMPARE(square.rank, std::int64_t{50});
        QCOMPARE(square.leftBits, 8);
        QCOMPARE(square.rightBits, 8);
        QCOMPARE(square.leftBytes(), 50.0 * 102);
        QCOMPARE(square.rightBytes(), square.leftBytes());
        const LowRankBudget wide = lowRankBudget(100, 198, 0.5, Accounting::Remapped);
        QCOMPARE(wide.rank, std::int64_t{49});
        QCOMPARE(wide.leftBytes(), 49.0 * 102);
        QCOMPARE(wide.rightBytes(), 49.0 * (102 + 2 * 98));
        try {
            static_cast<void>(sparseBudget(100, 198, 0.5, 2, Accounting::Remapped));
            QFAIL("was accepted");
        } catch (const Error& error) {
            QCOMPARE(QString::fromStdString(error.where()), QString("accounting"));
        }
    }

    // Eq 11 takes ⌈⌈log2 C(M, N)⌉/N⌉ whole bits of a coefficient for a group's choice. By hand: of
    // 3:14 there are 364 choices, nine bits for three coefficients.
    void groupsTakeWholeBits() {
        QCOMPARE(bitsOfGroups(3, 14), 13);
        for (int group = 2; group <= 16; ++group) {
            std::int64_t choices = 1;
            for (int kept = 1; kept < group; ++kept) {
                choices = choices * (group - kept + 1) / kept;
                int bits = 0;
                while ((std::int64_t{1} << bits) < choices) {
                    ++bits;
                }
                if (group <= 8 * kept) {
                    const int each = bits / kept + (bits % kept > 0 ? 1 : 0);
                    QVERIFY2(bitsOfGroups(kept, group) == 16 - each,
                             qPrintable(QString("%1:%2").arg(kept).arg(group)));
                }
            }
        }
    }

    // Neither convention may store more than was asked for, and one more atom would.
    void spendsTheBudget() {
        for (const double cr : {0.1, 0.2, 0.5}) {
            for (const double rho : {1.0, 1.5, 2.0, 4.0}) {
                SparseBudget b = sparseBudget(576, 1536, cr, rho, Accounting::Eq10);
                QVERIFY(b.ratio() >= cr);
                const LowRankBudget r = lowRankBudget(576, 1536, cr, Accounting::Eq10);
                QVERIFY(r.ratio() >= cr);
                QVERIFY(r.totalBytes() + 2.0 * (576 + 1536) > (1 - cr) * r.denseBytes());
            }
        }
    }

    void prunedKeepsWhatPaysForItsMask_data() {
        QTest::addColumn<int>("d1");
        QTest::addColumn<int>("d2");
        QTest::addColumn<double>("cr");
        QTest::addColumn<int>("kept");
        QTest::newRow("SmolLM2 ffn_up") << 576 << 1536 << 0.2 << 652'492;   // 707,788.8 − 55,296
        QTest::newRow("an odd mask") << 72 << 37 << 0.5 << 1165;            // 1332 − 333/2
        QTest::newRow("a mask that ends in a byte") << 3 << 3 << 0.1 << 7;  // 8.1 − 2/2
        QTest::newRow("one weight") << 4 << 4 << 0.875 << 1;                // 2 − 2/2
    }

    // n = ⌊(1−γ) d1 d2 − ½ ⌈d1 d2/8⌉⌋, in words of 16 bits.
    void prunedKeepsWhatPaysForItsMask() {
        QFETCH(int, d1);
        QFETCH(int, d2);
        QFETCH(double, cr);
        QTEST(static_cast<int>(prunedBudget(d1, d2, cr)), "kept");
    }

    void prunedRefuses() {
        const auto refusedField = [](int d1, int d2, double cr) {
            return whereOf([&] { static_cast<void>(prunedBudget(d1, d2, cr)); });
        };
        QCOMPARE(refusedField(4, 4, 0.9), std::string("cr"));  // 1.6 − 1 is no weight
        for (const double cr : {0.0, 1.0, -0.1, std::nan("")}) {
            QCOMPARE(refusedField(64, 64, cr), std::string("cr"));
        }
        QCOMPARE(refusedField(0, 64, 0.5), std::string("shape"));
        QCOMPARE(refusedField(64, -64, 0.5), std::string("shape"));
    }

    void refuses_data() {
        QTest::addColumn<double>("cr");
        QTest::addColumn<double>("rho");
        QTest::addColumn<QString>("field");
        QTest::newRow("CR 0") << 0.0 << 2.0 << "cr";
        QTest::newRow("CR 1") << 1.0 << 2.0 << "cr";
        QTest::newRow("CR NaN") << std::nan("") << 2.0 << "cr";
        QTest::newRow("rho below 1") << 0.2 << 0.9 << "rho";
        QTest::newRow("no room") << 0.9 << 2.0 << "cr";
    }

    void refuses() {
        QFETCH(double, cr);
        QFETCH(double, rho);
        QFETCH(QString, field);
        try {
            static_cast<void>(sparseBudget(4, 4, cr, rho, Accounting::Eq10));
            QFAIL("was accepted");
        } catch (const Error& error) {
            QCOMPARE(QString::fromStdString(error.where()), field);
            QVERIFY(!error.hint().empty());
        }
    }
};

COSPADI_TEST(TestBudget)

}  // namespace tst_budget

#include "tst_budget.moc"
