// Deterministic damage to files, for tst_fuzz_files: the same seed gives the same bytes everywhere
// (std::mt19937_64 and remainders alone; the standard's distributions differ between libraries).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

namespace mutations {

class Dice {
  public:
    explicit Dice(std::uint64_t seed) : m_engine(seed) {}
    // 0 … bound-1; 0 where bound is 0.
    std::size_t below(std::size_t bound) { return bound == 0 ? 0 : m_engine() % bound; }
    bool chance(std::size_t percent) { return below(100) < percent; }

  private:
    std::mt19937_64 m_engine;
};

// Bit flips, truncation, spliced blocks, integers at the edges of their range. interesting: offsets
// of integer fields, which are hit half the time; else any place, the first 2 kB more often.
std::string damageBytes(std::string content, const std::vector<std::size_t>& interesting,
                        Dice& dice);

// Structure edits: values at extremes, wrong types, deletions, renamed and swapped members, depth.
void damageJson(nlohmann::json& json, Dice& dice);

// Either the JSON's structure, its text, or a duplicated key.
std::string damageJsonText(const std::string& text, Dice& dice);

// A safetensors file whose header was edited as JSON and fits its length again.
std::string damageSafetensorsHeader(const std::string& content, Dice& dice);

// Offsets of the counts, lengths, types, dimensions and offsets in a valid GGUF file.
std::vector<std::size_t> ggufFields(const std::string& content);

}  // namespace mutations
