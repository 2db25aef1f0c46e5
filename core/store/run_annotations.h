// What people add to a run: RUN/annotations.json (docs/formats.md). The store's rows of it are a
// copy, as of all other files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/store/run_row.h"

namespace cospadi {

struct RunAnnotations {
    std::vector<std::string> tags;
    std::vector<NoteRow> notes;  // oldest first; `created` may be empty
    bool starred = false;
    bool archived = false;

    bool empty() const { return tags.empty() && notes.empty() && !starred && !archived; }
};

inline constexpr const char* kAnnotationsFile = "annotations.json";

// Empty where the run has no such file. Throws Error for one that is damaged.
std::optional<RunAnnotations> readAnnotations(const std::filesystem::path& run);

// The file's text.
std::string annotationsText(const RunAnnotations& annotations);

}  // namespace cospadi
