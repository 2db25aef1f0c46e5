// Specifications of runs: a bad one names its field before anything is written, and every one
// survives JSON.
#include <QtTest>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/run/compression_run.h"
#include "core/run/resolve_specification.h"
#include "core/store/idle_settings.h"
#include "core/store/method_label.h"
#include "core/store/run_settings.h"
#include "own_folder.h"
#include "small_runs.h"
#include "tests/registered_test.h"

namespace tst_run_specification {

using namespace cospadi;
using small_runs::kModel;
using small_runs::specification;
namespace fs = std::filesystem;

class TestRunSpecification : public QObject, OwnFolder {
    Q_OBJECT

  private slots:
    void initTestCase() {
        QVERIFY(m_folder.isValid());
        QVERIFY2(fs::exists(kModel / "config.json"),
                 "tests/data/oracle/arch/a_llama_gqa is missing");
    }

    // A ratio of its own is that matrix's, the specification's that of all others; both are told
    // apart from one ratio for all, and a layer that there is not is refused by name.
    void ratiosAreThoseOfTheRun() {
        RunSpecification s = specification("svd");
        s.layers = "blk\\.0\\.attn_(q|output)$";
        s.cr = 0.5;
        const std::string plain = shortLabel(s);
        s.ratios = {{"blk.0.attn_q", 0.25}};
        QVERIFY(shortLabel(s) != plain && !isUniform(s) && isAllocated(s));
        QCOMPARE(runSpecificationFromJson(toJson(s)).ratios, s.ratios);
        QVERIFY(!toJson(RunSpecification()).contains("ratios"));
        RunExecution execution;
        execution.writeModel = false;
        const RunSummary run = executeRun(s, place("ratios"), execution, {});
        std::ifstream in(run.directory / "result.json");
        const nlohmann::json result = nlohmann::json::parse(in);
        for (const nlohmann::json& matrix : result.at("matrices")) {
            const bool own = matrix.at("name") == "blk.0.attn_q";
            const auto d1 = matrix.at("d1").get<double>();
            const auto d2 = matrix.at("d2").get<double>();
            // Two factors of bfloat16 numbers: r (d1 + d2) of them for (1 − CR) d1 d2.
            QCOMPARE(matrix.at("rank").get<double>(),
                     std::floor((own ? 0.75 : 0.5) * d1 * d2 / (d1 + d2) + 1e-9));
        }
        QCOMPARE(result.at("matrices").size(), std::size_t{2});
        s.ratios["blk.0.ffn_up"] = 0.3;  // there, but no layer of this run
        try {
            executeRun(s, place("wrong"), execution, {});
            QFAIL("accepted");
        } catch (const Error& error) {
            QVERIFY(QString::fromStdString(error.what()).contains("blk.0.ffn_up"));
        }
    }

