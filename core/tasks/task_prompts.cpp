#include "core/tasks/task_prompts.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "core/tasks/python_text.h"

namespace cospadi {

namespace {

using nlohmann::json;

std::string text(const json& record, const char* field) {
    return record.at(field).get<std::string>();
}

// lm-eval separates context and answer by one space.
TaskItem choiceItem(const json& record, std::string context, std::vector<std::string> choices,
                    std::int64_t answer) {
    if (answer < 0 || answer >= static_cast<std::int64_t>(choices.size())) {
        throw std::out_of_range("its answer is not one of its choices");
    }
    TaskItem item;
    item.record = record;
    item.context = std::move(context);
    item.choices = std::move(choices);
    item.answer = answer;
    for (const std::string& choice : item.choices) {
        item.continuations.push_back(" " + choice);
    }
    return item;
}

// Labels are numbers in some copies of a data set and digits in others.
std::int64_t number(const json& value) {
    return value.is_string() ? std::stoll(value.get<std::string>()) : value.get<std::int64_t>();
}

TaskItem piqa(const json& r) {
    return choiceItem(r, "Question: " + text(r, "goal") + "\nAnswer:",
                      {text(r, "sol1"), text(r, "sol2")}, number(r.at("label")));
}

std::string withoutBrackets(std::string_view raw) {
    std::string cleaned = pythonReplace(std::string(pythonStrip(raw)), " [title]", ". ");
    cleaned = pythonSubstitute("\\[.*?\\]", "", cleaned);
    return pythonReplace(std::move(cleaned), "  ", " ");
}

TaskItem hellaSwag(const json& r) {
    const std::string context = text(r, "ctx_a") + " " + pythonCapitalize(text(r, "ctx_b"));
    std::vector<std::string> endings = r.at("endings").get<std::vector<std::string>>();
    std::transform(endings.begin(), endings.end(), endings.begin(), withoutBrackets);
    return choiceItem(r, withoutBrackets(text(r, "activity_label") + ": " + context),
                      std::move(endings), number(r.at("label")));
}

TaskItem lambada(const json& r) {
    const std::string whole = text(r, "text");
    const std::size_t space = whole.rfind(' ');
    const std::size_t word = space == std::string::npos ? 0 : space + 1;
    TaskItem item;
    item.record = r;
    item.context = space == std::string::npos ? "" : whole.substr(0, space);
    item.continuations = {" " + whole.substr(word)};
    return item;
}

TaskItem arc(const json& r) {
    const auto labels = r.at("choices").at("label").get<std::vector<std::string>>();
    const auto found = std::find(labels.begin(), labels.end(), text(r, "answerKey"));
    return choiceItem(r, "Question: " + text(r, "question") + "\nAnswer:",
                      r.at("choices").at("text").get<std::vector<std::string>>(),
                      found - labels.begin());
}

TaskItem sciQ(const json& r) {
    const std::string support(text(r, "support"));
    return choiceItem(
        r,
        std::string(pythonLeftStrip(support)) + "\nQuestion: " + text(r, "question") + "\nAnswer:",
        {text(r, "distractor1"), text(r, "distractor2"), text(r, "distractor3"),
         text(r, "correct_answer")},
        3);
}

// Partial evaluation: what follows the gap is scored after the sentence up to it with each option.
TaskItem winogrande(const json& r) {
    const std::string sentence = text(r, "sentence");
    const std::size_t gap = sentence.find('_');
    if (gap == std::string::npos) {
        throw std::out_of_range("its sentence has no gap _");
    }
    const std::string before = sentence.substr(0, gap);
    TaskItem item = choiceItem(r, {}, {before + text(r, "option1"), before + text(r, "option2")},
                               number(r.at("answer")) - 1);
    item.contexts = item.choices;
    const std::string_view after = pythonStrip(std::string_view(sentence).substr(gap + 1));
    item.continuations.assign(item.choices.size(), std::string(" ").append(after));
    return item;
}

TaskItem boolQ(const json& r) {
    const json& label = r.at("label");
    return choiceItem(
        r, text(r, "passage") + "\nQuestion: " + text(r, "question") + "?\nAnswer:", {"no", "yes"},
        label.is_boolean() ? (label.get<bool>() ? 1 : 0) : number(label));
}

TaskItem openBookQa(const json& r) {
    const auto labels = r.at("choices").at("label").get<std::vector<std::string>>();
    const std::string key = text(r, "answerKey");
    const auto found = std::find(labels.begin(), labels.end(), pythonLeftStrip(key));
    return choiceItem(r, text(r, "question_stem"),
                      r.at("choices").at("text").get<std::vector<std::string>>(),
                      found - labels.begin());
}

std::string withoutLastCharacter(std::string text) {
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0U) == 0x80U) {
        text.pop_back();
    }
    if (!text.empty()) {
        text.pop_back();
    }
    return text;
}

