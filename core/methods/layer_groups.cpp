#include "core/methods/layer_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "core/base/error.h"
#include "core/methods/method.h"

namespace cospadi {

namespace {

constexpr const char* kNone = "none";
constexpr const char* kPairs = "pairs";
constexpr const char* kKind = "kind";
constexpr const char* kInputs = "inputs";
constexpr const char* kInputsOf = "inputs-";
constexpr const char* kAllOf = "all-";
constexpr const char* kAdaptive = "adaptive";
constexpr std::int64_t kMostBlocks = 1000;
constexpr const char* kHint =
    "use none, pairs, adaptive, a number of neighbouring blocks, kind, inputs, inputs-4 or all-4 "
    "(of so many neighbouring blocks), or groups such as "
    "'blk.0.attn_q+blk.1.attn_q;blk.4.ffn_up+blk.6.ffn_up'";

std::vector<std::string> parts(const std::string& text, char separator) {
    std::vector<std::string> found;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        found.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return found;
}

std::optional<std::int64_t> wholeNumber(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    return failed == std::errc() && end == text.data() + text.size() ? std::optional(number)
                                                                     : std::nullopt;
}

// What shares in neighbouring blocks: a kind; layers of like inputs; these, and layers of like
// outputs.
enum class Sharing { Kind, Inputs, All };

struct BlockRule {
    std::int64_t blocks = 1;
    Sharing sharing = Sharing::Kind;
};

// nullopt where the word is no such rule.
std::optional<BlockRule> blockRule(const std::string& word) {
    if (word == kPairs || word == kAdaptive) {
        return BlockRule{2};
    }
    if (word == kInputs) {
        return BlockRule{1, Sharing::Inputs};
    }
    std::string_view number = word;
    BlockRule rule;
    for (const auto& [start, sharing] :
         {std::pair(kInputsOf, Sharing::Inputs), std::pair(kAllOf, Sharing::All)}) {
        if (number.starts_with(start)) {
            number.remove_prefix(std::string_view(start).size());
            rule.sharing = sharing;
        }
    }
    const std::int64_t fewest = rule.sharing == Sharing::Kind ? 2 : 1;
    const auto blocks = wholeNumber(number);
    if (!blocks || *blocks < fewest || *blocks > kMostBlocks) {
        return std::nullopt;
    }
    rule.blocks = *blocks;
    return rule;
}

using NamedGroups = std::vector<std::vector<std::string>>;

NamedGroups namedGroups(const std::string& word) {
    NamedGroups groups;
    std::set<std::string> seen;
    for (const std::string& text : parts(word, ';')) {
        groups.push_back(parts(text, '+'));
        for (const std::string& layer : groups.back()) {
            if (layer.empty()) {
                throw Error(fmt::format("'{}' is not a grouping of layers", word), kGroups, kHint);
            }
            if (!seen.insert(layer).second) {
                throw Error(fmt::format("{} occurs twice", layer), kGroups,
                            "list a layer in one group only");
            }
        }
        if (groups.back().size() < 2) {
            throw Error(fmt::format("'{}' is not a grouping of layers", word), kGroups, kHint);
        }
    }
    return groups;
}

// What the option's word says.
struct Grouping {
    enum class By { None, Kind, Blocks, Names };
    By by = By::None;
    BlockRule rule{};         // of Blocks
    bool isAdaptive = false;  // of Blocks: the rule stands for pairs to be chosen
    NamedGroups names{};      // of Names
};

std::any readGrouping(const std::string& word) {
    if (word == kNone) {
        return Grouping{};
    }
    if (word == kKind) {
        return Grouping{Grouping::By::Kind};
    }
    if (const auto rule = blockRule(word)) {
        return Grouping{Grouping::By::Blocks, *rule, word == kAdaptive};
    }
    return Grouping{Grouping::By::Names, {}, false, namedGroups(word)};
}

constexpr const char* kOutputs = "outputs";  // is no kind, and no key of a Gram

// Layers of equal keys share.
struct Key {
    std::int64_t place = 0;
    std::string what;
    auto operator<=>(const Key&) const = default;
};

// Of a layer that shares by a rule; nullopt for one that is left alone.
std::optional<Key> keyOf(const Grouping& grouping, const LayerInfo& layer) {
    if (grouping.by == Grouping::By::Kind) {
        return Key{0, layer.kind};
    }
    const BlockRule& rule = grouping.rule;
    const std::int64_t place = layer.block / rule.blocks;
    if (!sharesBetweenBlocks(layer)) {
        return rule.sharing == Sharing::All ? std::optional(Key{place, kOutputs}) : std::nullopt;
    }
    return Key{place, rule.sharing == Sharing::Kind ? layer.kind : gramKeyOf(0, layer.kind)};
}

void requireShareable(const Method& method, const std::vector<LayerUnit>& units) {
    for (const LayerUnit& unit : units) {
        if (unit.layers.size() > method.mostLayersInUnit()) {
            throw Error(fmt::format("{} shares between {} layers, but {} are {}", method.title(),
                                    method.mostLayersInUnit(), unit.id(), unit.layers.size()),
                        kGroups, "use pairs, or a list of groups of at most this size");
        }
        if (unit.overOutputs && !method.sharesOverOutputs()) {
            throw Error(fmt::format("{} shares over inputs, but those of {} differ in width",
                                    method.title(), unit.id()),
                        kGroups, "group layers of the same width, or use the method cospadi");
        }
        const LayerInfo& first = unit.layers.front();
        for (const LayerInfo& layer : unit.layers) {
            if ((unit.overOutputs ? layer.d2 != first.d2 : layer.d1 != first.d1)) {
                throw Error(fmt::format("{} is {} by {}, but {} is {} by {}", first.name, first.d1,
                                        first.d2, layer.name, layer.d1, layer.d2),
                            kGroups, "group layers with equal numbers of inputs, or of outputs");
            }
        }
    }
}

bool haveInputsOfOneWidth(const LayerUnit& unit) {
    return std::all_of(unit.layers.begin(), unit.layers.end(),
                       [&](const LayerInfo& layer) { return layer.d1 == unit.layers.front().d1; });
}

const Grouping& groupingOf(const MatrixOptions& options) {
    const Option& groups = groupOptions().front();
    const OptionValue& value =
        options.method->uses(kGroups) ? valueOf(groups, options.own) : groups.usual;
    return std::get<OptionWord>(value).as<const Grouping&>();
}

// Place of a layer's group in the list; requires that all that it names are there.
std::map<std::string, std::int64_t> placesOf(const NamedGroups& groups,
                                             const std::vector<LayerInfo>& layers) {
    std::set<std::string> chosen;
    for (const LayerInfo& layer : layers) {
        chosen.insert(layer.name);
    }
    std::map<std::string, std::int64_t> places;
    for (const std::vector<std::string>& group : groups) {
        const auto place = static_cast<std::int64_t>(places.size());
        for (const std::string& name : group) {
            if (!chosen.contains(name)) {
                throw Error(fmt::format("{} is not one of the chosen layers", name), kGroups,
                            "list layers that the run compresses");
            }
            places[name] = place;
        }
    }
    return places;
}

}  // namespace

bool LayerUnit::hasOneInput() const {
    return std::all_of(layers.begin(), layers.end(), [&](const LayerInfo& layer) {
        return layer.gramKey == layers.front().gramKey;
    });
}

std::string LayerUnit::id() const {
    return isShared() ? fmt::format("{}+{}", layers.front().name, layers.size() - 1)
                      : layers.front().name;
}

bool isSharedUnit(const std::string& id) { return id.find('+') != std::string::npos; }

LayerInfo LayerUnit::shape() const {
    LayerInfo whole = layers.front();
    whole.name = id();
    for (std::size_t i = 1; i < layers.size(); ++i) {
        (overOutputs ? whole.d1 : whole.d2) += overOutputs ? layers[i].d1 : layers[i].d2;
        whole.storedBytes += layers[i].storedBytes;
    }
    return whole;
}

std::vector<std::int64_t> LayerUnit::widths() const {
    std::vector<std::int64_t> widths;
    for (const LayerInfo& layer : layers) {
        widths.push_back(overOutputs ? layer.d1 : layer.d2);
    }
    return widths;
}

const std::vector<Option>& groupOptions() {
    static const std::vector<Option> all = described(
        {{kGroups,
          usualWord(kNone),
          0,
          0,
          {{kNone, "every layer on its own"},
           {kPairs, "two neighbouring blocks, kind by kind; attn_output and ffn_down on their own"},
           {kKind, "all layers of a kind"},
           {kInputs, "q, k and v of a block; gate and up"},
           {"inputs-4", "q, k and v of four neighbouring blocks; gate and up"},
           {"all-4", "the same, and attn_output with ffn_down over their outputs"},
           {kAdaptive, "two layers of a kind chosen by an estimate, or a single one"}},
          "",
          "Shared by",
          "Layers that share a dictionary or left factor: pairs (or a number) of neighbouring "
          "blocks, adaptive (pairs of a kind by an estimate), kind, inputs (q, k, v; gate, up), "
          "inputs-4 (the same over four neighbouring blocks), all-4 (as inputs-4, and attn_output "
          "with ffn_down over their outputs), or a list such as 'blk.0.attn_q+blk.1.attn_q;…'",
          "appendix on grouped details",
          readGrouping}});
    return all;
}

bool groupsLayers(const MatrixOptions& options) {
    return groupingOf(options).by != Grouping::By::None;
}

bool choosesGroups(const MatrixOptions& options) { return groupingOf(options).isAdaptive; }

bool sharesOverOutputs(const MatrixOptions& options) {
    const Grouping& grouping = groupingOf(options);
    return grouping.by == Grouping::By::Blocks && grouping.rule.sharing == Sharing::All;
}

bool sharesBetweenBlocks(const LayerInfo& layer) {
    return layer.kind != "attn_output" && layer.kind != "ffn_down";
}

MatrixOptions withGroups(MatrixOptions options, const NamedGroups& groups) {
    std::string list;
    for (const std::vector<std::string>& group : groups) {
        list += list.empty() ? "" : ";";
        for (const std::string& layer : group) {
            list += (&layer == &group.front() ? "" : "+") + layer;
        }
    }
    setOwnOption(options, kGroups, groups.empty() ? kNone : list);
    return options;
}

MatrixOptions withoutGroups(MatrixOptions options) {
    options.own.erase(kGroups);
    options.own.erase(kGroupMetric);
    return options;
}

std::vector<LayerUnit> unitsOf(const MatrixOptions& options, const std::vector<LayerInfo>& layers) {
    const Grouping& grouping = groupingOf(options);
    std::vector<LayerUnit> units;
    if (grouping.by == Grouping::By::None) {
        for (const LayerInfo& layer : layers) {
            units.push_back({{layer}});
        }
        return units;
    }
    const bool isRule = grouping.by != Grouping::By::Names;
    const auto places = placesOf(grouping.names, layers);
    std::map<Key, std::size_t> known;
    for (const LayerInfo& layer : layers) {
        std::optional<Key> key;
        if (isRule) {
            key = keyOf(grouping, layer);
        } else if (const auto place = places.find(layer.name); place != places.end()) {
            key = Key{place->second, ""};
        }
        if (key) {
            const auto [unit, isNew] = known.try_emplace(*key, units.size());
            if (!isNew) {
                units[unit->second].layers.push_back(layer);
                continue;
            }
        }
        units.push_back({{layer}});
    }
    for (LayerUnit& unit : units) {
        const LayerInfo& first = unit.layers.front();
        unit.overOutputs = unit.isShared() && (isRule ? keyOf(grouping, first)->what == kOutputs
                                                      : !haveInputsOfOneWidth(unit));
    }
    requireShareable(*options.method, units);
    return units;
}

MatrixOptions optionsOfUnit(const MatrixOptions& options, const LayerUnit& unit) {
    if (!unit.isShared()) {
        return withoutGroups(options);
    }
    MatrixOptions shared = options;
    shared.side = unit.overOutputs ? std::optional(DictionarySide::Output) : options.side;
    return shared;
}

}  // namespace cospadi
