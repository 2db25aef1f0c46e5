#include "core/forms/pruned/pruned_weight.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/bfloat16.h"
#include "core/forms/matrix_tensors.h"
#include "core/forms/pattern_fields.h"

namespace cospadi {

namespace {

// Throws Error where a tensor of that type has another size. Sizes of the metadata are below 2³¹
// each: their product fits, some times it need not, and so is looked at first.
void requireCount(const StoredTensors& file, const TensorView& tensor, DType dtype,
                  std::int64_t count, int bits) {
    const auto bytes = static_cast<std::int64_t>(tensor.bytes.size());
    if (tensor.dtype != dtype || count > 8 * bytes || bytes != streamBytes(count, bits)) {
        file.reject(
            fmt::format("tensor {} does not hold {} numbers of {} bits", tensor.name, count, bits));
    }
}

KeptWeights keptByPlaces(const StoredTensors& file, const NmPattern& pattern) {
    const std::int64_t d1 = file.record().d1;
    const std::int64_t d2 = file.record().d2;
    if (d1 % pattern.group != 0) {
        file.reject(fmt::format("groups of {} do not divide {} inputs", pattern.group, d1));
    }
    const std::int64_t groups = d1 / pattern.group * d2;
    const TensorView& places = file.require("places");
    requireCount(file, places, DType::U8, groups * pattern.kept, pattern.placeBits());
    KeptWeights kept = KeptWeights::Constant(d1, d2, false);
    BitReader reader(places.bytes, pattern.placeBits());
    for (std::int64_t group = 0; group < groups; ++group) {
        int next = 0;  // the least place that may come
        for (int i = 0; i < pattern.kept; ++i) {
            const int place = reader.next();
            if (place < next || place >= pattern.group) {
                file.reject(fmt::format("tensor {} contains positions that are not ascending",
                                        places.name));
            }
            kept.data()[group * pattern.group + place] = true;
            next = place + 1;
        }
    }
    return kept;
}

KeptWeights keptByMask(const StoredTensors& file) {
    const std::int64_t count = file.record().d1 * file.record().d2;
    const TensorView& mask = file.require("mask");
    requireCount(file, mask, DType::U8, count, 1);
    KeptWeights kept(file.record().d1, file.record().d2);
    BitReader reader(mask.bytes, 1);
    for (std::int64_t i = 0; i < count; ++i) {
        kept.data()[i] = reader.next() != 0;
    }
    return kept;
}

}  // namespace

PrunedEntries prunedEntries(const NmPattern& pattern, const Eigen::MatrixXf& w, KeptWeights kept) {
    PrunedEntries entries{pattern, std::move(kept), {}};
    entries.values.reserve(static_cast<std::size_t>(entries.kept.count()));
    for (Eigen::Index i = 0; i < w.size(); ++i) {
        if (entries.kept.data()[i]) {
            entries.values.push_back(bf16FromFloat(w.data()[i]));
        }
    }
    return entries;
}

PrunedBytes prunedBytes(const NmPattern& pattern, std::int64_t kept, std::int64_t d1,
                        std::int64_t d2) {
    return {2 * kept,
            pattern.isGrouped() ? streamBytes(kept, pattern.placeBits()) : streamBytes(d1 * d2, 1)};
}

Eigen::MatrixXf PrunedWeight::recomposed() const {
    Eigen::MatrixXf w = Eigen::MatrixXf::Zero(m_entries.kept.rows(), m_entries.kept.cols());
    auto value = m_entries.values.begin();
    for (Eigen::Index i = 0; i < w.size(); ++i) {
        if (m_entries.kept.data()[i]) {
            w.data()[i] = floatFromBf16(*value++);
        }
    }
    return w;
}

std::unique_ptr<LinearLayer> PrunedWeight::makeLayer(std::int64_t storedBytes) const {
    return std::make_unique<PackedDenseLayer>(recomposed(), storedBytes);
}

nlohmann::json PrunedWeight::facts() const {
    return factsOf(m_entries.pattern, static_cast<std::int64_t>(m_entries.values.size()),
                   m_entries.kept.rows(), m_entries.kept.cols());
}

std::int64_t PrunedWeight::multiplications() const {
    return static_cast<std::int64_t>(m_entries.values.size());
}

nlohmann::json PrunedWeight::factsOf(const NmPattern& pattern, std::int64_t kept, std::int64_t d1,
                                     std::int64_t d2) {
    const double positions = static_cast<double>(d1) * static_cast<double>(d2);
    return {{"pattern", pattern.name()},
            {"sparsity", positions > 0 ? 1 - static_cast<double>(kept) / positions : 0.0}};
}

bool PrunedWeight::equals(const StoredWeight& other) const {
    const auto* same = dynamic_cast<const PrunedWeight*>(&other);
    return same != nullptr && m_entries.pattern == same->m_entries.pattern &&
           m_entries.kept.rows() == same->m_entries.kept.rows() &&
           m_entries.kept.cols() == same->m_entries.kept.cols() &&
           (m_entries.kept == same->m_entries.kept).all() &&
           m_entries.values == same->m_entries.values;
}

void PrunedWeight::write(MatrixTensors& tensors) const {
    const NmPattern& pattern = m_entries.pattern;
    describePattern(pattern, tensors);
    tensors.addValues("values", m_entries.values);
    BitWriter writer(pattern.isGrouped() ? pattern.placeBits() : 1);
    for (Eigen::Index i = 0; i < m_entries.kept.size(); ++i) {
        const bool kept = m_entries.kept.data()[i];
        if (!pattern.isGrouped()) {
            writer.add(kept ? 1 : 0);
        } else if (kept) {
            writer.add(static_cast<std::uint16_t>(i % pattern.group));
        }
    }
    tensors.addStream(pattern.isGrouped() ? "places" : "mask", writer.finish());
}

StoredWeightPtr PrunedWeight::read(const StoredTensors& file) {
    PrunedEntries entries;
    entries.pattern = patternOf(file);
    entries.kept =
        entries.pattern.isGrouped() ? keptByPlaces(file, entries.pattern) : keptByMask(file);
    const TensorView& values = file.require("values");
    requireCount(file, values, DType::BF16, entries.kept.count(), 16);
    BitReader reader(values.bytes, 16);
    entries.values.resize(values.bytes.size() / 2);
    for (std::uint16_t& value : entries.values) {
        value = reader.next();
    }
    return std::make_shared<const PrunedWeight>(std::move(entries));
}

Phrase PrunedWeight::describe(const nlohmann::json& facts) {
    return Phrase{"%1, %2 % zeros",
                  {facts.value("pattern", std::string()),
                   fmt::format("{:.1f}", 100 * facts.value("sparsity", 0.0))}};
}

}  // namespace cospadi
