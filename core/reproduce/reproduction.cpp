#include "core/reproduce/reproduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <tuple>

#include "core/base/error.h"
#include "core/base/lower_case.h"
#include "core/methods/matrix_options.h"
#include "core/reproduce/reproduction_check.h"
#include "core/store/field_reader.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kEntry = "an entry of reproduce";
constexpr const char* kSeeReproduce = "see docs/reproduce.md";

// null where the field is absent; else of each element what `read` makes of it.
template <class Read>
void readList(FieldReader& fields, const char* field, const Read& read) {
    const json* list = fields.child(field);
    if (list == nullptr) {
        return;
    }
    if (!list->is_array()) {
        throw Error("is not a list", field, kSeeReproduce);
    }
    for (const json& element : *list) {
        read(element);
    }
}

ValueColumn valueColumn(const json& element) {
    ValueColumn column;
    if (element.is_string()) {
        column.title = element.get<std::string>();
        column.own = column.title;
        column.published = column.title;
        return column;
    }
    FieldReader fields(element, "values.");
    fields.read("own", column.own);
    fields.read("published", column.published);
    column.title = column.own.empty() ? column.published : column.own;
    fields.read("title", column.title);
    fields.read("scale", column.scale);
    fields.refuseUnknown(kEntry);
    return column;
}

FigureShape figureShape(const json& element) {
    FigureShape figure;
    FieldReader fields(element, "figure.");
    fields.read("x", figure.x);
    fields.read("y", figure.y);
    fields.read("log_y", figure.logY);
    fields.read("curves", figure.curves);
    fields.refuseUnknown(kEntry);
    return figure;
}

// None where the field is absent.
WantedSettings wantedSettings(FieldReader& fields, const char* field, const std::string& prefix) {
    WantedSettings wanted;
    if (const json* object = fields.child(field)) {
        const std::string place = prefix + field;
        for (const auto& [setting, value] : valueOfType<json::object_t>(*object, place)) {
            const std::string where = place + "." + setting;
            wanted[setting] =
                value.is_array() ? valueOfType<std::vector<std::string>>(value, where)
                                 : std::vector<std::string>{valueOfType<std::string>(value, where)};
        }
    }
    return wanted;
}

ReproducedOutput outputOf(const json& element) {
    ReproducedOutput output;
    FieldReader fields(element, "outputs.");
    bool settings = false;
    fields.read("name", output.name);
    fields.read("preset", output.preset);
    fields.read("settings", settings);
    fields.read("rows", output.rows);
    output.where = wantedSettings(fields, "where", "outputs.");
    fields.read("words", output.words);
    readList(fields, "values",
             [&](const json& value) { output.values.push_back(valueColumn(value)); });
    if (const json* figure = fields.child("figure")) {
        output.figure = figureShape(*figure);
    }
    fields.refuseUnknown(kEntry);
    output.kind = settings                 ? ReproducedOutput::Kind::Settings
                  : !output.preset.empty() ? ReproducedOutput::Kind::Preset
                                           : ReproducedOutput::Kind::Comparison;
    return output;
}

StayingRows stayingRows(const json& element) {
    StayingRows staying;
    FieldReader fields(element, "stays_published.");
    fields.read("rows", staying.rows);
    fields.read("why", staying.why);
    fields.refuseUnknown(kEntry);
    return staying;
}

DerivedSteps derivedSteps(const json& object, const std::string& prefix) {
    DerivedSteps steps;
    FieldReader fields(object, prefix + ".");
    steps.of = wantedSettings(fields, "of", prefix + ".");
    fields.read("slice", steps.slice);
    fields.read("coefficient_bits", steps.coefficientBits);
    if (fields.child("rounding") != nullptr) {
        std::vector<std::string> names;
        fields.read("rounding", names);
        steps.roundings.clear();
        for (const std::string& name : names) {
            steps.roundings.push_back(coefficientRoundingFromName(name));
        }
    }
    fields.refuseUnknown(kEntry);
    validate(steps, prefix);
    return steps;
}

ThroughputStudy throughputStudy(const json& object, const std::string& prefix) {
    ThroughputStudy study;
    FieldReader fields(object, prefix);
    std::string mode = name(study.mode);
    fields.read("mode", mode);
    if (mode == name(ThroughputMode::Asynchronous)) {
        study.mode = ThroughputMode::Asynchronous;
    } else if (mode != name(study.mode)) {
        throw Error(fmt::format("'{}' is not a mode", mode), prefix + "mode",
                    "use synchronous or asynchronous");
    }
    fields.read("users", study.users);
    fields.read("prompts", study.prompts);
    fields.read("tokens", study.tokens);
    fields.read("rounds", study.rounds);
    fields.refuseUnknown(kEntry);
    validate(study, prefix);
    return study;
}