    void badSpecificationsNameTheField_data() {
        QTest::addColumn<QString>("json");
        QTest::addColumn<QString>("field");
        QTest::newRow("cr 0") << "{\"cr\": 0}"
                              << "cr";
        QTest::newRow("cr 1") << "{\"cr\": 1.0}"
                              << "cr";
        QTest::newRow("rho") << "{\"rho\": 0.5}"
                             << "rho";
        QTest::newRow("type") << "{\"cr\": \"much\"}"
                              << "cr";
        QTest::newRow("unknown") << "{\"crr\": 0.2}"
                                 << "crr";
        QTest::newRow("method") << "{\"method\": \"magic\"}"
                                << "method";
        QTest::newRow("solver") << "{\"solver\": \"magic\"}"
                                << "solver";
        QTest::newRow("ratio 1") << "{\"ratios\": {\"blk.0.attn_q\": 1}}"
                                 << "ratios";
        QTest::newRow("ratios and a rule")
            << "{\"ratios\": {\"blk.0.attn_q\": 0.3}, \"allocation\": \"knapsack\"}"
            << "ratios";
        QTest::newRow("ratios and ρ auto")
            << "{\"ratios\": {\"blk.0.attn_q\": 0.3}, \"rho\": \"auto\"}"
            << "ratios";
        QTest::newRow("ratios of rtn")
            << "{\"ratios\": {\"blk.0.attn_q\": 0.3}, \"method\": \"rtn\"}"
            << "ratios";
        QTest::newRow("a rule where a pattern says how much stays")
            << "{\"method\": \"wanda\", \"pattern\": \"2:4\", \"allocation\": \"knapsack\"}"
            << "allocation";
        QTest::newRow("ρ of a method without") << "{\"method\": \"svd\", \"rho\": 0.5}"
                                               << "rho";
        QTest::newRow("ratios as a list") << "{\"ratios\": [0.3]}"
                                          << "ratios";
        QTest::newRow("regex") << "{\"layers\": \"(\"}"
                               << "layers";
        QTest::newRow("no layer") << "{\"layers\": \"ffn_sideways\"}"
                                  << "layers";
        QTest::newRow("bits") << "{\"coefficient_bits\": 3}"
                              << "coefficient_bits";
        QTest::newRow("format") << "{\"coefficient_format\": \"decimal\"}"
                                << "coefficient_format";
        QTest::newRow("eight bits of ksvd") << "{\"solver\": \"ksvd\", \"coefficient_bits\": 8}"
                                            << "coefficient_bits";
        QTest::newRow("eight bits with short mantissas")
            << "{\"coefficient_format\": \"mantissa\", \"coefficient_bits\": 8}"
            << "coefficient_bits";
        QTest::newRow("a right factor of eight bits with short mantissas")
            << "{\"method\": \"svd\", \"accounting\": \"packed\", \"cr\": 0.3, "
               "\"coefficient_format\": \"mantissa\"}"
            << "coefficient_bits";
        QTest::newRow("refit") << "{\"refit\": \"maybe\"}"
                               << "refit";
        QTest::newRow("nested") << "{\"method\": \"svd-llm\", \"calibration\": {\"sequences\": 0}}"
                                << "calibration.sequences";
        QTest::newRow("no model") << "{\"model\": \"/nowhere/model.gguf\"}"
                                  << "/nowhere/model.gguf";
    }

    void badSpecificationsNameTheField() {
        QFETCH(QString, json);
        QFETCH(QString, field);
        const fs::path directory = place("never");
        try {
            nlohmann::json object = nlohmann::json::parse(json.toStdString());
            object.emplace("model", kModel.string());  // unless the row has its own
            object.emplace("method", "cospadi-free");
            executeRun(runSpecificationFromJson(object), directory, {});
            QFAIL("was accepted");
        } catch (const Error& error) {
            QVERIFY2(QString::fromStdString(error.where()).contains(field), error.what());
            QVERIFY(!error.hint().empty());
        }
        QVERIFY(!fs::exists(directory / "result.json"));
        fs::remove_all(directory);
    }

