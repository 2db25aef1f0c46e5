// A model that is small enough for an emulated device, with a tokenizer: hidden size 64, two
// blocks.
#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/core/oracle_data.h"

// Makes the folder from the reference data: the tokenizer's pieces whose ids the model knows.
inline std::filesystem::path makeSmallModel(const std::filesystem::path& folder) {
    constexpr int kVocabulary = 512;
    std::filesystem::copy(oracle::file("arch/a_llama_gqa"), folder,
                          std::filesystem::copy_options::recursive);
    nlohmann::json tokenizer = oracle::json("tokenizers/smollm_style.json");
    nlohmann::json& model = tokenizer["model"];
    nlohmann::json vocabulary = nlohmann::json::object();
    for (const auto& [piece, id] : model["vocab"].items()) {
        if (id < kVocabulary) {
            vocabulary[piece] = id;
        }
    }
    nlohmann::json merges = nlohmann::json::array();
    for (const nlohmann::json& merge : model["merges"]) {
        const auto joined = [&]() -> std::string {
            if (merge.is_array()) {
                return merge[0].get<std::string>() + merge[1].get<std::string>();
            }
            std::string pair = merge;
            return pair.erase(pair.find(' '), 1);
        };
        if (vocabulary.contains(joined())) {
            merges.push_back(merge);
        }
    }
    model["vocab"] = vocabulary;
    model["merges"] = merges;
    std::ofstream(folder / "tokenizer.json") << tokenizer.dump();
    return folder;
}
