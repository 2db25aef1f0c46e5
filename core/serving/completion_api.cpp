#include "core/serving/completion_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/serving/request_fields.h"
#include "core/tensors/bounded_json.h"
#include "core/tokenizer/utf8.h"

namespace cospadi {

namespace {

using nlohmann::json;

constexpr int kMaxDepth = 8;
constexpr int kMaxTopTokens = 20;

std::vector<std::int32_t> readPrompt(const json& prompt, const Tokenizer& tokenizer,
                                     const CallLimits& limits) {
    if (prompt.is_array()) {  // its length first: a list of millions is not taken over
        requirePromptLength(prompt.size(), limits.promptTokens, "prompt");
        return readTokenIds(prompt, "prompt", limits.vocabularySize);
    }
    if (!prompt.is_string()) {
        refuseField("every prompt must be a string or a list of token ids", "prompt");
    }
    auto ids = tokenizer.encode(prompt.get_ref<const std::string&>(), true, true);
    requirePromptLength(ids.size(), limits.promptTokens, "prompt");
    return ids;
}

// A string, a list of ids, or a list of either.
std::vector<std::vector<std::int32_t>> readPrompts(const json& body, const Tokenizer& tokenizer,
                                                   const CallLimits& limits) {
    const json* prompt = fieldOf(body, "prompt");
    if (prompt == nullptr) {
        refuseField("is missing", "prompt");
    }
    if (prompt->is_string() ||
        (prompt->is_array() && !prompt->empty() && prompt->front().is_number())) {
        return {readPrompt(*prompt, tokenizer, limits)};
    }
    if (!prompt->is_array() || prompt->empty() || prompt->size() > limits.prompts) {
        refuseField(
            fmt::format("must be a string, a list of token ids, or a list of 1 to {} of these",
                        limits.prompts),
            "prompt");
    }
    std::vector<std::vector<std::int32_t>> prompts;
    for (const json& entry : *prompt) {
        prompts.push_back(readPrompt(entry, tokenizer, limits));
    }
    return prompts;
}

}  // namespace

json parseBody(std::string_view body) {
    if (isNestedDeeper(body, kMaxDepth)) {
        refuseField("is nested too deeply", "body");
    }
    json parsed;
    try {
        parsed = json::parse(body);
    } catch (const json::exception& error) {
        refuseField(fmt::format("is not valid JSON: {}", error.what()), "body");
    }
    if (!parsed.is_object()) {
        refuseField("is not a JSON object", "body");
    }
    return parsed;
}

std::vector<std::int32_t> readTokenIds(const json& list, const std::string& where,
                                       std::int64_t vocabularySize) {
    if (!list.is_array()) {
        refuseField("must be a list of token ids", where);
    }
    std::vector<std::int32_t> ids;
    ids.reserve(list.size());
    for (const json& id : list) {
        const bool fits = id.is_number_unsigned() &&
                          id.get<std::uint64_t>() < static_cast<std::uint64_t>(vocabularySize);
        if (!fits) {
            refuseField(fmt::format("{} is not a token id; ids are 0 to {}",
                                    id.is_primitive()
                                        ? id.dump(-1, ' ', true, json::error_handler_t::replace)
                                        : id.type_name(),
                                    vocabularySize - 1),
                        where);
        }
        ids.push_back(id.get<std::int32_t>());
    }
    return ids;
}

CompletionCall readCompletionCall(const json& body, const Tokenizer& tokenizer,
                                  const CallLimits& limits) {
    requireOffered(body);
    requireOnlyOne(body, "best_of");
    if (!textField(body, "suffix").empty()) {
        refuseField("is not supported", "suffix");
    }
    CompletionCall call = readCallFields(body);
    call.echo = booleanField(body, "echo");
    const auto logprobs = integerField(body, "logprobs", 0, kMaxTopTokens);
    call.logprobs = logprobs.has_value();

    CompletionRequest request;
    request.maxTokens = integerField(body, "max_tokens", 0, kMostTokens).value_or(16);
    request.scorePrompt = call.echo && call.logprobs;
    request.topTokens = static_cast<int>(logprobs.value_or(0));
    request.sampling = readSampling(body);
    request.stop = readStops(body);

    for (auto& prompt : readPrompts(body, tokenizer, limits)) {
        call.echoes.push_back(call.echo ? textOfIds(tokenizer, prompt) : std::string());
        request.prompt = std::move(prompt);
        call.requests.push_back(request);
    }
    return call;
}

std::string textOfIds(const Tokenizer& tokenizer, std::span<const std::int32_t> ids) {
    std::vector<std::int32_t> known;
    std::copy_if(ids.begin(), ids.end(), std::back_inserter(known),
                 [&](std::int32_t id) { return id < tokenizer.vocabularySize(); });
    return tokenizer.decode(known);
}

std::string nameOfToken(const Tokenizer& tokenizer, std::int32_t id) {
    std::string bytes =
        id < tokenizer.vocabularySize() ? tokenizer.tokenText(id) : fmt::format("<{}>", id);
    if (isValidUtf8(bytes)) {
        return bytes;
    }
    std::string name = "bytes:";
    for (const char byte : bytes) {
        name += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    }
    return name;
}

// As they stand in the text: special tokens that are generated leave none, and the text's first
// token can lose the space before its word.
std::int64_t LogprobsWriter::charactersOf(std::int32_t id, bool isEchoed) {
    const bool isFirst = std::exchange(m_isFirst, false) && isEchoed;
    if (id >= m_tokenizer.vocabularySize() || (!isEchoed && m_tokenizer.isSpecial(id))) {
        return 0;
    }
    const std::string bytes = m_tokenizer.tokenText(id);
    const bool losesSpace =
        isFirst && bytes.starts_with(' ') && !m_tokenizer.decode(std::array{id}).starts_with(' ');
    return std::count_if(bytes.begin(), bytes.end(),
                         [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }) -
           (losesSpace ? 1 : 0);
}

json LogprobsWriter::write(const std::vector<TokenScore>& prompt,
                           const std::vector<TokenScore>& generated) {
    json tokens = json::array();
    json values = json::array();
    json top = json::array();
    json offsets = json::array();
    const auto add = [&](const TokenScore& score, bool isEchoed) {
        const bool isKnown = !std::isnan(score.logProbability);
        tokens.push_back(nameOfToken(m_tokenizer, score.id));
        values.push_back(isKnown ? json(score.logProbability) : json());
        json likeliest = json::object();
        for (const auto& [id, value] : score.top) {
            // Of two tokens that look alike the likelier one stands: it comes first.
            likeliest.emplace(nameOfToken(m_tokenizer, id), value);
        }
        // Also outside of the likeliest, as OpenAI's API has it: up to one more than asked for.
        likeliest.emplace(nameOfToken(m_tokenizer, score.id), score.logProbability);
        top.push_back(isKnown ? likeliest : json());
        offsets.push_back(m_offset);
        m_offset += charactersOf(score.id, isEchoed);
    };
    for (const TokenScore& score : prompt) {
        add(score, true);
    }
    for (const TokenScore& score : generated) {
        add(score, false);
    }
    return {{"tokens", tokens},
            {"token_logprobs", values},
            {"top_logprobs", top},
            {"text_offset", offsets}};
}

json finishReasonJson(const std::optional<FinishReason>& finish) {
    return !finish ? json() : json(*finish == FinishReason::Length ? "length" : "stop");
}

json choiceJson(std::size_t index, const std::string& choiceText, json logprobs,
                const std::optional<FinishReason>& finish) {
    return {{"index", index},
            {"text", choiceText},
            {"logprobs", std::move(logprobs)},
            {"finish_reason", finishReasonJson(finish)}};
}

}  // namespace cospadi
