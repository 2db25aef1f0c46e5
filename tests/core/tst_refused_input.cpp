// Budgets and Gram matrices that leave nothing to compute with, or hardly anything: what a user
// reads, and what is left on disk afterwards.
#include <Eigen/Core>
#include <QRegularExpression>
#include <QtTest>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "core/dictionary/dictionary_learning.h"
#include "core/linalg/cpu_backend.h"
#include "core/linalg/whitening.h"
#include "tests/core/cli_small_runs.h"
#include "tests/core/cli_under_test.h"
#include "tests/core/oracle_data.h"
#include "tests/registered_test.h"

namespace tst_refused_input {

using namespace cospadi;
using cli_runs::compressArguments;
using cli_runs::kModel;
using nlohmann::json;

class TestRefusedInput : public QObject, CliUnderTest {
    Q_OBJECT

  private slots:
    void initTestCase() {
        QVERIFY(isValid());
        if (const auto model = oracle::defaultModel()) {
            environment.insert("COSPADI_DEFAULT_MODEL", QString::fromStdString(model->string()));
        }
    }

    // ---- budgets

    void budgets_data() {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QString>("says");
        const QString ratio =
            "cr: compression ratio %1 is out of range (give a fraction between 0 and 1, e.g. 0.2 "
            "removes a fifth of the bytes)";
        const QString rho =
            "rho: ρ = k/s = %1 is out of range (give a value from 1 (every atom used) to 8; the "
            "paper uses 2)";
        for (const char* cr : {"0", "1", "-0.2", "1.5", "nan", "inf"}) {
            QTest::addRow("CR %s", cr) << QStringList{"--cr", cr} << ratio.arg(cr);
        }
        for (const char* value : {"0", "0.5", "0.999", "9", "nan", "-2"}) {  // ρ < 1 is s > k
            QTest::addRow("rho %s", value) << QStringList{"--rho", value} << rho.arg(value);
        }
    }

    // The same words from `budget`, before a run and in a sweep's plan; no directory is made.
    void budgets() {
        QFETCH(QStringList, options);
        QFETCH(QString, says);
        for (const QStringList& command :
             {QStringList{"budget", "--shape", "64x96"}, compressArguments(place("never")),
              QStringList{"sweep", kModel, "--method", "cospadi-free", "--dry-run"}}) {
            const CliOutcome outcome = run(command + options);
            QCOMPARE(outcome.exitCode, 2);
            QVERIFY2(outcome.error.contains(says), qPrintable(outcome.error));
        }
        QVERIFY(!QFileInfo::exists(place("never")));
    }

    void tinyMatrices_data() {
        QTest::addColumn<QString>("shape");
        QTest::addColumn<QString>("says");
        QTest::newRow("k = 0") << "2x2"
                               << "cr: a 2 x 2 matrix has no room for";
        // By eq 11: k = ⌊0.5·16/(4 + 4/2)⌋ = 1, s = ⌊1/2⌋ = 0.
        QTest::newRow("s = 0") << "4x4"
                               << "cr: a 4 x 4 matrix has no room for";
        QTest::newRow("one row") << "1x8"
                                 << "cr: a 1 x 8 matrix has no room for";
        QTest::newRow("empty") << "0x8"
                               << "shape: 0 x 8 is not a matrix shape (give two positive sizes";
        QTest::newRow("negative") << "-4x8"
                                  << "shape: -4 x 8 is not a matrix shape";
    }

    void tinyMatrices() {
        QFETCH(QString, shape);
        QFETCH(QString, says);
        const CliOutcome outcome = run({"budget", "--cr", "0.5", "--shape=" + shape});
        QCOMPARE(outcome.exitCode, 2);
        QVERIFY2(outcome.error.contains(says) && outcome.error.contains("("),
                 qPrintable(outcome.error));
    }

    // A matrix for which the ratio leaves nothing, wherever in the run: it is named, and there is
    // no run.
    void noRoomForARun() {
        const QString out = place("noroom/runs/r");
        useRuns("noroom/runs");
        const CliOutcome outcome = run(compressArguments(out, {"--cr", "0.97"}));
        QCOMPARE(outcome.exitCode, 1);
        QVERIFY2(outcome.error.contains("blk.0.attn_q, cr: ") &&
                     outcome.error.contains("has no room for an atom at CR 0.97 and ρ 2 (lower the "
                                            "compression ratio or exclude the layer)"),
                 qPrintable(outcome.error));
        QVERIFY(!QFileInfo::exists(out));
        QVERIFY(run({"runs", "list", "--json"}).object()["runs"].empty());
    }

    void solverRows_data() {
        QTest::addColumn<int>("k");
        QTest::addColumn<int>("s");
        QTest::addColumn<double>("entry");
        QTest::addColumn<QString>("says");
        const QString rule =
            "s: s = %1 non-zeros per column with k = 5 atoms (s must be between 1 "
            "and k)";
        QTest::newRow("s = 0") << 5 << 0 << 1.0 << rule.arg(0);
        QTest::newRow("s < 0") << 5 << -1 << 1.0 << rule.arg(-1);
        QTest::newRow("s > k") << 5 << 6 << 1.0 << rule.arg(6);
        QTest::newRow("NaN") << 5 << 2 << std::nan("")
                             << "weight: the weight holds NaN or infinite values (check the model";
        QTest::newRow("infinite") << 5 << 2 << HUGE_VAL
                                  << "weight: the weight holds NaN or infinite values";
        QTest::newRow("zero") << 5 << 2 << 0.0 << "weight: the weight is zero (exclude this layer";
    }

