#include "core/base/resources.h"

#include <cstdlib>
#include <vector>

#include "core/base/error.h"

namespace cospadi {

std::filesystem::path resourcePath(const std::string& name) {
    std::vector<std::filesystem::path> places;
    if (const char* wish = std::getenv("COSPADI_RESOURCES")) {
        places.emplace_back(wish);
    }
    std::error_code failed;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failed);
    if (!failed) {
        places.push_back(program.parent_path().parent_path() / "share" / "cospadi");
    }
    places.emplace_back(COSPADI_SOURCE_RESOURCES);
    std::string tried;
    for (const std::filesystem::path& place : places) {
        if (std::filesystem::exists(place / name, failed)) {
            return place / name;
        }
        tried += (tried.empty() ? "" : ", ") + place.string();
    }
    throw Error("this file of the program is missing; looked in " + tried, name,
                "install the program again, or set COSPADI_RESOURCES");
}

std::filesystem::path namedText(const std::string& text) {
    if (text == "wikitext2") {
        return resourcePath("texts/wikitext2_test.txt");
    }
    if (text == "wikitext2-spread") {
        return resourcePath("texts/wikitext2_spread.txt");
    }
    if (text == "c4") {
        return resourcePath("texts/c4_calib.jsonl");
    }
    return text == "web" ? resourcePath("texts/web_calib.jsonl.gz") : std::filesystem::path(text);
}

}  // namespace cospadi
