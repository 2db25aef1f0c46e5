#include "core/store/run_condition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>

#include "core/base/error.h"
#include "core/base/lower_case.h"
#include "core/store/method_label.h"
#include "core/store/run_settings.h"

namespace cospadi {

namespace {

struct Sign {
    const char* text;
    Relation relation;
};
// Longer ones before those that they begin with.
const Sign kSigns[] = {{">=", Relation::AtLeast}, {"<=", Relation::AtMost}, {"!=", Relation::IsNot},
                       {"=", Relation::Is},       {"<", Relation::Below},   {">", Relation::Above},
                       {":", Relation::Holds}};
constexpr const char* kAnywhere = "";  // the field that words are looked for in

std::optional<double> numberOf(const std::string& text) {
    double number = 0;
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && stopped == end && std::isfinite(number) ? std::optional(number)
                                                                           : std::nullopt;
}

// "2026-11-21", and what may follow: such texts are in order as they stand.
bool isDate(const std::string& text) {
    return text.size() >= 7 && text[4] == '-' &&
           std::all_of(text.begin(), text.begin() + 4,
                       [](unsigned char c) { return std::isdigit(c) != 0; });
}

bool comparesSizes(Relation relation) {
    return relation != Relation::Is && relation != Relation::IsNot && relation != Relation::Holds;
}

[[noreturn]] void refuseTerm(const std::string& problem, const std::string& term) {
    throw Error(problem, term,
                "write FIELD=VALUE[,VALUE], FIELD>=NUMBER or FIELD:PART, for example rho>=2 "
                "cr=0.2,0.3 method:ksvd tag:paper");
}

// A part of a term: as it is, or in quotation marks, which are left out.
struct Part {
    std::string text;
    std::vector<bool> isQuoted;  // a character each
};

// Terms between spaces.
std::vector<Part> partsOf(const std::string& text) {
    std::vector<Part> parts;
    bool isInside = false;  // a part
    bool isQuoted = false;
    for (const char c : text) {
        if (c == '"') {
            isQuoted = !isQuoted;
            if (!isInside) {
                parts.emplace_back();
                isInside = true;
            }
        } else if (!isQuoted && std::isspace(static_cast<unsigned char>(c)) != 0) {
            isInside = false;
        } else {
            if (!isInside) {
                parts.emplace_back();
                isInside = true;
            }
            parts.back().text += c;
            parts.back().isQuoted.push_back(isQuoted);
        }
    }
    if (isQuoted) {
        refuseTerm("a quotation mark is not closed", text);
    }
    return parts;
}

RunCondition conditionFromPart(const Part& part) {
    const std::string& term = part.text;
    const auto first = [&](const std::string& characters) {
        std::size_t at = 0;
        while (at < term.size() &&
               (part.isQuoted[at] || characters.find(term[at]) == std::string::npos)) {
            ++at;
        }
        return at;
    };
    // A colon before a comparison is the field's own: avg_acc:piqa>=0.5.
    std::size_t at = first("=<>!");
    if (at == term.size()) {
        at = first(":");
    }
    if (at == term.size()) {
        return {"", Relation::Holds, {term}};
    }
    const auto* sign = std::find_if(std::begin(kSigns), std::end(kSigns), [&](const Sign& one) {
        return term.compare(at, std::string(one.text).size(), one.text) == 0;
    });
    if (sign == std::end(kSigns)) {
        refuseTerm("\"!\" is not a relation; use !=", term);
    }
    RunCondition condition{term.substr(0, at), sign->relation, {""}};
    for (std::size_t i = at + std::string(sign->text).size(); i < term.size(); ++i) {
        if (term[i] == ',' && !part.isQuoted[i]) {
            condition.values.emplace_back();
        } else {
            condition.values.back() += term[i];
        }
    }
    if (condition.field.empty()) {
        refuseTerm("there is no field before the relation", term);
    }
    for (const std::string& value : condition.values) {
        if (value.empty()) {
            refuseTerm("there is no value after the relation", term);
        }
        if (comparesSizes(condition.relation) && !numberOf(value) && !isDate(value)) {
            refuseTerm(fmt::format("\"{}\" is not a number", value), term);
        }
    }
    return condition;
}

std::string quoted(const std::string& text) {
    return text.empty() || text.find_first_of(" ,=<>!:\t") != std::string::npos ? '"' + text + '"'
                                                                                : text;
}

bool isValue(const std::string& value, const std::string& wanted) {
    if (value == wanted) {
        return true;
    }
    const std::optional<double> a = numberOf(value);
    const std::optional<double> b = numberOf(wanted);
    return a && b && std::abs(*a - *b) < 1e-9;
}

bool isOrdered(const std::string& value, Relation relation, const std::string& wanted) {
    const std::optional<double> a = numberOf(value);
    const std::optional<double> b = numberOf(wanted);
    if (!(a && b) && !(isDate(value) && isDate(wanted))) {
        return false;  // "auto", "usual"
    }
    const bool isBelow = a && b ? *a < *b - 1e-9 : value < wanted;
    const bool isAbove =
        a && b ? *a > *b + 1e-9 : value.substr(0, wanted.size()) > wanted;  // of a day: its end
    return relation == Relation::Below    ? isBelow
           : relation == Relation::AtMost ? !isAbove
           : relation == Relation::Above  ? isAbove
                                          : !isBelow;
}

void addNumber(RunFields& fields, const char* name, double number) {
    if (std::isfinite(number)) {
        fields[name] = {fmt::format("{}", number)};
    }
}

}  // namespace

const char* signOf(Relation relation) {
    return std::find_if(std::begin(kSigns), std::end(kSigns),
                        [&](const Sign& sign) { return sign.relation == relation; })
        ->text;
}

std::vector<RunCondition> conditionsIn(const std::string& text) {
    std::vector<RunCondition> conditions;
    for (const Part& part : partsOf(text)) {
        conditions.push_back(conditionFromPart(part));
    }
    return conditions;
}

std::string textOf(const RunCondition& condition) {
    if (condition.field.empty()) {
        return quoted(condition.values.front());
    }
    std::string values;
    for (const std::string& value : condition.values) {
        values += (values.empty() ? "" : ",") + quoted(value);
    }
    return quoted(condition.field) + signOf(condition.relation) + values;
}

const std::vector<std::string>& commonFields() {
    static const std::vector<std::string> fields{
        "bytes",    "date",   "error",   "held-out-error",  "label", "layers",
        "matrices", "method", "model",   "multiplications", "note",  "perplexity",
        "ratio",    "run",    "seconds", "status",          "sweep", "tag"};
    return fields;
}

RunFields fieldsOf(const RunRow& run, double perplexity) {
    RunFields fields;
    for (const auto& [field, value] : settingsOf(run)) {
        fields[field] = {value};
    }
    // The model by its file's name: its hash is not what one types.
    fields["model"] = {std::filesystem::path(run.model).filename().string()};
    fields["run"] = {run.id};
    fields["status"] = {run.status};
    fields["tag"] = run.tags;
    for (const std::string& tag : run.tags) {
        if (tag.starts_with(kSweepTag)) {
            fields["sweep"].push_back(tag.substr(std::string(kSweepTag).size()));
        }
    }
    fields["note"] = {run.note};
    const std::optional<RunSpecification> specification = specificationOf(run);
    fields["label"] = {specification ? methodLabel(*specification) : run.method};
    std::vector<std::string>& words = fields[kAnywhere];
    words = run.tags;
    words.insert(words.end(), {run.id, run.model, fields["label"].front(), run.layers, run.note});
    fields["date"] = {run.created};
    addNumber(fields, "matrices", static_cast<double>(run.matrices));
    addNumber(fields, "bytes",
              run.layerBytes > 0 ? static_cast<double>(run.layerBytes) : unknownNumber);
    addNumber(fields, "multiplications", run.multiplications);
    addNumber(fields, "seconds", run.seconds);
    addNumber(fields, "ratio", run.measuredRatio());
    addNumber(fields, "error", run.method == "dense" ? unknownNumber : run.relativeError);
    addNumber(fields, "held-out-error", run.heldOutError);
    addNumber(fields, "perplexity", perplexity);
    for (const TaskResultRow& result : run.taskResults) {
        addNumber(fields, (result.task + "/" + result.metric).c_str(), result.value);
    }
    return fields;
}

void requireFields(const std::vector<RunCondition>& conditions,
                   const std::set<std::string>& known) {
    std::set<std::string> all = known;
    all.insert(commonFields().begin(), commonFields().end());
    all.erase(kAnywhere);
    for (const RunCondition& condition : conditions) {
        if (!condition.field.empty() && !all.contains(condition.field)) {
            throw Error("no run has a field with this name", textOf(condition),
                        fmt::format("there are: {}", fmt::join(all, ", ")));
        }
    }
}

bool fits(const RunCondition& condition, const RunFields& fields) {
    const bool isLabel = condition.field == "method" && condition.relation == Relation::Holds;
    const auto found = fields.find(isLabel ? "label" : condition.field);
    const bool isNegative = condition.relation == Relation::IsNot;
    if (found == fields.end()) {
        return isNegative;
    }
    const bool one =
        std::any_of(found->second.begin(), found->second.end(), [&](const std::string& value) {
            return std::any_of(
                condition.values.begin(), condition.values.end(), [&](const std::string& wanted) {
                    return condition.relation == Relation::Holds
                               ? lowerCase(value).find(lowerCase(wanted)) != std::string::npos
                           : comparesSizes(condition.relation)
                               ? isOrdered(value, condition.relation, wanted)
                               : isValue(value, wanted);
                });
        });
    return one != isNegative;
}

}  // namespace cospadi