Protocol protocolOf(const json& object, const std::string& prefix) {
    Protocol protocol;
    FieldReader fields(object, prefix + ".");
    if (const json* grid = fields.child("grid")) {
        json sweep = {{"grid", *grid}};
        if (const json* evaluate = fields.child("evaluate")) {
            sweep["evaluate"] = *evaluate;
        }
        protocol.sweep = sweepFile(sweep);
        protocol.sweep.grid = *grid;
    }
    if (const json* tasks = fields.child("tasks")) {
        protocol.tasks = taskPlanFromJson(*tasks, prefix + ".tasks");
    }
    if (const json* derive = fields.child("derive")) {
        protocol.derive = derivedSteps(*derive, prefix + ".derive");
    }
    if (const json* throughput = fields.child("throughput")) {
        protocol.throughput = throughputStudy(*throughput, prefix + ".throughput.");
    }
    fields.read("differs", protocol.differs);
    static_cast<void>(fields.child("evaluate"));
    fields.refuseUnknown(kEntry);
    return protocol;
}

// The full one, which is read of `protocol`, with the patch's fields in the place of its own.
Protocol patched(const Protocol& full, json protocol, const json& patch, const char* prefix) {
    protocol.merge_patch(patch);
    Protocol smaller = protocolOf(protocol, prefix);
    if (patch.contains("differs")) {  // a patch replaces lists
        smaller.differs.insert(smaller.differs.begin(), full.differs.begin(), full.differs.end());
    }
    return smaller;
}

Reproduction reproductionOf(const json& file) {
    Reproduction entry;
    FieldReader fields(file, "");
    fields.read("label", entry.label);
    fields.read("number", entry.number);
    fields.read("shows", entry.shows);
    fields.read("published", entry.published);
    fields.read("unavailable", entry.unavailable);
    readList(fields, "stays_published",
             [&](const json& element) { entry.staying.push_back(stayingRows(element)); });
    readList(fields, "outputs",
             [&](const json& element) { entry.outputs.push_back(outputOf(element)); });
    json protocol = json::object();
    if (const json* full = fields.child("protocol")) {
        protocol = *full;
    }
    entry.full = protocolOf(protocol, "protocol");
    for (const ProtocolSize size : {ProtocolSize::Overnight, ProtocolSize::Quick}) {
        const json* patch = fields.child(name(size));
        entry.protocol(size) =
            patch == nullptr ? entry.full : patched(entry.full, protocol, *patch, name(size));
    }
    fields.refuseUnknown(kEntry);
    return entry;
}

Protocol Reproduction::*memberOf(ProtocolSize size) {
    return size == ProtocolSize::Full        ? &Reproduction::full
           : size == ProtocolSize::Overnight ? &Reproduction::overnight
                                             : &Reproduction::quick;
}

int numberIn(const std::string& number) {
    const std::size_t digit = number.find_first_of("0123456789");
    int value = 0;
    if (digit != std::string::npos) {
        std::from_chars(number.data() + digit, number.data() + number.size(), value);
    }
    return value;
}

}  // namespace

const char* name(ProtocolSize size) {
    return size == ProtocolSize::Full        ? "full"
           : size == ProtocolSize::Overnight ? "overnight"
                                             : "quick";
}

ProtocolSize protocolSizeFromName(const std::string& word) {
    for (const ProtocolSize size : kProtocolSizes) {
        if (word == name(size)) {
            return size;
        }
    }
    throw Error(fmt::format("'{}' is not a size", word), "size", "use full, overnight or quick");
}

const Protocol& Reproduction::protocol(ProtocolSize size) const { return this->*memberOf(size); }

Protocol& Reproduction::protocol(ProtocolSize size) { return this->*memberOf(size); }

Reproduction readReproduction(const fs::path& file) {
    const json contents = readGridFile(file);
    try {
        Reproduction entry = reproductionOf(contents);
        entry.name = file.stem().string();
        requireSound(entry);
        return entry;
    } catch (const Error& error) {
        throw Error(error.problem(), fmt::format("{}: {}", file.string(), error.where()),
                    error.hint());
    }
}

std::vector<Reproduction> reproductions(const fs::path& folder) {
    std::vector<Reproduction> all;
    std::error_code unreadable;
    for (const auto& entry : fs::directory_iterator(folder, unreadable)) {
        if (entry.path().extension() == ".yaml") {
            all.push_back(readReproduction(entry.path()));
        }
    }
    if (unreadable) {
        throw Error(fmt::format("cannot be read: {}", unreadable.message()), folder.string(),
                    "install the program again");
    }
    std::sort(all.begin(), all.end(), [](const Reproduction& a, const Reproduction& b) {
        const auto place = [](const Reproduction& entry) {
            return std::tuple(entry.isFigure(), numberIn(entry.number), entry.name);
        };
        return place(a) < place(b);
    });
    return all;
}

const Reproduction* findReproduction(const std::vector<Reproduction>& all,
                                     const std::string& word) {
    const std::string wanted = lowerCase(word);
    const auto found = std::find_if(all.begin(), all.end(), [&](const Reproduction& entry) {
        const std::string number = lowerCase(entry.number);
        return wanted == lowerCase(entry.name) || wanted == lowerCase(entry.label) ||
               wanted == number || (!entry.isFigure() && "table " + wanted == number);
    });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace cospadi
