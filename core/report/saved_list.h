// A small JSON file of things that were saved by name, such as tables and figures
// (docs/formats.md): {"format": 1, "<list>": [{"name": …, …}, …]}.
#pragma once

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace cospadi {

struct SavedListWords {
    const char* noun;       // table
    const char* list;       // tables: the field of the file
    const char* howToSave;  // for whom there is none yet
};

// The objects of the list, in the order in which they were first saved; none where there is no
// file. Throws Error naming the file where it is damaged or of a newer program.
std::vector<nlohmann::ordered_json> readSavedList(const std::filesystem::path& file,
                                                  const SavedListWords& words);
// Atomic; makes the folder.
void writeSavedList(const std::filesystem::path& file, const SavedListWords& words,
                    const nlohmann::ordered_json& list);
[[noreturn]] void failNotSaved(const std::string& name, const std::vector<std::string>& names,
                               const std::filesystem::path& file, const SavedListWords& words);
// Throws Error for an empty name.
void requireNameToSave(const std::string& name, const SavedListWords& words);

// Design has a `name`; the list holds each name once.
template <typename Design>
struct SavedList {
    SavedListWords words;
    nlohmann::ordered_json (*toJson)(const Design&);
    // Throws Error naming `where`, the design and its field.
    Design (*fromJson)(const nlohmann::ordered_json& saved, const std::string& where);

    std::vector<Design> read(const std::filesystem::path& file) const {
        std::vector<Design> designs;
        for (const nlohmann::ordered_json& saved : readSavedList(file, words)) {
            designs.push_back(fromJson(saved, file.string()));
        }
        return designs;
    }

    // Throws Error that lists the names there are.
    Design get(const std::filesystem::path& file, const std::string& name) const {
        std::vector<Design> designs = read(file);
        return *require(designs, name, file);
    }

    // Takes the place of one of the same name.
    void put(const std::filesystem::path& file, const Design& design) const {
        requireNameToSave(design.name, words);
        std::vector<Design> designs = read(file);
        const auto found = find(designs, design.name);
        if (found != designs.end()) {
            *found = design;
        } else {
            designs.push_back(design);
        }
        write(file, designs);
    }

    // Throws Error as get().
    void remove(const std::filesystem::path& file, const std::string& name) const {
        std::vector<Design> designs = read(file);
        designs.erase(require(designs, name, file));
        write(file, designs);
    }

  private:
    static auto find(std::vector<Design>& designs, const std::string& name) {
        return std::find_if(designs.begin(), designs.end(),
                            [&](const Design& design) { return design.name == name; });
    }

    auto require(std::vector<Design>& designs, const std::string& name,
                 const std::filesystem::path& file) const {
        const auto found = find(designs, name);
        if (found == designs.end()) {
            std::vector<std::string> names;
            for (const Design& design : designs) {
                names.push_back(design.name);
            }
            failNotSaved(name, names, file, words);
        }
        return found;
    }

    void write(const std::filesystem::path& file, const std::vector<Design>& designs) const {
        auto list = nlohmann::ordered_json::array();
        for (const Design& design : designs) {
            list.push_back(toJson(design));
        }
        writeSavedList(file, words, list);
    }
};

}  // namespace cospadi
