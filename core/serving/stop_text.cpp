#include "core/serving/stop_text.h"

#include <algorithm>
#include <utility>

namespace cospadi {

StopText::StopText(std::vector<std::string> stops) : m_stops(std::move(stops)) {
    std::erase(m_stops, std::string());
}

std::string StopText::add(const std::string& piece) {
    if (m_found) {
        return {};
    }
    m_held += piece;
    std::size_t first = std::string::npos;  // where the stop string begins that ends at `end`
    std::size_t end = std::string::npos;
    std::size_t certain = m_held.size();
    for (const std::string& stop : m_stops) {
        if (const std::size_t at = m_held.find(stop); at != std::string::npos) {
            const bool isBetter = std::pair(at + stop.size(), at) < std::pair(end, first);
            first = isBetter ? at : first;
            end = isBetter ? at + stop.size() : end;
        }
        // The longest end of the text that is a beginning of this stop string.
        for (std::size_t length = std::min(stop.size() - 1, m_held.size()); length > 0; --length) {
            if (m_held.compare(m_held.size() - length, length, stop, 0, length) == 0) {
                certain = std::min(certain, m_held.size() - length);
                break;
            }
        }
    }
    if (first != std::string::npos) {
        m_found = true;
        std::string text = m_held.substr(0, first);
        m_held.clear();
        return text;
    }
    std::string text = m_held.substr(0, certain);
    m_held.erase(0, certain);
    return text;
}

std::string StopText::finish() { return std::exchange(m_held, {}); }

}  // namespace cospadi
