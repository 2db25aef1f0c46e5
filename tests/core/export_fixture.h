// What tests of exports begin with: a finished run of the small model, with a tokenizer of its
// size, and exports of it into their folder.
#pragma once

#include <QtTest>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/exports/export_model.h"
#include "core/methods/method.h"
#include "core/run/compression_run.h"
#include "own_folder.h"
#include "run_python.h"
#include "small_runs.h"

namespace cospadi::export_fixture {

namespace fs = std::filesystem;
using nlohmann::json;
using small_runs::kModel;
using small_runs::logitsOf;

inline const fs::path kArch = COSPADI_TEST_DATA "/oracle/arch";

inline float distance(const Eigen::MatrixXf& a, const Eigen::MatrixXf& b) {
    return a.rows() == b.rows() && a.cols() == b.cols() ? (a - b).cwiseAbs().maxCoeff() : 1e9F;
}

class ExportFixture : public OwnFolder {
  protected:
    fs::path m_run;

    void compress() {
        QVERIFY(m_folder.isValid());
        QVERIFY2(fs::exists(kModel / "config.json"), "tests/data/oracle is missing");
        RunSpecification s;
        s.model = withTokenizer("original").string();
        s.method = &methodFromName("cospadi-free");
        m_run = place("run");
        executeRun(s, m_run, {});
    }

    ExportSummary exported(const fs::path& model, ExportFormat format, DType dtype,
                           const std::string& name) {
        ExportRequest request;
        request.model = model.string();
        request.format = format;
        request.dtype = dtype;
        request.out = place(name);
        return exportModel(request).value();
    }

    static json jsonOf(const fs::path& path) {
        std::ifstream file(path);
        return json::parse(file);
    }

    static void changeFile(const fs::path& path, const json& changes) {
        json object = jsonOf(path);
        object.update(changes);
        std::ofstream(path) << object;
    }

    // A copy of the original with other fields in one of its files.
    fs::path changedOriginal(const std::string& name, const char* file, const json& changes) {
        fs::copy(place("original"), place(name), fs::copy_options::recursive);
        changeFile(place(name) / file, changes);
        return place(name);
    }

  private:
    // The small model with a tokenizer of its size: the 256 bytes and the first merges.
    fs::path withTokenizer(const std::string& name) {
        const fs::path folder = place(name);
        fs::create_directories(folder);
        fs::copy_file(kModel / "config.json", folder / "config.json");
        fs::copy_file(kModel / "model.safetensors", folder / "model.safetensors");
        std::ifstream file(COSPADI_TEST_DATA "/oracle/tokenizers/smollm_style.json");
        json tokenizer = json::parse(file);
        json vocabulary = json::object();
        const json entries = tokenizer["model"]["vocab"];
        for (const auto& [text, id] : entries.items()) {
            if (id.get<int>() < 500) {  // 12 rows of the embedding stay without a token
                vocabulary[text] = id;
            }
        }
        json merges = json::array();
        const json allMerges = tokenizer["model"]["merges"];
        for (const json& merge : allMerges) {
            const auto a = merge.is_array()
                               ? merge[0].get<std::string>()
                               : QString::fromStdString(merge).split(' ')[0].toStdString();
            const auto b = merge.is_array()
                               ? merge[1].get<std::string>()
                               : QString::fromStdString(merge).split(' ')[1].toStdString();
            if (vocabulary.contains(a) && vocabulary.contains(b) && vocabulary.contains(a + b)) {
                merges.push_back(merge);
            }
        }
        tokenizer["model"]["vocab"] = vocabulary;
        tokenizer["model"]["merges"] = merges;
        std::ofstream(folder / "tokenizer.json") << tokenizer.dump();
        std::ofstream(folder / "tokenizer_config.json")
            << "{\"eos_token\": \"<|im_end|>\", \"chat_template\": \"{{ messages }}\"}";
        return folder;
    }
};

}  // namespace cospadi::export_fixture
