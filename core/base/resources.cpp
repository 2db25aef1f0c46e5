#include "core/base/resources.h"

#include <cstdlib>
#include <map>

#include "core/base/error.h"

namespace cospadi {

namespace {

const std::map<std::string, std::string> kTexts{{"c4", "texts/c4_calib.jsonl"},
                                                {"web", "texts/web_calib.jsonl.gz"},
                                                {"wikitext2", "texts/wikitext2_test.txt"},
                                                {"wikitext2-spread", "texts/wikitext2_spread.txt"},
                                                {"wikitext2-valid", "texts/wikitext2_valid.txt"}};

}  // namespace

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
    const auto shipped = kTexts.find(text);
    return shipped == kTexts.end() ? std::filesystem::path(text) : resourcePath(shipped->second);
}

std::vector<std::string> textNames() {
    std::vector<std::string> names;
    for (const auto& [name, file] : kTexts) {
        names.push_back(name);
    }
    return names;
}

}  // namespace cospadi
