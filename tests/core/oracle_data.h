// Where tests find the reference results, and small helpers around them.
#pragma once

#include <Eigen/Core>
#include <QtTest>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>

#include "core/base/error.h"
#include "core/model/model.h"
#include "core/model/model_locator.h"
#include "core/tensors/safetensors.h"

namespace oracle {

// In tests/data/oracle, else in ../shared/oracle; empty when in neither.
inline std::filesystem::path file(const std::string& name) {
    for (const char* base : {COSPADI_TEST_DATA "/oracle", COSPADI_SHARED_DIR "/oracle"}) {
        if (std::filesystem::exists(std::filesystem::path(base) / name)) {
            return std::filesystem::path(base) / name;
        }
    }
    return {};
}

inline std::string text(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream content;
    content << stream.rdbuf();
    return content.str();
}

inline nlohmann::json json(const std::string& name) {
    return nlohmann::json::parse(text(file(name)));
}

inline std::optional<std::filesystem::path> defaultModel() {
    try {
        return cospadi::locateModel("default");
    } catch (const cospadi::Error&) {
        return std::nullopt;
    }
}

template <typename T>
std::vector<T> values(const cospadi::TensorView& view) {
    std::vector<T> result(view.bytes.size() / sizeof(T));
    std::memcpy(result.data(), view.bytes.data(), view.bytes.size());
    return result;
}

// Runs the call and gives the message of the cospadi::Error that it throws; empty when none.
template <typename Call>
QString errorOf(Call&& call) {
    try {
        call();
    } catch (const cospadi::Error& error) {
        return QString::fromUtf8(error.what());
    }
    return {};
}

}  // namespace oracle

#define SKIP_WITHOUT_MODEL()                                             \
    if (!oracle::defaultModel()) {                                       \
        QSKIP("the default model is absent: fetch it with ./run fetch"); \
    }
#define SKIP_WITHOUT(name)                            \
    if (oracle::file(name).empty()) {                 \
        QSKIP("reference results are absent: " name); \
    }
