// The command line over records of MLflow, W&B and TensorBoard, and the packages themselves where
// COSPADI_TEST_TRACKERS_PYTHON names a Python with `mlflow-skinny` (or `mlflow`), `wandb` and
// `tensorboard` (tests/python/trackers.py).
#pragma once

#include <QtTest>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/core/cli_under_test.h"

class TrackersUnderTest : public CliUnderTest {
  public:
    std::filesystem::path path(const QString& name) const { return place(name).toStdString(); }

    static void write(const std::filesystem::path& path, const std::string& text) {
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary) << text;
    }

    // By the packages themselves; empty where this Python has them not.
    nlohmann::json by(const QStringList& arguments) const {
        if (m_python.isEmpty()) {
            return {};
        }
        const CliOutcome outcome =
            run(QStringList{COSPADI_SOURCE_DIR "/tests/python/trackers.py"} + arguments, m_python);
        const QByteArray last = outcome.out.trimmed().split('\n').last();
        const nlohmann::json told = nlohmann::json::parse(last.toStdString(), nullptr, false);
        if (!told.is_object()) {
            QTest::qFail(qPrintable(outcome.error.right(3000)), __FILE__, __LINE__);
        }
        return told;
    }

    nlohmann::json imported(const QString& source, const QStringList& more = {}) const {
        const CliOutcome outcome =
            run(QStringList{"runs", "import-external", source, "--json"} + more);
        return outcome.exitCode == 0 ? outcome.object()
                                     : nlohmann::json{{"problem", outcome.error.toStdString()}};
    }

  private:
    const QString m_python = qEnvironmentVariable("COSPADI_TEST_TRACKERS_PYTHON");
};
