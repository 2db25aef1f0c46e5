// The options and positionals of a command, from words to variables: what is read, what is refused
// and how that is told, and what the help says of them.
#include <QtTest>
#include <cmath>
#include <iostream>
#include <limits>

#include "app/command_line/number_text.h"
#include "tests/core/parsed_words.h"
#include "tests/registered_test.h"

namespace tst_command_arguments {

using namespace cospadi::cli;

class TestCommandArguments : public QObject {
    Q_OBJECT

    // One option of each kind and rule.
    struct Everything {
        std::string text = "as it was";
        std::filesystem::path path;
        int small = 8080;
        std::int64_t whole = 1;
        std::uint64_t natural = 1;
        double real = 0.5;
        std::optional<int> maybeSmall;
        std::optional<std::int64_t> maybeWhole;
        std::optional<double> maybeReal;
        std::vector<std::int32_t> ids;
        std::vector<double> ratios;
        std::vector<std::string> names, others, taken;
        std::string word, folder, only, chosen;
        int limit = 3;
        bool flag = false, second = false, called = false;
        CommandLine line{"A program.", "program"};

        Everything() {
            const Command program = line.program();
            program.addOption("TEXT", text, "A text").showDefault();
            program.addOption("--path", path, "A path");
            program.addOption("--small", small, "A small number")
                .inRange(0, 65535)
                .showDefault()
                .group("Numbers of all kinds");
            program.addOption("--whole", whole, "A whole number");
            program.addOption("--natural", natural, "No sign");
            program.addOption("--real", real, "A real number").inRange(0.25, 0.75);
            program.addOption("--maybe-small", maybeSmall, "Or none");
            program.addOption("--maybe-whole", maybeWhole, "Or none");
            program.addOption("--maybe-real", maybeReal, "Or none");
            program.addOption("--ids", ids, "Ids").delimiter(',');
            program.addOption("--ratios", ratios, "Ratios").delimiter(',').oneWordEach();
            const Argument named = program.addOption("--names", names, "Names").oneWordEach();
            program.addOption("--others", others, "Not with names").excludes(named);
            program
                .addOption(
                    "--taken",
                    [this](const std::vector<std::string>& words) {
                        taken = words;
                        if (words.front() == "nothing") {
                            throw WrongValue("--taken nothing", "is not a thing");
                        }
                    },
                    "Taken")
                .expected(1);
            program
                .addOption(
                    "--only", [this](const std::string& value) { only = value; },
                    "Beginning with a")
                .check([](const std::string& value) {
                    return value.starts_with('a') ? std::string() : value + " begins with no a";
                })
                .typeName("WORD")
                .showDefault("apple");
            program.addOption("--word", word, "A word").oneOf({"up", "down"});
            program.addOption("--folder", folder, "A folder").existingDirectory();
            program.addOption("--limit", limit, "A limit").notNegative();
            program.addFlag("--flag", flag, "A flag");
            const Argument other = program.addFlag("--second", second, "Another");
            program
                .addFlag(
                    "--call", [this] { called = true; }, "Calls")
                .excludes(other);
        }
    };

  private slots:
    void valuesOfEveryKind() {
        Everything given;
        const Parsed outcome = parsed(given.line, {"a text",
                                                   "--path",
                                                   "a/b",
                                                   "--small=65535",
                                                   "--whole",
                                                   "-9223372036854775808",
                                                   "--natural",
                                                   "18446744073709551615",
                                                   "--real",
                                                   "0.75",
                                                   "--maybe-small",
                                                   "-2",
                                                   "--maybe-whole",
                                                   "4294967296",
                                                   "--maybe-real",
                                                   "1e-3",
                                                   "--ids",
                                                   "5,6",
                                                   "7",
                                                   "--ratios",
                                                   "0.2,0.4",
                                                   "--ratios",
                                                   "0.5",
                                                   "--names",
                                                   "b,c",
                                                   "--names",
                                                   "d",
                                                   "--taken",
                                                   "x",
                                                   "--only",
                                                   "apricot",
                                                   "--word",
                                                   "down",
                                                   "--folder",
                                                   "/",
                                                   "--limit",
                                                   "0",
                                                   "--flag",
                                                   "--call"});
        QVERIFY2(!outcome.ended, outcome.wrong.problem.c_str());
        QCOMPARE(given.text, std::string("a text"));
        QCOMPARE(given.path.string(), std::string("a/b"));
        QCOMPARE(given.small, 65535);
        QCOMPARE(given.whole, std::numeric_limits<std::int64_t>::min());
        QCOMPARE(given.natural, std::numeric_limits<std::uint64_t>::max());
        QCOMPARE(given.real, 0.75);
        QVERIFY(given.maybeSmall == -2);
        QVERIFY(given.maybeWhole == 4294967296);
        QVERIFY(given.maybeReal == 1e-3);
        QVERIFY((given.ids == std::vector<std::int32_t>{5, 6, 7}));
        QVERIFY((given.ratios == std::vector<double>{0.2, 0.4, 0.5}));
        QVERIFY((given.names == std::vector<std::string>{"b,c", "d"}));  // no delimiter
        QVERIFY((given.taken == std::vector<std::string>{"x"}));
        QCOMPARE(given.only, std::string("apricot"));
        QCOMPARE(given.word, std::string("down"));
        QCOMPARE(given.folder, std::string("/"));
        QCOMPARE(given.limit, 0);
        QVERIFY(given.flag && given.called && !given.second);
    }

