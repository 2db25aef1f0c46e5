// What tests of ReplaceMe begin with: a small model of several blocks, of which some may be idle,
// and a finished run of it that leaves two blocks out.
#pragma once

#include <Eigen/Core>
#include <QtTest>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/bfloat16.h"
#include "core/forms/matrix_file.h"
#include "core/run/compression_run.h"
#include "core/store/run_file.h"
#include "core/tensors/safetensors.h"
#include "core/tensors/safetensors_writer.h"
#include "tests/core/own_folder.h"
#include "tests/core/small_runs.h"
#include "tests/gpu/small_model.h"

namespace cospadi::replaceme_fixture {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::int64_t kBlocks = 6;
constexpr std::int64_t kSequences = 40;
constexpr std::int64_t kLength = 64;

struct Tensor {
    std::string name;
    std::vector<std::int64_t> shape;
    std::vector<std::uint16_t> values;
};

// A tensor of the small model for block `block` of a deeper one: rows turned, so that no two blocks
// are alike.
inline Tensor turned(const TensorView& view, std::int64_t block, const std::string& rest,
                     bool zero) {
    const std::vector<float> values = view.toFloat();
    const std::int64_t rows = view.shape.front();
    const auto width = static_cast<std::int64_t>(values.size()) / rows;
    Tensor tensor{"model.layers." + std::to_string(block) + "." + rest, view.shape, {}};
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t i = 0; i < width; ++i) {
            const float value =
                values[static_cast<std::size_t>((row + 5 * block) % rows * width + i)];
            tensor.values.push_back(bf16FromFloat(zero ? 0 : value));
        }
    }
    return tensor;
}

// The small model with kBlocks blocks, in bfloat16; the idle ones add nothing to the stream.
inline fs::path makeDeepModel(const fs::path& folder, const std::set<std::int64_t>& idle = {}) {
    makeSmallModel(folder);
    std::vector<Tensor> tensors;
    {
        const SafetensorsFile small = SafetensorsFile::open(folder / "model.safetensors");
        const std::string prefix = "model.layers.";
        for (const TensorView& view : small.tensors()) {
            if (!view.name.starts_with(prefix)) {
                Tensor plain{view.name, view.shape, {}};
                for (const float value : view.toFloat()) {
                    plain.values.push_back(bf16FromFloat(value));
                }
                tensors.push_back(std::move(plain));
                continue;
            }
            const std::string rest = view.name.substr(prefix.size() + 2);
            const bool writes = rest.find("o_proj") != std::string::npos ||
                                rest.find("down_proj") != std::string::npos;
            for (std::int64_t block = view.name[prefix.size()] - '0'; block < kBlocks; block += 2) {
                tensors.push_back(turned(view, block, rest, writes && idle.contains(block)));
            }
        }
    }
    std::vector<TensorToWrite> write;
    for (const Tensor& tensor : tensors) {
        write.push_back({tensor.name, DType::BF16, tensor.shape,
                         std::as_bytes(std::span<const std::uint16_t>(tensor.values))});
    }
    writeSafetensors(folder / "model.safetensors", write, {{"format", "pt"}});
    json config = readRunJson(folder / "config.json", "");
    config["num_hidden_layers"] = kBlocks;
    config["dtype"] = "bfloat16";
    config["layer_types"] = std::vector<std::string>(kBlocks, "full_attention");
    std::ofstream(folder / "config.json") << config.dump();
    return folder;
}

inline double relative(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
    return (a - b).norm() / b.norm();
}

inline StoredWeightPtr weightIn(const fs::path& run, const std::string& layer) {
    return readMatrixFile(unitFile(run / "matrices", layer)).weight;
}

class ReplaceMeFixture : public OwnFolder {
  protected:
    fs::path m_model;
    fs::path m_run;  // of m_model, two blocks left out

    void makeRun() {
        QVERIFY(m_folder.isValid());
        qputenv("XDG_CACHE_HOME", m_folder.path().toUtf8());
        m_model = makeDeepModel(place("model"));
        m_run = place("run");
        executeRun(specification(m_model), m_run, {});
    }

    RunSpecification specification(const fs::path& model,
                                   const json& fields = json::object()) const {
        RunSpecification usual;
        usual.calibration = small_runs::onText(kSequences, kLength);
        json all{{"method", "replaceme"},
                 {"model", model.string()},
                 {"blocks", 2},
                 {"calibration", toJson(usual).at("calibration")}};
        all.update(fields, true);
        return runSpecificationFromJson(all);
    }
};

}  // namespace cospadi::replaceme_fixture
