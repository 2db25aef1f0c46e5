// Coefficients in fewer bits: that they are what arithmetic on bit patterns says, that nothing else
// changes, and that bytes and errors are those of the files, by double arithmetic on the inputs.
#include <QtTest>
#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/forms/forms.h"
#include "core/forms/low_rank/low_rank_weight.h"
#include "core/forms/matrix_file.h"
#include "core/methods/method.h"
#include "core/model/forward.h"
#include "core/run/compression_run.h"
#include "core/run/requantize_run.h"
#include "core/run/resolve_specification.h"
#include "core/run/slice_run.h"
#include "core/store/method_label.h"
#include "core/store/run_directory.h"
#include "core/store/run_file.h"
#include "core/store/run_settings.h"
#include "core/tensors/safetensors.h"
#include "small_runs.h"
#include "tests/core/low_rank_factors.h"
#include "tests/core/message_of.h"
#include "tests/core/oracle_data.h"
#include "tests/core/small_model_fixture.h"
#include "tests/registered_test.h"

namespace tst_requantize {

using namespace cospadi;
using Eigen::MatrixXd;
using Eigen::MatrixXf;
using small_runs::bytesIn;
using small_runs::matrixOf;
using small_runs::recordsOf;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kSequences = 8;
constexpr std::int64_t kHeldOut = 1;  // 0.125 of them
constexpr std::int64_t kLength = 64;
constexpr const char* kLayers = "blk\\.0\\.(attn_q|ffn_up|ffn_gate)";

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

class TestRequantize : public QObject, SmallModelFixture {
    Q_OBJECT
    fs::path m_wide;  // ksvd, 16 bits a coefficient

    RunSpecification specification(const char* method) const {
        RunSpecification s;
        s.model = m_model.string();
        s.method = &methodFromName(method);
        s.layers = kLayers;
        s.calibration = small_runs::onText(kSequences, kLength);
        return s;
    }

    RunSpecification wide() const {
        RunSpecification s = specification("cospadi");
        s.solver = Solver::Ksvd;
        s.iterations = 4;
        s.coefficientBits = 16;
        s.heldOut = 0.125;
        return s;
    }

    fs::path made(const RunSpecification& s, const std::string& name) const {
        RunExecution execution;
        execution.threads = 2;
        return executeRun(s, place("runs") / name, execution).directory;
    }

    static DerivedRun requantized(const fs::path& run, int bits,
                                  CoefficientRounding rounding = CoefficientRounding::Truncate,
                                  const EventCallback& onEvent = {}) {
        Requantization how;
        how.bits = bits;
        how.rounding = rounding;
        how.threads = 2;
        return requantizeRun(run, how, onEvent);
    }

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
    void initTestCase() {
        makeModel();
        m_wide = made(wide(), "wide");
    }

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

    void itGoesOnWhereItStopped() {
        const DerivedRun first = requantized(m_wide, 13);
        const fs::path run = first.summary.directory;
        const DerivedRun again = requantized(m_wide, 13);
        QVERIFY(again.wasThere);
        QCOMPARE(again.summary.id, first.summary.id);
        const std::string lost = "blk.0.ffn_up";
        const MatrixXf codes = sparseFactors(matrixOf(run, lost).weight)->codes;
        const fs::path kept = unitFile(run / "matrices", "blk.0.attn_q");
        const auto untouched = fs::last_write_time(kept);
        fs::remove(run / "result.json");
        fs::remove(unitFile(run / "matrices", lost));
        std::ofstream(run / "matrices" / (lost + ".safetensors.tmp.1")) << "half";
        const DerivedRun resumed = requantized(m_wide, 13);
        QVERIFY(!resumed.wasThere);
        QCOMPARE(resumed.summary.id, first.summary.id);
        QVERIFY(fs::last_write_time(kept) == untouched);
        QVERIFY(sparseFactors(matrixOf(run, lost).weight)->codes == codes);
        // The header alone has other digits: of the seconds that it took.
        QCOMPARE(resumed.summary.bytes, bytesIn(run / "matrices"));
        QVERIFY(std::abs(resumed.summary.bytes - first.summary.bytes) <= 64);
        QCOMPARE(resumed.summary.relativeError, first.summary.relativeError);
        // A finished one that has lost a file is mended by the same command.
        fs::remove(unitFile(run / "matrices", lost));
        QVERIFY(!requantized(m_wide, 13).wasThere);
        QVERIFY(requantized(m_wide, 13).wasThere);
    }

