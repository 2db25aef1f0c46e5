#include "app/command_line/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <sstream>
#include <type_traits>

#include "app/command_line/number_text.h"

namespace cospadi::cli {

namespace {

std::vector<const CLI::App*> commandsBelow(const CLI::App& command) {
    return command.get_subcommands([](const CLI::App*) { return true; });
}

WrongWords wrongWords(const CLI::App& program, const CLI::ParseError& error) {
    WrongWords wrong;
    wrong.problem = error.what();
    const CLI::App* last = &program;
    while (!last->get_subcommands().empty()) {
        last = last->get_subcommands().front();
        wrong.chosen.push_back(last->get_name());
    }
    wrong.rest = program.remaining(true);
    if (error.get_name() == "ExtrasError" && !wrong.rest.empty()) {
        wrong.problem = fmt::format("not understood: {}", fmt::join(wrong.rest, " "));  // in order
    }
    // An option that is missing has the same name as an error.
    wrong.commandMissing = error.get_name() == "RequiredError" &&
                           wrong.problem.find("subcommand") != std::string::npos;
    for (const CLI::App* command : commandsBelow(*last)) {
        wrong.commands.push_back(command->get_name());
    }
    for (const CLI::Option* option : last->get_options()) {
        for (const std::string& name : option->get_lnames()) {
            wrong.options.push_back("--" + name);
        }
    }
    return wrong;
}

void checkValuesOf(CLI::App& command, const Argument::Check& problemOf) {
    for (CLI::Option* option : command.get_options()) {
        if (!option->get_lnames().empty() && option->get_items_expected_max() > 0) {
            option->check(problemOf);
        }
    }
    for (CLI::App* below : command.get_subcommands([](const CLI::App*) { return true; })) {
        checkValuesOf(*below, problemOf);
    }
}

// The words of a check such as "TEXT:{hf,gguf}", as CLI11 tells them; empty of any other.
std::vector<std::string> wordsIn(const std::string& type) {
    const std::size_t begin = type.rfind(":{");
    std::vector<std::string> words;
    if (begin == std::string::npos || !type.ends_with('}')) {
        return words;
    }
    std::istringstream list(type.substr(begin + 2, type.size() - begin - 3));
    for (std::string word; std::getline(list, word, ',');) {
        words.push_back(word);
    }
    return words;
}

// What is a number does not depend on CLI11's version, whose newer ones take "true" and "08":
// number_text.h says it, and CLI11 is given its decimal form.
template <class Number>
CLI::Option* numeric(CLI::Option* option,
                     std::optional<Number> (*numberIn)(const std::string& text)) {
    const auto canonical = [option, numberIn](std::string& text) {
        const std::optional<Number> number = numberIn(text);
        if (!number) {
            throw CLI::ConversionError(option->get_name(), {text});
        }
        const bool isNegative = text.find('-') != std::string::npos;
        if (std::is_signed_v<Number> || !isNegative) {  // else CLI11 refuses it
            text = fmt::format("{}", *number);
        }
        return std::string();
    };
    return option->transform(CLI::Validator(canonical, std::string()));
}

// "slurm|snakemake", else the kind of value without the names of its checks.
std::string valueText(const std::string& type, const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
        text += (text.empty() ? "" : "|") + word;
    }
    return words.empty() ? type.substr(0, type.find(':')) : text;
}

OptionDescription describe(const CLI::Option& option) {
    OptionDescription described;
    for (const std::string& name : option.get_snames()) {
        described.names.push_back("-" + name);
    }
    for (const std::string& name : option.get_lnames()) {
        described.names.push_back("--" + name);
    }
    described.help = option.get_description();
    described.required = option.get_required();
    described.several = option.get_expected_max() > 1;
    if (described.names.empty()) {
        described.value = option.get_name(true);
        described.words = wordsIn(option.get_type_name());
    } else if (option.get_items_expected_max() > 0) {
        described.words = wordsIn(option.get_type_name());
        described.value = valueText(option.get_type_name(), described.words);
    }
    if (!option.get_default_str().empty() && !described.value.empty()) {
        described.help += " [" + option.get_default_str() + "]";
    }
    return described;
}

// inherited: the footer of the command above, which is told there.
CommandDescription describe(const CLI::App& command, const std::string& inherited) {
    CommandDescription described;
    described.name = command.get_name();
    described.help = command.get_description();
    described.footer = command.get_footer() == inherited ? "" : command.get_footer();
    for (const CLI::Option* option : command.get_options()) {
        described.options.push_back(describe(*option));
    }
    for (const CLI::App* below : commandsBelow(command)) {
        described.commands.push_back(describe(*below, command.get_footer()));
    }
    return described;
}

}  // namespace

Argument Argument::required() const { return Argument(m_option->required()); }

Argument Argument::check(const Check& problemOf) const {
    return Argument(m_option->check(problemOf));
}

Argument Argument::inRange(int least, int most) const {
    return Argument(m_option->check(CLI::Range(least, most)));
}

Argument Argument::inRange(double least, double most) const {
    return Argument(m_option->check(CLI::Range(least, most)));
}

Argument Argument::notNegative() const { return Argument(m_option->check(CLI::NonNegativeNumber)); }

Argument Argument::oneOf(const std::vector<std::string>& words) const {
    return Argument(m_option->check(CLI::IsMember(words)));
}

Argument Argument::existingDirectory() const {
    return Argument(m_option->check(CLI::ExistingDirectory));
}

Argument Argument::delimiter(char sign) const { return Argument(m_option->delimiter(sign)); }

