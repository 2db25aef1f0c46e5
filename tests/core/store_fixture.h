// What the tests of the run store share: run directories written by hand as docs/formats.md says,
// and Python's sqlite3 as the outside that reads and builds databases.
#pragma once

#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/error.h"
#include "tests/core/message_of.h"
#include "tests/core/run_python.h"

namespace store_fixture {

// Not "x" + std::to_string(i): GCC 12 warns about that wrongly (its bug 105651).
inline std::string numbered(const char* prefix, int number) {
    return std::string(prefix).append(std::to_string(number));
}

inline void writeText(const std::filesystem::path& path, const std::string& text) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
}

inline nlohmann::json specification(const std::string& method) {
    return {{"model", "/models/smol.gguf"},
            {"model_sha256", "ab"},
            {"method", method},
            {"solver", "ksvd"},
            {"layers", "ffn_up"},
            {"cr", 0.2},
            {"rho", 2.0},
            {"accounting", "eq11"},
            {"iterations", 60},
            {"power_iterations", 8},
            {"seed", 7}};
}

inline void writeRunFile(const std::filesystem::path& run, const std::string& id,
                         const std::string& created, const std::string& method = "cospadi") {
    const nlohmann::json document = {{"format", 1},
                                     {"id", id},
                                     {"created", created},
                                     {"specification", specification(method)},
                                     {"environment", {{"version", "0.1.0"}, {"cores", 2}}}};
    writeText(run / "run.json", document.dump());
}

inline void writeFinishedRun(const std::filesystem::path& run, const std::string& id,
                             const std::string& created, int matrices = 2,
                             const std::string& method = "cospadi") {
    writeRunFile(run, id, created, method);
    nlohmann::json rows = nlohmann::json::array();
    for (int i = 0; i < matrices; ++i) {
        rows.push_back({{"name", numbered("blk.", i) + ".ffn_up"},
                        {"kind", "ffn_up"},
                        {"block", i},
                        {"d1", 576},
                        {"d2", 1536},
                        {"k", 526},
                        {"s", 263},
                        {"bytes", 1000 + i},
                        {"dense_bytes", 2000},
                        {"relative_error", 0.25 + i},
                        {"iterations", 15},
                        {"seconds", 1.5}});
    }
    writeText(run / "result.json", nlohmann::json{{"status", "finished"},
                                                  {"seconds", 12.5},
                                                  {"bytes", 2001},
                                                  {"dense_bytes", 4000},
                                                  {"relative_error", 0.75},
                                                  {"matrices", rows}}
                                       .dump());
}

inline std::string iterationEvent(const char* matrix, int number, double error) {
    return nlohmann::json{{"event", "iteration"},
                          {"matrix", matrix},
                          {"phase", number < 2 ? "orthogonal" : "general"},
                          {"iteration", number},
                          {"relative_error", error},
                          {"dead_atoms", 3},
                          {"support_changes", 70'000 * number},
                          {"usage_entropy", 0.5},
                          {"usage", {9, 4, 1}},
                          {"seconds", 0.25}}
               .dump() +
           "\n";
}

// What an independent SQLite says; the arguments follow the script as sys.argv[1:].
inline QString python(const QString& script, const std::filesystem::path& argument) {
    return runPython("python3", "import sqlite3, sys\n" + script, {argument.c_str()});
}

using cospadi::messageOf;

// What stands before every test function: an empty folder, and where in it runs and index will lie.
class StoreFixture {
  protected:
    void makeFolder() {
        m_folder = std::make_unique<QTemporaryDir>();
        m_root = m_folder->path().toStdString();
        m_runs = m_root / "runs";
        m_file = m_root / "cospadi.sqlite";
    }

    std::filesystem::path m_root, m_runs, m_file;

  private:
    std::unique_ptr<QTemporaryDir> m_folder;
};

}  // namespace store_fixture

// That the action throws a cospadi::Error whose message has this part.
#define VERIFY_MESSAGE(action, part)                                          \
    do {                                                                      \
        const std::string caught = store_fixture::messageOf([&] { action; }); \
        QVERIFY2(caught.find(part) != std::string::npos, caught.c_str());     \
    } while (false)
