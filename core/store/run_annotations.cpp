#include "core/store/run_annotations.h"

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/store/run_file.h"

namespace cospadi {

namespace {

using nlohmann::json;

constexpr const char* kHint = "correct or delete it; nothing else in the run depends on it";

}  // namespace

std::optional<RunAnnotations> readAnnotations(const std::filesystem::path& run) {
    const std::filesystem::path path = run / kAnnotationsFile;
    std::error_code failed;
    if (!std::filesystem::exists(path, failed)) {
        return std::nullopt;
    }
    const json object = readRunJson(path, kHint);
    RunAnnotations annotations;
    try {
        annotations.tags = object.value("tags", annotations.tags);
        const auto texts = object.value("notes", std::vector<std::string>());
        const auto times = object.value("noted", std::vector<std::string>());
        for (std::size_t i = 0; i < texts.size(); ++i) {
            annotations.notes.push_back({i < times.size() ? times[i] : "", texts[i]});
        }
        annotations.starred = object.value("starred", false);
        annotations.archived = object.value("archived", false);
    } catch (const json::exception&) {
        throw Error("a field has the wrong type", path.string(), kHint);
    }
    std::erase(annotations.tags, "");
    return annotations;
}

std::string annotationsText(const RunAnnotations& annotations) {
    json texts = json::array();
    json times = json::array();
    for (const NoteRow& note : annotations.notes) {
        texts.push_back(note.text);
        times.push_back(note.created);
    }
    const json object{{"tags", annotations.tags},
                      {"notes", texts},
                      {"noted", times},
                      {"starred", annotations.starred},
                      {"archived", annotations.archived}};
    // What was typed need not be UTF-8.
    return object.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace cospadi
