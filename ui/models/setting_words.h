// Settings with their values in the language of the window, as names of runs, rows and plots have
// them (core/report/run_names.h). Values are words of the command line in every language.
#pragma once

#include <QString>
#include <optional>
#include <string>

namespace cospadi::ui {

// "CR 0.2", "all layers", "sequences 64", "no gamma".
QString wordsOfSetting(const std::string& setting, const std::optional<std::string>& value);

// The same as UTF-8, from any thread: the SettingWording of whatever names runs.
std::string windowWording(const std::string& setting, const std::optional<std::string>& value);

}  // namespace cospadi::ui
