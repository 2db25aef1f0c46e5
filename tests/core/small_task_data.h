// A small data set for the small model of served_model.h, whose tokens are bytes.
#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

namespace small_task_data {

// Records of piqa.
inline const std::vector<nlohmann::json> kQuestions = {
    {{"goal", "ab cd"}, {"sol1", "x"}, {"sol2", "yz"}, {"label", 0}},
    {{"goal", "éf"}, {"sol1", "mm mm"}, {"sol2", "n"}, {"label", 1}},
    {{"goal", "gh"}, {"sol1", "same"}, {"sol2", "same"}, {"label", 1}}};

inline void writeLines(const std::filesystem::path& file,
                       const std::vector<nlohmann::json>& records) {
    std::ofstream stream(file);
    for (const nlohmann::json& record : records) {
        stream << record.dump() << "\n";
    }
}

}  // namespace small_task_data
