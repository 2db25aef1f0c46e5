#include "core/tokenizer/normalizer.h"

#include <fmt/format.h>

#include <memory>

#include "core/base/error.h"
#include "core/tokenizer/text_pattern.h"
#include "core/tokenizer/tokenizer_fields.h"
#include "core/tokenizer/unicode_forms.h"

namespace cospadi {

namespace {

bool formNamed(const std::string& name, UnicodeForm& form) {
    for (const auto& [known, value] :
         {std::pair{"NFC", UnicodeForm::Nfc}, std::pair{"NFD", UnicodeForm::Nfd},
          std::pair{"NFKC", UnicodeForm::Nfkc}, std::pair{"NFKD", UnicodeForm::Nfkd}}) {
        if (name == known) {
            form = value;
            return true;
        }
    }
    return false;
}

}  // namespace

TextNormalizer::TextNormalizer(const nlohmann::json& specification, const std::string& where) {
    add(specification, where);
}

void TextNormalizer::add(const nlohmann::json& specification, const std::string& where) {
    if (specification.is_null()) {
        return;
    }
    const std::string type = fields::typeOf(specification);
    const std::string name =
        fmt::format("{}, step {} of the normalizer ({})", where, m_steps.size() + 1, type);
    UnicodeForm form{};
    if (type == "Sequence") {
        for (const nlohmann::json& part : fields::list(specification, "normalizers", where)) {
            add(part, where);
        }
    } else if (formNamed(type, form)) {
        m_steps.push_back({name, [form](std::string_view text, std::string& result, auto&) {
                               if (form == UnicodeForm::Nfc && isPlainlyNfc(text)) {
                                   return false;
                               }
                               result = normalizeUnicode(text, form);
                               return true;
                           }});
    } else if (type == "Prepend") {
        const std::string prefix = fields::text(specification, "prepend", where);
        m_steps.push_back({name, [prefix](std::string_view text, std::string& result, auto&) {
                               result = prefix;
                               result += text;
                               return !text.empty();
                           }});
    } else if (type == "Replace") {
        const auto pattern =
            std::make_shared<const TextPattern>(TextPattern::fromJson(specification, name));
        const std::string content = fields::text(specification, "content", where);
        m_steps.push_back({name, [pattern, content](std::string_view text, std::string& result,
                                                    const TextBudget& budget) {
                               result = pattern->replace(text, content, budget);
                               return true;
                           }});
    } else {
        throw Error("the normalizer \"" + type + "\" is not supported", where,
                    "supported: none, NFC, NFD, NFKC, NFKD, Prepend, Replace, Sequence");
    }
}

std::string_view TextNormalizer::apply(std::string_view text, std::string& storage,
                                       const TextBudget& budget) const {
    for (const Step& step : m_steps) {
        std::string result;
        budget.requireTime(step.name);
        if (step.apply(text, result, budget)) {
            budget.requireBytes(result.size(), step.name);
            storage = std::move(result);
            text = storage;
        }
    }
    return text;
}

}  // namespace cospadi
