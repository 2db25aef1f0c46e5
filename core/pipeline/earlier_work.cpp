#include "core/pipeline/earlier_work.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace cospadi {

namespace {

// Of one start: the times of the first and the latest event of a matrix.
class Start {
  public:
    void take(double t) {
        m_first = m_first.value_or(t);
        m_last = t;
    }
    double seconds() const { return m_first ? std::max(0.0, m_last - *m_first) : 0; }

  private:
    std::optional<double> m_first;
    double m_last = 0;
};

}  // namespace

EarlierWork readEarlierWork(const std::filesystem::path& events) {
    EarlierWork work;
    Start start;
    std::ifstream stream(events);
    for (std::string line; std::getline(stream, line);) {
        const nlohmann::json event = nlohmann::json::parse(line, nullptr, false);
        if (!event.is_object() || !event.contains("event")) {
            continue;
        }
        const std::string kind = event.value("event", "");
        if (kind == "run_started") {
            work.compressionSeconds += start.seconds();
            start = Start();
        } else if (kind == "allocation_finished") {
            work.allocationSeconds += event.value("seconds", 0.0);
        } else if (kind == "matrix_started" || kind == "iteration" || kind == "matrix_finished") {
            start.take(event.value("t", 0.0));
        }
    }
    work.compressionSeconds += start.seconds();
    return work;
}

}  // namespace cospadi
