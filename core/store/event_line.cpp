#include "core/store/event_line.h"

#include <charconv>
#include <cstring>

namespace cospadi {

namespace {

class Scanner {
  public:
    explicit Scanner(std::string_view line) : m_at(line.data()), m_end(line.data() + line.size()) {}

    bool take(char wanted) {
        skipBlanks();
        if (m_at == m_end || *m_at != wanted) {
            return false;
        }
        ++m_at;
        return true;
    }

    bool next(char wanted) {
        skipBlanks();
        return m_at != m_end && *m_at == wanted;
    }

    bool atEnd() {
        skipBlanks();
        return m_at == m_end;
    }

    bool text(std::string_view& value) {
        if (!take('"')) {
            return false;
        }
        const auto* close = find('"');
        if (close == nullptr) {
            return false;
        }
        value = {m_at, static_cast<std::size_t>(close - m_at)};
        m_at = close + 1;
        return value.find('\\') == std::string_view::npos;
    }

    bool number(double& value) {
        skipBlanks();
        const auto [end, failure] = std::from_chars(m_at, m_end, value);
        // from_chars also takes "inf" and "nan", JSON does not.
        const bool isNumber = failure == std::errc() && (*m_at == '-' || isDigit(*m_at));
        m_at = end;
        return isNumber;
    }

    bool skipArray() {
        const auto* close = find(']');
        if (close == nullptr) {
            return false;
        }
        bool nested = false;  // one loop without a way out: it is most of a line's bytes
        for (const char* c = m_at + 1; c < close; ++c) {
            nested |= (*c == '"') | (*c == '[') | (*c == '{');
        }
        if (nested) {
            return false;
        }
        m_at = close + 1;
        return true;
    }

    bool word(std::string_view wanted) {
        if (std::string_view(m_at, static_cast<std::size_t>(m_end - m_at))
                .substr(0, wanted.size()) != wanted) {
            return false;
        }
        m_at += wanted.size();
        return true;
    }

  private:
    static bool isDigit(char c) { return c >= '0' && c <= '9'; }
    void skipBlanks() {
        while (m_at != m_end && (*m_at == ' ' || *m_at == '\t' || *m_at == '\r')) {
            ++m_at;
        }
    }
    const char* find(char wanted) const {
        return static_cast<const char*>(
            std::memchr(m_at, wanted, static_cast<std::size_t>(m_end - m_at)));
    }

    const char* m_at;
    const char* m_end;
};

std::string_view* textField(std::string_view name, EventLine& read) {
    return name == "event"    ? &read.event
           : name == "matrix" ? &read.matrix
           : name == "phase"  ? &read.phase
                              : nullptr;
}

double* numberField(std::string_view name, EventLine& read) {
    return name == "iteration"         ? &read.iteration
           : name == "relative_error"  ? &read.relativeError
           : name == "held_out_error"  ? &read.heldOutError
           : name == "seconds"         ? &read.seconds
           : name == "usage_entropy"   ? &read.usageEntropy
           : name == "dead_atoms"      ? &read.deadAtoms
           : name == "support_changes" ? &read.supportChanges
                                       : nullptr;
}

bool readValue(std::string_view name, Scanner& scanner, EventLine& read) {
    if (scanner.next('"')) {
        std::string_view other;
        std::string_view* field = textField(name, read);
        return scanner.text(field != nullptr ? *field : other);
    }
    if (scanner.next('[')) {
        return scanner.skipArray();
    }
    if (scanner.word("null") || scanner.word("true") || scanner.word("false")) {
        return true;
    }
    double other = 0;
    double* field = numberField(name, read);
    return scanner.number(field != nullptr ? *field : other);
}

}  // namespace

bool readEventLine(std::string_view line, EventLine& read) {
    Scanner scanner(line);
    if (!scanner.take('{')) {
        return false;
    }
    do {
        std::string_view name;
        if (!scanner.text(name) || !scanner.take(':') || !readValue(name, scanner, read)) {
            return false;
        }
    } while (scanner.take(','));
    return scanner.take('}') && scanner.atEnd();
}

}  // namespace cospadi
