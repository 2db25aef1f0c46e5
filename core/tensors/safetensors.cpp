#include "core/tensors/safetensors.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/tensors/bounded_json.h"
#include "core/tensors/printable_name.h"
#include "core/tensors/safetensors_header.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxIndexBytes = 100'000'000;

nlohmann::json readIndex(const fs::path& path) {
    nlohmann::json json = readBoundedJson(path, kMaxIndexBytes, 8);
    if (!json.contains("weight_map") || !json["weight_map"].is_object()) {
        throw Error("has no weight_map", path.string(), "fetch the model again");
    }
    return json;
}

// A shard must stand inside the folder: no absolute path, no "..".
fs::path shardPath(const fs::path& folder, const std::string& entry, const fs::path& index) {
    const fs::path relative(entry);
    const bool escapes = entry.empty() || entry.find('\0') != std::string::npos ||
                         relative.is_absolute() ||
                         std::any_of(relative.begin(), relative.end(),
                                     [](const fs::path& part) { return part == ".."; });
    if (escapes) {
        throw Error("names the shard \"" + printableName(entry) +
                        "\", which lies outside the model's folder",
                    index.string(), "do not use this model: its index is forged or damaged");
    }
    refusePickle(relative);
    std::error_code unreadable;  // too long a name, no permission: as good as missing
    if (!fs::is_regular_file(folder / relative, unreadable)) {
        throw Error("the shard " + printableName(entry) + " is missing", folder.string(),
                    "finish the download of the model");
    }
    return folder / relative;
}

}  // namespace

void refusePickle(const fs::path& path) {
    constexpr std::array<std::string_view, 5> kPickles = {".bin", ".pt", ".pth", ".ckpt", ".pkl"};
    const std::string extension = path.extension().string();
    if (std::find(kPickles.begin(), kPickles.end(), extension) != kPickles.end()) {
        throw Error("is a pickle, which can run code on loading, and is refused", path.string(),
                    "convert it to safetensors, or fetch the model's safetensors files");
    }
}

SafetensorsFile SafetensorsFile::open(const fs::path& path) {
    refusePickle(path);
    SafetensorsHeader header = parseSafetensorsHeader(MappedFile::open(path));
    SafetensorsFile file;
    file.m_path = path;
    file.m_tensors = std::move(header.tensors);
    file.m_metadata = std::move(header.metadata);
    for (std::size_t i = 0; i < file.m_tensors.size(); ++i) {
        file.m_byName[file.m_tensors[i].name] = i;
    }
    return file;
}

const TensorView* SafetensorsFile::find(const std::string& name) const {
    const auto found = m_byName.find(name);
    return found == m_byName.end() ? nullptr : &m_tensors[found->second];
}

const TensorView& SafetensorsFile::require(const std::string& name) const {
    if (const TensorView* view = find(name)) {
        return *view;
    }
    throw Error("has no tensor " + name, m_path.string(), "the file is not what was expected");
}

SafetensorsFolder SafetensorsFolder::open(const fs::path& folder) {
    SafetensorsFolder result;
    result.m_path = folder;
    const fs::path index = folder / "model.safetensors.index.json";
    std::error_code unreadable;
    if (!fs::exists(index, unreadable)) {
        const fs::path single = folder / "model.safetensors";
        if (!fs::exists(single, unreadable)) {
            for (const auto& entry : fs::directory_iterator(folder, unreadable)) {
                if (entry.path().filename().string().starts_with("pytorch_model")) {
                    refusePickle(entry.path());
                }
            }
            throw Error("holds neither model.safetensors nor model.safetensors.index.json",
                        folder.string(), "give the folder of a downloaded Hugging Face model");
        }
        result.m_files.push_back(SafetensorsFile::open(single));
        for (const TensorView& view : result.m_files[0].tensors()) {
            result.m_index[view.name] = {0, view.name};
        }
        return result;
    }

    const nlohmann::json json = readIndex(index);
    std::map<std::string, std::size_t> opened;
    for (const auto& [name, shard] : json["weight_map"].items()) {
        if (!shard.is_string()) {
            throw Error("weight_map contains values that are not file names", index.string(),
                        "fetch the model again");
        }
        const std::string entry = shard.get<std::string>();
        const auto [position, isNew] = opened.try_emplace(entry, result.m_files.size());
        if (isNew) {
            result.m_files.push_back(SafetensorsFile::open(shardPath(folder, entry, index)));
        }
        if (result.m_files[position->second].find(name) == nullptr) {
            throw Error("the index says that tensor " + printableName(name) + " is in " +
                            printableName(entry) + ", which does not contain it",
                        index.string(), "fetch the model again");
        }
        result.m_index[name] = {position->second, name};
    }
    return result;
}

const TensorView* SafetensorsFolder::find(const std::string& name) const {
    const auto found = m_index.find(name);
    return found == m_index.end() ? nullptr
                                  : m_files[found->second.first].find(found->second.second);
}

}  // namespace cospadi
