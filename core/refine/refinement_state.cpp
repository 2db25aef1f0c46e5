// Refinement's file of state: safetensors, three vectors a factor.
#include <fmt/format.h>

#include <cstring>
#include <optional>
#include <span>

#include "core/base/error.h"
#include "core/refine/refinement.h"
#include "core/tensors/safetensors.h"
#include "core/tensors/safetensors_writer.h"

namespace cospadi {

namespace {

constexpr const char* kStateFormat = "cospadi-refinement-1";

std::string tensorName(std::size_t unit, std::size_t factor, const char* part) {
    return fmt::format("{}.{}.{}", unit, factor, part);
}

std::vector<float> floatsOf(const SafetensorsFile& file, const std::string& name) {
    const TensorView& tensor = file.require(name);
    std::vector<float> values(tensor.bytes.size() / sizeof(float));
    std::memcpy(values.data(), tensor.bytes.data(), values.size() * sizeof(float));
    return values;
}

}  // namespace

void Refinement::save(const std::filesystem::path& file, const std::string& key) const {
    std::vector<AdamMatrix::State> states;  // outlive the writing
    std::vector<std::pair<std::size_t, std::size_t>> places;
    for (std::size_t u = 0; u < m_units.size(); ++u) {
        for (std::size_t f = 0; f < m_units[u].factors().size(); ++f) {
            states.push_back(m_units[u].factors()[f].state());
            places.emplace_back(u, f);
        }
    }
    std::vector<TensorToWrite> tensors;
    for (std::size_t i = 0; i < states.size(); ++i) {
        const auto add = [&](const char* part, const std::vector<float>& values) {
            tensors.push_back({tensorName(places[i].first, places[i].second, part),
                               DType::F32,
                               {static_cast<std::int64_t>(values.size())},
                               std::as_bytes(std::span(values))});
        };
        add("values", states[i].values);
        add("means", states[i].means);
        add("squares", states[i].squares);
    }
    writeSafetensors(file, tensors,
                     {{"format", kStateFormat}, {"key", key}, {"steps", std::to_string(m_done)}});
}

bool Refinement::restore(const std::filesystem::path& file, const std::string& key) {
    std::error_code failed;
    if (!std::filesystem::exists(file, failed)) {
        return false;
    }
    try {
        const SafetensorsFile stored = SafetensorsFile::open(file);
        const auto& metadata = stored.metadata();
        const auto of = [&](const char* field) {
            const auto found = metadata.find(field);
            return found == metadata.end() ? std::string() : found->second;
        };
        if (of("format") != kStateFormat || of("key") != key) {
            return false;
        }
        std::vector<std::vector<AdamMatrix>> factors;  // all of them, or none
        for (std::size_t u = 0; u < m_units.size(); ++u) {
            factors.push_back(m_units[u].factors());
            for (std::size_t f = 0; f < factors.back().size(); ++f) {
                if (!factors.back()[f].restore({floatsOf(stored, tensorName(u, f, "values")),
                                                floatsOf(stored, tensorName(u, f, "means")),
                                                floatsOf(stored, tensorName(u, f, "squares"))})) {
                    return false;
                }
            }
        }
        m_done = std::stoll(of("steps"));
        for (std::size_t u = 0; u < m_units.size(); ++u) {
            m_units[u].factors() = std::move(factors[u]);
        }
    } catch (const std::exception&) {  // damaged: begun anew
        return false;
    }
    return true;
}

}  // namespace cospadi