    void withoutGramsErrorsAreUnknown() {
        const RunSummary cached = requantized(m_wide, 11, CoefficientRounding::Nearest).summary;
        QVERIFY(cached.relativeError > 0);
        fs::remove_all(cached.directory);
        qputenv("XDG_CACHE_HOME", place("no-grams").c_str());
        std::vector<std::string> warnings;
        const DerivedRun run =
            requantized(m_wide, 11, CoefficientRounding::Nearest, [&](const nlohmann::json& event) {
                if (event.at("event") == "warning") {
                    warnings.push_back(event.at("message"));
                }
            });
        qputenv("XDG_CACHE_HOME", place("cache").c_str());
        QCOMPARE(warnings.size(), std::size_t{1});
        QVERIFY2(warnings[0].find("not cached") != std::string::npos, warnings[0].c_str());
        QVERIFY(std::isnan(run.summary.relativeError));
        const nlohmann::json result = readRunJson(run.summary.directory / "result.json", "");
        QVERIFY(result.at("relative_error").is_null());
        QVERIFY(result.at("matrices").at(0).at("relative_error").is_null());
        QVERIFY(std::isnan(matrixOf(run.summary.directory, "blk.0.ffn_up").record.relativeError));
        const RunRecord record = readRunDirectory(run.summary.directory);
        QVERIFY(std::isnan(record.run.relativeError));
        QVERIFY(record.notes.empty());
        // With --calibrate they are those of the cached Grams.
        fs::remove_all(run.summary.directory);
        qputenv("XDG_CACHE_HOME", place("other-grams").c_str());
        Requantization how;
        how.bits = 11;
        how.rounding = CoefficientRounding::Nearest;
        how.calibrate = true;
        how.threads = 2;
        const DerivedRun anew = requantizeRun(m_wide, how);
        qputenv("XDG_CACHE_HOME", place("cache").c_str());
        QVERIFY(std::abs(anew.summary.relativeError - cached.relativeError) <
                1e-6 * cached.relativeError);
    }

    void labelsAndSettingsTellIt() {
        const fs::path run =
            requantized(m_wide, 12, CoefficientRounding::Nearest).summary.directory;
        const RunRow row = readRunDirectory(run).run;
        const RunSpecification s = *specificationOf(row);
        QCOMPARE(s.derived->from, readRunDirectory(m_wide).run.id);
        QCOMPARE(s.coefficientBits, 16);  // that it was solved with
        QCOMPARE(storedCoefficientBits(s), 12);
        QVERIFY2(methodLabel(s).find("rounded to 12 bits afterwards") != std::string::npos,
                 methodLabel(s).c_str());
        QVERIFY(methodLabel(s, {"coefficient_bits"}).find("12 bits") == std::string::npos);
        const auto settings = settingsOf(row);
        QCOMPARE(settings.at("coefficient_bits"), std::string("12"));
        QCOMPARE(settings.at("coefficient_rounding"), std::string("nearest"));
        QCOMPARE(settings.at("solved_bits"), std::string("16"));
        for (const auto& [field, value] : settings) {
            QVERIFY2(!field.starts_with("derived"), field.c_str());
        }
        QVERIFY2(row.id.find("nearest-12-bits") != std::string::npos, row.id.c_str());
        // Read back from JSON it is the same, and nothing solves it.
        QVERIFY(toJson(runSpecificationFromJson(toJson(s))) == toJson(s));
        const std::string refused = messageOf([&] { executeRun(s, place("solved"), {}); });
        QVERIFY2(refused.find("nothing is solved for it") != std::string::npos, refused.c_str());
        QVERIFY(!fs::exists(place("solved")));
    }