    void solverRows() {
        QFETCH(int, k);
        QFETCH(int, s);
        QFETCH(double, entry);
        QFETCH(QString, says);
        Eigen::MatrixXf w = Eigen::MatrixXf::Identity(8, 12) * (entry == 0 ? 0.0F : 1.0F);
        w(3, 4) = static_cast<float>(entry);
        CpuBackend backend;
        const Matrix weight = backend.upload(w);
        const QString fast = oracle::errorOf([&] { solveFast(backend, weight, k, s, {}); });
        const QString ksvd = oracle::errorOf([&] { solveKsvd(backend, weight, k, s, {}); });
        QVERIFY2(fast.contains(says), qPrintable(fast));
        QVERIFY2(ksvd.contains(says), qPrintable(ksvd));
    }

    // ---- Gram matrices

    void refusedGrams_data() {
        QTest::addColumn<double>("entry");
        QTest::addColumn<QString>("says");
        QTest::newRow("NaN") << std::nan("")
                             << "blk.3.ffn_up: the Gram matrix holds NaN or infinite values (check "
                                "the model and the calibration text)";
        QTest::newRow("infinite") << HUGE_VAL
                                  << "blk.3.ffn_up: the Gram matrix holds NaN or infinite values";
        QTest::newRow("zero") << 0.0
                              << "blk.3.ffn_up: the Gram matrix is zero: no calibration token "
                                 "reached this layer (use more calibration text)";
    }

    void refusedGrams() {
        QFETCH(double, entry);
        QFETCH(QString, says);
        Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(6, 6);
        gram(2, 2) = entry;
        const QString message = oracle::errorOf([&] { Whitening(gram, "blk.3.ffn_up"); });
        QVERIFY2(message.contains(says), qPrintable(message));
    }

    void degenerateGrams_data() {
        QTest::addColumn<int>("tokens");
        QTest::addColumn<int>("dead");
        QTest::newRow("fewer tokens than channels") << 5 << 0;
        QTest::newRow("one token") << 1 << 0;
        QTest::newRow("dead channels") << 200 << 7;
        QTest::newRow("both") << 5 << 7;
    }

    // The shift is recorded, what comes out is finite, and the loss on the data is kept: against
    // ‖XW‖ computed from X itself.
    void degenerateGrams() {
        QFETCH(int, tokens);
        QFETCH(int, dead);
        std::srand(3);
        Eigen::MatrixXd x = Eigen::MatrixXd::Random(tokens, 24);
        x.rightCols(dead).setZero();
        const Eigen::MatrixXf w = Eigen::MatrixXf::Random(24, 40);
        const Whitening whitening(x.transpose() * x, "layer");
        QVERIFY(whitening.shift() > 0);
        const Eigen::MatrixXf whitened = whitening.whitenedFromOriginal(w);
        QVERIFY(whitened.allFinite());
        const double loss = (x * w.cast<double>()).norm();
        const double shifted = std::sqrt(loss * loss + whitening.shift() * w.squaredNorm());
        QVERIFY(std::abs(whitened.cast<double>().norm() - shifted) < 1e-5 * shifted);
        CpuBackend backend;
        const LearnedDictionary learned =
            solveFast(backend, backend.upload(whitened), 12, 6, FastOptions{});
        const Eigen::MatrixXf atoms =
            whitening.originalFromWhitened(backend.download(learned.dictionary));
        QVERIFY(atoms.allFinite() && backend.download(learned.codes).allFinite());
    }

    void tooFewTokens() {
        if (!oracle::defaultModel()) {
            QSKIP("the default model is not here (./run fetches it)");
        }
        std::ofstream(place("short.txt").toStdString()) << "Three little words.";
        const QStringList base{"compress", "default",       "--layers", "^blk.0.attn_k$",
                               "--out",    place("tokens"), "--json",   "--no-model"};
        const CliOutcome few =
            run(base + QStringList{"--calibration", place("short.txt"), "--sequences", "4"});
        QCOMPARE(few.exitCode, 1);
        const QRegularExpression message(
            "short.txt: holds \\d+ tokens, but 2048 are needed \\(give "
            "more text, or fewer or shorter sequences\\)");
        QVERIFY2(message.match(few.error).hasMatch(), qPrintable(few.error));
        // Fewer tokens than channels is no error: the Gram is shifted, and the run says so.
        const CliOutcome shifted = run(QStringList(base).replaceInStrings("tokens", "shifted") +
                                       QStringList{"--sequences", "1", "--length", "8"});
        QVERIFY2(shifted.exitCode == 0, qPrintable(shifted.error));
        const json result = json::parse(oracle::text((place("shifted/result.json")).toStdString()));
        QVERIFY(result["matrices"][0]["gram_shift"].get<double>() > 0);
        QVERIFY(oracle::text(place("shifted/events.jsonl").toStdString())
                    .find("Gram not positive definite") != std::string::npos);
    }
};

COSPADI_TEST(TestRefusedInput)

}  // namespace tst_refused_input

#include "tst_refused_input.moc"
