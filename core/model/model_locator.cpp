#include "core/model/model_locator.h"

#include <cstdlib>

#include "core/base/error.h"
#include "core/base/resources.h"
#include "core/base/shell_word.h"
#include "core/base/user_directories.h"
#include "core/tensors/safetensors.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

}  // namespace

fs::path defaultModelPath() {
    if (const char* value = std::getenv("COSPADI_DEFAULT_MODEL"); value != nullptr && *value != 0) {
        return value;
    }
    return xdgDirectory("XDG_DATA_HOME", ".local/share") / "cospadi" / "models" /
           "SmolLM2-135M-Instruct.Q4_1.gguf";
}

std::string fetchCommand() {
    try {
        return "sh " + shellWord(resourcePath("fetch_model.sh").string());
    } catch (const Error&) {  // not installed
        return "./run fetch";
    }
}

fs::path cacheDirectory() { return xdgDirectory("XDG_CACHE_HOME", ".cache") / "cospadi"; }

fs::path locateModel(const std::string& word) {
    const bool isDefault = word == "default";
    fs::path path = isDefault ? defaultModelPath() : fs::path(word);
    std::error_code ignored;
    if (!fs::exists(path, ignored)) {
        throw Error(isDefault ? "the default model is missing" : "there is no such model",
                    path.string(),
                    isDefault ? "fetch it with " + fetchCommand()
                              : "give a GGUF file, a Hugging Face folder, or the word default");
    }
    refusePickle(path);
    if (fs::exists(path / "run.json", ignored)) {
        throw Error("is a run, but the original model is needed here", path.string(),
                    "give the model it was made from, as shown by `cospadi runs show`");
    }
    if (fs::is_directory(path, ignored) && !fs::exists(path / "config.json", ignored)) {
        throw Error("is a folder without config.json", path.string(),
                    "give the folder of a downloaded Hugging Face model");
    }
    return path;
}

}  // namespace cospadi
