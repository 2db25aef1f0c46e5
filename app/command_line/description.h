// What a program takes, as its manual page and the completion of shells tell it: read from the
// program's own options, so that nothing is written twice.
#pragma once

#include <string>
#include <vector>

namespace cospadi::cli {

struct OptionDescription {
    std::vector<std::string> names;  // "-h", "--help"; empty: a positional
    std::string value;               // "FILE", "slurm|snakemake"; empty: a flag
    std::vector<std::string> words;  // all that the value may be; empty: not so few
    std::string help;
    bool required = false;
    bool several = false;  // takes more than one value
};

struct CommandDescription {
    std::string name;  // without those above it
    std::string help;
    std::string footer;                      // of the program; blocks that a line begins
    std::vector<OptionDescription> options;  // in the order in which they were added
    std::vector<CommandDescription> commands;
};

}  // namespace cospadi::cli
