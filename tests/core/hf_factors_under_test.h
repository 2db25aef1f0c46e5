// Runs by the command line that are exported as factors for transformers: one for every form and
// every architecture.
#pragma once

#include <QFile>
#include <QtTest>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "tests/core/cli_under_test.h"

namespace hf_factors {

inline nlohmann::json jsonIn(const std::filesystem::path& path) {
    std::ifstream file(path);
    return nlohmann::json::parse(file);
}

inline QString textIn(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

struct Case {
    QString name;
    QString model;  // a folder of tests/data/arch; empty: CliUnderTest::model()
    QStringList settings;
    QString form;  // of every compressed layer
};

inline std::vector<Case> cases() {
    const QStringList free{"--method", "cospadi-free"};
    const QStringList few{"--sequences", "4", "--length", "32"};
    std::vector<Case> all = {
        {"low rank", "", {"--method", "svd"}, "low-rank"},
        {"low rank, packed8", "", {"--method", "svd", "--accounting", "packed8"}, "low-rank"},
        {"low rank, integers", "", {"--method", "svd", "--accounting", "integers"}, "low-rank"},
        {"remapped", "", {"--method", "svd", "--accounting", "remapped"}, "remapped-low-rank"},
        {"low rank, shared", "", QStringList{"--method", "svd-llm", "--groups", "2"} + few,
         "low-rank"},
        {"dictionary", "", free, "sparse-dictionary"},
        {"dictionary, bf16", "", free + QStringList{"--accounting", "eq10"}, "sparse-dictionary"},
        {"dictionary, short mantissa", "",
         free + QStringList{"--solver", "ksvd", "--iterations", "2"}, "sparse-dictionary"},
        {"dictionary, 4:8 codes", "", free + QStringList{"--code-pattern", "4:8"},
         "sparse-dictionary"},
        {"dictionary, packed8", "", free + QStringList{"--accounting", "packed8"},
         "sparse-dictionary"},
        {"dictionary, integers", "",
         free + QStringList{"--accounting", "integers", "--dictionary-bits", "5",
                            "--coefficient-bits", "4"},
         "sparse-dictionary"},
        {"dictionary over outputs", "", free + QStringList{"--side", "output"},
         "sparse-dictionary"},
        {"dictionary, shared", "", QStringList{"--method", "cospadi", "--groups", "2"} + few,
         "sparse-dictionary"},
        {"rtn", "", {"--method", "rtn", "--bits", "3", "--group-size", "32"}, "group-quantised"},
        {"rtn around zero",
         "",
         {"--method", "rtn", "--bits", "5", "--group-size", "32", "--zero-point", "none"},
         "group-quantised"},
        {"gptq", "", QStringList{"--method", "gptq", "--group-size", "32"} + few,
         "group-quantised"},
        {"pruned", "", QStringList{"--method", "wanda", "--cr", "0.3"} + few, "pruned"},
        {"pruned 2:4", "", QStringList{"--method", "wanda", "--pattern", "2:4"} + few, "pruned"},
        {"one layer", "", free + QStringList{"--layers", "blk.1.ffn_down"}, "sparse-dictionary"},
    };
    for (const char* model :
         {"llama2", "llama_biases", "llama31_long", "llama32", "smollm2", "mistral_defaults",
          "mistral_window", "qwen25", "qwen3", "qwen3_biases"}) {
        all.push_back({model, model, free, "sparse-dictionary"});
    }
    return all;
}

class HfFactorsUnderTest : public CliUnderTest {
  protected:
    std::map<QString, nlohmann::json> m_made;  // of every case what `compress` and `export` said

    QString runOf(const QString& name) const { return place("run of " + name); }

    QString folderOf(const QString& name) const { return place("export of " + name); }

    void make(const Case& one) {
        const QString source =
            one.model.isEmpty() ? model() : QString(COSPADI_TEST_DATA "/arch/") + one.model;
        const CliOutcome compressed =
            run(QStringList{"compress", source, "--out", runOf(one.name), "--no-model", "--json"} +
                one.settings +
                (one.settings.contains("--sequences") ? QStringList{"--calibration", text()}
                                                      : QStringList()));
        QVERIFY2(compressed.exitCode == 0,
                 qPrintable(one.name + ": " + compressed.error + compressed.out));
        const CliOutcome exported = run({"export", runOf(one.name), "--format", "hf-factors",
                                         "--out", folderOf(one.name), "--json"});
        QVERIFY2(exported.exitCode == 0,
                 qPrintable(one.name + ": " + exported.error + exported.out));
        m_made[one.name] = {{"compress", compressed.object()}, {"export", exported.object()}};
    }
};

}  // namespace hf_factors
