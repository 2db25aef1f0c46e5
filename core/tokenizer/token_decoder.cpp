#include "core/tokenizer/token_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/error.h"
#include "core/tokenizer/tokenizer_fields.h"
#include "core/tokenizer/utf8.h"

namespace cospadi {

namespace {

int digitOf(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// The byte that a token such as <0x0A> stands for. The package takes a plus sign for a digit.
std::optional<char> byteOf(std::string_view token) {
    if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>') {
        return std::nullopt;
    }
    const int high = token[3] == '+' ? 0 : digitOf(token[3]);
    const int low = digitOf(token[4]);
    return high < 0 || low < 0 ? std::nullopt : std::optional(static_cast<char>(high * 16 + low));
}

// What a decoder may make of `given` bytes of tokens; published ones make less of them.
std::size_t mostBytesOf(std::size_t given) { return 32 * given + 4096; }

// Ends early where the result is longer than `most`.
std::string replaced(std::string_view text, std::string_view what, std::string_view by,
                     std::size_t most) {
    std::string result;
    std::size_t taken = 0;
    for (std::size_t at = text.find(what); at != std::string_view::npos && result.size() <= most;
         at = text.find(what, taken)) {
        result += text.substr(taken, at - taken);
        result += by;
        taken = at + what.size();
    }
    result += text.substr(taken);
    return result;
}

// How often `unit` stands at the front of the text, counted up to `most`.
std::size_t repeatsAtFront(std::string_view text, std::string_view unit, std::size_t most) {
    std::size_t count = 0;
    while (count < most && text.substr(count * unit.size()).starts_with(unit)) {
        ++count;
    }
    return count;
}

std::size_t repeatsAtBack(std::string_view text, std::string_view unit, std::size_t most) {
    std::size_t count = 0;
    for (; count < most && text.ends_with(unit); ++count) {
        text.remove_suffix(unit.size());
    }
    return count;
}

std::string oneCharacter(const nlohmann::json& json, const char* key, const std::string& where) {
    std::string text = fields::text(json, key, where);
    if (text.empty() || characterAt(text, 0).length != text.size()) {
        fields::fail(std::string("the decoder's field \"") + key + "\" is not one character",
                     where);
    }
    return text;
}

}  // namespace

TokenDecoder::TokenDecoder(const nlohmann::json& specification, const std::string& where) {
    bool fused = false;
    if (specification.is_null()) {
        m_steps.push_back({});
    } else {
        add(specification, where, fused);
    }
}

void TokenDecoder::add(const nlohmann::json& json, const std::string& where, bool& fused) {
    const std::string type = fields::typeOf(json);
    Step step;
    step.fused = fused;
    step.name = fmt::format("{}, step {} of the decoder ({})", where, m_steps.size() + 1, type);
    if (type == "Sequence") {
        for (const nlohmann::json& part : fields::list(json, "decoders", where)) {
            add(part, where, fused);
        }
        return;
    }
    if (type == "Fuse") {
        fused = true;
        return;
    }
    if (type == "ByteLevel" && !fused) {
        step.kind = Kind::ByteLevel;
        fused = true;
    } else if (type == "ByteFallback" && !fused) {
        step.kind = Kind::ByteFallback;
    } else if (type == "Metaspace") {
        step.kind = Kind::Metaspace;
        step.pattern = oneCharacter(json, "replacement", where);
        step.dropFirst = fields::flag(json, "add_prefix_space", true, where) &&
                         fields::text(json, "prepend_scheme", where) != "never";
    } else if (type == "Strip") {
        step.kind = Kind::Strip;
        step.pattern = oneCharacter(json, "content", where);
        step.start = static_cast<std::size_t>(
            fields::smallInteger(fields::required(json, "start", where), "start", where));
        step.stop = static_cast<std::size_t>(
            fields::smallInteger(fields::required(json, "stop", where), "stop", where));
    } else if (type == "Replace") {
        step.kind = Kind::Replace;
        step.pattern = fields::text(fields::required(json, "pattern", where), "String", where);
        step.content = fields::text(json, "content", where);
        const bool anywhere =
            !step.pattern.empty() &&
            (!fused || characterAt(step.pattern, 0).length == step.pattern.size());
        if (!anywhere) {
            throw Error("the decoder's Replace of this pattern is not supported", where,
                        "supported: a String; after Fuse or ByteLevel, of one character");
        }
    } else {
        throw Error(
            "the decoder \"" + type + "\" is not supported here", where,
            "supported: ByteLevel, Metaspace, Replace, ByteFallback, Fuse, Strip, Sequence");
    }
    m_steps.push_back(std::move(step));
}

void TokenDecoder::requireBytes(std::size_t bytes, std::size_t given, const Step& step) {
    if (bytes > mostBytesOf(given)) {
        throw Error(fmt::format("makes more than {} bytes of {}", mostBytesOf(given), given),
                    step.name,
                    "no published tokenizer needs that: fetch the model's tokenizer again");
    }
}

std::string TokenDecoder::bytesOf(std::string_view token) const {
    std::string text(token);
    const std::size_t most = mostBytesOf(token.size());
    for (const Step& step : m_steps) {
        if (step.kind == Kind::ByteLevel) {
            text = byteLevelDecode(text).value_or(text);
        } else if (step.kind == Kind::Metaspace) {
            text = replaced(text, step.pattern, " ", most);
        } else if (step.kind == Kind::Replace) {
            text = replaced(text, step.pattern, step.content, most);
            requireBytes(text.size(), token.size(), step);
        } else if (const auto byte = byteOf(text); step.kind == Kind::ByteFallback && byte) {
            text = *byte;
        }
    }
    return text;
}

TokenDecoding::TokenDecoding(const TokenDecoder& decoder)
    : m_decoder(decoder), m_states(decoder.m_steps.size()) {}

void TokenDecoding::add(std::string_view token, std::string& out) {
    m_given += token.size() + 1;  // with the space that may join it
    pass(0, token, out);
}

void TokenDecoding::finish(std::string& out) {
    for (std::size_t step = 0; step < m_states.size(); ++step) {
        finishStep(step, out);
    }
}

void TokenDecoding::settle(std::string& out) {
    for (std::size_t step = 0; step < m_states.size(); ++step) {
        if (m_decoder.m_steps[step].kind == TokenDecoder::Kind::ByteFallback) {
            std::string& held = m_states[step].held;
            std::string unfinished = held.substr(wholeCharacters(held));
            held.resize(held.size() - unfinished.size());
            flushRun(step, out);
            held = std::move(unfinished);
        }
    }
}

void TokenDecoding::pass(std::size_t index, std::string_view token, std::string& out) {
    if (index == m_states.size()) {
        m_made += token.size();
        if (!m_states.empty()) {
            TokenDecoder::requireBytes(m_made, m_given, m_decoder.m_steps.back());
        }
        out += token;
        return;
    }
    using Kind = TokenDecoder::Kind;
    const TokenDecoder::Step& step = m_decoder.m_steps[index];
    State& state = m_states[index];
    const bool first = !state.started;
    state.started = state.started || !step.fused || !token.empty();
    switch (step.kind) {
        case Kind::Join:
            pass(index + 1, fmt::format("{}{}", first ? "" : " ", token), out);
            break;
        case Kind::ByteLevel:
            passByteLevel(index, token, out);
            break;
        case Kind::Metaspace: {
            const bool drop = step.dropFirst && (first || step.fused);
            pass(index + 1, replaced(token, step.pattern, drop ? "" : " ", mostBytesOf(m_given)),
                 out);
            break;
        }
        case Kind::Replace: {
            const std::string text =
                replaced(token, step.pattern, step.content, mostBytesOf(m_given));
            TokenDecoder::requireBytes(text.size(), m_given, step);
            pass(index + 1, text, out);
            break;
        }
        case Kind::ByteFallback:
            if (const auto byte = byteOf(token)) {
                state.held += *byte;
            } else {
                flushRun(index, out);
                pass(index + 1, token, out);
            }
            break;
        case Kind::Strip:
            if (step.fused) {
                passStripFused(index, token, out);
            } else {
                token.remove_prefix(repeatsAtFront(token, step.pattern, step.start) *
                                    step.pattern.size());
                token.remove_suffix(repeatsAtBack(token, step.pattern, step.stop) *
                                    step.pattern.size());
                pass(index + 1, token, out);
            }
            break;
    }
}

void TokenDecoding::passByteLevel(std::size_t index, std::string_view token, std::string& out) {
    std::string& held = m_states[index].held;
    held += byteLevelDecode(token).value_or(std::string(token));
    const std::size_t whole = wholeCharacters(held);
    const std::string ready = held.substr(0, whole);
    held.erase(0, whole);
    pass(index + 1, toValidUtf8(ready), out);
}

void TokenDecoding::flushRun(std::size_t index, std::string& out) {
    std::string run;
    run.swap(m_states[index].held);
    if (run.empty()) {
        return;
    }
    if (isValidUtf8(run)) {
        pass(index + 1, run, out);
        return;
    }
    for (std::size_t i = 0; i < run.size(); ++i) {
        pass(index + 1, kReplacementCharacter, out);
    }
}

// The text comes in parts: the front is stripped once, the back is held until more follows.
void TokenDecoding::passStripFused(std::size_t index, std::string_view token, std::string& out) {
    const TokenDecoder::Step& step = m_decoder.m_steps[index];
    State& state = m_states[index];
    if (state.stripping) {
        const std::size_t count = repeatsAtFront(token, step.pattern, step.start - state.stripped);
        token.remove_prefix(count * step.pattern.size());
        state.stripped += count;
        state.stripping = token.empty() && state.stripped < step.start;
    }
    std::string text;
    text.swap(state.held);
    text += token;
    const std::size_t back = repeatsAtBack(text, step.pattern, step.stop) * step.pattern.size();
    state.held = text.substr(text.size() - back);
    pass(index + 1, std::string_view(text).substr(0, text.size() - back), out);
}

void TokenDecoding::finishStep(std::size_t index, std::string& out) {
    using Kind = TokenDecoder::Kind;
    const Kind kind = m_decoder.m_steps[index].kind;
    State& state = m_states[index];
    if (kind == Kind::ByteFallback) {
        flushRun(index, out);
    } else if (kind == Kind::ByteLevel && !state.held.empty()) {
        pass(index + 1, toValidUtf8(state.held), out);
    }
    state = {};
}

}  // namespace cospadi
