// lm-eval in a place of its own: recorded results, folders, a small model to ask, and a stand-in
// for Python.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/lm_eval/lm_eval_run.h"
#include "served_model.h"

namespace lm_eval {

inline const std::filesystem::path kData = COSPADI_TEST_DATA "/lm_eval";
inline const std::filesystem::path kSets = kData / "sets";
inline const std::filesystem::path kRecorded = kData / "results_2026-11-21T02-03-31.333142.json";

inline void writeText(const std::filesystem::path& path, const std::string& text) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
}

inline const cospadi::TaskResultRow& rowOf(const cospadi::TaskEvaluation& evaluation,
                                           const std::string& metric) {
    const auto found =
        std::find_if(evaluation.results.begin(), evaluation.results.end(),
                     [&](const cospadi::TaskResultRow& row) { return row.metric == metric; });
    if (found == evaluation.results.end()) {
        throw cospadi::Error("is not among the results", metric, "");
    }
    return *found;
}

class UnderTest {
  public:
    // The user's data goes into place("home"); the default model is found where it was.
    void useOwnFolders() const {
        if (const auto model = oracle::defaultModel()) {  // it lies in the folder that changes now
            qputenv("COSPADI_DEFAULT_MODEL", model->c_str());
        }
        qputenv("XDG_DATA_HOME", place("home").c_str());
        // A dense run is of a model in this folder, which goes with the test.
        qputenv("COSPADI_RUNS", place("runs").c_str());
    }

    std::filesystem::path place(const std::string& name) const {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }

    // A Python that says it has lm-eval and does `script` when it is asked to run it; $out is the
    // output folder. `load` is what it does when it is only to load tasks: $3, definitions in $4.
    // Used as long as COSPADI_LM_EVAL_PYTHON names it.
    void standIn(const std::string& script, const std::string& load = ":") const {
        const std::string text =
            "#!/bin/sh\n"
            "case $2 in *TaskManager*) " +
            load +
            " ;; esac\n"
            "if [ \"$1\" = -c ]; then echo 0.4.13; echo " +
            place("tasks").string() +
            "; exit 0; fi\n"
            "echo \"$*\" >'" +
            place("arguments").string() +
            "'\n"
            "url=; out=\n"
            "while [ $# -gt 0 ]; do case $1 in --output_path) out=$2 ;; esac; shift; done\n" +
            script;
        writeText(place("python"), text);
        std::filesystem::permissions(place("python"), std::filesystem::perms::owner_all);
        qputenv("COSPADI_LM_EVAL_PYTHON", place("python").c_str());
    }

    // One task, asked of a small random model.
    cospadi::LmEvalRequest request() const {
        served::model(m_folder);
        cospadi::LmEvalRequest request;
        request.model = place("a_llama_gqa").string();
        request.tasks = {"toy_mc"};
        request.threads = 1;
        return request;
    }

  private:
    QTemporaryDir m_folder;
};

}  // namespace lm_eval
