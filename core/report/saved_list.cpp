#include "core/report/saved_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>

#include "core/base/error.h"
#include "core/report/saved_selection.h"
#include "core/tensors/atomic_file.h"

namespace cospadi {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kSavedListFormat = 1;

}  // namespace

std::vector<Json> readSavedList(const std::filesystem::path& file, const SavedListWords& words) {
    if (!std::filesystem::exists(file)) {
        return {};
    }
    std::ifstream stream(file, std::ios::binary);
    const Json saved = Json::parse(stream, nullptr, false);
    const SavedFields fields(saved, file.string());  // refuses what is no JSON object
    int format = 0;
    fields.read("format", format);
    if (format != kSavedListFormat) {
        fields.fail(
            fmt::format("has format {}, but this program reads {}", format, kSavedListFormat));
    }
    const auto list = saved.find(words.list);
    if (list == saved.end() || !list->is_array()) {
        fields.fail(fmt::format("has no list \"{}\"", words.list));
    }
    return {list->begin(), list->end()};
}

void writeSavedList(const std::filesystem::path& file, const SavedListWords& words,
                    const Json& list) {
    std::filesystem::create_directories(file.parent_path());
    const Json saved = {{"format", kSavedListFormat}, {words.list, list}};
    writeFileAtomically(file, saved.dump(2) + "\n");
}

void failNotSaved(const std::string& name, const std::vector<std::string>& names,
                  const std::filesystem::path& file, const SavedListWords& words) {
    throw Error(fmt::format("no {} is saved as \"{}\"", words.noun, name), file.string(),
                names.empty() ? fmt::format("save one: {}", words.howToSave)
                              : fmt::format("there are: {}", fmt::join(names, ", ")));
}

void requireNameToSave(const std::string& name, const SavedListWords& words) {
    if (name.empty()) {
        throw Error(fmt::format("a {} needs a name to be saved", words.noun), "name",
                    "give it one");
    }
}

}  // namespace cospadi
