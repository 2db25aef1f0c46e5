#include "core/cluster/lease.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string_view>
#include <thread>

#include "core/base/error.h"
#include "core/base/temporary_name.h"
#include "core/tensors/atomic_file.h"
#include "core/tensors/bounded_json.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::string_view kPrefix = "attempt-";
constexpr std::string_view kSuffix = ".json";
constexpr std::uintmax_t kLargestAttempt = 256 << 10;  // bytes; a reason may be long
constexpr int kDeepestAttempt = 4;
constexpr std::size_t kRoom = 1024;  // bytes that an open attempt takes, for how it will end
constexpr int kMostAttempts = 1'000'000;
constexpr double kBeatsInALease = 6;
constexpr std::array kEnds{AttemptEnd::Open, AttemptEnd::Done, AttemptEnd::Again, AttemptEnd::Never,
                           AttemptEnd::Failed};

fs::path fileOf(const fs::path& folder, int number) {
    return folder / fmt::format("{}{:04}{}", kPrefix, number, kSuffix);
}

// 0 for another name.
int numberIn(const std::string& fileName) {
    if (!fileName.starts_with(kPrefix) || !fileName.ends_with(kSuffix)) {
        return 0;
    }
    const char* first = fileName.data() + kPrefix.size();
    const char* last = fileName.data() + fileName.size() - kSuffix.size();
    int number = 0;
    const auto [end, failure] = std::from_chars(first, last, number);
    // A larger one is nobody's; the next after it has to be a number, too.
    return failure == std::errc() && end == last && number <= kMostAttempts ? number : 0;
}

int highestNumberIn(const fs::path& folder) {
    int highest = 0;
    std::error_code failed;
    for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
         entry.increment(failed)) {
        highest = std::max(highest, numberIn(entry->path().filename().string()));
    }
    return highest;
}

