// Coefficients in fewer bits: that they are what arithmetic on bit patterns says, that nothing else
// changes, and that bytes and errors are those of the files, by double arithmetic on the inputs.
#include <QtTest>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/calibration/calibration.h"
#include "core/forms/low_rank/low_rank_weight.h"
#include "core/forms/matrix_file.h"
#include "core/forms/number_formats.h"
#include "core/forms/sparse_dictionary/sparse_dictionary_weight.h"
#include "core/model/forward.h"
#include "core/run/derived_run.h"
#include "core/run/run_summary.h"
#include "core/tensors/safetensors.h"
#include "tests/core/low_rank_factors.h"
#include "tests/core/oracle_data.h"
#include "tests/core/requantize_fixture.h"
#include "tests/core/small_runs.h"
#include "tests/registered_test.h"

namespace tst_requantize {

using namespace cospadi;
using namespace requantize_fixture;
using Eigen::MatrixXd;
using Eigen::MatrixXf;
using small_runs::bytesIn;
using small_runs::matrixOf;
using small_runs::recordsOf;

namespace {

constexpr std::int64_t kHeldOut = 1;  // 0.125 of them

std::uint16_t patternOf(float value) {
    return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16U);
}

float valueOf(std::uint16_t pattern) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(pattern) << 16U);
}

// Of the two values of `bits` bits around this one, in double: the nearer, of equals the even one.
float nearestOf(float value, int bits) {
    const auto step = static_cast<std::uint16_t>(1U << (16 - bits));
    const auto below = static_cast<std::uint16_t>(patternOf(value) & ~(step - 1U));
    const auto above = static_cast<std::uint16_t>(below + step);  // farther from zero
    const double toBelow = std::abs(double{value} - double{valueOf(below)});
    const double toAbove = std::abs(double{value} - double{valueOf(above)});
    if (toBelow == toAbove) {
        return (below & step) == 0 ? valueOf(below) : valueOf(above);
    }
    return toBelow < toAbove ? valueOf(below) : valueOf(above);
}

std::size_t tensorBytes(const fs::path& run, const std::string& layer, const char* tensor) {
    const SafetensorsFile file = SafetensorsFile::open(run / "matrices" / (layer + ".safetensors"));
    return file.require(layer + "." + tensor).bytes.size();
}

}  // namespace

class TestRequantize : public QObject, RequantizeFixture {
    Q_OBJECT

    // X (d1, tokens) of every Gram, of the fitted sequences or those that are held out.
    std::map<std::string, MatrixXd> inputs(const Model& model, bool heldOut) const {
        CalibrationOptions options;
        options.text = oracle::file("GPL-3.txt");
        options.sequences = kSequences;
        options.length = kLength;
        const std::vector<std::int32_t> ids = sampleSequences(model.tokenizer(), options);
        const auto split = ids.end() - kHeldOut * kLength;
        std::map<std::string, MatrixXd> found;
        ForwardHooks hooks;
        hooks.linearInput = [&](const std::string& key, const Eigen::Ref<const MatrixXf>& x) {
            MatrixXd& known = found[key];
            const Eigen::Index before = known.cols();
            known.conservativeResize(x.rows(), before + x.cols());
            known.rightCols(x.cols()) = x.cast<double>();
        };
        ThreadPool pool(2);
        ForwardPass(model, pool)
            .hiddenStates(heldOut ? std::vector(split, ids.end()) : std::vector(ids.begin(), split),
                          kLength, hooks);
        return found;
    }

  private slots:
    void initTestCase() { makeWide(); }

    void everyCodeIsWhatItsPatternSays_data() {
        QTest::addColumn<int>("bits");
        QTest::addColumn<bool>("truncates");
        for (const int bits : {15, 14, 12, 9}) {
            QTest::addRow("%d truncated", bits) << bits << true;
            QTest::addRow("%d nearest", bits) << bits << false;
        }
    }

