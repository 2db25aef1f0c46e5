// What a model folder holds beside its weights, made from a GGUF file's metadata or carried over
// from the folder that the model came from: config.json, generation_config.json, tokenizer.json,
// tokenizer_config.json, the smaller tokenizer files that some loaders want, and the licence.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/model/weight_source.h"

namespace cospadi {

// The config.json of `source` with dense weights of `torchDtype` ("bfloat16", …): fields that this
// program does not know are kept, a quantization_config is not. Throws Error where a GGUF file's
// rope factors, biases or window have no equivalent in a config.json.
nlohmann::json huggingFaceConfig(const WeightSource& source, const std::string& torchDtype);

// The tokenizer_config.json of `source`: special tokens, chat template (also where that has a file
// of its own). An empty object where the model says nothing.
nlohmann::json tokenizerConfigOf(const WeightSource& source);
// Of such a config: the text of bos_token, eos_token, …, which is a string or an object that holds
// it; null where there is none.
nlohmann::json specialToken(const nlohmann::json& tokenizerConfig, const char* name);

// Of such a config: the text of the chat template, of several the one named default; null where
// there is none.
nlohmann::json chatTemplateText(const nlohmann::json& tokenizerConfig);

// Makes config.json and all that writeSideFiles() makes without writing it, and opens what it
// carries over: before hours of work whose result could not be written. Throws Error as the two do.
void requireSideFiles(const WeightSource& source);

// Writes everything but config.json and weights into `folder`. Throws Error (disk full, a file of
// the model that is empty, …).
void writeSideFiles(const WeightSource& source, const std::filesystem::path& folder);

}  // namespace cospadi
