#include "core/store/unfinished_run.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/store/row_fields.h"
#include "core/store/run_file.h"
#include "core/store/run_lock.h"
#include "core/store/source_bytes.h"

namespace cospadi {

namespace {

using nlohmann::json;

class EventReader {
  public:
    explicit EventReader(RunRecord& record) : m_record(record) {}

    // Throws Error for an event with a field of the wrong type; then nothing of it counts.
    void read(const json& event) {
        std::string kind = m_last;
        double sinceStart = m_sinceStart;
        takeField(event, "event", kind);
        takeField(event, "t", sinceStart);
        if (kind == "matrix_started" || kind == "matrix_finished") {
            readMatrix(kind, event);
        } else if (kind == "run_finished") {
            std::string status;
            std::string message;
            takeField(event, "status", status);
            takeField(event, "message", message);
            m_record.run.status = status;
            m_record.run.message = message;
        }
        m_last = kind;
        m_sinceStart = sinceStart;
        double& seconds = m_record.run.seconds;
        if (kind == "run_started") {
            m_earlierStarts = std::isnan(seconds) ? 0 : seconds;
        }
        seconds = m_earlierStarts + m_sinceStart;
    }

    const std::string& last() const { return m_last; }

  private:
    void readMatrix(const std::string& kind, const json& event) {
        std::string name;
        takeField(event, "matrix", name);
        const auto earlier = m_started.find(name);
        json known = earlier == m_started.end() ? json::object() : earlier->second;
        known.update(event);
        const MatrixRow row = matrixRowOf(known);
        m_started[name] = std::move(known);
        if (kind == "matrix_finished") {
            const auto [place, isNew] = m_rowOf.emplace(name, m_record.matrices.size());
            if (isNew) {
                m_record.matrices.emplace_back();
            }
            m_record.matrices[place->second] = row;
        }
    }

    RunRecord& m_record;
    std::map<std::string, json> m_started;
    std::map<std::string, std::size_t> m_rowOf;
    std::string m_last;
    double m_sinceStart = 0;
    double m_earlierStarts = 0;
};

void addUp(const std::vector<MatrixRow>& matrices, RunRow& run) {
    double bytes = 0;
    double denseBytes = 0;
    double errors = 0;
    double heldOutErrors = 0;  // unknown as soon as one is
    double coreSeconds = 0;
    SourceBytes source;
    for (const MatrixRow& matrix : matrices) {
        bytes += static_cast<double>(matrix.bytes);
        denseBytes += static_cast<double>(matrix.denseBytes);
        source.add(matrix.sourceType, matrix.sourceBytes);
        errors += matrix.relativeError;
        heldOutErrors += matrix.heldOutError;
        coreSeconds += matrix.coreSeconds;
    }
    if (run.sourceBytes == 0) {  // a run.json of before 0.2: of the finished ones
        run.sourceType = source.types();
        run.sourceBytes = source.bytes();
    }
    run.coreSeconds = matrices.empty() ? unknownNumber : coreSeconds;
    // Whole numbers up to 2⁵³, which no disk holds; more is damage, and no overflow.
    run.layerBytes = static_cast<std::int64_t>(std::clamp(bytes, -kLargestCount, kLargestCount));
    run.denseBytes =
        static_cast<std::int64_t>(std::clamp(denseBytes, -kLargestCount, kLargestCount));
    run.matrices = static_cast<std::int64_t>(matrices.size());
    run.relativeError =
        matrices.empty() ? unknownNumber : errors / static_cast<double>(run.matrices);
    run.heldOutError =
        matrices.empty() ? unknownNumber : heldOutErrors / static_cast<double>(run.matrices);
}

}  // namespace

void readUnfinished(const std::filesystem::path& path, RunRecord& record) {
    EventReader reader(record);
    std::int64_t foreign = 0;
    std::error_code absent;
    if (std::filesystem::exists(path, absent)) {
        const std::string text = readTextFile(path);
        for (std::string_view rest = text; !rest.empty();) {
            const std::size_t end = std::min(rest.find('\n'), rest.size());
            const json event = eventOfLine(rest.substr(0, end));
            rest.remove_prefix(std::min(end + 1, rest.size()));
            if (event.is_null()) {
                continue;  // half a line, where the process was killed
            }
            try {
                reader.read(event);
            } catch (const Error&) {
                ++foreign;
            }
        }
    }
    if (foreign > 0) {
        record.notes.push_back(path.string() + ": " + std::to_string(foreign) +
                               (foreign == 1 ? " event has a field" : " events have fields") +
                               " of the wrong type; skipped");
    }
    addUp(record.matrices, record.run);
    if (reader.last() == "run_finished") {
        return;
    }
    record.run.status = !isBeingWritten(path.parent_path()) ? "interrupted"
                        : reader.last() == "run_paused"     ? "paused"
                                                            : "running";
}

}  // namespace cospadi
