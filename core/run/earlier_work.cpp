#include "core/run/earlier_work.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "core/store/run_file.h"

namespace cospadi {

namespace {

// Of one start: the times of the first and the latest event of a matrix.
class Start {
  public:
    void take(double t) {
        if (m_isOver) {
            return;
        }
        m_first = m_hasFirst ? m_first : t;
        m_hasFirst = true;
        m_last = t;
    }
    void end() { m_isOver = true; }
    double seconds() const { return std::max(0.0, m_last - m_first); }

  private:
    bool m_hasFirst = false;
    bool m_isOver = false;
    double m_first = 0;
    double m_last = 0;
};

// 0 where the event has no such number.
double numberIn(const nlohmann::json& event, const char* field) {
    const auto found = event.find(field);
    return found != event.end() && found->is_number() ? found->get<double>() : 0;
}

// "" where the event has no such text.
std::string textIn(const nlohmann::json& event, const char* field) {
    const auto found = event.find(field);
    return found != event.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

double EarlierWork::solving() const {
    double seconds = compressionSeconds;
    for (const auto& [run, took] : solvedBefore) {
        seconds += took;
    }
    return seconds;
}

EarlierWork readEarlierWork(const std::filesystem::path& events) {
    EarlierWork work;
    Start start;
    std::ifstream stream(events);
    for (std::string line; std::getline(stream, line);) {
        const nlohmann::json event = eventOfLine(line);  // null: half a line
        const auto named = event.is_null() ? event.end() : event.find("event");
        if (named == event.end() || !named->is_string()) {
            continue;
        }
        const auto kind = named->get<std::string>();
        if (kind == "run_started") {
            work.compressionSeconds += start.seconds();
            start = Start();
        } else if (kind == "preparation" ||
                   kind == "allocation_finished") {  // the latter before 0.2
            work.allocationSeconds += numberIn(event, "seconds");
        } else if (kind == "solved_before") {  // again where a refined run is mended
            work.solvedBefore[textIn(event, "from")] = numberIn(event, "seconds");
        } else if (kind == "refinement_step") {
            start.end();  // what is told of matrices then is no solving
        } else if (kind == "matrix_started" || kind == "iteration" || kind == "matrix_finished") {
            start.take(numberIn(event, "t"));
        }
    }
    work.compressionSeconds += start.seconds();
    return work;
}

}  // namespace cospadi
