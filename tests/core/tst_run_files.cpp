// What is read of run directories, which may come from anywhere: text files, lines of events, and
// ids.
#include <sys/stat.h>

#include <QtTest>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "core/store/run_file.h"
#include "core/store/run_id.h"
#include "tests/core/message_of.h"
#include "tests/core/own_folder.h"
#include "tests/registered_test.h"

namespace tst_run_files {

using namespace cospadi;
namespace fs = std::filesystem;

class TestRunFiles : public QObject, OwnFolder {
    Q_OBJECT

  private slots:
    void initTestCase() { QVERIFY(m_folder.isValid()); }

    void textIsReadWhole() {
        std::string text("a\r\n\0b\xff", 6);
        text += std::string(300'000, 'x');  // more than is read at once
        std::ofstream(place("text"), std::ios::binary) << text;
        QVERIFY(readTextFile(place("text")) == text);
        std::ofstream(place("empty")).flush();
        QCOMPARE(readTextFile(place("empty")), std::string());
    }

    // A pipe that nobody writes into would be waited for.
    void whatIsNoFileIsNamed() {
        fs::create_directories(place("folder"));
        QCOMPARE(::mkfifo(place("pipe").c_str(), 0600), 0);
        for (const char* name : {"folder", "pipe"}) {
            const std::string message = messageOf([&] { readTextFile(place(name)); });
            QVERIFY2(message.starts_with(place(name).string() + ": ") &&
                         message.find("not a regular file") != std::string::npos,
                     message.c_str());
        }
        QCOMPARE(whereOf([&] { readTextFile(place("nowhere")); }), place("nowhere").string());
    }

    void linesThatAreNoEventsAreNone() {
        QCOMPARE(eventOfLine(R"({"event": "iteration", "t": 1})").at("event"),
                 nlohmann::json("iteration"));
        const std::string deep = std::string(100, '[') + std::string(100, ']');
        for (const std::string& line :
             {std::string(), std::string("[1]"), std::string("7"), std::string(R"({"event": )"),
              R"({"event": )" + deep + "}"}) {
            QVERIFY2(eventOfLine(line).is_null(), line.c_str());
        }
    }

    // They name folders: letters, digits, '.', '_' and '-', at most 200, the first no '.'.
    void idsNameFolders() {
        const std::string longest(200, 'a');
        for (const std::string& id : {std::string("a"), std::string("20261128-120000-svd-cr0.2"),
                                      std::string("_-9.Z"), longest}) {
            QVERIFY2(isRunId(id), id.c_str());
            QCOMPARE(whereOf([&] { requireRunId(id, "here"); }), std::string("no error"));
        }
        for (const std::string& id :
             {std::string(), std::string("."), std::string(".."), std::string(".hidden"),
              std::string("a/b"), std::string("/a"), std::string("a b"), std::string("a\n"),
              std::string("caf\xc3\xa9"), std::string("a\0b", 3), longest + "a"}) {
            QVERIFY2(!isRunId(id), id.c_str());
            QCOMPARE(whereOf([&] { requireRunId(id, "here"); }), std::string("here"));
        }
    }
};

COSPADI_TEST(TestRunFiles)

}  // namespace tst_run_files

#include "tst_run_files.moc"
