#include "app/command_line/completion.h"

#include <functional>
#include <stdexcept>
#include <string_view>

#include "core/base/shell_word.h"

namespace cospadi::cli {

namespace {

// path: "" of the program, "/runs/list" of a command.
using Visit = std::function<void(const CommandDescription&, const std::string& path)>;

void visitAll(const CommandDescription& command, const std::string& path, const Visit& visit) {
    visit(command, path);
    for (const CommandDescription& below : command.commands) {
        visitAll(below, path + "/" + below.name, visit);
    }
}

std::string joined(const std::vector<std::string>& words, const char* between) {
    std::string text;
    for (const std::string& word : words) {
        text += (text.empty() ? "" : between) + word;
    }
    return text;
}

// A backslash before each of these signs.
std::string withBackslashes(const std::string& text, std::string_view signs) {
    std::string result;
    for (const char sign : text) {
        if (signs.find(sign) != std::string_view::npos) {
            result += '\\';
        }
        result += sign;
    }
    return result;
}

// All commands as patterns of `case`.
std::vector<std::string> pathsBelow(const CommandDescription& program) {
    std::vector<std::string> paths;
    visitAll(program, "", [&](const CommandDescription&, const std::string& path) {
        if (!path.empty()) {
            paths.push_back(path);
        }
    });
    return paths;
}

// What a list of candidates has room for: up to the first semicolon, on one line.
std::string briefly(const std::string& help) {
    std::string text = help.substr(0, help.find(';'));
    for (char& sign : text) {
        sign = sign == '\n' ? ' ' : sign;
    }
    return text;
}

// The words that may stand where no option does: commands below it, values of positionals.
std::vector<std::string> plainWords(const CommandDescription& command) {
    std::vector<std::string> words;
    for (const CommandDescription& below : command.commands) {
        words.push_back(below.name);
    }
    for (const OptionDescription& option : command.options) {
        if (option.names.empty()) {
            words.insert(words.end(), option.words.begin(), option.words.end());
        }
    }
    return words;
}

// "/sweep:--on", of every name of an option.
std::vector<std::string> placesOf(const std::string& path, const OptionDescription& option) {
    std::vector<std::string> places;
    for (const std::string& name : option.names) {
        places.push_back(path + ":" + name);
    }
    return places;
}

std::string note(const CommandDescription& program, const std::string& shell) {
    return "# Completion of " + program.name + " for " + shell + ", made by the program itself.\n";
}

std::string bashScript(const CommandDescription& program) {
    std::string values, lists;
    visitAll(program, "", [&](const CommandDescription& command, const std::string& path) {
        std::vector<std::string> options;
        for (const OptionDescription& option : command.options) {
            options.insert(options.end(), option.names.begin(), option.names.end());
            if (!option.names.empty() && !option.value.empty()) {  // no words: names of files
                values += "        " + joined(placesOf(path, option), " | ") +
                          ") _words=" + shellWord(joined(option.words, " ")) + " ;;\n";
            }
        }
        lists += "        " + shellWord(path + ":-") +
                 "*) _words=" + shellWord(joined(options, " ")) + " ;;\n";
        lists += "        " + shellWord(path + ":") +
                 "*) _words=" + shellWord(joined(plainWords(command), " ")) + " ;;\n";
    });
    const std::vector<std::string> paths = pathsBelow(program);
    const std::string function = "_" + program.name;
    std::string script = note(program, "bash") + function + "() {\n" +
                         "    local current=${COMP_WORDS[COMP_CWORD]} at= index _words=\n"
                         "    local previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
                         "    if [ \"$current\" = = ]; then\n"
                         "        current=\n"
                         "    elif [ \"$previous\" = = ]; then\n"
                         "        previous=${COMP_WORDS[COMP_CWORD - 2]}\n"
                         "    fi\n";
    if (!paths.empty()) {
        script +=
            "    for ((index = 1; index < COMP_CWORD; ++index)); do\n"
            "        case $at/${COMP_WORDS[index]} in\n        " +
            joined(paths, " | ") +
            ") at+=/${COMP_WORDS[index]} ;;\n"
            "        esac\n    done\n";
    }
    return script + "    case $at:$previous in\n" + values +
           "    *)\n        case $at:$current in\n" + lists + "        esac ;;\n    esac\n" +
           "    # Without a word that fits, the shell itself completes names of files.\n"
           "    mapfile -t COMPREPLY < <(compgen -W \"$_words\" -- \"$current\")\n}\n"
           "complete -o bashdefault -o default -F " +
           function + " " + program.name + "\n";
}

std::string fishScript(const CommandDescription& program) {
    std::string function = "__" + program.name + "_at";
    for (char& sign : function) {
        sign = sign == '-' ? '_' : sign;
    }
    // In fish a quoted word knows \' and \\ alone.
    const auto quoted = [](const std::string& text) {
        std::string word = "'";
        word += withBackslashes(text, "'\\");
        word += "'";
        return word;
    };
    std::string script = note(program, "fish") + "function " + function +
                         "\n    set -l at ''\n    set -l words (commandline -opc)\n"
                         "    for word in $words[2..-1]\n        switch \"$at/$word\"\n";
    const std::vector<std::string> paths = pathsBelow(program);
    if (!paths.empty()) {
        script += "            case " + joined(paths, " ") + "\n                set at $at/$word\n";
    }
    script += "        end\n    end\n    test \"$at\" = \"$argv[1]\"\nend\n";
    visitAll(program, "", [&](const CommandDescription& command, const std::string& path) {
        const std::string start =
            "complete -c " + program.name + " -n " + quoted(function + " '" + path + "'");
        for (const CommandDescription& below : command.commands) {
            script += start + " -a " + below.name + " -d " + quoted(briefly(below.help)) + "\n";
        }
        for (const OptionDescription& option : command.options) {
            std::string names;
            for (const std::string& name : option.names) {
                names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
            }
            if (names.empty()) {
                script += option.words.empty()
                              ? ""
                              : start + " -f -a " + quoted(joined(option.words, " ")) + "\n";
                continue;
            }
            script += start + names;
            script += option.value.empty()   ? ""
                      : option.words.empty() ? " -r"
                                             : " -x -a " + quoted(joined(option.words, " "));
            script += " -d " + quoted(briefly(option.help)) + "\n";
        }
    });
    return script;
}

// What _describe takes: word:text, with a colon in the word escaped.
std::string zshCandidate(const std::string& word, const std::string& help) {
    std::string candidate = " ";
    candidate += shellWord(withBackslashes(word, ":") + ":" + briefly(help));
    return candidate;
}

std::string zshScript(const CommandDescription& program) {
    std::string values, lists;
    visitAll(program, "", [&](const CommandDescription& command, const std::string& path) {
        std::string options, commands;
        for (const OptionDescription& option : command.options) {
            for (const std::string& name : option.names) {
                options += zshCandidate(name, option.help);
            }
            if (!option.names.empty() && !option.value.empty()) {
                std::vector<std::string> words;
                for (const std::string& word : option.words) {
                    words.push_back(shellWord(word));
                }
                values += "    (" + joined(placesOf(path, option), "|") + ") " +
                          (words.empty() ? "_files" : "compadd -- " + joined(words, " ")) +
                          "; return ;;\n";
            }
        }
        for (const CommandDescription& below : command.commands) {
            commands += zshCandidate(below.name, below.help);
        }
        for (const OptionDescription& option : command.options) {
            for (const std::string& word : option.words) {
                commands += option.names.empty() ? zshCandidate(word, option.help) : "";
            }
        }
        lists +=
            "    (" + shellWord(path) + ") flags=(" + options + " ) below=(" + commands + " ) ;;\n";
    });
    const std::vector<std::string> paths = pathsBelow(program);
    std::string script = "#compdef " + program.name + "\n" + note(program, "zsh") +
                         "local at= index\nlocal -a flags below\n";
    if (!paths.empty()) {
        script +=
            "for ((index = 2; index < CURRENT; ++index)); do\n"
            "    case $at/$words[index] in\n    (" +
            joined(paths, "|") + ") at+=/$words[index] ;;\n    esac\ndone\n";
    }
    return script + "case $at:$words[CURRENT-1] in\n" + values + "esac\ncase $at in\n" + lists +
           "esac\n"
           "if [[ $PREFIX == -* ]]; then\n    _describe option flags\nelse\n"
           "    (( $#below )) && _describe command below\n    _files\nfi\n";
}

}  // namespace

const std::vector<std::string>& completionShells() {
    static const std::vector<std::string> shells{"bash", "zsh", "fish"};
    return shells;
}

std::string completionScript(const std::string& shell, const CommandDescription& program) {
    if (shell == "bash") {
        return bashScript(program);
    }
    if (shell == "zsh") {
        return zshScript(program);
    }
    if (shell == "fish") {
        return fishScript(program);
    }
    throw std::invalid_argument("no completion is known of the shell " + shell);
}

}  // namespace cospadi::cli