    void whatIsAbsentStays() {
        Everything none;
        QVERIFY(!parsed(none.line, {}).ended);
        QCOMPARE(none.text, std::string("as it was"));
        QCOMPARE(none.small, 8080);
        QCOMPARE(none.real, 0.5);
        QVERIFY(!none.maybeSmall && !none.maybeWhole && !none.maybeReal);
        QVERIFY(none.ids.empty() && none.names.empty() && none.taken.empty());
        QVERIFY(!none.flag && !none.called);
    }

    void whatIsRefused_data() {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<QStringList>("says");  // all of these
        const auto row = [](const char* name, const QStringList& words, const QStringList& says) {
            QTest::newRow(name) << words << says;
        };
        row("no number", {"--whole", "1.5"}, {"--whole", "1.5"});
        row("beyond an int", {"--maybe-small", "4294967296"}, {"--maybe-small", "4294967296"});
        row("above a range", {"--small", "65536"}, {"--small", "65536", "65535"});
        row("below a range", {"--small", "-1"}, {"--small", "-1"});
        row("below a range of reals", {"--real", "0.2"}, {"--real", "0.2", "0.25"});
        row("negative", {"--limit", "-1"}, {"--limit", "-1"});
        row("another word", {"--word", "left"}, {"--word", "left", "up", "down"});
        row("no folder", {"--folder", "/nowhere"}, {"--folder", "/nowhere"});
        row("a check", {"--only", "pear"}, {"--only", "pear begins with no a"});
        row("of the function", {"--taken", "nothing"}, {"--taken nothing: is not a thing"});
        row("one too many", {"--taken", "x", "--taken", "y"}, {"--taken"});
        row("not together", {"--names", "a", "--others", "b"}, {"--names", "--others"});
        row("flags not together", {"--second", "--call"}, {"--second", "--call"});
        row("a word that nothing takes", {"text", "more"}, {"more"});
        row("an option that there is not", {"--smal", "1"}, {"--smal"});
    }

    void whatIsRefused() {
        QFETCH(QStringList, words);
        QFETCH(QStringList, says);
        Everything given;
        std::vector<std::string> kept;
        std::vector<const char*> pointers;
        for (const QString& word : words) {
            kept.push_back(word.toStdString());
        }
        for (const std::string& word : kept) {
            pointers.push_back(word.c_str());
        }
        const Parsed outcome = parsed(given.line, pointers);
        QVERIFY(outcome.ended == kRefused);
        for (const QString& part : says) {
            QVERIFY2(QString::fromStdString(outcome.wrong.problem).contains(part),
                     outcome.wrong.problem.c_str());
        }
        QVERIFY(!outcome.wrong.commandMissing);
        QVERIFY(has(outcome.wrong.options, "--small") && !has(outcome.wrong.options, "TEXT"));
    }

    // One program twice: what was wrong once is not remembered.
    void requiredValues() {
        CommandLine line("A program.", "program");
        std::string model;
        const Argument required = line.program().addOption("MODEL", model, "A model").required();
        const Parsed without = parsed(line, {});
        QVERIFY(without.ended == kRefused);
        QVERIFY(QString::fromStdString(without.wrong.problem).contains("MODEL"));
        QVERIFY(!without.wrong.commandMissing);
        QCOMPARE(required.count(), std::size_t{0});
        QVERIFY(!parsed(line, {"m"}).ended);
        QCOMPARE(model, std::string("m"));
        QCOMPARE(required.count(), std::size_t{1});
    }

