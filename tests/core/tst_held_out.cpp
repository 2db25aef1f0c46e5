// Text that is held out: how a draw is split, that what is fitted does not feel it, and the errors
// on it, against arithmetic in double on the inputs X of the held-out tokens themselves.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/calibration/calibration.h"
#include "core/calibration/gram_cache.h"
#include "core/linalg/cpu_backend.h"
#include "core/linalg/whitening.h"
#include "core/methods/compress_matrix.h"
#include "core/store/run_specification.h"
#include "tests/core/held_out_fixture.h"
#include "tests/core/oracle_data.h"
#include "tests/core/reference_algebra.h"
#include "tests/core/sample_layers.h"
#include "tests/registered_test.h"

namespace tst_held_out {

using namespace cospadi;
using namespace held_out_fixture;

class TestHeldOut : public QObject, HeldOutFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { makeModel(); }

    void shareOfTheSequences_data() {
        QTest::addColumn<double>("share");
        QTest::addColumn<int>("sequences");
        QTest::addColumn<int>("heldOut");
        QTest::newRow("an eighth") << 0.125 << 64 << 8;
        QTest::newRow("to the nearest") << 0.125 << 13 << 2;
        QTest::newRow("one at least") << 0.001 << 64 << 1;
        QTest::newRow("never all") << 0.5 << 2 << 1;
        QTest::newRow("none") << 0.0 << 64 << 0;
    }

    void shareOfTheSequences() {
        QFETCH(double, share);
        QFETCH(int, sequences);
        QFETCH(int, heldOut);
        QCOMPARE(heldOutSequences(share, sequences), std::int64_t{heldOut});
    }

    // Without a split the key, and so every cache, stays what it was; each split has its own.
    void cacheKeysNameTheSplit() {
        const CalibrationOptions whole = calibration(kSequences, 0);
        QCOMPARE(gramCacheKey("ab", whole),
                 sha256OfString("cospadi-grams-2\nab\n" + sha256OfFile(whole.text) + "\n13 64 42"));
        const std::string split = gramCacheKey("ab", calibration(kSequences, 2));
        QVERIFY(split != gramCacheKey("ab", whole));
        QVERIFY(split != gramCacheKey("ab", calibration(kSequences, 1)));
        QVERIFY(split != gramCacheKey("ab", calibration(kSequences - 2, 0)));
    }

    void aSplitLeavesSomethingToFit() {
        for (const std::int64_t heldOut : {-1, 2, 3}) {
            QVERIFY_THROWS_EXCEPTION(Error, calibration(2, heldOut).validate());
        }
        RunSpecification s = specification("cospadi");
        s.calibration.sequences = 1;
        QVERIFY(oracle::errorOf([&] { validate(s); }).contains("held_out"));
        s = specification("cospadi", 0.6);
        QVERIFY(oracle::errorOf([&] { validate(s); }).contains("0.5"));
    }

    // To the bit the Gram of the fitted sequences alone, from the computation and from the cache;
    // that of the held-out ones is Σ x xᵀ over their tokens.
    void gramsOfBothShares() {
        const Model model = Model::load(m_model);
        ThreadPool pool(2);
        const auto alone = calibrate(model, pool, calibration(kSequences - kHeldOut, 0));
        QVERIFY(alone);
        QVERIFY_THROWS_EXCEPTION(Error, alone->gram("blk.0.attn_q", GramShare::HeldOut));
        const Inputs inputs = inputsOf(model, heldOutIds(model));
        for (const bool fromCache : {false, true}) {
            const auto split = calibrate(model, pool, calibration(kSequences, kHeldOut));
            QVERIFY(split);
            QCOMPARE(split->fromCache, fromCache);
            QCOMPARE(split->heldOut, kHeldOut);
            QCOMPARE(split->keys(), alone->keys());
            for (const std::string& key : alone->keys()) {
                QVERIFY((split->gram(key).array() == alone->gram(key).array()).all());
                const MatrixXd& x = inputs.at(key);
                QCOMPARE(x.cols(), Eigen::Index{kHeldOut * kLength});
                const MatrixXd truth = x * x.transpose();
                const MatrixXd gram = split->gram(key, GramShare::HeldOut);
                QVERIFY((gram - truth).norm() < 1e-5 * truth.norm());
                QVERIFY((split->gram(key) - gram).norm() > 0.1 * gram.norm());
            }
        }
    }

