// What the tests of reports share: runs as the store lists them, made without files.
#pragma once

#include <QString>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "core/report/report_table.h"
#include "core/store/run_row.h"

namespace report_fixture {

// A run as the store lists it, without files.
inline cospadi::RunRow storedRun(const std::string& method, double cr, double rho, int seed,
                                 double perplexity, int sequences = 64) {
    static int number = 0;
    cospadi::RunRow run;
    run.id = QString("run-%1").arg(number++).toStdString();
    run.status = "finished";
    run.model = "/m/smol.gguf";
    run.method = method;
    run.solver = "fast";
    run.layers = ".*";
    run.cr = cr;
    run.rho = rho;
    run.seed = seed;
    run.layerBytes = static_cast<std::int64_t>(1e6 * (1 - cr));
    run.denseBytes = 1'000'000;
    run.relativeError = cr / 2;
    run.seconds = 10 + seed;
    run.specification =
        nlohmann::json{
            {"model", run.model}, {"model_sha256", "ab"},
            {"method", method},   {"solver", "fast"},
            {"layers", ".*"},     {"cr", cr},
            {"rho", rho},         {"iterations", 0},
            {"seed", seed},       {"calibration", {{"sequences", sequences}, {"text_sha256", "x"}}}}
            .dump();
    cospadi::EvaluationRow evaluation;
    evaluation.text = "/t/wiki.txt";
    evaluation.textSha256 = "cd";
    evaluation.context = 512;
    evaluation.perplexity = perplexity;
    run.evaluations = {evaluation};
    return run;
}

// The same with other fields in its specification.
inline cospadi::RunRow withSettings(cospadi::RunRow run, const nlohmann::json& fields) {
    nlohmann::json specification = nlohmann::json::parse(run.specification);
    specification.merge_patch(fields);
    run.specification = specification.dump();
    return run;
}

// What another program made of the same model, as `lm-eval import --method` leaves it: bytes of
// layers are what is stated and no measure.
inline cospadi::RunRow importedRun(const nlohmann::json& stated) {
    cospadi::RunRow run = storedRun("external", 0, 0, 0, 0);
    run.solver = run.layers = "";
    run.cr = stated.value("cr", cospadi::unknownNumber);
    run.layerBytes = run.denseBytes = 0;
    run.relativeError = run.seconds = cospadi::unknownNumber;
    run.evaluations.clear();
    nlohmann::json specification{
        {"model", run.model}, {"model_sha256", "ab"}, {"method", run.method}, {"stated", stated}};
    if (stated.contains("cr")) {
        specification["cr"] = stated["cr"];
    }
    run.specification = specification.dump();
    return run;
}

inline cospadi::TaskResultRow taskResult(const std::string& task, double value,
                                         std::int64_t samples) {
    cospadi::TaskResultRow row;
    row.task = task;
    row.metric = "acc";
    row.filter = "none";
    row.value = value;
    row.samples = samples;
    row.shots = 0;
    return row;
}

inline std::string noteAbout(const cospadi::ReportTable& table, const std::string& word) {
    for (const std::string& note : table.notes) {
        if (note.find(word) != std::string::npos) {
            return note;
        }
    }
    return "";
}

}  // namespace report_fixture
