// The paper's settings as a preset: against its own table of hyper-parameters, and that nothing
// which differs from them is called the paper's.
#include <QtTest>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.h"
#include "core/base/resources.h"
#include "core/methods/method.h"
#include "core/report/pivot.h"
#include "core/report/report.h"
#include "core/store/method_label.h"
#include "core/store/paper_preset.h"
#include "core/store/run_settings.h"
#include "tests/registered_test.h"

namespace tst_paper_preset {

using namespace cospadi;
using nlohmann::json;

namespace {

const RunSpecification kPaper = presetSpecification("paper");

// What counts, by its dotted name.
json flat(const RunSpecification& s) {
    json fields = json::object();
    const json specification = toJson(s);
    for (const auto& [field, value] : specification.items()) {
        if (!value.is_object()) {
            fields[field] = value;
            continue;
        }
        for (const auto& [inner, its] : value.items()) {
            fields[field + "." + inner] = its;
        }
    }
    return fields;
}

RunSpecification with(const RunSpecification& s, const std::string& field, const json& value) {
    json fields = toJson(s);
    const std::size_t dot = field.find('.');
    (dot == std::string::npos ? fields[field]
                              : fields[field.substr(0, dot)][field.substr(dot + 1)]) = value;
    return runSpecificationFromJson(fields);
}

RunRow stored(const RunSpecification& s, double perplexity) {
    static int number = 0;
    RunRow run;
    run.id = "run-" + std::to_string(number++);
    run.status = "finished";
    run.model = "/m/model.gguf";
    run.method = s.method->name();
    run.solver = name(s.solver);
    run.layers = s.layers;
    run.cr = s.cr;
    run.rho = s.rho;
    run.relativeError = perplexity / 100;
    run.specification = toJson(s).dump();
    EvaluationRow evaluation;
    evaluation.text = "wiki.txt";
    evaluation.context = 512;
    evaluation.perplexity = perplexity;
    run.evaluations = {evaluation};
    return run;
}

std::vector<std::string> firstCells(const ReportTable& table) {
    std::vector<std::string> cells;
    for (const ReportRow& row : table.rows) {
        cells.push_back(std::get<std::string>(row.cells[0]));
    }
    return cells;
}

const char* const kInWords = "cospadi (ksvd 60x8, init weight, dead atoms kept, truncated)";

}  // namespace

class TestPaperPreset : public QObject {
    Q_OBJECT

  private slots:
    // Every row of Table 8 that has a field, words by what they mean here.
    void isThePapersTable() {
        const std::map<std::string, json> meanings = {{"power-iteration K-SVD", "ksvd"},
                                                      {"linear layers in transformer blocks", ".*"},
                                                      {"random columns of W", "weight"},
                                                      {"Eq. (11) unless stated otherwise", "eq11"}};
        std::ifstream file(resourcePath("published/hyperparams.json"));
        const json fields = flat(kPaper);
        int compared = 0;
        const json table = json::parse(file);
        for (const json& row : table.at("rows")) {
            if (!row.contains("field") || row["field"] == "calibration.text") {
                continue;  // RefinedWeb does not ship
            }
            const json& value = row["values"]["value"];
            const json expected =
                value.contains("value") ? value["value"] : meanings.at(value["text"]);
            QVERIFY2(fields.at(row["field"].get<std::string>()) == expected,
                     row["field"].get<std::string>().c_str());
            ++compared;
        }
        QCOMPARE(compared, 10);
        // §4.2.1: bfloat16 less two bits.
        QCOMPARE(effective(kPaper).coefficientBits, 14);
        QVERIFY(kPaper.coefficientRounding == CoefficientRounding::Truncate);
        QVERIFY(kPaper.deadAtoms == DeadAtoms::Keep);  // Algorithm 1: if Ω is not empty
        validate(kPaper);
    }

    void modelLayersRatioAndTextAreFree() {
        RunSpecification s = kPaper;
        s.model = "/another/model.gguf";
        s.modelSha256 = "ab";
        s.layers = "ffn_up";
        s.cr = 0.35;
        s.calibration.text = "/data/refinedweb.jsonl";
        s.calibration.textSha256 = "cd";
        s.coefficientBits = 14;  // as implied
        QVERIFY(isPaper(s));
        QCOMPARE(methodLabel(s), std::string("cospadi (paper)"));
        QVERIFY(!isPaper(RunSpecification()));
    }

