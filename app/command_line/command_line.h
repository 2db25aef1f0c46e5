// A program's whole command line: what it knows, and the words it was started with.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/command_line/command.h"

namespace cospadi::cli {

// What could not be read, and what there is at that place: enough to say what was meant.
struct WrongWords {
    std::string problem;
    std::vector<std::string> chosen;    // commands that were read, each below the one before
    std::vector<std::string> rest;      // words that nothing took
    bool commandMissing = false;        // one of `commands` has to follow
    std::vector<std::string> commands;  // of the last one chosen, or of the program
    std::vector<std::string> options;   // of the same, long names with their dashes
};

class CommandLine {
  public:
    CommandLine(const std::string& help, const std::string& name);
    ~CommandLine();
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;

    Command program() const;

    void addVersion(const std::string& text);  // what --version prints
    void setHelpColumn(int column);            // where explanations begin
    void setFooter(const std::string& text);   // of the program and of commands added later

    // Reads main()'s words into the variables and calls what was chosen; nullopt where the program
    // goes on. Else the code to end with: 0 where --help or --version was answered, or what
    // `onWrong` returns. Without `onWrong` the problem is printed on stderr. What functions of
    // options throw passes through, but for WrongValue.
    std::optional<int> parse(int argc, const char* const* argv,
                             const std::function<int(const WrongWords&)>& onWrong = {});

  private:
    std::unique_ptr<CLI::App> m_program;
};

}  // namespace cospadi::cli
