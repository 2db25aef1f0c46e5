// Codes with N of every M atoms: choices and their numbers against all subsets, bytes against
// arithmetic of their own, supports against the pattern, and files that give every bit back.
#include <QtTest>
#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/base/error.h"
#include "core/dictionary/budget.h"
#include "core/dictionary/solver_steps.h"
#include "core/forms/matrix_file.h"
#include "core/forms/sparse_dictionary/sparsity_pattern.h"
#include "core/linalg/cpu_backend.h"
#include "core/methods/compress_matrix.h"
#include "core/methods/cospadi/cospadi_method.h"
#include "core/methods/sparse_dictionary/sparse_method.h"
#include "core/store/idle_settings.h"
#include "core/store/run_specification.h"
#include "own_folder.h"
#include "tests/core/forged_files.h"
#include "tests/core/message_of.h"
#include "tests/core/pruned_layers.h"
#include "tests/core/tensor_bytes.h"
#include "tests/registered_test.h"

namespace tst_code_pattern {

using namespace cospadi;
using Eigen::MatrixXd;
using Eigen::MatrixXf;
using pruned_layers::correlatedGram;
using sample::randomMatrix;
namespace fs = std::filesystem;

namespace {

MatrixOptions optionsOf(const std::string& pattern, Accounting accounting = Accounting::Eq11) {
    MatrixOptions options;
    options.cr = 0.3;
    options.accounting = accounting;
    setOwnOption(options, "code_pattern", pattern);
    return options;
}

// Of every column and group of M rows, how many entries are not zero, at most.
Eigen::Index mostOfAGroup(const MatrixXf& codes, Eigen::Index group) {
    Eigen::Index most = 0;
    for (Eigen::Index j = 0; j < codes.cols(); ++j) {
        for (Eigen::Index i = 0; i < codes.rows(); i += group) {
            most = std::max(most, (codes.col(j).segment(i, group).array() != 0).count());
        }
    }
    return most;
}

}  // namespace

class TestCodePattern : public QObject, OwnFolder {
    Q_OBJECT
    CpuBackend m_backend{1};

    CompressedMatrix compressed(const MatrixXf& w, const MatrixOptions& options) {
        const Whitening whitening(correlatedGram(static_cast<int>(w.rows()), 4), "layer");
        return compressMatrix(m_backend, w, &whitening, options);
    }

  private slots:
    void initTestCase() { QVERIFY(m_folder.isValid()); }

    void choicesAreNumberedOneByOne_data() {
        QTest::addColumn<int>("kept");
        QTest::addColumn<int>("group");
        QTest::addColumn<int>("bits");  // ⌈log2 C(M, N)⌉ by hand
        QTest::addRow("1:2") << 1 << 2 << 1;
        QTest::addRow("2:4, 6 choices") << 2 << 4 << 3;
        QTest::addRow("1:4, 4 choices") << 1 << 4 << 2;
        QTest::addRow("4:8, 70 choices") << 4 << 8 << 7;
        QTest::addRow("3:7, 35 choices") << 3 << 7 << 6;
        QTest::addRow("8:16, 12870 choices") << 8 << 16 << 14;
    }
    void choicesAreNumberedOneByOne() {
        QFETCH(int, kept);
        QFETCH(int, group);
        const NmPattern pattern{kept, group};
        QTEST(pattern.choiceBits(), "bits");
        std::uint32_t number = 0;
        for (std::uint32_t places = 0; places < 1U << static_cast<unsigned>(group); ++places) {
            if (std::popcount(places) != kept) {
                continue;
            }
            QCOMPARE(choiceNumber(places), number);  // in the order of their bits as numbers
            QCOMPARE(placesOfChoice(number, pattern), places);
            ++number;
        }
        QCOMPARE(choices(pattern), number);
    }

    // A coefficient and its part of the choices take at most 16 bits under eq 11; under the others
    // bytes are those that the ratio leaves, short of less than a group of atoms.
    void bytesAreWithinTheRatio_data() {
        QTest::addColumn<int>("kept");
        QTest::addColumn<int>("group");
        for (const auto& [kept, group] :
             {std::pair(2, 4), {4, 8}, {1, 4}, {3, 7}, {3, 14}, {1, 8}}) {
            QTest::addRow("%d:%d", kept, group) << kept << group;
        }
    }
    void bytesAreWithinTheRatio() {
        QFETCH(int, kept);
        QFETCH(int, group);
        const NmPattern pattern{kept, group};
        const double choiceBits = std::ceil(std::log2(choices(pattern)));
        for (const Accounting accounting :
             {Accounting::Eq10, Accounting::Eq11, Accounting::Packed, Accounting::Packed8}) {
            for (const double cr : {0.2, 0.5}) {
                const SparseBudget b = sparseBudget(576, 1536, cr, 2, accounting, 0, 0, pattern);
                QCOMPARE(b.k % group, 0);
                QCOMPARE(b.s, b.k / group * kept);
                const auto k = static_cast<double>(b.k);
                const auto s = static_cast<double>(b.s);
                const double atom = b.dictionaryBits == 8 ? 577.0 : 2 * 576.0;
                const double mask = 1536 * k / group * choiceBits / 8;
                QCOMPARE(b.maskBytes(), mask);
                const double bytes = k * atom + 1536 * s * b.coefficientBits / 8 + mask;
                QCOMPARE(b.totalBytes(), bytes);
                const double allowed = (1 - cr) * 2 * 576 * 1536;
                QVERIFY2(bytes <= allowed, name(accounting));
                if (accounting == Accounting::Eq11) {
                    QVERIFY(b.coefficientBits + choiceBits / kept <= 16);
                    QVERIFY(b.coefficientBits + choiceBits / kept > 15);
                } else {
                    QVERIFY2(bytes + group * bytes / k > allowed, name(accounting));
                }
            }
        }
    }

