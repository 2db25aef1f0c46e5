#include "core/pipeline/json_file.h"

#include "core/store/run_file.h"

namespace cospadi {

nlohmann::json readJsonFile(const std::filesystem::path& path, const std::string& hint) {
    return readRunJson(path, hint);
}

}  // namespace cospadi