    void badInputIsNamed_data() {
        QTest::addColumn<QString>("field");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("says");
        QTest::newRow("no run id") << "from"
                                   << "\"../up\""
                                   << "derived.from";
        QTest::newRow("eight bits") << "coefficient_bits"
                                    << "8"
                                    << "8 bits a coefficient";
        QTest::newRow("sixteen bits") << "coefficient_bits"
                                      << "16"
                                      << "16 bits a coefficient";
        QTest::newRow("less than none") << "coefficient_bits"
                                        << "-1"
                                        << "-1 bits a coefficient";
        QTest::newRow("neither") << "coefficient_bits"
                                 << "0"
                                 << "names neither layers nor bits";
        QTest::newRow("rounding") << "rounding"
                                  << "\"up\""
                                  << "up";
        QTest::newRow("another field") << "more"
                                       << "1"
                                       << "derived.more";
    }

    void badInputIsNamed() {
        QFETCH(QString, field);
        QFETCH(QString, value);
        QFETCH(QString, says);
        nlohmann::json object = toJson(specification("cospadi"));
        object["derived"] = {{"from", "a-run"}, {"coefficient_bits", 12}, {"rounding", "truncate"}};
        QVERIFY(runSpecificationFromJson(object).derived.has_value());
        object["derived"][field.toStdString()] = nlohmann::json::parse(value.toStdString());
        const std::string message = messageOf([&] { runSpecificationFromJson(object); });
        QVERIFY2(message.find(says.toStdString()) != std::string::npos, message.c_str());
    }

    void whatCannotBeShortenedIsRefused() {
        const auto refusal = [&](const fs::path& run, int bits) {
            const auto count = [&] {
                return std::distance(fs::directory_iterator(place("runs")),
                                     fs::directory_iterator());
            };
            const auto before = count();
            const std::string message = messageOf([&] { requantized(run, bits); });
            return count() == before ? message : "a directory was made: " + message;
        };
        const auto says = [](const std::string& message, const char* words) {
            return message.find(words) != std::string::npos;
        };
        QVERIFY(says(refusal(m_wide, 8), "8 bits a coefficient"));
        QVERIFY(says(refusal(m_wide, 16), "16 bits a coefficient"));
        const fs::path short14 = made(specification("cospadi"), "short14");  // fast under eq 11
        std::string message = refusal(short14, 14);
        QVERIFY2(says(message, "no fewer than the 14"), message.c_str());
        const fs::path shorter = requantized(short14, 13).summary.directory;
        message = refusal(shorter, 12);
        QVERIFY2(says(message, "truncated to 13 bits before") &&
                     says(message, readRunDirectory(short14).run.id.c_str()),
                 message.c_str());
        RunSpecification integers = specification("rtn");
        integers.own["group_size"] = std::int64_t{32};
        message = refusal(made(integers, "rtn"), 12);
        QVERIFY2(says(message, "group-quantised") && says(message, "blk.0.attn_q"),
                 message.c_str());
        RunSpecification dense = specification("dense");
        dense.layers = ".*";
        message = refusal(made(dense, "dense"), 12);
        QVERIFY2(says(message, "dense"), message.c_str());
        const fs::path unfinished = made(specification("svd"), "unfinished");
        fs::remove(unfinished / "result.json");
        message = refusal(unfinished, 12);
        QVERIFY2(says(message, "not finished"), message.c_str());
        const fs::path damaged = made(specification("cospadi-free"), "damaged");
        fs::resize_file(unitFile(damaged / "matrices", "blk.0.ffn_up"), 100);
        message = refusal(damaged, 12);
        QVERIFY2(says(message, "missing or damaged"), message.c_str());
        message = refusal(place("nowhere"), 12);
        QVERIFY2(says(message, "nowhere"), message.c_str());
    }

    void propagatedErrorsAreUnknown() {
        RunSpecification s = specification("svd-llm");
        s.propagation = PropagationKind::Input;
        const DerivedRun run = requantized(made(s, "propagated"), 12);
        QVERIFY(std::isnan(run.summary.relativeError));
    }
};

COSPADI_TEST(TestRequantize)

}  // namespace tst_requantize

#include "tst_requantize.moc"
