#include "file_mutations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace mutations {

namespace {

using Json = nlohmann::json;

std::uint64_t extreme(Dice& dice) {
    constexpr std::array<std::uint64_t, 22> kValues = {
        0,          1,           2,          3,          31,         33,
        0x7f,       0x80,        0xff,       0x7fff,     0xffff,     0x7fffffff,
        0x80000000, 0xffffffff,  1ULL << 32, 1ULL << 40, 1ULL << 61, (1ULL << 61) + 1,
        1ULL << 62, ~0ULL >> 1U, 1ULL << 63, ~0ULL};
    const std::uint64_t value = kValues[dice.below(kValues.size())];
    return dice.chance(20) ? ~value : value;
}

std::size_t place(const std::string& content, const std::vector<std::size_t>& interesting,
                  Dice& dice) {
    if (!interesting.empty() && dice.chance(50)) {
        return std::min(interesting[dice.below(interesting.size())], content.size() - 1);
    }
    return dice.below(dice.chance(60) ? std::min<std::size_t>(content.size(), 2048)
                                      : content.size());
}

void damageOnce(std::string& content, const std::vector<std::size_t>& interesting, Dice& dice) {
    if (content.empty()) {
        return;
    }
    const std::size_t at = place(content, interesting, dice);
    switch (dice.below(8)) {
        case 0:
            content.resize(dice.below(content.size()));
            break;
        case 1: {  // a block copied over another place
            const std::size_t from = dice.below(content.size());
            const std::size_t length =
                std::min(content.size() - std::max(at, from), 1 + dice.below(64));
            std::memmove(content.data() + at, content.data() + from, length);
            break;
        }
        case 2:
            content.insert(at, content.substr(dice.below(content.size()), 1 + dice.below(64)));
            break;
        case 3:
            content.erase(at, 1 + dice.below(64));
            break;
        case 4:
        case 5:
        case 6: {
            const std::uint64_t value = extreme(dice);
            const std::size_t width = dice.chance(50) ? 8 : 4;
            std::memcpy(content.data() + at, &value, std::min(width, content.size() - at));
            break;
        }
        default:
            for (std::size_t flips = 1 + dice.below(16); flips > 0; --flips) {
                content[place(content, interesting, dice)] ^= static_cast<char>(1 << dice.below(8));
            }
    }
}

Json extremeJson(Dice& dice) {
    switch (dice.below(14)) {
        case 0:
            return nullptr;
        case 1:
            return dice.chance(50);
        case 2:
            return -1;
        case 3:
            return extreme(dice);
        case 4:
            return static_cast<std::int64_t>(extreme(dice));
        case 5:
            return 1e308;
        case 6:
            return -0.5;
        case 7:
            return "";
        case 8:
            return std::string(dice.below(3000), 'x');
        case 9:
            return "../../etc/passwd";
        case 10:
            return Json::array();
        case 11:
            return Json::object();
        case 12:
            return Json::array({extreme(dice), extreme(dice)});
        default: {
            Json deep = 1;
            for (std::size_t levels = dice.below(200); levels > 0; --levels) {
                deep = Json::array({deep});
            }
            return deep;
        }
    }
}

// A random value inside, and where it hangs.
struct Place {
    Json* parent = nullptr;
    std::string key;
    std::size_t index = 0;
};

Place choose(Json& json, Dice& dice) {
    Place result;
    Json* here = &json;
    while (here->is_structured() && !here->empty()) {
        result = {here, "", dice.below(here->size())};
        auto child = std::next(here->begin(), static_cast<std::ptrdiff_t>(result.index));
        if (here->is_object()) {
            result.key = child.key();
        }
        if (dice.chance(25)) {
            break;
        }
        here = &*child;
    }
    return result;
}

Json& valueAt(const Place& place) {
    return place.parent->is_object() ? (*place.parent)[place.key] : (*place.parent)[place.index];
}

}  // namespace

