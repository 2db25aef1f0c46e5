// A program's commands, from words to what they do: which are chosen, what is told where one is
// missing, in which order things take effect, help and version.
#include <QtTest>
#include <iostream>
#include <stdexcept>

#include "tests/core/parsed_words.h"
#include "tests/registered_test.h"

namespace tst_commands {

using namespace cospadi::cli;

class TestCommandLine : public QObject {
    Q_OBJECT

  private slots:
    void commandsThatAreMissing() {
        CommandLine line("A program.", "program");
        line.program().requireCommand();
        const Command runs = line.program().addCommand("runs", "Runs");
        runs.requireCommand();
        bool all = false;
        const Command list = runs.addCommand("list", "Lists");
        list.addFlag("--all", all, "All");
        runs.addCommand("show", "Shows");

        const Parsed none = parsed(line, {});
        QVERIFY(none.ended == kRefused && none.wrong.commandMissing);
        QVERIFY(none.wrong.chosen.empty() && none.wrong.rest.empty());
        QVERIFY((none.wrong.commands == std::vector<std::string>{"runs"}));

        const Parsed unknown = parsed(line, {"runs", "lsit"});
        QVERIFY(unknown.ended == kRefused && unknown.wrong.commandMissing);
        QVERIFY((unknown.wrong.chosen == std::vector<std::string>{"runs"}));
        QVERIFY((unknown.wrong.rest == std::vector<std::string>{"lsit"}));
        QVERIFY((unknown.wrong.commands == std::vector<std::string>{"list", "show"}));

        const Parsed option = parsed(line, {"runs", "list", "--al"});
        QVERIFY(option.ended == kRefused && !option.wrong.commandMissing);
        QVERIFY((option.wrong.chosen == std::vector<std::string>{"runs", "list"}));
        QVERIFY((option.wrong.rest == std::vector<std::string>{"--al"}));
        QVERIFY(has(option.wrong.options, "--all") && option.wrong.commands.empty());

        QVERIFY(!parsed(line, {"runs", "list"}).ended);
        QVERIFY(list.isChosen());
    }

    // Options in the order in which they were added, then the commands from the inside out.
    void orderOfEffects() {
        CommandLine line("A program.", "program");
        std::vector<std::string> order;
        const auto taking = [&order](const std::string& value) { order.push_back(value); };
        const Command outer = line.program().addCommand("outer", "Outer");
        outer.allowCommand();
        outer.addOption("--first", taking, "First");
        outer.addOption("--second", taking, "Second");
        outer.whenChosen([&order] { order.emplace_back("outer"); });
        const Command inner = outer.addCommand("inner", "Inner");
        inner.whenChosen([&order] { order.emplace_back("inner"); });
        QVERIFY(!parsed(line, {"outer", "--second", "b", "--first", "a", "inner"}).ended);
        QVERIFY((order == std::vector<std::string>{"a", "b", "inner", "outer"}));
        order.clear();
        QVERIFY(!parsed(line, {"outer", "--first", "a"}).ended);
        QVERIFY((order == std::vector<std::string>{"a", "outer"}));
        QVERIFY(outer.isChosen() && !inner.isChosen());
    }

    void whatFunctionsThrowPassesThrough() {
        CommandLine line("A program.", "program");
        line.program().addOption(
            "--fail", [](const std::string& why) { throw std::domain_error(why); }, "Fails");
        QVERIFY_THROWS_EXCEPTION(std::domain_error, parsed(line, {"--fail", "now"}));
    }

    void checksOfAllValues() {
        CommandLine line("A program.", "program");
        const Command command = line.program().addCommand("go", "Goes");
        line.program().allowCommand();
        std::string text, value, name;
        bool flag = false;
        line.program().addOption("--name", name, "A name");
        command.addOption("TEXT", text, "A text");
        command.addOption("--value", value, "A value");
        command.addFlag("--flag", flag, "A flag");
        line.program().checkValues(
            [](const std::string& given) { return given.empty() ? "it is empty" : ""; });
        for (const std::vector<const char*>& words :
             {std::vector<const char*>{"--name", ""}, {"go", "--value", ""}}) {
            const Parsed outcome = parsed(line, words);
            QVERIFY(outcome.ended == kRefused);
            QVERIFY2(QString::fromStdString(outcome.wrong.problem).contains("it is empty"),
                     outcome.wrong.problem.c_str());
        }
        QVERIFY(!parsed(line, {"--name", "n", "go", "", "--value", "v", "--flag"}).ended);
        QCOMPARE(name + value, std::string("nv"));
        QVERIFY(flag);
    }

    // A footer is of the program and of commands that are added after it.
    void versionAndFooter() {
        CommandLine line("A program.", "program");
        line.addVersion("1.2.3 (abc)");
        line.program().addCommand("before", "Before");
        line.setFooter("Words at the end.");
        line.program().addCommand("after", "After");
        const auto printed = [&line](const std::vector<const char*>& words) {
            const Captured out(std::cout);
            return parsed(line, words).ended == 0 ? out.text() : std::string("not answered");
        };
        QCOMPARE(printed({"--version"}), std::string("1.2.3 (abc)\n"));
        const auto hasFooter = [&](const std::vector<const char*>& words) {
            const std::string help = printed(words);
            return help.find("Words at the end.") != std::string::npos;
        };
        QVERIFY(hasFooter({"--help"}));
        QVERIFY(hasFooter({"after", "--help"}));
        QVERIFY(!hasFooter({"before", "--help"}));
        QVERIFY(printed({"before", "--help"}).find("Before") != std::string::npos);
    }

    // Where explanations begin is a column of the help.
    void helpColumn() {
        CommandLine line("A program.", "program");
        int number = 0;
        line.program().addOption("--number", number, "Explained");
        line.setHelpColumn(34);
        const Captured out(std::cout);
        QVERIFY(parsed(line, {"--help"}).ended == 0);
        const std::string help = out.text();
        const std::size_t at = help.find("Explained");
        QVERIFY(at != std::string::npos);
        QCOMPARE(at - (help.rfind('\n', at) + 1), std::size_t{34});
    }

    void problemsArePrintedWhereNobodyAsks() {
        CommandLine line("A program.", "program");
        const char* const words[] = {"program", "--colour"};
        const Captured out(std::cout);
        const Captured errors(std::cerr);
        const std::optional<int> ended = line.parse(2, words);
        QVERIFY(ended && *ended != 0);
        QVERIFY(QString::fromStdString(errors.text()).contains("--colour"));
        QCOMPARE(out.text(), std::string());
    }
};

COSPADI_TEST(TestCommandLine)

}  // namespace tst_commands

#include "tst_commands.moc"