    // What a ratio, a pattern or a group leaves no form for is refused with the layer's name before
    // there is a directory, and before any text is read: this model has no tokenizer. attn_k is
    // 64 x 32.
    void whatHasNoFormIsRefusedAtOnce_data() {
        QTest::addColumn<QString>("json");
        QTest::addColumn<QString>("where");
        const auto row = [](const char* name, const char* json, const char* where) {
            QTest::newRow(name) << json << where;
        };
        row("a mask alone takes a sixteenth", R"({"method": "wanda", "cr": 0.95})",
            "blk.0.attn_q, cr");
        row("no atom", R"({"method": "cospadi", "layers": "attn_k", "cr": 0.97})",
            "blk.0.attn_k, cr");
        row("no rank", R"({"method": "svd", "layers": "attn_k", "cr": 0.99})", "blk.0.attn_k, cr");
        row("no group of atoms",
            R"({"method": "cospadi", "layers": "attn_k", "cr": 0.9, "code_pattern": "8:16"})",
            "blk.0.attn_k, cr");
        row("a rule begins at the ratio",
            R"({"method": "cospadi", "cr": 0.97, "allocation": "knapsack"})", "blk.0.attn_q, cr");
        row("a given ratio",
            R"({"method": "svd", "layers": "attn_[kv]", "ratios": {"blk.1.attn_v": 0.99}})",
            "blk.1.attn_v, cr");
        row("a given ratio implies too few bits",
            R"({"method": "svd", "layers": "attn_[kv]", "accounting": "packed",
                "coefficient_format": "mantissa", "ratios": {"blk.1.attn_v": 0.3}})",
            "blk.1.attn_v, coefficient_bits");
        row("K-SVD over outputs",
            R"({"method": "cospadi", "solver": "ksvd",
                "groups": "blk.0.attn_output+blk.0.ffn_down"})",
            "blk.0.attn_output+1, groups");
    }

    void whatHasNoFormIsRefusedAtOnce() {
        QFETCH(QString, json);
        QFETCH(QString, where);
        nlohmann::json object = nlohmann::json::parse(json.toStdString());
        object["model"] = kModel.string();
        const fs::path directory = place("no-form");
        try {
            executeRun(runSpecificationFromJson(object), directory, {});
            QFAIL("was accepted");
        } catch (const Error& error) {
            QCOMPARE(QString::fromStdString(error.where()), where);
            QVERIFY(!error.hint().empty());
        }
        QVERIFY(!fs::exists(directory));
    }

    // Whether a ratio leaves room is for the layers to say: at CR 0.9995 a dictionary of 4096 x
    // 4096 has no atom at ρ 2, but low rank has no ρ, and rank 1 takes 1/2048.
    void roomIsThatOfTheLayers() {
        RunSpecification s = specification("svd");
        s.cr = 0.9995;
        validate(s);
        s = specification();
        s.cr = 0.97;
        validate(s);
        s.layers = "ffn_up";  // 64 x 160: 307 words, of which an atom of 64 takes 64 + 80
        requireRunnable(s);
    }

    void specificationSurvivesJson() {
        RunSpecification s = specification();
        s.cr = 0.35;
        s.accounting = Accounting::Eq10;
        s.calibration.sequences = 7;
        QCOMPARE(QString::fromStdString(toJson(runSpecificationFromJson(toJson(s))).dump()),
                 QString::fromStdString(toJson(s).dump()));
    }

    // Whoever says nothing of it has the bytes of before the field.
    void heldOutIsWrittenWhereItIsGiven() {
        RunSpecification s = specification();
        s.method = &methodFromName("cospadi");
        QVERIFY(!toJson(s).contains("held_out"));
        QCOMPARE(settingsOf(s).at("held_out"), std::string("0.0"));
        const std::string plain = methodLabel(s);
        s.heldOut = 0.125;
        QCOMPARE(toJson(s).at("held_out").get<double>(), 0.125);
        QCOMPARE(runSpecificationFromJson(toJson(s)).heldOut, 0.125);
        QCOMPARE(settingsOf(s).at("held_out"), std::string("0.125"));
        QVERIFY(plain.find("held out") == std::string::npos);
        QVERIFY(methodLabel(s).find("held out 0.125") != std::string::npos);
        s.method = &methodFromName("svd");
        QCOMPARE(withoutIdleSettings(s).heldOut, 0.0);
        QVERIFY(!settingsOf(s).contains("held_out"));
    }

    // Else a table of runs has a column a layer.
    void givenRatiosAreOneSetting() {
        RunSpecification s = specification();
        s.method = &methodFromName("cospadi");
        const std::size_t without = settingsOf(s).size();
        s.ratios = {{"blk.0.attn_q", 0.1}, {"blk.0.attn_k", 0.3}};
        const auto settings = settingsOf(s);
        QCOMPARE(settings.size(), without + 1);
        s.ratios["blk.0.attn_k"] = 0.31;
        QVERIFY(settingsOf(s).at("ratios") != settings.at("ratios"));
        s.ratios["blk.0.attn_k"] = 0.3;
        QCOMPARE(settingsOf(s), settings);
    }

    // Hashes and keys of runs are of these bytes. A seed has all of its 64 bits.
    void jsonStaysWhatItWas() {
        const std::string text =
            R"({"accounting":"packed8","calibration":{"length":64,"seed":3,"sequences":8,)"
            R"("text":"a.txt","text_sha256":"ab"},"coefficient_bits":12,)"
            R"("coefficient_format":"mantissa","coefficient_rounding":"truncate","cr":0.35,)"
            R"("dead_atoms":"keep","groups":"pairs","init":"gaussian","iterations":7,"layers":"ffn",)"
            R"("method":"svd-llm","model":"/m","model_sha256":"cd","power_iterations":3,)"
            R"("propagation":"target","refit":"off","rho":2.5,"ridge":0.001,)"
            R"("seed":18446744073709551615,"side":"output","solver":"ksvd","tolerance":0.0001,)"
            R"("update":"mod"})";
        nlohmann::json fields = nlohmann::json::parse(text);
        fields["allocation"] = "knapsack";
        QCOMPARE(QString::fromStdString(toJson(runSpecificationFromJson(fields)).dump()),
                 QString::fromStdString(fields.dump()));
    }
};

COSPADI_TEST(TestRunSpecification)

}  // namespace tst_run_specification

#include "tst_run_specification.moc"
