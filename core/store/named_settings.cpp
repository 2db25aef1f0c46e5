#include "core/store/named_settings.h"

#include <map>
#include <nlohmann/json.hpp>
#include <variant>

#include "core/methods/method.h"
#include "core/methods/rho_candidates.h"
#include "core/store/field_reader.h"

namespace cospadi {

namespace {

using Specification = RunSpecification;

struct WordField {
    std::string (*of)(const Specification&);
    void (*set)(Specification&, const std::string&);
};

// A number, or the word in its place (Option::wordInstead).
struct NumberOrWord {
    double Specification::*number;
    bool Specification::*isWord;
    const char* word;
};

using Field = std::variant<double Specification::*, int Specification::*,
                           std::uint64_t Specification::*, WordField, NumberOrWord>;

template <auto kMember, auto kFromName>
Field word() {
    return WordField{
        [](const Specification& s) { return std::string(name(s.*kMember)); },
        [](Specification& s, const std::string& word) { s.*kMember = kFromName(word); }};
}

// Of an optional, whose absence is the word auto.
template <auto kMember, auto kFromName>
Field wordOrAuto() {
    return WordField{[](const Specification& s) {
                         return std::string(s.*kMember ? name(*(s.*kMember)) : "auto");
                     },
                     [](Specification& s, const std::string& word) {
                         if (word == "auto") {
                             (s.*kMember).reset();
                         } else {
                             s.*kMember = kFromName(word);
                         }
                     }};
}

const WordField kRefit{
    [](const Specification& s) { return std::string(refitName(s.refit)); },
    [](Specification& s, const std::string& word) { s.refit = refitFromName(word); }};

const WordField kAllocation{
    [](const Specification& s) { return std::string(s.allocation->name()); },
    [](Specification& s, const std::string& word) { s.allocation = &allocationFromName(word); }};

const std::map<std::string, Field>& fields() {
    using S = Specification;
    static const std::map<std::string, Field> all = {
        {"solver", word<&S::solver, solverFromName>()},
        {"cr", &S::cr},
        {"rho", NumberOrWord{&S::rho, &S::autoRho, kAutoRho}},
        {"accounting", word<&S::accounting, accountingFromName>()},
        {"coefficient_bits", &S::coefficientBits},
        {"dictionary_bits", &S::dictionaryBits},
        {"coefficient_format", wordOrAuto<&S::coefficientFormat, coefficientFormatFromName>()},
        {"iterations", &S::iterations},
        {"power_iterations", &S::powerIterations},
        {"init", word<&S::init, dictionaryInitFromName>()},
        {"update", word<&S::update, dictionaryUpdateFromName>()},
        {"coder", word<&S::coder, coderFromName>()},
        {"dead_atoms", word<&S::deadAtoms, deadAtomsFromName>()},
        {"coefficient_rounding", word<&S::coefficientRounding, coefficientRoundingFromName>()},
        {"side", wordOrAuto<&S::side, dictionarySideFromName>()},
        {"allocation", kAllocation},
        {"propagation", word<&S::propagation, propagationFromName>()},
        {"held_out", &S::heldOut},
        {"ridge", &S::ridge},
        {"refit", kRefit},
        {"refine", &S::refine},
        {"refine_rate", &S::refineRate},
        {"tolerance", &S::tolerance},
        {"seed", &S::seed}};
    return all;
}

const Specification& usual() {
    static const Specification specification;
    return specification;
}

}  // namespace

nlohmann::json settingOf(const Specification& s, const std::string& setting) {
    const auto shared = fields().find(setting);
    if (shared == fields().end()) {
        return jsonOf(valueOf(*findOption(setting), s.own));
    }
    return std::visit(
        [&](const auto& field) -> nlohmann::json {
            if constexpr (std::is_member_object_pointer_v<std::decay_t<decltype(field)>>) {
                return s.*field;
            } else if constexpr (std::is_same_v<std::decay_t<decltype(field)>, NumberOrWord>) {
                return s.*field.isWord ? nlohmann::json(field.word)
                                       : nlohmann::json(s.*field.number);
            } else {
                return field.of(s);
            }
        },
        shared->second);
}

OptionValue optionFromJson(const Option& option, const nlohmann::json& value) {
    if (option.isWord()) {
        return optionFromText(option, valueOfType<std::string>(value, option.name));
    }
    return option.isWhole() ? OptionValue(valueOfType<std::int64_t>(value, option.name))
                            : OptionValue(valueOfType<double>(value, option.name));
}

void setSetting(Specification& s, const std::string& setting, const nlohmann::json& value) {
    const auto shared = fields().find(setting);
    if (shared == fields().end()) {
        const Option& option = *findOption(setting);
        OptionValue given = optionFromJson(option, value);
        if (given == option.usual) {
            s.own.erase(setting);
        } else {
            s.own.insert_or_assign(setting, std::move(given));
        }
        return;
    }
    std::visit(
        [&](const auto& field) {
            if constexpr (std::is_member_object_pointer_v<std::decay_t<decltype(field)>>) {
                s.*field = valueOfType<std::decay_t<decltype(s.*field)>>(value, setting);
            } else if constexpr (std::is_same_v<std::decay_t<decltype(field)>, NumberOrWord>) {
                s.*field.isWord = value == field.word;
                s.*field.number =
                    s.*field.isWord ? usual().*field.number : valueOfType<double>(value, setting);
            } else {
                field.set(s, valueOfType<std::string>(value, setting));
            }
        },
        shared->second);
}

bool isAsUsual(const Specification& s, const std::string& setting) {
    return settingOf(s, setting) == settingOf(usual(), setting);
}

void setAsUsual(Specification& s, const std::string& setting) {
    setSetting(s, setting, settingOf(usual(), setting));
}

}  // namespace cospadi
