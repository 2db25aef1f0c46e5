#include "core/tokenizer/pre_tokenizer.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/tokenizer/characters.h"
#include "core/tokenizer/known_patterns.h"
#include "core/tokenizer/split_behavior.h"
#include "core/tokenizer/text_pattern.h"
#include "core/tokenizer/tokenizer_fields.h"
#include "core/tokenizer/utf8.h"

namespace cospadi {

namespace {

enum class PrependScheme { Never, First, Always };

void appendPieces(const Piece& whole, const std::vector<std::string_view>& texts,
                  std::vector<Piece>& pieces) {
    for (const std::string_view text : texts) {
        pieces.push_back({text, whole.atTextStart && text.data() == whole.text.data()});
    }
}

void splitDigits(const Piece& piece, bool individual, std::vector<Piece>& pieces) {
    const std::string_view text = piece.text;
    std::size_t begin = 0;
    bool inNumber = false;
    const auto close = [&](std::size_t end) {
        if (end > begin) {
            pieces.push_back({text.substr(begin, end - begin), piece.atTextStart && begin == 0});
        }
        begin = end;
    };
    for (std::size_t at = 0; at < text.size();) {
        const Character character = characterAt(text, at);
        const bool number = isNumeric(character.codepoint);
        if (number != inNumber || (number && individual)) {
            close(at);
        }
        inNumber = number;
        at += character.length;
    }
    close(text.size());
}

PrependScheme schemeFrom(const nlohmann::json& json, const std::string& where) {
    const std::string name = fields::text(json, "prepend_scheme", where);
    const bool prefix = fields::flag(json, "add_prefix_space", true, where);
    if (name == "never" || (name.empty() && !prefix)) {
        return PrependScheme::Never;
    }
    if (!prefix || (name != "first" && name != "always" && !name.empty())) {
        fields::fail("the Metaspace's prepend_scheme \"" + name +
                         "\" is not known or contradicts add_prefix_space",
                     where);
    }
    return name == "first" ? PrependScheme::First : PrependScheme::Always;
}

std::string withMeta(std::string_view text, const std::string& meta) {
    std::string result;
    result.reserve(text.size() + text.size() / 2 + meta.size());
    for (const char c : text) {
        if (c == ' ') {
            result += meta;
        } else {
            result += c;
        }
    }
    return result;
}

}  // namespace

PreTokenizer::PreTokenizer(const nlohmann::json& specification, const std::string& where) {
    add(specification, where);
}

std::string PreTokenizer::nextStepOf(const nlohmann::json& specification,
                                     const std::string& where) const {
    return fmt::format("{}, step {} of the pre-tokenizer ({})", where, m_steps.size() + 1,
                       fields::typeOf(specification));
}

void PreTokenizer::add(const nlohmann::json& specification, const std::string& where) {
    if (specification.is_null()) {
        return;
    }
    const std::string type = fields::typeOf(specification);
    if (m_byteLevel && type != "Sequence") {
        throw Error("the pre-tokenizer \"" + type + "\" after ByteLevel is not supported", where,
                    "supported: ByteLevel as the last of a Sequence");
    }
    if (type == "Sequence") {
        for (const nlohmann::json& part : fields::list(specification, "pretokenizers", where)) {
            add(part, where);
        }
    } else if (type == "Digits") {
        const bool individual = fields::flag(specification, "individual_digits", false, where);
        m_steps.push_back({nextStepOf(specification, where),
                           [individual](const Piece& piece, auto&, std::vector<Piece>& pieces) {
                               splitDigits(piece, individual, pieces);
                           }});
    } else if (type == "ByteLevel") {
        if (fields::flag(specification, "add_prefix_space", true, where)) {
            m_steps.push_back(
                {nextStepOf(specification, where),
                 [](const Piece& piece, const Work& work, std::vector<Piece>& pieces) {
                     pieces.push_back(piece);
                     if (!piece.text.starts_with(' ')) {
                         pieces.back().text =
                             work.storage.emplace_back(fmt::format(" {}", piece.text));
                     }
                 }});
        }
        if (fields::flag(specification, "use_regex", true, where)) {
            addRegex(kGpt2Pattern, nextStepOf(specification, where));
        }
        m_byteLevel = true;
    } else if (type == "Metaspace") {
        addMetaspace(specification, where);
    } else if (type == "Split") {
        addSplit(specification, where);
    } else {
        throw Error("the pre-tokenizer \"" + type + "\" is not supported", where,
                    "supported: Sequence, Split, Digits, ByteLevel, Metaspace");
    }
}

void PreTokenizer::addRegex(const std::string& regex, const std::string& name) {
    const Scanner scanner = scannerFor(regex);
    if (scanner == nullptr) {
        throw Error("there is no scanner for the pattern " + regex, name,
                    "this is a bug; please report it");
    }
    m_steps.push_back(
        {name, [scanner](const Piece& piece, auto&, std::vector<Piece>& pieces) {
             for (std::size_t at = 0; at < piece.text.size();) {
                 const std::size_t end = scanner(piece.text, at);
                 pieces.push_back({piece.text.substr(at, end - at), piece.atTextStart && at == 0});
                 at = end;
             }
         }});
}

void PreTokenizer::addSplit(const nlohmann::json& specification, const std::string& where) {
    const SplitBehavior behavior =
        splitBehaviorNamed(fields::text(specification, "behavior", where), where);
    const bool invert = fields::flag(specification, "invert", false, where);
    const std::string regex =
        fields::text(fields::required(specification, "pattern", where), "Regex", where);
    if (behavior == SplitBehavior::Isolated && scannerFor(regex) != nullptr) {
        addRegex(regex, nextStepOf(specification, where));
        return;
    }
    const std::string name = nextStepOf(specification, where);
    const auto pattern =
        std::make_shared<const TextPattern>(TextPattern::fromJson(specification, name));
    m_steps.push_back({name, [=](const Piece& piece, const Work& work, std::vector<Piece>& pieces) {
                           std::vector<Stretch> stretches =
                               pattern->stretches(piece.text, work.budget);
                           for (Stretch& stretch : stretches) {
                               stretch.isMatch = stretch.isMatch != invert;
                           }
                           appendPieces(piece, piecesOf(stretches, behavior), pieces);
                       }});
}

// Newer files have prepend_scheme and split, older ones add_prefix_space.
void PreTokenizer::addMetaspace(const nlohmann::json& specification, const std::string& where) {
    const std::string meta = fields::text(specification, "replacement", where);
    if (meta.empty() || characterAt(meta, 0).length != meta.size()) {
        fields::fail("the Metaspace's replacement is not one character", where);
    }
    const PrependScheme scheme = schemeFrom(specification, where);
    const bool split = fields::flag(specification, "split", true, where);
    const std::string name = nextStepOf(specification, where);
    const auto pattern = std::make_shared<const TextPattern>(TextPattern::literal(meta, name));
    m_steps.push_back(
        {name, [=](const Piece& piece, const Work& work, std::vector<Piece>& pieces) {
             std::string text = withMeta(piece.text, meta);
             const bool prepend = scheme == PrependScheme::Always ||
                                  (scheme == PrependScheme::First && piece.atTextStart);
             if (prepend && !text.starts_with(meta)) {
                 text.insert(0, meta);
             }
             const Piece whole{work.storage.emplace_back(std::move(text)), piece.atTextStart};
             if (split) {
                 appendPieces(whole,
                              piecesOf(pattern->stretches(whole.text, work.budget),
                                       SplitBehavior::MergedWithNext),
                              pieces);
             } else {
                 pieces.push_back(whole);
             }
         }});
}

std::vector<Piece> PreTokenizer::split(const Piece& text, std::deque<std::string>& storage,
                                       const TextBudget& budget) const {
    const Work work{storage, budget};
    std::vector<Piece> pieces;
    if (!text.text.empty()) {
        pieces.push_back(text);
    }
    for (const Step& step : m_steps) {
        std::vector<Piece> finer;
        finer.reserve(pieces.size() * 2);
        std::size_t bytes = 0;
        for (const Piece& piece : pieces) {
            step.apply(piece, work, finer);
        }
        for (const Piece& piece : finer) {
            bytes += piece.text.size();
        }
        budget.requireBytes(bytes, step.name);
        budget.requireTime(step.name);
        pieces = std::move(finer);
    }
    return pieces;
}

}  // namespace cospadi