    // Every other field that counts.
    void anyOtherValueIsNotThePapers() {
        const std::map<std::string, json> others = {{"method", "cospadi-free"},
                                                    {"solver", "fast"},
                                                    {"update", "mod"},
                                                    {"coder", "lasso"},
                                                    {"init", "random"},
                                                    {"groups", "pairs"},
                                                    {"dead_atoms", "replace"},
                                                    {"coefficient_rounding", "nearest"},
                                                    {"accounting", "eq10"},
                                                    {"coefficient_format", "exponent"},
                                                    {"refit", "on"},
                                                    {"allocation", "knapsack"},
                                                    {"propagation", "input"},
                                                    {"rho", 3},
                                                    {"iterations", 59},
                                                    {"power_iterations", 7},
                                                    {"coefficient_bits", 13},
                                                    {"tolerance", 0.01},
                                                    {"seed", 43},
                                                    {"ridge", 0.01},
                                                    {"calibration.sequences", 255},
                                                    {"calibration.length", 1000},
                                                    {"calibration.seed", 43}};
        const std::set<std::string> free = {"model", "model_sha256",     "layers",
                                            "cr",    "calibration.text", "calibration.text_sha256"};
        const std::set<std::string> idle = {"side"};  // K-SVD has but one
        const json fields = flat(kPaper);
        for (const auto& [field, value] : fields.items()) {
            if (free.contains(field) || idle.contains(field)) {
                continue;
            }
            QVERIFY2(others.contains(field), field.c_str());
            const RunSpecification other = with(kPaper, field, others.at(field));
            QVERIFY2(!isPaper(other), field.c_str());
            QVERIFY2(methodLabel(other).find("paper") == std::string::npos, field.c_str());
            QVERIFY2(field == "method" || paperFields().contains(field), field.c_str());
        }
    }

    void isAWordOfSpecifications() {
        QVERIFY(toJson(runSpecificationFromJson({{"preset", "paper"}})) == toJson(kPaper));
        const RunSpecification s = runSpecificationFromJson(
            {{"preset", "paper"}, {"iterations", 5}, {"calibration", {{"length", 64}}}});
        QCOMPARE(s.iterations, 5);
        QCOMPARE(s.calibration.length, std::int64_t{64});
        QCOMPARE(s.calibration.sequences, std::int64_t{256});
        QVERIFY(s.init == DictionaryInit::WeightColumns);
        QVERIFY(!toJson(s).contains("preset"));
        try {
            runSpecificationFromJson({{"preset", "papr"}});
            QFAIL("an unknown preset was taken");
        } catch (const Error& error) {
            QCOMPARE(error.where(), std::string("preset"));
        }
    }

    // Where a table tells one of the settings, or takes means over seeds, the paper's runs stand in
    // the row of their like.
    void tablesKeepLikeRunsTogether() {
        const RunSpecification sparser = with(kPaper, "rho", 3);
        QCOMPARE(methodLabel(sparser), std::string(kInWords));
        const std::vector<RunRow> runs = {stored(kPaper, 40), stored(sparser, 44)};
        QCOMPARE(firstCells(pivot({runs[0]}, {})), std::vector<std::string>{"cospadi (paper)"});
        PivotOptions byRho;
        byRho.columns = {"rho"};
        QCOMPARE(firstCells(pivot(runs, byRho)), std::vector<std::string>{kInWords});
        const ReportTable seeds =
            pivot({stored(kPaper, 40), stored(with(kPaper, "seed", 43), 42)}, {});
        QCOMPARE(firstCells(seeds), std::vector<std::string>{kInWords});
        QCOMPARE(numberIn(seeds.rows[0].cells[1]), 41.0);
        QCOMPARE(methodRank("cospadi (paper)"), methodRank(kInWords));
    }
};

COSPADI_TEST(TestPaperPreset)

}  // namespace tst_paper_preset

#include "tst_paper_preset.moc"
