// Runs with coefficients in fewer bits: where they go on, which errors stay unknown, what tells of
// them, and what cannot be shortened.
#include <QtTest>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/forms/number_formats.h"
#include "core/forms/sparse_dictionary/sparse_dictionary_weight.h"
#include "core/run/compression_run.h"
#include "core/run/derived_run.h"
#include "core/run/requantize_run.h"
#include "core/store/method_label.h"
#include "core/store/run_directory.h"
#include "core/store/run_file.h"
#include "core/store/run_settings.h"
#include "tests/core/message_of.h"
#include "tests/core/requantize_fixture.h"
#include "tests/core/small_runs.h"
#include "tests/registered_test.h"

namespace tst_requantize_runs {

using namespace cospadi;
using namespace requantize_fixture;
using Eigen::MatrixXf;
using small_runs::bytesIn;
using small_runs::matrixOf;

class TestRequantizeRuns : public QObject, RequantizeFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { makeWide(); }

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
        QVERIFY2(refused.find("it cannot be solved") != std::string::npos, refused.c_str());
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
                                    << "8 bits per coefficient";
        QTest::newRow("sixteen bits") << "coefficient_bits"
                                      << "16"
                                      << "16 bits per coefficient";
        QTest::newRow("less than none") << "coefficient_bits"
                                        << "-1"
                                        << "-1 bits per coefficient";
        QTest::newRow("neither") << "coefficient_bits"
                                 << "0"
                                 << "has neither layers nor bits";
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
        QVERIFY(says(refusal(m_wide, 8), "8 bits per coefficient"));
        QVERIFY(says(refusal(m_wide, 16), "16 bits per coefficient"));
        const fs::path short14 = made(specification("cospadi"), "short14");  // fast under eq 11
        std::string message = refusal(short14, 14);
        QVERIFY2(says(message, "not fewer than the 14"), message.c_str());
        const fs::path shorter = requantized(short14, 13).summary.directory;
        message = refusal(shorter, 12);
        QVERIFY2(says(message, "already been truncated to 13 bits") &&
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

COSPADI_TEST(TestRequantizeRuns)

}  // namespace tst_requantize_runs

#include "tst_requantize_runs.moc"
