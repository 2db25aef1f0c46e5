#include "core/lm_eval/task_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/lm_eval/lm_eval_number.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

double metricOf(const json& sample, const char* name) {
    const auto value = sample.find(name);
    return value == sample.end() ? std::nan("") : lmEvalNumber(*value);
}

// Where every answer has a context of its own, what they have in common, to its last space, is the
// sample's; the rest of each stands before what was scored.
void shareContext(const std::vector<std::string>& contexts, TaskSample& sample) {
    if (contexts.empty()) {
        return;
    }
    sample.context = contexts.front();
    for (const std::string& context : contexts) {
        const auto differ = std::mismatch(sample.context.begin(), sample.context.end(),
                                          context.begin(), context.end())
                                .first;
        sample.context.erase(differ, sample.context.end());
    }
    const bool isShared = std::all_of(contexts.begin(), contexts.end(),
                                      [&](const auto& one) { return one == sample.context; });
    if (isShared) {
        return;
    }
    const std::size_t space = sample.context.rfind(' ');
    sample.context.erase(space == std::string::npos ? 0 : space + 1);
    for (std::size_t i = 0; i < contexts.size(); ++i) {
        sample.continuations[i].insert(0, contexts[i], sample.context.size());
    }
}

TaskSample sampleOf(const json& record) {
    TaskSample sample;
    sample.item = record.at("doc_id").get<std::int64_t>();
    const json& arguments = record.at("arguments");
    std::vector<std::string> contexts;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        // Older versions have a list of lists in the place of named arguments.
        const json& pair =
            arguments.is_array() ? arguments[i] : arguments.at(fmt::format("gen_args_{}", i));
        const auto part = [&](std::size_t at) {
            const std::string key = fmt::format("arg_{}", at);
            const bool isThere = pair.is_array() ? at < pair.size() : pair.contains(key);
            const json none("");
            const json& value = !isThere ? none : pair.is_array() ? pair[at] : pair[key];
            return value.is_string() ? value.get<std::string>() : std::string();
        };
        const std::string second = part(1);
        contexts.push_back(second.empty() ? "" : part(0));
        sample.continuations.push_back(second.empty() ? part(0) : second);
    }
    shareContext(contexts, sample);
    for (const json& response : record.at("filtered_resps")) {
        sample.logLikelihoods.push_back(
            lmEvalNumber(response.is_array() && !response.empty() ? response.front() : response));
    }
    sample.acc = metricOf(record, "acc");
    sample.accNorm = metricOf(record, "acc_norm");
    if (sample.logLikelihoods.size() > 1) {
        sample.chosen =
            std::max_element(sample.logLikelihoods.begin(), sample.logLikelihoods.end()) -
            sample.logLikelihoods.begin();
        const double answer = lmEvalNumber(record.value("target", json()));
        const bool isIndex = answer >= 0 && answer < static_cast<double>(arguments.size()) &&
                             answer == std::floor(answer);
        sample.answer = isIndex ? static_cast<std::int64_t>(answer) : -1;
        // Of some tasks lm-eval tells the answer's text; of two the other one is right then.
        if (!isIndex && sample.logLikelihoods.size() == 2 && std::isfinite(sample.acc)) {
            sample.answer = sample.acc > 0 ? sample.chosen : 1 - sample.chosen;
        }
    }
    return sample;
}

}  // namespace

std::vector<TaskSample> readTaskSamples(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
        throw Error("cannot be read", file.string(), "evaluate the task again");
    }
    std::vector<TaskSample> samples;
    std::int64_t number = 0;
    for (std::string line; std::getline(stream, line);) {
        ++number;
        if (line.empty()) {
            continue;
        }
        try {
            samples.push_back(sampleOf(json::parse(line)));
        } catch (const json::exception& error) {
            throw Error(fmt::format("line {} is not a sample of lm-eval: {}", number, error.what()),
                        file.string(), "evaluate the task again");
        }
    }
    return samples;
}

std::vector<SamplePair> pairSamples(const std::vector<TaskSample>& first,
                                    const std::vector<TaskSample>& second) {
    std::map<std::int64_t, std::size_t> byItem;
    for (std::size_t i = 0; i < second.size(); ++i) {
        byItem.emplace(second[i].item, i);
    }
    std::vector<SamplePair> pairs;
    for (std::size_t i = 0; i < first.size(); ++i) {
        const auto found = byItem.find(first[i].item);
        if (found == byItem.end() || !first[i].asksSameAs(second[found->second])) {
            continue;
        }
        const TaskSample& a = first[i];
        const TaskSample& b = second[found->second];
        SamplePair pair{i, found->second, SampleChange::Unknown, a.chosen != b.chosen};
        if (std::isfinite(a.acc) && std::isfinite(b.acc)) {
            pair.change = a.acc > 0 ? (b.acc > 0 ? SampleChange::BothRight : SampleChange::Lost)
                                    : (b.acc > 0 ? SampleChange::Gained : SampleChange::BothWrong);
        }
        pairs.push_back(pair);
    }
    return pairs;
}

fs::path samplesFileOf(const fs::path& run, const std::string& evaluation,
                       const std::string& task) {
    const fs::path file =
        run / "evaluations" / fs::path(evaluation).stem() / ("samples_" + task + ".jsonl");
    std::error_code ignored;
    return fs::exists(file, ignored) ? file : fs::path();
}

}  // namespace cospadi
