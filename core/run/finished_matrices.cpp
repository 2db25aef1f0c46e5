#include "core/run/finished_matrices.h"

namespace cospadi {

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

Progress FinishedMatrices::reachedWithin(const LayerUnit& unit, double share, double seconds,
                                         std::size_t total) {
    m_left.reached(unit.id(), share, seconds);
    Progress progress;
    progress.stage = "compress";
    progress.done = static_cast<std::int64_t>(m_records.size());
    progress.total = static_cast<std::int64_t>(total);
    progress.seconds = seconds;
    progress.etaSeconds = m_left.seconds(seconds);
    return progress;
}

Progress FinishedMatrices::reached(const LayerUnit& unit, double share, double seconds,
                                   std::size_t total) {
    const std::scoped_lock lock(m_mutex);
    return reachedWithin(unit, share, seconds, total);
}

Progress FinishedMatrices::add(const LayerUnit& unit, const std::vector<MatrixRecord>& records,
                               double seconds, std::size_t total) {
    const std::scoped_lock lock(m_mutex);
    for (const MatrixRecord& record : records) {
        m_records[record.name] = record;
    }
    return reachedWithin(unit, 1, seconds, total);
}

}  // namespace cospadi
