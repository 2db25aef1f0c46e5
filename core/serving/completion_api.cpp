#include "core/serving/completion_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "core/base/error.h"
#include "core/tensors/bounded_json.h"
#include "core/tokenizer/utf8.h"

namespace cospadi {

namespace {

using nlohmann::json;

constexpr int kMaxDepth = 8;
constexpr int kMaxTopTokens = 20;
constexpr std::int64_t kMaxTokens = 1'000'000;  // the context ends generation long before
constexpr std::size_t kMaxStops = 64;
constexpr std::size_t kMaxStopBytes = 1024;
constexpr const char* kHint = "see docs/serving.md";

[[noreturn]] void refuse(const std::string& what, const std::string& field) {
    throw Error(what, field, kHint);
}

// Null counts as absent everywhere, as with OpenAI.
const json* field(const json& body, const char* name) {
    const auto found = body.find(name);
    return found == body.end() || found->is_null() ? nullptr : &*found;
}

std::optional<std::int64_t> integer(const json& body, const char* name, std::int64_t low,
                                    std::int64_t high) {
    const json* value = field(body, name);
    if (value == nullptr) {
        return std::nullopt;
    }
    // is_number_integer() is true of numbers above 2⁶³ too, which get() would wrap.
    if (!value->is_number_integer() ||
        (value->is_number_unsigned() &&
         value->get<std::uint64_t>() > static_cast<std::uint64_t>(high)) ||
        value->get<std::int64_t>() < low || value->get<std::int64_t>() > high) {
        refuse(fmt::format("must be a whole number from {} to {}", low, high), name);
    }
    return value->get<std::int64_t>();
}

double number(const json& body, const char* name, double otherwise, double low, double high) {
    const json* value = field(body, name);
    if (value == nullptr) {
        return otherwise;
    }
    if (!value->is_number() || !(value->get<double>() >= low && value->get<double>() <= high)) {
        refuse(fmt::format("must be a number from {} to {}", low, high), name);
    }
    return value->get<double>();
}

bool boolean(const json& body, const char* name) {
    const json* value = field(body, name);
    if (value != nullptr && !value->is_boolean()) {
        refuse("must be true or false", name);
    }
    return value != nullptr && value->get<bool>();
}

std::string text(const json& body, const char* name) {
    const json* value = field(body, name);
    if (value != nullptr && !value->is_string()) {
        refuse("must be a string", name);
    }
    return value != nullptr ? value->get<std::string>() : std::string();
}

// What would change the result and is not offered is refused, never ignored.
void requireOffered(const json& body) {
    for (const char* name : {"n", "best_of"}) {
        if (integer(body, name, 1, 1'000'000).value_or(1) != 1) {
            refuse("only 1 is offered", name);
        }
    }
    for (const char* name : {"presence_penalty", "frequency_penalty"}) {
        if (number(body, name, 0, -2, 2) != 0) {
            refuse("only 0 is offered", name);
        }
    }
    if (const json* bias = field(body, "logit_bias"); bias != nullptr && !bias->empty()) {
        refuse("is not offered", "logit_bias");
    }
    if (!text(body, "suffix").empty()) {
        refuse("is not offered", "suffix");
    }
}

std::vector<std::string> readStops(const json& body) {
    const json* value = field(body, "stop");
    if (value == nullptr) {
        return {};
    }
    if (value->is_array() && value->size() > kMaxStops) {
        refuse(fmt::format("must be at most {} strings", kMaxStops), "stop");
    }
    const json list = value->is_array() ? *value : json::array({*value});
    std::vector<std::string> stops;
    for (const json& stop : list) {
        if (!stop.is_string() || stop.get_ref<const std::string&>().size() > kMaxStopBytes) {
            refuse(fmt::format("must be strings of at most {} bytes", kMaxStopBytes), "stop");
        }
        stops.push_back(stop.get<std::string>());
    }
    return stops;
}

void requireLength(std::size_t length, const CallLimits& limits) {
    if (length == 0) {
        refuse("a prompt has no tokens", "prompt");
    }
    if (length > static_cast<std::size_t>(limits.promptTokens)) {
        refuse(
            fmt::format("a prompt has {} tokens, the context is {}", length, limits.promptTokens),
            "prompt");
    }
}

std::vector<std::int32_t> readPrompt(const json& prompt, const Tokenizer& tokenizer,
                                     const CallLimits& limits) {
    if (prompt.is_array()) {  // its length first: a list of millions is not taken over
        requireLength(prompt.size(), limits);
        return readTokenIds(prompt, "prompt", limits.vocabularySize);
    }
    if (!prompt.is_string()) {
        refuse("every prompt must be a string or a list of token ids", "prompt");
    }
    auto ids = tokenizer.encode(prompt.get_ref<const std::string&>(), true, true);
    requireLength(ids.size(), limits);
    return ids;
}

// A string, a list of ids, or a list of either.
std::vector<std::vector<std::int32_t>> readPrompts(const json& body, const Tokenizer& tokenizer,
                                                   const CallLimits& limits) {
    const json* prompt = field(body, "prompt");
    if (prompt == nullptr) {
        refuse("is missing", "prompt");
    }
    if (prompt->is_string() ||
        (prompt->is_array() && !prompt->empty() && prompt->front().is_number())) {
        return {readPrompt(*prompt, tokenizer, limits)};
    }
    if (!prompt->is_array() || prompt->empty() || prompt->size() > limits.prompts) {
        refuse(fmt::format("must be a string, a list of token ids, or a list of 1 to {} of these",
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
        refuse("is nested too deeply", "body");
    }
    json parsed;
    try {
        parsed = json::parse(body);
    } catch (const json::exception& error) {
        refuse(fmt::format("is not valid JSON: {}", error.what()), "body");
    }
    if (!parsed.is_object()) {
        refuse("is not a JSON object", "body");
    }
    return parsed;
}

std::vector<std::int32_t> readTokenIds(const json& list, const std::string& where,
                                       std::int64_t vocabularySize) {
    if (!list.is_array()) {
        refuse("must be a list of token ids", where);
    }
    std::vector<std::int32_t> ids;
    ids.reserve(list.size());
    for (const json& id : list) {
        const bool fits = id.is_number_unsigned() &&
                          id.get<std::uint64_t>() < static_cast<std::uint64_t>(vocabularySize);
        if (!fits) {
            refuse(fmt::format("{} is no token id; they go from 0 to {}",
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
    CompletionCall call;
    call.model = text(body, "model");
    call.echo = boolean(body, "echo");
    call.stream = boolean(body, "stream");
    if (const json* options = field(body, "stream_options")) {
        if (!options->is_object()) {
            refuse("must be an object", "stream_options");
        }
        call.streamUsage = boolean(*options, "include_usage");
    }
    const auto logprobs = integer(body, "logprobs", 0, kMaxTopTokens);
    call.logprobs = logprobs.has_value();

    CompletionRequest request;
    request.maxTokens = integer(body, "max_tokens", 0, kMaxTokens).value_or(16);
    request.scorePrompt = call.echo && call.logprobs;
    request.topTokens = static_cast<int>(logprobs.value_or(0));
    request.sampling.temperature = number(body, "temperature", 1, 0, 100);
    request.sampling.topP = number(body, "top_p", 1, 0, 1);
    // A seed may be negative; it counts as the 64 bits that it is.
    const auto seed = integer(body, "seed", std::numeric_limits<std::int64_t>::min(),
                              std::numeric_limits<std::int64_t>::max());
    std::random_device device;
    request.sampling.seed =
        seed ? static_cast<std::uint64_t>(*seed) : (std::uint64_t{device()} << 32U) | device();
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

json LogprobsWriter::write(const std::vector<TokenScore>& scores) {
    json tokens = json::array();
    json values = json::array();
    json top = json::array();
    json offsets = json::array();
    for (const TokenScore& score : scores) {
        const bool isKnown = !std::isnan(score.logProbability);
        tokens.push_back(nameOfToken(m_tokenizer, score.id));
        values.push_back(isKnown ? json(score.logProbability) : json());
        json likeliest = json::object();
        for (const auto& [id, value] : score.top) {
            // Of two tokens that look alike the likelier one stands: it comes first.
            likeliest.emplace(nameOfToken(m_tokenizer, id), value);
        }
        if (likeliest.empty() && isKnown) {
            likeliest.emplace(nameOfToken(m_tokenizer, score.id), score.logProbability);
        }
        top.push_back(isKnown ? likeliest : json());
        offsets.push_back(m_offset);
        if (score.id < m_tokenizer.vocabularySize()) {
            const std::string bytes = m_tokenizer.tokenText(score.id);
            m_offset += std::count_if(bytes.begin(), bytes.end(), [](char c) {
                return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
            });
        }
    }
    return {{"tokens", tokens},
            {"token_logprobs", values},
            {"top_logprobs", top},
            {"text_offset", offsets}};
}

json choiceJson(std::size_t index, const std::string& choiceText, json logprobs,
                const std::optional<FinishReason>& finish) {
    const json reason = !finish                           ? json()
                        : *finish == FinishReason::Length ? json("length")
                                                          : json("stop");
    return {{"index", index},
            {"text", choiceText},
            {"logprobs", std::move(logprobs)},
            {"finish_reason", reason}};
}

}  // namespace cospadi