    void everyCodeIsWhatItsPatternSays() {
        QFETCH(int, bits);
        QFETCH(bool, truncates);
        const DerivedRun run = requantized(
            m_wide, bits, truncates ? CoefficientRounding::Truncate : CoefficientRounding::Nearest);
        QVERIFY(!run.wasThere);
        const fs::path& made = run.summary.directory;
        const auto before = recordsOf(m_wide);
        const auto after = recordsOf(made);
        QCOMPARE(before.size(), std::size_t{3});
        QCOMPARE(after.size(), before.size());
        for (const auto& [name, record] : before) {
            const StoredMatrix source = matrixOf(m_wide, name);
            const StoredMatrix stored = matrixOf(made, name);
            const auto* wide = sparseFactors(source.weight);
            const auto* narrow = sparseFactors(stored.weight);
            QCOMPARE(wide->coefficientBits, 16);
            QCOMPARE(narrow->coefficientBits, bits);
            QVERIFY(narrow->coefficientFormat == CoefficientFormat::ShortMantissa);
            QVERIFY(narrow->dictionary == wide->dictionary);  // to the bit
            QCOMPARE(narrow->s, wide->s);
            std::size_t nonZeros = 0;
            std::size_t changed = 0;
            for (Eigen::Index i = 0; i < wide->codes.size(); ++i) {
                const float value = wide->codes.data()[i];
                const auto mask = static_cast<std::uint16_t>(0xffffU << (16 - bits));
                const float expected =
                    value == 0  ? 0
                    : truncates ? valueOf(static_cast<std::uint16_t>(patternOf(value) & mask))
                                : nearestOf(value, bits);
                QVERIFY(narrow->codes.data()[i] == expected);
                nonZeros += value != 0 ? 1 : 0;
                changed += expected != value ? 1 : 0;
            }
            QVERIFY(nonZeros > 0);
            QVERIFY2(changed > nonZeros / 4, "nothing was shortened");
            // Bytes: the stream of values alone is shorter.
            QCOMPARE(tensorBytes(m_wide, name, "values"), 2 * nonZeros);
            QCOMPARE(tensorBytes(made, name, "values"), (nonZeros * bits + 7) / 8);
            QCOMPARE(tensorBytes(made, name, "mask"), tensorBytes(m_wide, name, "mask"));
            QCOMPARE(after.at(name).bytes,
                     static_cast<std::int64_t>(fs::file_size(unitFile(made / "matrices", name))));
            QVERIFY(after.at(name).bytes < record.bytes);
            QCOMPARE(after.at(name).iterations, record.iterations);
            QVERIFY(after.at(name).coreSeconds >= record.coreSeconds);
        }
        QCOMPARE(run.summary.bytes, bytesIn(made / "matrices"));
        QCOMPARE(run.summary.denseBytes, summaryOfRun(m_wide).denseBytes);
    }

    // ‖Xᵀ (W − D S)‖ / ‖Xᵀ W‖ of what the files give back, in double, on the tokens themselves.
    void errorsAreThoseOfTheFiles() {
        const fs::path made = requantized(m_wide, 10).summary.directory;
        const Model model = Model::load(m_model);
        const auto fitted = inputs(model, false);
        const auto heldOut = inputs(model, true);
        double sum = 0;
        for (const auto& [name, record] : recordsOf(made)) {
            const LayerInfo& layer = model.layerInfo(name);
            const MatrixXd w = model.weight(name).cast<double>();
            const StoredMatrix stored = matrixOf(made, name);
            const auto* factors = sparseFactors(stored.weight);
            const MatrixXd product =
                factors->dictionary.cast<double>() * factors->codes.cast<double>();
            const auto errorOn = [&](const MatrixXd& x) {
                return (x.transpose() * (w - product)).norm() / (x.transpose() * w).norm();
            };
            const double expected = errorOn(fitted.at(layer.gramKey));
            QVERIFY2(
                std::abs(record.relativeError - expected) < 2e-4 * expected,
                qPrintable(QString("%1 instead of %2").arg(record.relativeError).arg(expected)));
            QVERIFY(record.heldOutError.has_value());
            const double onHeldOut = errorOn(heldOut.at(layer.gramKey));
            QVERIFY2(
                std::abs(*record.heldOutError - onHeldOut) < 2e-3 * onHeldOut,
                qPrintable(QString("%1 instead of %2").arg(*record.heldOutError).arg(onHeldOut)));
            QVERIFY(record.relativeError > recordsOf(m_wide).at(name).relativeError);
            sum += record.relativeError;
        }
        QVERIFY(std::abs(summaryOfRun(made).relativeError - sum / 3) < 1e-12);
    }

