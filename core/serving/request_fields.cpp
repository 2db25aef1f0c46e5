#include "core/serving/request_fields.h"

#include <fmt/format.h>

#include <limits>
#include <random>

#include "core/base/error.h"

namespace cospadi {

namespace {

using nlohmann::json;

constexpr std::size_t kMaxStops = 64;
constexpr std::size_t kMaxStopBytes = 1024;

}  // namespace

void refuseField(const std::string& what, const std::string& field) {
    throw Error(what, field, "see docs/serving.md");
}

const json* fieldOf(const json& body, const char* name) {
    const auto found = body.find(name);
    return found == body.end() || found->is_null() ? nullptr : &*found;
}

std::optional<std::int64_t> integerField(const json& body, const char* name, std::int64_t low,
                                         std::int64_t high) {
    const json* value = fieldOf(body, name);
    if (value == nullptr) {
        return std::nullopt;
    }
    // is_number_integer() is true of numbers above 2⁶³ too, which get() would wrap.
    if (!value->is_number_integer() ||
        (value->is_number_unsigned() &&
         value->get<std::uint64_t>() > static_cast<std::uint64_t>(high)) ||
        value->get<std::int64_t>() < low || value->get<std::int64_t>() > high) {
        refuseField(fmt::format("must be a whole number from {} to {}", low, high), name);
    }
    return value->get<std::int64_t>();
}

double numberField(const json& body, const char* name, double otherwise, double low, double high) {
    const json* value = fieldOf(body, name);
    if (value == nullptr) {
        return otherwise;
    }
    if (!value->is_number() || !(value->get<double>() >= low && value->get<double>() <= high)) {
        refuseField(fmt::format("must be a number from {} to {}", low, high), name);
    }
    return value->get<double>();
}

bool booleanField(const json& body, const char* name) {
    const json* value = fieldOf(body, name);
    if (value != nullptr && !value->is_boolean()) {
        refuseField("must be true or false", name);
    }
    return value != nullptr && value->get<bool>();
}

std::string textField(const json& body, const char* name) {
    const json* value = fieldOf(body, name);
    if (value != nullptr && !value->is_string()) {
        refuseField("must be a string", name);
    }
    return value != nullptr ? value->get<std::string>() : std::string();
}

void requireOnlyOne(const json& body, const char* name) {
    if (integerField(body, name, 1, 1'000'000).value_or(1) != 1) {
        refuseField("only 1 is supported", name);
    }
}

void requireOffered(const json& body) {
    requireOnlyOne(body, "n");
    for (const char* name : {"presence_penalty", "frequency_penalty"}) {
        if (numberField(body, name, 0, -2, 2) != 0) {
            refuseField("only 0 is supported", name);
        }
    }
    if (const json* bias = fieldOf(body, "logit_bias"); bias != nullptr && !bias->empty()) {
        refuseField("is not supported", "logit_bias");
    }
}

CompletionCall readCallFields(const json& body) {
    CompletionCall call;
    call.model = textField(body, "model");
    call.stream = booleanField(body, "stream");
    if (const json* options = fieldOf(body, "stream_options")) {
        if (!options->is_object()) {
            refuseField("must be an object", "stream_options");
        }
        call.streamUsage = booleanField(*options, "include_usage");
    }
    return call;
}

SamplingOptions readSampling(const json& body) {
    SamplingOptions sampling;
    sampling.temperature = numberField(body, "temperature", 1, 0, 100);
    sampling.topP = numberField(body, "top_p", 1, 0, 1);
    // A seed may be negative; it counts as the 64 bits that it is.
    const auto seed = integerField(body, "seed", std::numeric_limits<std::int64_t>::min(),
                                   std::numeric_limits<std::int64_t>::max());
    std::random_device device;
    sampling.seed =
        seed ? static_cast<std::uint64_t>(*seed) : (std::uint64_t{device()} << 32U) | device();
    return sampling;
}

std::vector<std::string> readStops(const json& body) {
    const json* value = fieldOf(body, "stop");
    if (value == nullptr) {
        return {};
    }
    if (value->is_array() && value->size() > kMaxStops) {
        refuseField(fmt::format("must be at most {} strings", kMaxStops), "stop");
    }
    const json list = value->is_array() ? *value : json::array({*value});
    std::vector<std::string> stops;
    for (const json& stop : list) {
        if (!stop.is_string() || stop.get_ref<const std::string&>().size() > kMaxStopBytes) {
            refuseField(fmt::format("must be strings of at most {} bytes", kMaxStopBytes), "stop");
        }
        stops.push_back(stop.get<std::string>());
    }
    return stops;
}

void requirePromptLength(std::size_t length, std::int64_t most, const std::string& field) {
    if (length == 0) {
        refuseField("a prompt has no tokens", field);
    }
    if (length > static_cast<std::size_t>(most)) {
        refuseField(fmt::format("a prompt has {} tokens, but the context is {}", length, most),
                    field);
    }
}

}  // namespace cospadi