Argument Argument::oneWordEach() const { return Argument(m_option->allow_extra_args(false)); }

Argument Argument::expected(int count) const { return Argument(m_option->expected(count)); }

Argument Argument::excludes(Argument other) const {
    return Argument(m_option->excludes(other.m_option));
}

Argument Argument::group(const std::string& heading) const {
    return Argument(m_option->group(heading));
}

Argument Argument::showDefault() const { return Argument(m_option->capture_default_str()); }

Argument Argument::showDefault(const std::string& text) const {
    return Argument(m_option->default_str(text));
}

Argument Argument::typeName(const std::string& name) const {
    return Argument(m_option->type_name(name));
}

std::size_t Argument::count() const { return m_option->count(); }

std::string Argument::name() const { return m_option->get_name(); }

Command Command::addCommand(const std::string& name, const std::string& help) const {
    return Command(m_command->add_subcommand(name, help));
}

void Command::requireCommand() const { m_command->require_subcommand(1); }

void Command::allowCommand() const { m_command->require_subcommand(0, 1); }

void Command::whenChosen(const std::function<void()>& act) const { m_command->callback(act); }

bool Command::isChosen() const { return m_command->parsed(); }

Argument Command::addOption(const std::string& name, std::string& value,
                            const std::string& help) const {
    return Argument(m_command->add_option(name, value, help));
}

Argument Command::addOption(const std::string& name, std::filesystem::path& value,
                            const std::string& help) const {
    return Argument(m_command->add_option(name, value, help));
}

Argument Command::addOption(const std::string& name, int& value, const std::string& help) const {
    return Argument(numeric(m_command->add_option(name, value, help), wholeNumberIn));
}

Argument Command::addOption(const std::string& name, std::int64_t& value,
                            const std::string& help) const {
    return Argument(numeric(m_command->add_option(name, value, help), wholeNumberIn));
}

Argument Command::addOption(const std::string& name, std::uint64_t& value,
                            const std::string& help) const {
    return Argument(numeric(m_command->add_option(name, value, help), unsignedNumberIn));
}

Argument Command::addOption(const std::string& name, double& value, const std::string& help) const {
    return Argument(numeric(m_command->add_option(name, value, help), realNumberIn));
}

Argument Command::addOption(const std::string& name, std::optional<int>& value,
                            const std::string& help) const {
    return Argument(numeric(m_command->add_option(name, value, help), wholeNumberIn));
}

Argument Command::addOption(const std::string& name, std::optional<std::int64_t>& value,
                            const std::string& help) const {
    return Argument(numeric(m_command->add_option(name, value, help), wholeNumberIn));
}

Argument Command::addOption(const std::string& name, std::optional<double>& value,
                            const std::string& help) const {
    return Argument(numeric(m_command->add_option(name, value, help), realNumberIn));
}

Argument Command::addOption(const std::string& name, std::vector<std::int32_t>& values,
                            const std::string& help) const {
    return Argument(numeric(m_command->add_option(name, values, help), wholeNumberIn));
}

Argument Command::addOption(const std::string& name, std::vector<double>& values,
                            const std::string& help) const {
    return Argument(numeric(m_command->add_option(name, values, help), realNumberIn));
}

Argument Command::addOption(const std::string& name, std::vector<std::string>& values,
                            const std::string& help) const {
    return Argument(m_command->add_option(name, values, help));
}

Argument Command::addOption(const std::string& name,
                            const std::function<void(const std::string&)>& take,
                            const std::string& help) const {
    return Argument(m_command->add_option_function<std::string>(name, take, help));
}

Argument Command::addOption(const std::string& name,
                            const std::function<void(const std::vector<std::string>&)>& take,
                            const std::string& help) const {
    return Argument(m_command->add_option_function<std::vector<std::string>>(name, take, help));
}

Argument Command::addFlag(const std::string& name, bool& given, const std::string& help) const {
    return Argument(m_command->add_flag(name, given, help));
}

Argument Command::addFlag(const std::string& name, const std::function<void()>& act,
                          const std::string& help) const {
    return Argument(m_command->add_flag_callback(name, act, help));
}

void Command::checkValues(const Argument::Check& problemOf) const {
    checkValuesOf(*m_command, problemOf);
}

std::vector<Argument> Command::arguments() const {
    std::vector<Argument> all;
    for (CLI::Option* option : m_command->get_options()) {
        all.push_back(Argument(option));
    }
    return all;
}

CommandDescription Command::description() const { return describe(*m_command, ""); }

CommandLine::CommandLine(const std::string& help, const std::string& name)
    : m_program(std::make_unique<CLI::App>(help, name)) {}

CommandLine::~CommandLine() = default;

Command CommandLine::program() const { return Command(m_program.get()); }

void CommandLine::addVersion(const std::string& text) {
    m_program->set_version_flag("--version", text);
}

void CommandLine::setHelpColumn(int column) {
    m_program->get_formatter()->column_width(static_cast<std::size_t>(column));
}

void CommandLine::setFooter(const std::string& text) { m_program->footer(text); }

std::optional<int> CommandLine::parse(int argc, const char* const* argv,
                                      const std::function<int(const WrongWords&)>& onWrong) {
    try {
        try {
            m_program->parse(argc, argv);
            return std::nullopt;
        } catch (const WrongValue& error) {
            throw CLI::ValidationError(error.what());
        }
    } catch (const CLI::ParseError& error) {
        const bool answered = error.get_exit_code() == 0;  // --help or --version
        return answered || !onWrong ? m_program->exit(error)
                                    : onWrong(wrongWords(*m_program, error));
    }
}

}  // namespace cospadi::cli