    // What a command takes, by the names that messages call it.
    void argumentsOfACommand() {
        CommandLine line("A program.", "program");
        std::string text;
        bool flag = false;
        const Command program = line.program();
        const std::size_t before = program.arguments().size();  // --help
        program.addOption("TEXT", text, "A text");
        program.addFlag("--flag", flag, "A flag");
        const std::vector<Argument> all = program.arguments();
        QCOMPARE(all.size(), before + 2);
        QCOMPARE(all[before].name(), std::string("TEXT"));
        QCOMPARE(all[before + 1].name(), std::string("--flag"));
        QVERIFY(!parsed(line, {"--flag"}).ended);
        QVERIFY(all[before].count() == 0 && all[before + 1].count() == 1);
    }

    // A list takes all words that follow it, unless it takes one at a time.
    void listsAndWordsThatFollow() {
        for (const bool each : {false, true}) {
            CommandLine line("A program.", "program");
            std::vector<std::string> list;
            std::string text;
            const Argument option = line.program().addOption("--list", list, "A list");
            line.program().addOption("TEXT", text, "A text");
            if (each) {
                option.oneWordEach();
            }
            QVERIFY(!parsed(line, {"--list", "a", "b"}).ended);
            QCOMPARE(list.size(), std::size_t{each ? 1U : 2U});
            QCOMPARE(text, std::string(each ? "b" : ""));
        }
    }

    void help() {
        Everything given;
        const Captured out(std::cout);
        QVERIFY(parsed(given.line, {"--help"}).ended == 0);
        const QString text = QString::fromStdString(out.text());
        for (const char* part :
             {"A program.", "TEXT", "as it was", "--small", "8080", "0 - 65535",
              "Numbers of all kinds", "0.25 - 0.75", "{up,down}", "WORD", "apple", "Another"}) {
            QVERIFY2(text.contains(part), part);
        }
        QVERIFY(!text.contains("0.5"));  // a default is shown where that is asked for
    }

    void numbersInWords() {
        struct Case {
            const char* text;
            std::optional<std::int64_t> whole;
            std::optional<double> real;
        };
        constexpr auto kInfinity = std::numeric_limits<double>::infinity();
        const Case cases[] = {{"0", 0, 0.0},
                              {"-7", -7, -7.0},
                              {"+7", 7, 7.0},
                              {"0x10", 16, 16.0},
                              {"010", 8, 10.0},
                              {"08", {}, 8.0},
                              {" 5", 5, 5.0},
                              {"9223372036854775807", 9223372036854775807, 0x1p63},
                              {"1e3", {}, 1000.0},
                              {"0.1", {}, 0.1},
                              {".5", {}, 0.5},
                              {"inf", {}, kInfinity},
                              {"-inf", {}, -kInfinity},
                              {"1e999", {}, kInfinity},
                              {"", {}, {}},
                              {"5 ", {}, {}},
                              {"5x", {}, {}},
                              {"true", {}, {}},
                              {"0,5", {}, {}}};
        for (const Case& c : cases) {
            QVERIFY2(wholeNumberIn(c.text) == c.whole, c.text);
            QVERIFY2(realNumberIn(c.text) == c.real, c.text);
            Everything given;  // an option reads the same
            if (*c.text != 0) {
                QCOMPARE(!parsed(given.line, {"--maybe-whole", c.text}).ended, c.whole.has_value());
                QVERIFY2(!c.whole || given.maybeWhole == c.whole, c.text);
                QCOMPARE(!parsed(given.line, {"--maybe-real", c.text}).ended, c.real.has_value());
                QVERIFY2(!c.real || given.maybeReal == c.real, c.text);
            }
        }
        QVERIFY(std::isnan(realNumberIn("nan").value()));
        QVERIFY(unsignedNumberIn("18446744073709551615") ==
                std::numeric_limits<std::uint64_t>::max());
        QVERIFY(unsignedNumberIn("-1") == std::numeric_limits<std::uint64_t>::max());
        QVERIFY(unsignedNumberIn("0x10") == 16U);
        QVERIFY(!unsignedNumberIn("") && !unsignedNumberIn("1.5") && !wholeNumberIn("nan"));
    }
};

COSPADI_TEST(TestCommandArguments)

}  // namespace tst_command_arguments

#include "tst_command_arguments.moc"
