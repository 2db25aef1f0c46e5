// README.md of an exported folder, as model hubs show it: what the model is, what it was made from
// and how, the bytes and errors that were measured, how to load it, and under which licence.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/model/weight_source.h"

namespace cospadi {

struct ModelCardSubject {
    const WeightSource* source = nullptr;  // the model that all else comes from
    std::filesystem::path run;             // that compressed it; empty where that is not at hand
    bool factored = false;                 // the folder has the factors, else dense weights
    std::string denseType;                 // of the dense weights, as a word: "bf16"
    std::int64_t factorBytes = 0;          // of the tensors of compressed layers
    std::int64_t denseBytes = 0;           // of all other tensors
};

// Markdown with the head that Hugging Face's hub reads. No paths of this machine: files stand by
// their names. Throws Error where the run's files are damaged.
std::string modelCard(const ModelCardSubject& subject);

// What the original says of its licence: general.license of a GGUF file, `license` in the head of a
// folder's README.md. Empty where it says nothing.
std::string licenceOf(const WeightSource& source);

}  // namespace cospadi