std::string textIn(const json& object, const char* field) {
    const auto found = object.find(field);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

json recordOf(AttemptEnd end, const std::string& reason) {
    const char* slurm = std::getenv("SLURM_JOB_ID");
    json record{{"format", 1}, {"process", toJson(thisProcess())}, {"end", name(end)}};
    if (slurm != nullptr) {
        const char* array = std::getenv("SLURM_ARRAY_JOB_ID");
        const char* task = std::getenv("SLURM_ARRAY_TASK_ID");
        record["scheduler"] = array != nullptr && task != nullptr
                                  ? fmt::format("slurm {}_{}", array, task)
                                  : fmt::format("slurm {}", slurm);
    }
    if (!reason.empty()) {
        record["reason"] = reason;
    }
    return record;
}

std::string textOf(const json& record) {
    return record.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

// With blanks up to `size`; a reason that is too long for it is cut.
std::string textOf(json record, std::size_t size) {
    std::string text = textOf(record);
    if (text.size() > size && record.contains("reason")) {
        std::string reason = record["reason"];
        reason.resize(std::min(reason.size(), size));
        // What is escaped, or no whole letter any more, takes more than its bytes.
        for (;; reason.pop_back()) {
            record["reason"] = reason;
            text = textOf(record);
            if (text.size() <= size || reason.empty()) {
                break;
            }
        }
    }
    text.resize(std::max(text.size(), size), ' ');
    return text;
}

// In the place that the file has: on a full disk nothing else can be written.
void overwrite(const fs::path& path, const json& record) {
    std::error_code failed;
    const std::uintmax_t size = fs::file_size(path, failed);
    const int file = failed ? -1 : ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0) {
        return;
    }
    const std::string text = textOf(record, static_cast<std::size_t>(size));
    if (text.size() == size) {
        static_cast<void>(!::pwrite(file, text.data(), text.size(), 0));
        static_cast<void>(::fsync(file));
    }
    ::close(file);
}

[[noreturn]] void failWriting(const fs::path& folder) {
    throw Error(std::string("the lease cannot be acquired: ") + std::strerror(errno),
                folder.string(), "check the permissions and free space of the sweep's folder");
}

// A file that removes itself; its whole content is there before any other name stands for it.
class Draft {
  public:
    explicit Draft(const fs::path& folder, const std::string& content)
        : m_path(temporaryNameOf(folder / "attempt")) {
        const int file = ::open(m_path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
        if (file < 0) {
            failWriting(folder);
        }
        const bool whole =
            ::write(file, content.data(), content.size()) == static_cast<ssize_t>(content.size());
        const bool closed = ::close(file) == 0;
        if (!whole || !closed) {
            ::unlink(m_path.c_str());
            failWriting(folder);
        }
    }
    ~Draft() { ::unlink(m_path.c_str()); }
    Draft(const Draft&) = delete;
    Draft& operator=(const Draft&) = delete;

    fs::file_time_type time() const {
        std::error_code failed;
        const auto time = fs::last_write_time(m_path, failed);
        return failed ? fs::file_time_type::clock::now() : time;
    }

    // False where the name is taken. Some file systems have no hard links (errno of link(2)); there
    // the file is made under its name, empty for a moment.
    bool tryName(const fs::path& target, const std::string& content) const {
        if (::link(m_path.c_str(), target.c_str()) == 0) {
            return true;
        }
        if (errno == EEXIST) {
            return false;
        }
        const int file = ::open(target.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
        if (file < 0) {
            if (errno == EEXIST) {
                return false;
            }
            failWriting(target.parent_path());
        }
        static_cast<void>(!::write(file, content.data(), content.size()));
        ::close(file);
        return true;
    }

  private:
    fs::path m_path;
};

}  // namespace

const char* name(AttemptEnd end) {
    switch (end) {
        case AttemptEnd::Open:
            return "open";
        case AttemptEnd::Done:
            return "done";
        case AttemptEnd::Again:
            return "again";
        case AttemptEnd::Never:
            return "never";
        case AttemptEnd::Failed:
            return "failed";
    }
    return "";
}

std::optional<Attempt> newestAttempt(const fs::path& folder) {
    Attempt attempt;
    attempt.number = highestNumberIn(folder);
    if (attempt.number == 0) {
        return std::nullopt;
    }
    attempt.file = fileOf(folder, attempt.number);
    try {
        const json record = readBoundedJson(attempt.file, kLargestAttempt, kDeepestAttempt);
        attempt.process = processFromJson(record.value("process", json::object()));
        attempt.scheduler = textIn(record, "scheduler");
        attempt.reason = textIn(record, "reason");
        for (const AttemptEnd end : kEnds) {
            attempt.end = textIn(record, "end") == name(end) ? end : attempt.end;
        }
    } catch (const std::exception&) {  // it is alive while it is touched
    }
    return attempt;
}

fs::file_time_type timeOfFileSystem(const fs::path& folder) {
    try {
        return Draft(folder, "").time();
    } catch (const Error&) {
        return fs::file_time_type::clock::now();
    }
}

bool isAlive(const Attempt& attempt, double leaseSeconds, fs::file_time_type now) {
    if (attempt.end != AttemptEnd::Open) {
        return false;
    }
    std::error_code failed;
    const auto beat = fs::last_write_time(attempt.file, failed);
    const std::chrono::duration<double> age = now - beat;
    return !failed && age.count() <= leaseSeconds &&
           existenceOf(attempt.process) != Existence::Gone;
}

// Touches the attempt's file until it is told to rest, or finds that another has taken over.
struct Lease::Heart {
    Heart(fs::path own, fs::path next, double seconds)
        : m_own(std::move(own)),
          m_next(std::move(next)),
          m_interval(seconds / kBeatsInALease),
          m_thread([this](const std::stop_token& rest) { beat(rest); }) {}

    bool isMine() const {
        std::error_code failed;
        return !fs::exists(m_next, failed);
    }
    std::stop_token takenOver() const { return m_takenOver.get_token(); }

  private:
    void beat(const std::stop_token& rest) {
        std::mutex mutex;
        std::unique_lock lock(mutex);
        std::condition_variable_any woken;
        while (!woken.wait_for(lock, rest, m_interval, [&] { return rest.stop_requested(); })) {
            if (!isMine()) {
                m_takenOver.request_stop();
                return;
            }
            // To "now" by the clock of whoever keeps the file. A failure (the server is away) is
            // tried again at the next beat.
            static_cast<void>(::utimensat(AT_FDCWD, m_own.c_str(), nullptr, 0));
        }
    }

    fs::path m_own;
    fs::path m_next;
    std::chrono::duration<double> m_interval;
    std::stop_source m_takenOver;
    std::jthread m_thread;  // last: it uses the others
};

Lease::Lease(fs::path folder, int number, double seconds)
    : m_folder(std::move(folder)),
      m_number(number),
      m_heart(std::make_unique<Heart>(fileOf(m_folder, number), fileOf(m_folder, number + 1),
                                      seconds)) {}

Lease::~Lease() = default;

std::unique_ptr<Lease> Lease::tryTake(const fs::path& folder, double leaseSeconds,
                                      const std::function<bool()>& isDone) {
    std::error_code failed;
    fs::create_directories(folder, failed);  // that it is missing shows below
    const std::string content = textOf(recordOf(AttemptEnd::Open, ""), kRoom);
    for (;;) {
        const Draft draft(folder, content);
        const auto newest = newestAttempt(folder);
        if (newest && isAlive(*newest, leaseSeconds, draft.time())) {
            return nullptr;
        }
        if (isDone && isDone()) {
            return nullptr;
        }
        const int number = newest ? newest->number + 1 : 1;
        if (draft.tryName(fileOf(folder, number), content)) {
            return std::unique_ptr<Lease>(new Lease(folder, number, leaseSeconds));
        }
    }
}

bool Lease::isMine() const { return m_heart->isMine(); }

std::stop_token Lease::takenOver() const { return m_heart->takenOver(); }

void Lease::end(AttemptEnd how, const std::string& reason) {
    if (!isMine()) {
        return;
    }
    const fs::path file = fileOf(m_folder, m_number);
    const json record = recordOf(how, reason);
    try {
        writeFileAtomically(file, textOf(record));
    } catch (const Error&) {  // the disk may be full
        overwrite(file, record);
    }
}

}  // namespace cospadi
