// The nearest right word to a wrong one: "did you mean --layers?".
#pragma once

#include <string>
#include <vector>

namespace cospadi::cli {

// Letters to put in, take out, exchange or swap with their neighbour until `a` is `b` (optimal
// string alignment).
std::size_t editDistance(const std::string& a, const std::string& b);

// Empty where none is near: at most a third of the word's letters off, or the word's continuation.
std::string nearestWord(const std::string& word, const std::vector<std::string>& known);

}  // namespace cospadi::cli
