// The commands of a program and what each of them takes: a thin layer over CLI11, whose headers
// only command_line.cpp includes. Their inline functions would be two thirds of the work of
// compiling a file that declares a command.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/command_line/description.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace cospadi::cli {

// What a function that takes an option's value throws where it is none; reads "WHERE: PROBLEM".
class WrongValue : public std::runtime_error {
  public:
    WrongValue(const std::string& where, const std::string& problem)
        : std::runtime_error(where + ": " + problem) {}
};

// An option, a flag or a positional of a command. Copies stand for the same one, which lives as
// long as its CommandLine. All that is set returns it again.
class Argument {
  public:
    // Empty where the text is a value, else what is wrong with it. Asked for every value, in the
    // order of the checks, before any takes effect.
    using Check = std::function<std::string(const std::string&)>;

    Argument required() const;
    Argument check(const Check& problemOf) const;
    // Checks that the help tells as well. Bounds are inclusive.
    Argument inRange(int least, int most) const;
    Argument inRange(double least, double most) const;
    Argument notNegative() const;
    Argument oneOf(const std::vector<std::string>& words) const;
    Argument existingDirectory() const;

    // Of lists. Without a delimiter values are words of their own.
    Argument delimiter(char sign) const;
    Argument oneWordEach() const;        // a word each time it is given, not all that follow
    Argument expected(int count) const;  // as many values, no more and no fewer

    Argument excludes(Argument other) const;  // they are not given together
    Argument group(const std::string& heading) const;

    // What stands behind the name in the help.
    Argument showDefault() const;  // the variable's value as it is now
    Argument showDefault(const std::string& text) const;
    Argument typeName(const std::string& name) const;

    std::size_t count() const;  // of its values that were given
    std::string name() const;   // "--dashes", or of a positional its word

  private:
    friend class Command;
    explicit Argument(CLI::Option* option) : m_option(option) {}

    CLI::Option* m_option;
};

// The program itself, or one of its commands. Copies stand for the same one, as those of Argument
// do. Variables are written while words are parsed and outlive that.
class Command {
  public:
    Command addCommand(const std::string& name, const std::string& help) const;
    void requireCommand() const;  // exactly one of those added
    void allowCommand() const;    // at most one
    // Called when everything was read, after those of commands below it.
    void whenChosen(const std::function<void()>& act) const;
    bool isChosen() const;

    // `name`: "--dashes" is an option, "WORD" a positional. Numbers are read as number_text.h
    // tells.
    Argument addOption(const std::string& name, std::string& value, const std::string& help) const;
    Argument addOption(const std::string& name, std::filesystem::path& value,
                       const std::string& help) const;
    Argument addOption(const std::string& name, int& value, const std::string& help) const;
    Argument addOption(const std::string& name, std::int64_t& value, const std::string& help) const;
    Argument addOption(const std::string& name, std::uint64_t& value,
                       const std::string& help) const;
    Argument addOption(const std::string& name, double& value, const std::string& help) const;
    Argument addOption(const std::string& name, std::optional<int>& value,
                       const std::string& help) const;
    Argument addOption(const std::string& name, std::optional<std::int64_t>& value,
                       const std::string& help) const;
    Argument addOption(const std::string& name, std::optional<double>& value,
                       const std::string& help) const;
    Argument addOption(const std::string& name, std::vector<std::int32_t>& values,
                       const std::string& help) const;
    Argument addOption(const std::string& name, std::vector<double>& values,
                       const std::string& help) const;
    Argument addOption(const std::string& name, std::vector<std::string>& values,
                       const std::string& help) const;
    // These take effect in the order in which options were added, whatever order they are given in.
    Argument addOption(const std::string& name, const std::function<void(const std::string&)>& take,
                       const std::string& help) const;
    Argument addOption(const std::string& name,
                       const std::function<void(const std::vector<std::string>&)>& take,
                       const std::string& help) const;

    Argument addFlag(const std::string& name, bool& given, const std::string& help) const;
    Argument addFlag(const std::string& name, const std::function<void()>& act,
                     const std::string& help) const;

    // Adds the check to all options with values, here and in the commands below: those that are
    // there by now. Positionals are left out.
    void checkValues(const Argument::Check& problemOf) const;

    // All that are there by now, in the order in which they were added.
    std::vector<Argument> arguments() const;

    // All that is there by now, commands below it included.
    CommandDescription description() const;

  private:
    friend class CommandLine;
    explicit Command(CLI::App* command) : m_command(command) {}

    CLI::App* m_command;
};

}  // namespace cospadi::cli
