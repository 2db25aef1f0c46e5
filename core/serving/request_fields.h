// Fields of a request's JSON, as all of OpenAI's calls have them. Null counts as absent everywhere,
// as with OpenAI. What is wrong is an Error whose where() is the field.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/serving/completion_api.h"

namespace cospadi {

inline constexpr std::int64_t kMostTokens = 1'000'000;  // the context ends generation long before

[[noreturn]] void refuseField(const std::string& what, const std::string& field);

const nlohmann::json* fieldOf(const nlohmann::json& body, const char* name);  // null where absent
std::optional<std::int64_t> integerField(const nlohmann::json& body, const char* name,
                                         std::int64_t low, std::int64_t high);
double numberField(const nlohmann::json& body, const char* name, double otherwise, double low,
                   double high);
bool booleanField(const nlohmann::json& body, const char* name);
std::string textField(const nlohmann::json& body, const char* name);

// What would change the result and is not offered is refused, never ignored: of all calls more
// than one choice, penalties and biases.
void requireOffered(const nlohmann::json& body);
void requireOnlyOne(const nlohmann::json& body, const char* name);

// Model and streaming.
CompletionCall readCallFields(const nlohmann::json& body);
SamplingOptions readSampling(const nlohmann::json& body);
std::vector<std::string> readStops(const nlohmann::json& body);

void requirePromptLength(std::size_t length, std::int64_t most, const std::string& field);

}  // namespace cospadi
