// What runs beside each other are called, in legends, rows and titles: by what they differ in, and
// by nothing that all of them share.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/report/run_kinds.h"

namespace cospadi {

struct NamedKind {
    std::string method;    // its label
    RunSettings settings;  // those that count, as settingsOf() has them
    std::string id;        // of a run of it, where all else is equal
};

// A setting's value as names have it: numbers as shortly as they can be told, paths by their last
// part, hashes by their end, expressions of layers without what only an expression needs; empty for
// all layers.
std::string valueWords(const std::string& setting, const std::string& value);

// "CR 0.2", "ρ 1.5", "all layers", "blk.0.attn_q", "sequences 64": a setting with its value; "no
// gamma" where the run has none.
std::string settingWords(const std::string& setting, const std::optional<std::string>& value);
// settingWords() in a language: what the window passes to whatever names runs by their settings.
using SettingWording =
    std::function<std::string(const std::string&, const std::optional<std::string>&)>;

// One name each, all different: the method where it is not the same for all, then the settings that
// two of them have with different values. A single one, and one that has none of these settings, is
// called by its method; of those that nothing tells apart each by the end of its id. told: settings
// that nobody needs to be told, as a title or axis says them; those of the label
// (labelledSettings()) are among them.
std::vector<std::string> namesOf(const std::vector<NamedKind>& kinds,
                                 const std::set<std::string>& told,
                                 const SettingWording& wording = settingWords);

// Of many, to choose one from, as short as tells them apart and all different: method, then CR, ρ,
// layers and model where they are not the same for all; those that are called alike then by the
// setting that tells most of them apart, and so on.
std::vector<std::string> namesInList(const std::vector<NamedKind>& kinds,
                                     const SettingWording& wording = settingWords);

// Of one by itself: "cospadi (fast), CR 0.2, ρ 2 · 0-d953".
std::string nameAlone(const NamedKind& kind, const SettingWording& wording = settingWords);

}  // namespace cospadi