    // Of every group the largest stay, as sorting finds them.
    void thresholdTakesTheLargestOfEveryGroup() {
        const MatrixXf r = randomMatrix(24, 9, 5);
        Matrix codes = m_backend.zeros(24, 9);
        solver::threshold(m_backend, m_backend.upload(r), 1, {12, {3, 6}}, codes);
        const MatrixXf kept = m_backend.download(codes);
        for (Eigen::Index j = 0; j < 9; ++j) {
            for (Eigen::Index i = 0; i < 24; i += 6) {
                std::vector<float> sizes;
                for (Eigen::Index m = i; m < i + 6; ++m) {
                    sizes.push_back(std::abs(r(m, j)));
                }
                std::sort(sizes.begin(), sizes.end(), std::greater<>());
                for (Eigen::Index m = i; m < i + 6; ++m) {
                    QCOMPARE(kept(m, j), std::abs(r(m, j)) >= sizes[2] ? r(m, j) : 0.0F);
                }
            }
        }
    }

    // W = D S with codes of that pattern over orthonormal atoms that the solver does not begin
    // with in their order: what is stored keeps to the pattern, and the error is that of its bytes.
    void codesKeepToThePattern_data() {
        QTest::addColumn<QByteArray>("pattern");
        QTest::addColumn<QByteArray>("side");
        QTest::addColumn<int>("d2");
        for (const char* pattern : {"2:4", "4:8", "1:4"}) {
            QTest::addRow("%s, input", pattern)
                << QByteArray(pattern) << QByteArray("input") << 160;
            QTest::addRow("%s, output", pattern)
                << QByteArray(pattern) << QByteArray("output") << 56;
            QTest::addRow("%s, more atoms than inputs", pattern)
                << QByteArray(pattern) << QByteArray("input") << 500;
        }
    }
    void codesKeepToThePattern() {
        QFETCH(QByteArray, pattern);
        QFETCH(QByteArray, side);
        QFETCH(int, d2);
        MatrixOptions options = optionsOf(pattern.toStdString(), Accounting::Packed);
        options.side = dictionarySideFromName(side.toStdString());
        const MatrixXf w = randomMatrix(96, d2, 3);
        const CompressedMatrix result = compressed(w, options);
        const SparseDictionaryFactors& factors = *sparseFactors(result.weight);
        const auto [kept, group] = pruned_layers::groupsOf(pattern);
        QCOMPARE(factors.dictionary.cols() % group, 0);
        QVERIFY(mostOfAGroup(factors.codes, group) <= kept);
        QVERIFY(mostOfAGroup(factors.codes, group) == kept);  // and uses what it may

        const MatrixXd gram = correlatedGram(96, 4);
        const MatrixXd left = w.cast<double>() - recompose(factors).cast<double>();
        const double error =
            std::sqrt((left.transpose() * gram * left).trace() /
                      (w.cast<double>().transpose() * gram * w.cast<double>()).trace());
        QVERIFY(std::abs(result.relativeError - error) < 1e-4 * error);
        QVERIFY(error < 1);
    }