    // To the nearest no code is farther from what it was, and fewer bits never bring one nearer.
    void fewerBitsNeverBringACodeNearer() {
        const std::string name = "blk.0.ffn_up";
        const StoredMatrix source = matrixOf(m_wide, name);
        const MatrixXf codes = sparseFactors(source.weight)->codes;
        Eigen::ArrayXXf previous = Eigen::ArrayXXf::Zero(codes.rows(), codes.cols());
        for (int bits = 15; bits >= 9; --bits) {
            const auto distance = [&](CoefficientRounding rounding) -> Eigen::ArrayXXf {
                const auto run = requantized(m_wide, bits, rounding).summary.directory;
                const StoredMatrix stored = matrixOf(run, name);
                return (sparseFactors(stored.weight)->codes - codes).array().abs();
            };
            const Eigen::ArrayXXf cut = distance(CoefficientRounding::Truncate);
            const Eigen::ArrayXXf rounded = distance(CoefficientRounding::Nearest);
            QVERIFY((rounded <= cut).all());
            QVERIFY((cut >= previous).all());
            previous = cut;
        }
    }

    void lowRankKeepsItsLeftFactor() {
        const fs::path run = made(specification("svd-llm"), "svd-llm");
        const fs::path made = requantized(run, 12).summary.directory;
        const StoredMatrix source = matrixOf(run, "blk.0.ffn_up");
        const StoredMatrix stored = matrixOf(made, "blk.0.ffn_up");
        const LowRankFactors& wide = *lowRankFactors(source.weight);
        const LowRankFactors& narrow = *lowRankFactors(stored.weight);
        QVERIFY(wide.left == narrow.left);
        QCOMPARE(narrow.rightBits, 12);
        for (Eigen::Index i = 0; i < wide.right.size(); ++i) {
            const auto cut = static_cast<std::uint16_t>(patternOf(wide.right.data()[i]) & 0xfff0U);
            QVERIFY(narrow.right.data()[i] == valueOf(cut));
        }
    }

    void sharedDictionariesStayShared() {
        RunSpecification s = specification("cospadi");
        setOwnOption(s, "groups", "inputs");
        s.coefficientBits = 16;
        s.iterations = 3;
        const fs::path run = made(s, "grouped");
        const DerivedRun derived = requantized(run, 11);
        const fs::path& made = derived.summary.directory;
        const std::string unit = "blk.0.ffn_gate+1";
        QVERIFY(fs::exists(unitFile(made / "matrices", unit)));
        QCOMPARE(bytesIn(made / "matrices"), derived.summary.bytes);
        const StoredMatrix gate = matrixOf(made, "blk.0.ffn_gate");
        const StoredMatrix up = matrixOf(made, "blk.0.ffn_up");
        QCOMPARE(gate.record.unit, unit);
        QVERIFY(sparseFactors(gate.weight)->dictionary == sparseFactors(up.weight)->dictionary);
        const StoredMatrix before = matrixOf(run, "blk.0.ffn_up");
        QVERIFY(sparseFactors(before.weight)->dictionary == sparseFactors(up.weight)->dictionary);
        std::int64_t sum = 0;
        for (const auto& [name, record] : recordsOf(made)) {
            sum += record.bytes;
        }
        QCOMPARE(sum, derived.summary.bytes);
    }
};

COSPADI_TEST(TestRequantize)

}  // namespace tst_requantize

#include "tst_requantize.moc"