    void iterationsAndWhatIsStored_data() {
        QTest::addColumn<QString>("settings");
        QTest::addColumn<int>("d1");
        QTest::addColumn<int>("d2");
        QTest::addColumn<int>("tokens");
        const char* fast = R"({"method": "cospadi", "iterations": 4})";
        QTest::newRow("inputs") << fast << 48 << 112 << 200;
        QTest::newRow("outputs") << fast << 112 << 48 << 300;
        QTest::newRow("fewer tokens than inputs") << fast << 48 << 112 << 20;
        QTest::newRow("ksvd") << R"({"method": "cospadi", "solver": "ksvd", "iterations": 2})" << 48
                              << 64 << 200;
        QTest::newRow("mod")
            << R"({"method": "cospadi", "solver": "ksvd", "update": "mod", "iterations": 2})" << 48
            << 64 << 200;
        QTest::newRow("compot") << R"({"method": "compot", "iterations": 3})" << 48 << 64 << 200;
        QTest::newRow("rocket") << R"({"method": "rocket"})" << 48 << 64 << 200;
        QTest::newRow("with a ridge")
            << R"({"method": "cospadi", "iterations": 3, "ridge": 0.05})" << 48 << 112 << 200;
        for (const char* method : {"svd-llm", "gptq", "wanda", "sparsegpt"}) {
            QTest::addRow("%s", method)
                << QString(R"({"method": "%1"})").arg(method) << 64 << 128 << 200;
        }
    }

    // ‖X_h (W − W̃)‖ / ‖X_h W‖ with X_h the held-out tokens themselves and W̃ in double: D S mapped
    // back from the space it was learned in after an iteration, the stored weight at the end. What
    // is found is the same, to the bit, as without anybody who measures.
    void iterationsAndWhatIsStored() {
        QFETCH(QString, settings);
        QFETCH(int, d1);
        QFETCH(int, d2);
        QFETCH(int, tokens);
        const RunSpecification s =
            runSpecificationFromJson(nlohmann::json::parse(settings.toStdString()));
        const MatrixXf w = sample::layerWeight(d1, d2, 5);
        const MatrixXd mixed = sample::layerWeight(d1, d1, 6).cast<double>();
        const MatrixXd fitted = mixed * sample::randomMatrix(d1, 4 * d1, 7).cast<double>();
        const MatrixXd held = mixed * sample::randomMatrix(d1, tokens, 8).cast<double>();
        const MatrixXd gram = fitted * fitted.transpose();
        CpuBackend backend(2);
        const Whitening whitening(gram, "layer", backend);
        const Whitening heldOut =
            Whitening::forMeasuring(held * held.transpose(), "layer", backend);

        MatrixXd metric = gram;
        metric.diagonal().array() += s.ridge * gram.diagonal().mean();
        const MatrixXd l = reference::choleskyFactor(metric);
        int iterations = 0;
        double worst = 0;
        const auto found = compressMatrix(
            backend, w, &whitening, s,
            [&](const IterationSummary& summary) {
                ++iterations;
                if (!summary.heldOutError) {
                    worst = 1;
                    return;
                }
                const MatrixXd product = backend.download(*summary.dictionary).cast<double>() *
                                         backend.download(*summary.codes).cast<double>();
                const bool onInputs = product.rows() == d1;
                const MatrixXd stored =
                    onInputs ? reference::solveUpper(l, product) : MatrixXd(product.transpose());
                const double error = errorOn(held, w, stored);
                worst = std::max(worst, std::abs(*summary.heldOutError / error - 1));
            },
            {}, {}, &heldOut);
        QVERIFY(found.heldOutError.has_value());
        const MatrixXd stored = found.weight->recomposed().cast<double>();
        const double error = errorOn(held, w, stored);
        QVERIFY2(std::abs(*found.heldOutError / error - 1) < 1e-3,
                 qPrintable(QString("%1 told, %2").arg(*found.heldOutError).arg(error)));
        QVERIFY2(worst < 1e-3, qPrintable(QString::number(worst)));
        QCOMPARE(iterations > 0, found.iterations > 0);
        QVERIFY(std::abs(found.relativeError / errorOn(fitted, w, stored) - 1) < 1e-3);

        const auto unwatched = compressMatrix(backend, w, &whitening, s);
        QVERIFY(!unwatched.heldOutError);
        QVERIFY(unwatched.weight->equals(*found.weight));
        QCOMPARE(unwatched.relativeError, found.relativeError);
    }
};

COSPADI_TEST(TestHeldOut)

}  // namespace tst_held_out

#include "tst_held_out.moc"
