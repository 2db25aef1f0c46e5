#include "app/cli/bench/bench_latency.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/bench/bench_checks.h"
#include "app/cli/bench/python_peer.h"
#include "app/cli/run_command.h"
#include "core/base/temporary_folder.h"
#include "core/packed/packed_kernels.h"
#include "core/serving/generation_speed.h"
#include "core/serving/throughput_study.h"
#include "core/tensors/atomic_file.h"

namespace cospadi::cli {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr double kLatencyTarget = 1.1;  // ours / the peer's

// The same file for both programs. Of float16 we make bfloat16: as many bytes.
constexpr DType kLatencyFormats[] = {DType::BF16, DType::F16, DType::Q8_0, DType::Q4_1};

// [prompt][round]
struct Latencies {
    std::vector<std::vector<double>> firstToken, perToken;

    void add(std::size_t prompt, double first, double between) {
        firstToken.resize(std::max(firstToken.size(), prompt + 1));
        perToken.resize(firstToken.size());
        firstToken[prompt].push_back(first);
        perToken[prompt].push_back(between);
    }
};

class FormatContender {
  public:
    FormatContender(DType format, const std::string& model, const fs::path& folder)
        : m_format(dtypeName(format)), m_file(folder / (m_format + ".gguf")) {
        exportGguf(model, format, m_file);
        LoadOptions options;
        options.asBfloat16 = format == DType::F16;
        m_model = std::make_unique<Model>(Model::load(m_file, options));
    }

    const Model& model() const { return *m_model; }

    // False where a stop was asked for.
    bool measureOwn(ThreadPool& pool, std::span<const std::int32_t> ids,
                    const ThroughputStudy& study, const std::stop_token& stop) {
        for (std::size_t i = 0; i < study.prompts.size(); ++i) {
            const auto point =
                generationSpeed(*m_model, pool, ids, {study.prompts[i], study.tokens, 1}, stop);
            if (!point) {
                return false;
            }
            m_own.add(i, point->firstToken.p50, point->perToken.p50);
        }
        return true;
    }

    // Returns the version.
    std::string measurePeer(const std::string& python, const fs::path& study) {
        const json result =
            askPython(python, "llama_cpp_latency.py", {m_file.string(), study.string()},
                      "needs the package llama-cpp-python");
        std::size_t i = 0;
        for (const json& prompt : result.at("prompts")) {
            m_peer.add(i++, prompt.at("first_token").get<double>(),
                       prompt.at("per_token").get<double>());
        }
        return result.at("version").get<std::string>();
    }

    void addChecks(const std::vector<std::int32_t>& prompts, std::vector<Check>& checks) const {
        for (std::size_t i = 0; i < prompts.size(); ++i) {
            addCheck(fmt::format("{}: first token, prompt of {}", m_format, prompts[i]), i,
                     &Latencies::firstToken, checks);
            addCheck(fmt::format("{}: between tokens, prompt of {}", m_format, prompts[i]), i,
                     &Latencies::perToken, checks);
        }
    }

  private:
    void addCheck(const std::string& what, std::size_t prompt,
                  std::vector<std::vector<double>> Latencies::*kind,
                  std::vector<Check>& checks) const {
        const std::vector<double>& own = (m_own.*kind)[prompt];
        Check check{what, median(own) * 1e3, "ms", "", 0, 0, 0, true};
        if (!(m_peer.*kind).empty()) {
            const std::vector<double>& peer = (m_peer.*kind)[prompt];
            check.peer = "llama.cpp, the same file";
            check.peerValue = median(peer) * 1e3;
            check.ratio = medianRatio(own, peer);
            check.target = kLatencyTarget;
            check.holds = check.ratio <= kLatencyTarget;
        }
        checks.push_back(check);
    }

    std::string m_format;
    fs::path m_file;
    std::unique_ptr<Model> m_model;
    Latencies m_own, m_peer;
};

ThroughputStudy studyOf(const LatencyBench& options) {
    ThroughputStudy study;
    if (options.quick) {
        study.prompts = {16};
    }
    if (!options.prompts.empty()) {
        study.prompts = options.prompts;
    }
    study.tokens = options.quick ? 8 : std::max<std::int64_t>(2, options.tokens);
    study.rounds = options.rounds;
    asUsage([&] { validate(study, "--"); });
    return study;
}

}  // namespace

int benchLatency(const Session& session, const LatencyBench& options) {
    const ThroughputStudy study = studyOf(options);
    const TemporaryFolder temporary = TemporaryFolder::unique("cospadi-bench");
    ThreadPool pool;
    ProgressLine line;
    std::vector<FormatContender> contenders;
    for (const DType format : kLatencyFormats) {
        line.show({std::string(dtypeName(format)), static_cast<std::int64_t>(contenders.size()),
                   static_cast<std::int64_t>(std::size(kLatencyFormats)), 0, -1},
                  "exporting");
        contenders.emplace_back(format, options.model, temporary.path());
    }
    const std::vector<std::int32_t> ids =
        contenders.front().model().tokenizer().encode(promptText(study.text));
    json prompts = json::array();
    for (const std::int32_t prompt : study.prompts) {
        const auto end = std::min<std::size_t>(ids.size(), static_cast<std::size_t>(prompt));
        prompts.push_back(
            std::vector<std::int32_t>(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(end)));
    }
    const fs::path studyFile = temporary.path() / "study.json";
    writeFileAtomically(
        studyFile,
        json{{"prompts", prompts}, {"tokens", study.tokens}, {"threads", pool.threadCount()}}
            .dump());
    std::string version;
    const std::stop_token stop = session.signals.token();
    for (std::int64_t round = 0; round < study.rounds; ++round) {
        for (FormatContender& contender : contenders) {
            line.show({fmt::format("round {}", round + 1), round, study.rounds, 0, -1}, "");
            if (!contender.measureOwn(pool, ids, study, stop)) {
                return kCancelled;
            }
            if (!options.peerPython.empty()) {
                version = contender.measurePeer(options.peerPython, studyFile);
            }
        }
    }
    line.clear();
    std::vector<Check> checks;
    for (const FormatContender& contender : contenders) {
        contender.addChecks(study.prompts, checks);
    }
    return publishChecks(
        session, checks,
        fmt::format("{}, one user, {} tokens generated of each prompt, head included; {} threads, "
                    "{}; medians of {} rounds{}\n",
                    options.model, study.tokens, pool.threadCount(),
                    cospadi::name(bestPackedInstructions()), study.rounds,
                    version.empty() ? version : "; " + version));
}

}  // namespace cospadi::cli