std::string damageBytes(std::string content, const std::vector<std::size_t>& interesting,
                        Dice& dice) {
    const std::size_t times = dice.chance(60) ? 1 : 1 + dice.below(4);
    for (std::size_t i = 0; i < times; ++i) {
        damageOnce(content, interesting, dice);
    }
    return content;
}

void damageJson(Json& json, Dice& dice) {
    const Place at = choose(json, dice);
    if (at.parent == nullptr) {
        json = extremeJson(dice);
        return;
    }
    const std::size_t kind = dice.below(6);
    if (kind == 0) {
        if (at.parent->is_object()) {
            at.parent->erase(at.key);
        } else {
            at.parent->erase(at.index);
        }
    } else if (kind == 1 && at.parent->is_object()) {
        const Json value = valueAt(at);
        at.parent->erase(at.key);
        (*at.parent)[at.key + "x"] = value;
    } else if (kind == 2) {
        const Json value = valueAt(choose(json, dice));
        valueAt(at) = value;
    } else if (kind == 3 && at.parent->is_array()) {
        const Json value = valueAt(at);
        at.parent->push_back(value);
    } else {
        valueAt(at) = extremeJson(dice);
    }
}

std::string damageJsonText(const std::string& text, Dice& dice) {
    const std::size_t kind = dice.below(10);
    if (kind == 0) {
        return damageBytes(text, {}, dice);
    }
    Json json = Json::parse(text);
    if (kind == 1 && json.is_object() && !json.empty()) {
        const auto member =
            std::next(json.begin(), static_cast<std::ptrdiff_t>(dice.below(json.size())));
        return fmt::format("{{{}:{},{}", nlohmann::json(member.key()).dump(),
                           extremeJson(dice).dump(), json.dump().substr(1));
    }
    const std::size_t times = dice.chance(60) ? 1 : 1 + dice.below(4);
    for (std::size_t i = 0; i < times; ++i) {
        damageJson(json, dice);
    }
    return json.dump();
}

std::string damageSafetensorsHeader(const std::string& content, Dice& dice) {
    std::uint64_t length = 0;
    std::memcpy(&length, content.data(), sizeof length);
    const std::string header = damageJsonText(content.substr(8, length), dice);
    const std::uint64_t changed = header.size();
    std::string result(8, '\0');
    std::memcpy(result.data(), &changed, sizeof changed);
    return result + header + content.substr(8 + length);
}

std::vector<std::size_t> ggufFields(const std::string& content) {
    std::vector<std::size_t> fields = {4, 8, 16};
    std::size_t at = 24;
    const auto number = [&](std::size_t width) {
        std::uint64_t value = 0;
        std::memcpy(&value, content.data() + at, width);
        fields.push_back(at);
        at += width;
        return value;
    };
    const auto text = [&] { at += number(8); };
    constexpr std::array<std::size_t, 13> kWidths = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
    const auto scalar = [&](std::uint64_t type) {
        if (type == 8) {
            text();
        } else {
            number(kWidths.at(type));
        }
    };
    std::uint64_t tensors = 0;
    std::uint64_t values = 0;
    std::memcpy(&tensors, content.data() + 8, 8);
    std::memcpy(&values, content.data() + 16, 8);
    for (std::uint64_t i = 0; i < values; ++i) {
        text();
        const std::uint64_t type = number(4);
        if (type != 9) {
            scalar(type);
            continue;
        }
        const std::uint64_t element = number(4);
        const std::uint64_t count = number(8);
        const std::size_t before = fields.size();
        for (std::uint64_t j = 0; j < count; ++j) {
            scalar(element);
        }
        fields.resize(before + std::min<std::size_t>(fields.size() - before, 4));
    }
    for (std::uint64_t i = 0; i < tensors; ++i) {
        text();
        const std::uint64_t dimensions = number(4);
        for (std::uint64_t d = 0; d < dimensions; ++d) {
            number(8);
        }
        number(4);
        number(8);
    }
    return fields;
}

}  // namespace mutations
