#include "core/run/finished_matrices.h"

namespace cospadi {

namespace {

// What a matrix costs, up to a factor: products of (d1, k) and (k, d2) with k ∝ d1 d2 / (d1 + d2).
double work(const LayerInfo& layer) {
    const auto d1 = static_cast<double>(layer.d1);
    const auto d2 = static_cast<double>(layer.d2);
    return d1 * d2 * (d1 * d2 / (d1 + d2));
}

}  // namespace

void FinishedMatrices::expect(const std::vector<LayerUnit>& units) {
    for (const LayerUnit& unit : units) {
        m_totalWork += work(unit.shape());
    }
}

bool FinishedMatrices::contains(const std::string& layer) const {
    const std::scoped_lock lock(m_mutex);
    return m_records.contains(layer);
}

std::size_t FinishedMatrices::size() const {
    const std::scoped_lock lock(m_mutex);
    return m_records.size();
}

std::vector<MatrixRecord> FinishedMatrices::records(const std::vector<LayerInfo>& layers) const {
    const std::scoped_lock lock(m_mutex);
    std::vector<MatrixRecord> done;
    for (const LayerInfo& layer : layers) {
        if (const auto record = m_records.find(layer.name); record != m_records.end()) {
            done.push_back(record->second);
        }
    }
    return done;
}

Progress FinishedMatrices::add(const LayerUnit& unit, const std::vector<MatrixRecord>& records,
                               double seconds, std::size_t total) {
    const std::scoped_lock lock(m_mutex);
    for (const MatrixRecord& record : records) {
        m_records[record.name] = record;
    }
    m_doneWork += work(unit.shape());
    Progress progress;
    progress.stage = "compress";
    progress.done = static_cast<std::int64_t>(m_records.size());
    progress.total = static_cast<std::int64_t>(total);
    progress.seconds = seconds;
    progress.etaSeconds = seconds * (m_totalWork - m_doneWork) / m_doneWork;
    return progress;
}

}  // namespace cospadi
