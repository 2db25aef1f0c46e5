// The one exception type of the engine: thrown for bad files, bad options and devices
// that fail, caught at the boundary of a run or a command. Expected outcomes are values, never
// this.
#pragma once

#include <stdexcept>
#include <string>

namespace cospadi {

class Error : public std::runtime_error {
  public:
    // what: what is wrong, in words.  where: the file, field, layer or option concerned.
    // hint: what the user can do about it.  The message reads "where: what (hint)".
    Error(std::string what, std::string where, std::string hint);

    const std::string& problem() const { return m_problem; }
    const std::string& where() const { return m_where; }
    const std::string& hint() const { return m_hint; }

  private:
    std::string m_problem;
    std::string m_where;
    std::string m_hint;
};

// A compute device failed or has no memory left: the work itself is sound and could go on
// elsewhere.
class DeviceError : public Error {
  public:
    using Error::Error;
};

// What does not fit may in smaller pieces.
class OutOfDeviceMemory : public DeviceError {
  public:
    // what: it was for, e.g. "12 MB".
    explicit OutOfDeviceMemory(const std::string& what);
};

}  // namespace cospadi
