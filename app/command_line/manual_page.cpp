#include "app/command_line/manual_page.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace cospadi::cli {

namespace {

// As text that troff prints as it stands. Hyphens are minus signs: words are to be copied.
std::string escaped(const std::string& text) {
    std::string result;
    for (const char sign : text) {
        if (sign == '\\') {
            result += "\\e";
        } else if (sign == '-') {
            result += "\\-";
        } else {
            result += sign == '\n' ? ' ' : sign;
        }
    }
    return result;
}

// A line of text: one that begins with a dot would be a macro.
std::string line(const std::string& text) {
    const bool isMacro = !text.empty() && (text.front() == '.' || text.front() == '\'');
    return (isMacro ? "\\&" : "") + escaped(text) + "\n";
}

std::string upper(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char sign) { return static_cast<char>(std::toupper(sign)); });
    return text;
}

std::string bold(const std::string& text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + escaped(text) + "\\fR"; }

std::string valueOf(const OptionDescription& option) {
    return italic(option.value) + (option.several ? " ..." : "");
}

std::string optionText(const OptionDescription& option) {
    std::string head;
    for (const std::string& name : option.names) {
        head += head.empty() ? "" : ", ";
        head += bold(name);
    }
    if (!option.value.empty()) {
        head += head.empty() ? "" : " ";
        head += valueOf(option);
    }
    head += option.required ? " (required)" : "";
    return ".TP\n" + head + "\n" + line(option.help);
}

// "cospadi runs show [OPTIONS] RUN"
std::string synopsis(const CommandDescription& command, const std::string& path) {
    std::string text = bold(path);
    text += command.options.empty() ? "" : " [\\fIOPTIONS\\fR]";
    for (const OptionDescription& option : command.options) {
        if (option.names.empty()) {
            text += option.required ? " " : " [";
            text += valueOf(option);
            text += option.required ? "" : "]";
        }
    }
    text += command.commands.empty() ? "" : " \\fICOMMAND\\fR ...";
    return text;
}

void addCommand(std::string& page, const CommandDescription& command, const std::string& path) {
    page += ".SS " + synopsis(command, path) + "\n" + line(command.help);
    for (const OptionDescription& option : command.options) {
        page += optionText(option);
    }
    for (const CommandDescription& below : command.commands) {
        addCommand(page, below, path + " " + below.name);
    }
}

// Blocks between empty lines; one whose other lines are indented is a section that its first line
// names, printed line by line.
std::string footerText(const std::string& footer) {
    std::istringstream lines(footer + "\n\n");
    std::string text;
    std::vector<std::string> block;
    bool hasSection = false;
    for (std::string next; std::getline(lines, next);) {
        if (!next.empty()) {
            block.push_back(next);
            continue;
        }
        const bool isSection =
            block.size() > 1 && std::all_of(block.begin() + 1, block.end(),
                                            [](const auto& inner) { return inner.front() == ' '; });
        if (isSection) {
            text += ".SH \"" + escaped(upper(block.front())) + "\"\n.nf\n";
            for (std::size_t i = 1; i < block.size(); ++i) {
                text += line(block[i].substr(block[i].find_first_not_of(' ')));
            }
            text += ".fi\n";
        } else if (!block.empty()) {
            text += hasSection || !text.empty() ? ".PP\n" : ".SH NOTES\n";
            for (const std::string& plain : block) {
                text += line(plain);
            }
        }
        hasSection = hasSection || isSection;
        block.clear();
    }
    return text;
}

}  // namespace

std::string manualPage(const CommandDescription& program, const std::string& version,
                       const std::string& seeAlso) {
    std::string summary = program.help.substr(0, program.help.find_last_not_of('.') + 1);
    if (const std::size_t colon = summary.find(": "); colon != std::string::npos) {
        summary = summary.substr(colon + 2);
    }
    std::string page = ".\\\" Made by the program itself; not to be edited.\n";
    page += ".TH " + escaped(upper(program.name)) + " 1 \"\" \"" + escaped(program.name) + " " +
            escaped(version) + "\" \"User Commands\"\n";
    page += ".nh\n.SH NAME\n" + escaped(program.name) + " \\- " + escaped(summary) + "\n";
    page += ".SH SYNOPSIS\n" + synopsis(program, program.name) + "\n";
    page += ".SH DESCRIPTION\n" + line(program.help);
    page += program.options.empty() ? "" : ".SH OPTIONS\n";
    for (const OptionDescription& option : program.options) {
        page += optionText(option);
    }
    page += program.commands.empty() ? "" : ".SH COMMANDS\n";
    for (const CommandDescription& command : program.commands) {
        addCommand(page, command, program.name + " " + command.name);
    }
    page += footerText(program.footer);
    if (!seeAlso.empty()) {
        page += ".SH \"SEE ALSO\"\n.BR " + escaped(seeAlso) + " (1)\n";
    }
    return page;
}

}  // namespace cospadi::cli