    // Files hold the pattern's choices and values alone, and give every bit back.
    void filesGiveThemBack_data() {
        QTest::addColumn<QByteArray>("pattern");
        for (const char* pattern : {"2:4", "4:8", "1:4", "3:7"}) {
            QTest::addRow("%s", pattern) << QByteArray(pattern);
        }
    }
    void filesGiveThemBack() {
        QFETCH(QByteArray, pattern);
        const MatrixXf w = randomMatrix(96, 130, 6);
        const MatrixOptions options = optionsOf(pattern.toStdString());
        const CompressedMatrix result = compressed(w, options);
        SparseDictionaryFactors factors = *sparseFactors(result.weight);
        factors.codes.col(3).head(8).setZero();  // groups with fewer values than they may have
        const StoredWeightPtr weight = storedWeight(factors);
        const fs::path path = place("codes.safetensors");
        MatrixRecord record;
        record.name = "blk.0.attn_q";
        record.kind = "attn_q";
        record.d1 = 96;
        record.d2 = 130;
        record.k = factors.dictionary.cols();
        record.s = factors.s;
        writeMatrixFile(path, *weight, record);
        const StoredMatrix read = readMatrixFile(path);
        QVERIFY(read.weight->equals(*weight));
        QCOMPARE(sparseFactors(read.weight)->pattern.name(), pattern.toStdString());
        QVERIFY(read.weight->recomposed() == weight->recomposed());
        QCOMPARE(read.record.facts.at("code_pattern").get<std::string>(), pattern.toStdString());
        const StoragePlan plan = options.method->plan(options, 96, 130);
        QCOMPARE(plan.facts.at("code_pattern").get<std::string>(), pattern.toStdString());
        // Streams end at a whole byte each.
        QVERIFY(std::abs(static_cast<double>(testing::tensorBytes(path)) - plan.bytes()) < 2);

        const SparsityPattern shown = readSparsityPattern(path);
        for (Eigen::Index i = 0; i < factors.codes.size(); ++i) {
            if (factors.codes.data()[i] != 0) {
                QCOMPARE(int(shown.entries[static_cast<std::size_t>(i)]), 1);
            }
        }
        const auto places = std::count(shown.entries.begin(), shown.entries.end(), 1);
        QCOMPARE(static_cast<std::int64_t>(places), factors.s * 130);
    }

    void forgedFilesAreRefused() {
        const CompressedMatrix result = compressed(randomMatrix(96, 64, 6), optionsOf("3:8"));
        const fs::path path = place("whole.safetensors");
        MatrixRecord record;
        record.name = "blk.0.attn_q";
        record.kind = "attn_q";
        record.d1 = 96;
        record.d2 = 64;
        record.k = sparseFactors(result.weight)->dictionary.cols();
        record.s = sparseFactors(result.weight)->s;
        writeMatrixFile(path, *result.weight, record);
        static_cast<void>(readMatrixFile(path));
        for (const auto& [from, to] :
             {std::pair<std::string, std::string>{"\"kept\":\"3\"", "\"kept\":\"9\""},
              {"\"kept\":\"3\"", "\"kept\":\"2\""},
              {"\"kept\":\"3\"", "\"kept\":\"0\""},
              {"\"group\":\"8\"", "\"group\":\"7\""},
              {"\"group\":\"8\"", "\"group\":\"0\""}}) {
            const fs::path forged = place("forged.safetensors");
            QVERIFY(!forged::replaced(path, forged, from, to).empty());
            const std::string message =
                messageOf([&] { static_cast<void>(readMatrixFile(forged)); });
            QVERIFY2(message.find(forged.string()) != std::string::npos,
                     (from + " as " + to + ": " + message).c_str());
        }
        // 56 choices take 6 bits: those of 63 are none.
        const fs::path forged = forged::withFirstBytes(path, place("number.safetensors"),
                                                       "blk.0.attn_q.mask", '\xff', 3);
        QVERIFY(messageOf([&] {
                    static_cast<void>(readMatrixFile(forged));
                }).find("63 is not a choice of 3:8") != std::string::npos);
    }

    void whatCannotHaveAPatternSaysSo() {
        const auto refusalOf = [](const MatrixOptions& options) {
            return messageOf([&] { options.method->validate(options); });
        };
        MatrixOptions options = optionsOf("2:4");
        QCOMPARE(refusalOf(options), std::string("no error"));
        options.solver = Solver::Ksvd;
        QVERIFY(refusalOf(options).find("code_pattern") != std::string::npos);
        QVERIFY(refusalOf(optionsOf("2:4", Accounting::Integers)).find("code_pattern") !=
                std::string::npos);
        for (const char* wrong : {"4:4", "5:4", "0:4", "2:17", "1:9", "2/4", "all"}) {
            const std::string message = messageOf([&] { static_cast<void>(optionsOf(wrong)); });
            QVERIFY2(message.find("code_pattern") != std::string::npos, wrong);
        }
        RunSpecification run;
        run.model = "model.gguf";
        setOwnOption(run, "code_pattern", "1:4");
        validate(run);
        QVERIFY(!counts(run, "rho"));
        run.autoRho = true;
        QVERIFY(messageOf([&] { validate(run); }).find("ρ of their pattern") != std::string::npos);
        CpuBackend backend(1);
        const Matrix w = backend.upload(randomMatrix(12, 30, 1));
        FastOptions fast;
        fast.codes = {2, 4};
        QVERIFY(messageOf([&] {
                    static_cast<void>(solveFast(backend, w, 10, 5, fast));
                }).find("do not divide") != std::string::npos);
        QVERIFY(messageOf([&] {
                    static_cast<void>(solveFast(backend, w, 8, 5, fast));
                }).find("do not divide") != std::string::npos);
    }
};

COSPADI_TEST(TestCodePattern)

}  // namespace tst_code_pattern

#include "tst_code_pattern.moc"
