#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "app/cli/run_command.h"
#include "app/cli/session.h"
#include "core/base/resources.h"
#include "core/calibration/calibration.h"
#include "core/exports/compressed_model.h"
#include "core/linalg/whitening.h"
#include "core/model/device_products.h"
#include "core/model/model_locator.h"

namespace cospadi::cli {

namespace {

struct CalibrateOptions {
    std::string model;
    std::string text;
    CalibrationOptions calibration;
    DeviceOptions device;
    bool noCache = false;
};

// blk.2 before blk.10.
std::vector<std::string> inNaturalOrder(std::vector<std::string> keys) {
    std::sort(keys.begin(), keys.end(), [](const std::string& a, const std::string& b) {
        return strverscmp(a.c_str(), b.c_str()) < 0;
    });
    return keys;
}

int runCalibration(const Session& session, CalibrateOptions options) {
    options.calibration.text = namedText(options.text.empty() ? "c4" : options.text);
    options.calibration.useCache = !options.noCache;
    asUsage([&] { options.calibration.validate(); });
    // Of a run, whose inputs are others but whose file is the original's, the cache would take the
    // Grams for those of the original.
    const std::filesystem::path path = std::filesystem::absolute(locateModel(options.model));
    const Model model = loadModelOrRun(path.string(), {.deferredAbove = 0});
    ThreadPool pool;
    ProgressLine line;
    const ComputeDevice device = options.device.open();
    const auto products = productsOn(device, pool.threadCount(), cpuTakesOverNotice(line));
    const auto grams = calibrate(model, pool, options.calibration, session.progress(line),
                                 session.signals.token(), products.get());
    line.clear();
    if (!grams) {
        fmt::print(stderr, "cancelled\n");
        return kCancelled;
    }
    nlohmann::json rows = nlohmann::json::array();
    std::string text = fmt::format(
        "{} tokens in {}, {} Gram matrices, {} ({})\n\n{:<22} {:>7} {:>12}\n", grams->tokens,
        counted(grams->sequences, "sequence"), grams->keys().size(), humanSeconds(grams->seconds),
        grams->fromCache ? "from the cache" : "computed", "inputs of", "d1", "shift");
    for (const std::string& key : inNaturalOrder(grams->keys())) {
        const Eigen::MatrixXd gram = grams->gram(key);
        const double shift = Whitening(gram, key).shift();
        text += fmt::format("{:<22} {:>7} {:>12.3g}\n", key, gram.rows(), shift);
        rows.push_back(
            {{"key", key}, {"d1", gram.rows()}, {"trace", gram.trace()}, {"shift", shift}});
    }
    session.print(text, {{"tokens", grams->tokens},
                         {"sequences", grams->sequences},
                         {"seconds", grams->seconds},
                         {"from_cache", grams->fromCache},
                         {"key", grams->cacheKey},
                         {"grams", rows}});
    return kOk;
}

}  // namespace

void addCalibrate(Command app, Session& session) {
    const Command command = app.addCommand("calibrate",
                                           "Compute the Gram matrices G = XᵀX of all linear "
                                           "layers' inputs over a text, and cache them");
    auto options = std::make_shared<CalibrateOptions>();
    command.addOption("MODEL", options->model, "Path, or the word default").required();
    command.addOption(
        "--text", options->text,
        "A .jsonl with a text field or a plain text, either optionally as .gz, or the word web: "
        "the shipped web text, enough for 256 x 1024 tokens [the shipped C4 sample]");
    command.addOption("--sequences", options->calibration.sequences, "Sequences to sample")
        .showDefault();
    command.addOption("--length", options->calibration.length, "Tokens per sequence").showDefault();
    command.addOption("--seed", options->calibration.seed, "Seed of the sample")
        .check(seedProblem)
        .showDefault();
    command.addFlag("--no-cache", options->noCache, "Do not read or write the cache");
    options->device.addTo(command);
    finishCommand(command, session,
                  [&session, options] { return runCalibration(session, *options); });
}

}  // namespace cospadi::cli