// The premise without its full stop, then because or therefore. Answers stand after two spaces: one
// is lm-eval's own between context and answer, one the task's.
TaskItem copa(const json& r) {
    static const std::map<std::string, std::string> connectors = {{"cause", "because"},
                                                                  {"effect", "therefore"}};
    const auto connector = connectors.find(text(r, "question"));
    if (connector == connectors.end()) {
        throw std::out_of_range("its question is neither cause nor effect");
    }
    std::vector<std::string> choices;
    for (const char* field : {"choice1", "choice2"}) {
        choices.push_back(std::string(" ").append(pythonLowerFirst(text(r, field))));
    }
    const std::string premise = text(r, "premise");
    return choiceItem(
        r, withoutLastCharacter(std::string(pythonStrip(premise))) + " " + connector->second,
        std::move(choices), number(r.at("label")));
}

std::int64_t letterIndex(const json& problem) {
    const std::string letter = text(problem, "answer");
    return letter.size() == 1 ? letter[0] - 'A' : -1;
}

// Single quotes of Python's own notation, as the original data set has it.
json problemsOf(const json& field) {
    if (field.is_array()) {
        return field;
    }
    const auto& raw = field.get_ref<const std::string&>();
    json problems = json::parse(raw, nullptr, false);
    if (problems.is_discarded()) {
        std::string asJson;
        char quote = 0;
        for (std::size_t i = 0; i < raw.size(); ++i) {
            const char c = raw[i];
            if (quote == 0) {
                quote = c == '\'' || c == '"' ? c : '\0';
                asJson += quote != 0 ? '"' : c;
            } else if (c == '\\' && i + 1 < raw.size()) {
                ++i;
                asJson += raw[i] == '\'' ? std::string("'") : std::string("\\") + raw[i];
            } else if (c == quote) {
                quote = 0;
                asJson += '"';
            } else {
                asJson += c == '"' ? std::string("\\\"") : std::string(1, c);
            }
        }
        problems = json::parse(asJson);
    }
    return problems;
}

TaskItem race(const json& r) {
    const json problems = problemsOf(r.at("problems"));
    std::string context = "Article: " + text(r, "article") + "\n\n";
    if (!problems.is_array() || problems.empty()) {
        throw std::out_of_range("it has no problems");
    }
    for (std::size_t i = 0; i + 1 < problems.size(); ++i) {
        const std::string question = text(problems[i], "question");
        const std::string answer =
            problems[i].at("options").at(static_cast<std::size_t>(letterIndex(problems[i])));
        if (question.ends_with("  _  .")) {
            context += question.substr(0, question.size() - 5) + answer + "\n";
        } else {
            context.append("Question: ").append(question).append("\n");
            context.append("Answer: ").append(answer).append("\n");
        }
    }
    const json& last = problems.back();
    const auto options = last.at("options").get<std::vector<std::string>>();
    if (options.size() < 4) {
        throw std::out_of_range("its last problem has fewer than four options");
    }
    return choiceItem(r, context + text(last, "question"), {options.begin(), options.begin() + 4},
                      letterIndex(last));
}

