#include "core/serving/throughput_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/base/error.h"
#include "core/base/resources.h"
#include "core/base/stopwatch.h"
#include "core/base/thread_pool.h"
#include "core/calibration/text_corpus.h"
#include "core/exports/compressed_model.h"
#include "core/exports/model_side_files.h"
#include "core/run/environment.h"
#include "core/serving/generation_speed.h"
#include "core/serving/model_server.h"

namespace cospadi {

namespace {

constexpr std::size_t kTextBytes = std::size_t{256} << 10U;

int threadsOf(const ThroughputStudy& study) {
    const int wished = ThreadPool::wishedThreads();
    return study.threads > 0 ? study.threads : wished > 0 ? wished : ThreadPool::availableCores();
}

// Serves until it goes out of scope.
class ServedModel {
  public:
    ServedModel(const Model& model, const ThroughputStudy& study)
        : m_server(model, tokenizerConfigOf(WeightSource::open(model.sourcePath())),
                   optionsOf(study)),
          m_thread([this](const std::stop_token& stop) { m_server.serve(stop); }) {}

    std::string url() const { return m_server.url(); }

  private:
    static ServerOptions optionsOf(const ThroughputStudy& study) {
        const int users = *std::max_element(study.users.begin(), study.users.end());
        ServerOptions options;
        options.port = 0;
        options.scheduler.threads = study.threads;
        options.scheduler.cacheBytes = 0;  // every prompt is computed
        options.scheduler.activeSequences = std::max(options.scheduler.activeSequences, users);
        options.http.connections = std::max(options.http.connections, users + 1);
        return options;
    }

    ModelServer m_server;
    std::jthread m_thread;
};

}  // namespace

ThroughputRecord ThroughputStudy::record() const {
    ThroughputRecord record;
    record.mode = mode;
    record.tokens = tokens;
    record.rounds = rounds;
    record.threads = threadsOf(*this);
    record.weights = "bfloat16";
    record.cpu = environmentRecord().at("cpu").get<std::string>();
    return record;
}

void validate(const ThroughputStudy& study, const std::string& prefix) {
    const auto requireCounts = [&](const std::vector<std::int32_t>& list, const char* field) {
        if (list.empty() || *std::min_element(list.begin(), list.end()) < 1) {
            throw Error("is empty or contains a number below 1", prefix + field,
                        "give counts such as 1, 16");
        }
    };
    requireCounts(study.users, "users");
    requireCounts(study.prompts, "prompts");
    if (study.mode == ThroughputMode::Synchronous && study.users != std::vector<std::int32_t>{1}) {
        throw Error("applies to the asynchronous study only", prefix + "users",
                    "omit it: the other study has a single user");
    }
    for (const auto& [field, value] :
         {std::pair("tokens", study.tokens), std::pair("rounds", study.rounds)}) {
        if (value < 1) {
            throw Error("is below 1", prefix + field, "use at least 1");
        }
    }
}

std::vector<std::pair<std::int64_t, std::int64_t>> missingPoints(const std::filesystem::path& run,
                                                                 const ThroughputStudy& study) {
    const ThroughputRecord known =
        run.empty() ? ThroughputRecord() : recordedThroughput(run, study.record());
    std::vector<std::pair<std::int64_t, std::int64_t>> missing;
    for (const std::int32_t users : study.users) {
        for (const std::int32_t prompt : study.prompts) {
            if (known.find(users, prompt) == nullptr) {
                missing.emplace_back(users, prompt);
            }
        }
    }
    return missing;
}

std::string promptText(const std::string& text) {
    std::string whole = readWholeText(namedText(text));
    std::size_t end = std::min(whole.size(), kTextBytes);
    while (end > 0 && end < whole.size() &&
           (static_cast<unsigned char>(whole[end]) & 0xC0U) == 0x80U) {
        --end;
    }
    whole.resize(end);
    return whole;
}

LoadProgram loadWithin(const std::string& text) {
    return [text](const std::string& url, const LoadStudy& load, std::int64_t from,
                  const std::stop_token& stop) {
        const ServerAddress server = serverAddressOf(url);
        return loadServer(server, tokensOfServer(server, promptText(text), load), load, from, stop);
    };
}

bool studyThroughput(const std::filesystem::path& run, const ThroughputStudy& study,
                     const LoadProgram& load, const ProgressCallback& progress,
                     const std::stop_token& stop) {
    const auto missing = missingPoints(run, study);
    if (missing.empty()) {
        return true;
    }
    const ThroughputRecord like = study.record();
    const Model model = loadModelOrRun(run.string(), {.asBfloat16 = true});
    const Stopwatch clock;
    std::optional<ServedModel> served;
    std::optional<ThreadPool> pool;
    std::vector<std::int32_t> ids;
    if (study.mode == ThroughputMode::Asynchronous) {
        served.emplace(model, study);
    } else {
        pool.emplace(study.threads);
        ids = model.tokenizer().encode(promptText(study.text));
    }
    std::int64_t from = 0;
    std::int64_t done = 0;
    for (const auto& [users, prompt] : missing) {
        if (progress) {
            progress({fmt::format("{}, {} users, prompt {}", name(study.mode), users, prompt), done,
                      static_cast<std::int64_t>(missing.size()), clock.seconds(), -1});
        }
        std::optional<ThroughputPoint> point;
        if (served) {
            LoadStudy asked;
            asked.users = users;
            asked.prompt = prompt;
            asked.tokens = study.tokens;
            asked.rounds = study.rounds;
            point = load(served->url(), asked, from, stop);
            from += users * (study.rounds + 1);
        } else {
            point = generationSpeed(model, *pool, ids, {prompt, study.tokens, study.rounds}, stop);
        }
        if (!point) {
            return false;
        }
        recordThroughput(run, like, *point);
        ++done;
    }
    return true;
}

}  // namespace cospadi
