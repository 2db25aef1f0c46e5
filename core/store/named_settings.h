// Settings by name. Those that several methods read (core/methods/options.cpp describes them) are
// fields of a specification, each bound to its own by a line of one table; those of one method or a
// family are in its map of own options. JSON, flags, labels, ranges and fields of the window take
// and give them here, everything else by the typed field.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/store/run_specification.h"

namespace cospadi {

// As JSON has it: a number, or a word; of ρ either. Precondition, of all here: the name of an
// option (allOptions()).
nlohmann::json settingOf(const RunSpecification& specification, const std::string& setting);
// Throws Error naming the setting for a value of another type, or a word that is not one of its.
// Ranges are validate()'s.
void setSetting(RunSpecification& specification, const std::string& setting,
                const nlohmann::json& value);
// The same of a value by itself. Precondition: no word in the place of a number.
OptionValue optionFromJson(const Option& option, const nlohmann::json& value);

// Whether it is what a specification has that says nothing of it.
bool isAsUsual(const RunSpecification& specification, const std::string& setting);
void setAsUsual(RunSpecification& specification, const std::string& setting);

}  // namespace cospadi