std::string wikitextDetokenized(std::string page) {
    const auto replace = [&](const char* old, const char* with) {
        page = pythonReplace(std::move(page), old, with);
    };
    const auto substitute = [&](const char* pattern, const char* with) {
        page = pythonSubstitute(pattern, with, page);
    };
    replace("s '", "s'");
    substitute("/' [0-9]/", "/'[0-9]/");
    replace(" @-@ ", "-");
    replace(" @,@ ", ",");
    replace(" @.@ ", ".");
    for (const char* mark : {":", ";", ".", "!", "?", ","}) {
        page =
            pythonReplace(std::move(page), std::string(" ") + mark + " ", std::string(mark) + " ");
    }
    substitute(R"(\(\s*([^\)]*?)\s*\))", "(${1})");
    substitute(R"(\[\s*([^\]]*?)\s*\])", "[${1}]");
    substitute(R"({\s*([^}]*?)\s*})", "{${1}}");
    substitute(R"("\s*([^"]*?)\s*")", "\"${1}\"");
    substitute(R"('\s*([^']*?)\s*')", "'${1}'");
    replace("= = = =", "====");
    replace("= = =", "===");
    replace("= =", "==");
    replace(" \u00b0 ", "\u00b0");
    replace(" \n", "\n");
    replace("\n ", "\n");
    replace(" N ", " 1 ");
    replace(" 's", "'s");
    return page;
}

TaskItem wikitext(const json& r) {
    const std::string page = text(r, "page");
    TaskItem item;
    item.record = r;
    item.continuations = {wikitextDetokenized(page)};
    item.words = pythonMatches("\\s+", page) + 1;  // len(re.split(r"\s+", page))
    item.bytes = static_cast<std::int64_t>(page.size());
    return item;
}

}  // namespace

TaskPrompt promptOf(const std::string& name) {
    static const std::map<std::string, TaskPrompt> prompts = {
        {"piqa", {TaskForm::Choice, true, &piqa}},
        {"hellaswag", {TaskForm::Choice, true, &hellaSwag}},
        {"lambada_openai", {TaskForm::Continuation, false, &lambada}},
        {"arc_easy", {TaskForm::Choice, true, &arc}},
        {"arc_challenge", {TaskForm::Choice, true, &arc}},
        {"sciq", {TaskForm::Choice, true, &sciQ}},
        {"race", {TaskForm::Choice, false, &race}},
        {"winogrande", {TaskForm::Choice, false, &winogrande}},
        {"boolq", {TaskForm::Choice, false, &boolQ}},
        {"openbookqa", {TaskForm::Choice, true, &openBookQa}},
        {"copa", {TaskForm::Choice, false, &copa}},
        {"wikitext", {TaskForm::Rolling, false, &wikitext}}};
    return prompts.at(name);
}

TaskItem hellaSwagCleaned(const json& r) {
    return choiceItem(r, text(r, "query"), r.at("choices").get<std::vector<std::string>>(),
                      number(r.at("gold")));
}

TaskItem mmluItem(const json& r) {
    const auto choices = r.at("choices").get<std::vector<std::string>>();
    if (choices.size() != 4) {
        throw std::out_of_range("it does not have four choices");
    }
    const std::string question = text(r, "question");
    std::string context(pythonStrip(question));
    for (std::size_t i = 0; i < choices.size(); ++i) {
        context.append("\n").append(1, static_cast<char>('A' + i)).append(". ").append(choices[i]);
    }
    return choiceItem(r, context + "\nAnswer:", {"A", "B", "C", "D"}, number(r.at("answer")));
}

std::string mmluDescription(const std::string& subject) {
    return "The following are multiple choice questions (with answers) about " +
           pythonReplace(subject, "_", " ") + ".\n\n";
}

}  // namespace cospadi
