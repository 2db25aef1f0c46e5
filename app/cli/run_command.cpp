#include "app/cli/run_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include "core/base/printable_text.h"
#include "core/exports/compressed_model.h"
#include "core/store/locations.h"
#include "core/store/run_store.h"
#include "gpu/device/compute_devices.h"

namespace cospadi::cli {

namespace {

bool isDeviceWord(const std::string& word) {
    const std::string numbered = "cuda:";
    const bool isNumbered =
        word.starts_with(numbered) && word.size() > numbered.size() &&
        word.find_first_not_of("0123456789", numbered.size()) == std::string::npos;
    return word == "cpu" || word == "auto" || word == "cuda" || isNumbered;
}

// After long work, whose result is in `directory` whatever the index says.
void indexResult(const char* made, const std::filesystem::path& directory,
                 const std::vector<std::string>& tags) {
    try {
        indexRun(directory, tags);
    } catch (const Error& error) {
        throw Error(
            fmt::format("{}, but it could not be added to the index: {}", made, error.problem()),
            directory.string(),
            fmt::format("{}; then `cospadi runs import {}`", error.hint(), directory.string()));
    }
}

// Why the index could not take it in; empty where it could.
std::string notIndexed(const char* made, const std::filesystem::path& directory,
                       const std::vector<std::string>& tags) {
    try {
        indexResult(made, directory, tags);
        return {};
    } catch (const Error& error) {
        return error.what();
    }
}

}  // namespace

void RunProgress::operator()(const nlohmann::json& event) {
    const std::string kind = event.at("event").get<std::string>();
    if (kind == "warning") {
        m_line.clear();
        fmt::print(
            stderr, "warning: {}{}\n",
            event.value("matrix", "").empty() ? "" : event["matrix"].get<std::string>() + ": ",
            printableLine(event.at("message").get<std::string>()));
    }
    if (kind == "run_started") {
        m_matrices = event.at("matrices").get<std::int64_t>();
        m_finished = event.at("finished").get<std::int64_t>();
        m_detail.clear();  // of the run before this one
    } else if (kind == "matrix_started" && m_progress.stage != "compress") {
        m_progress = Progress{"compress", m_finished, m_matrices, 0, -1};
    } else if (kind == "progress") {
        m_progress =
            Progress{event.at("stage").get<std::string>(), event.at("done").get<std::int64_t>(),
                     event.at("total").get<std::int64_t>(), event.at("seconds").get<double>(),
                     event.at("eta_seconds").get<double>()};
    } else if (kind == "iteration") {
        m_detail =
            fmt::format("{} {} {}: error {:.4f}", event.at("matrix").get<std::string>(),
                        event.at("phase").get<std::string>(), event.at("iteration").get<int>(),
                        event.at("relative_error").get<double>());
        if (const auto heldOut = event.find("held_out_error"); heldOut != event.end()) {
            m_detail += fmt::format(", held out {:.4f}", heldOut->get<double>());
        }
    }
    if (kind == "refinement_step") {
        m_detail = fmt::format("{:.4f} nats per token", event.at("divergence").get<double>());
    }
    if (!m_progress.stage.empty()) {
        const bool isDetailed = m_progress.stage == "compress" || m_progress.stage == "refine";
        m_line.show(m_progress, isDetailed ? m_detail : "");
    }
}

RunSummary runWithProgress(const Session& session, const RunSpecification& specification,
                           const std::filesystem::path& directory, RunExecution execution,
                           const std::vector<std::string>& tags) {
    requireStore();
    RunSummary run;
    {
        RunProgress progress;
        execution.onEvent = [&](const nlohmann::json& event) {
            showAndIndex(progress, event, tags);
        };
        run = executeRun(specification, directory, execution, session.signals.token());
    }
    indexResult("the run is complete", run.directory, tags);
    return run;
}

std::string gainText(const RefinementGain& gain) {
    return fmt::format(
        "Divergence from the dense model on held-out text: {:.4f} nats per token, {:.4f} before\n",
        gain.after, gain.before);
}

void showAndIndex(RunProgress& progress, const nlohmann::json& event,
                  const std::vector<std::string>& tags) {
    if (event.at("event") == "run_started") {
        progress.clear();
        indexOrWarn(event.at("directory").get<std::string>(), tags);
    }
    progress(event);
}

void DeviceOptions::addTo(Command command) {
    command
        .addOption("--device", device,
                   "Device to compute on: cpu, cuda, cuda:N, or auto: a suitable CUDA device, else "
                   "the CPU")
        .check([](const std::string& word) {
            return isDeviceWord(word)
                       ? ""
                       : "'" + word + "' is not a device; use cpu, cuda, cuda:N or auto";
        })
        .showDefault();
    command.addFlag("--tf32", tf32,
                    "On a device: use tensor cores for products, with operands rounded to 11 bits");
}

ComputeDevice DeviceOptions::open() const { return computeDevice(device, tf32); }

void tell(const std::vector<std::string>& notes) {
    for (const std::string& note : notes) {
        fmt::print(stderr, "note: {}\n", printableLine(note));
    }
}

void indexRun(const std::filesystem::path& directory, const std::vector<std::string>& tags) {
    RunStore store = RunStore::open(storePath());
    std::vector<std::string> notes;
    const std::string id = store.importRun(directory, &notes);
    for (const std::string& tag : tags) {
        store.tag(id, tag);
    }
    tell(notes);
}

void indexOrWarn(const std::filesystem::path& directory, const std::vector<std::string>& tags) {
    warn(notIndexed("the run's files are in its folder", directory, tags));
}

std::function<void(const DeviceError&)> cpuTakesOverNotice(ProgressLine& line) {
    return [&line](const DeviceError& error) {
        line.clear();
        fmt::print(stderr, "warning: {}; continuing on the CPU\n", error.problem());
    };
}

std::filesystem::path storedRunDirectory(const std::string& run) {
    std::filesystem::path directory = runDirectoryOf(run);
    if (directory.empty()) {
        const RunStore store = RunStore::openForReading(storePath());
        directory = store.directoryOf(store.find(run).id);  // which says what is wrong
    }
    return directory;
}

void requireStore() { static_cast<void>(RunStore::open(storePath())); }

void requireSoundStore() {
    const std::filesystem::path path = storePath();
    try {
        requireStore();
    } catch (const Error&) {
        const auto may = [](const std::filesystem::path& place, int how) {
            return ::access(place.c_str(), how) == 0;
        };
        if (may(path, F_OK) && may(path, W_OK) && may(path.parent_path(), W_OK)) {
            throw;
        }
    }
}

std::string evaluatedButNotIndexed(const std::filesystem::path& directory) {
    return notIndexed("the results are in the run's folder", directory, {});
}

std::string notRecorded(const std::string& reason) {
    return reason.empty() ? "" : "the result was not recorded: " + reason;
}

void warn(const std::string& problem) {
    if (!problem.empty()) {
        fmt::print(stderr, "warning: {}\n", printableText(problem));
    }
}

}  // namespace cospadi::cli
