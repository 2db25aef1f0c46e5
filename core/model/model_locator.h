// From the word that a user gives to the path of a model.
#pragma once

#include <filesystem>
#include <string>

namespace cospadi {

// "default" is $COSPADI_DEFAULT_MODEL, else the model that fetchCommand() keeps under
// $XDG_DATA_HOME/cospadi/models; every other word is a path. Throws cospadi::Error where nothing is
// there, or something that is no model (a pickle, a folder without config.json, …).
std::filesystem::path locateModel(const std::string& word);

// Where `default` lives, whether or not it is there.
std::filesystem::path defaultModelPath();

// What gets it, as words of a shell: the script that an installed program brought along, else
// `./run fetch` of a checkout.
std::string fetchCommand();

// $XDG_CACHE_HOME/cospadi or ~/.cache/cospadi; created by whoever writes there.
std::filesystem::path cacheDirectory();

}  // namespace cospadi
