#include "app/cli/device_watch.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace cospadi::cli {

using nlohmann::json;

DeviceWatch::DeviceWatch(const ComputeDevice& device, std::function<void(const json&)> send)
    : m_load(device.load), m_send(std::move(send)) {}

void DeviceWatch::look() {
    using namespace std::chrono;
    if (!m_load) {
        return;
    }
    const auto now = steady_clock::now().time_since_epoch();
    auto due = m_next.load();
    const auto next = (now + duration_cast<steady_clock::duration>(seconds(1))).count();
    if (now.count() < due || !m_next.compare_exchange_strong(due, next)) {
        return;  // or another thread tells it just now
    }
    if (const auto load = m_load()) {
        m_send({{"event", "device"},
                {"used_bytes", load->usedBytes},
                {"total_bytes", load->totalBytes},
                {"load", load->load >= 0 ? json(load->load) : json()}});
    }
}

}  // namespace cospadi::cli
