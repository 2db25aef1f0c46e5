// SHA-256, and hashes of files that are remembered.
#include <sys/stat.h>

#include <QtTest>
#include <filesystem>
#include <fstream>

#include "core/base/resources.h"
#include "core/base/sha256.h"
#include "core/calibration/text_corpus.h"
#include "core/model/file_hash.h"
#include "own_folder.h"
#include "tests/registered_test.h"

namespace tst_file_hash {

using namespace cospadi;
namespace fs = std::filesystem;

class TestFileHash : public QObject, OwnFolder {
    Q_OBJECT

  private slots:
    void initTestCase() { QVERIFY(m_folder.isValid()); }

    // A file whose time was set back is another one all the same.
    void changedFilesAreHashedAgain() {
        const fs::path file = place("hashed.bin");
        std::ofstream(file, std::ios::binary) << "first";
        const auto time = fs::last_write_time(file);
        QCOMPARE(cachedSha256(file), sha256OfString("first"));
        const auto changed = [&] {
            struct stat status {};
            ::stat(file.c_str(), &status);
            return std::pair(status.st_ctim.tv_sec, status.st_ctim.tv_nsec);
        };
        const auto before = changed();
        do {  // the kernel's clock for this goes in steps of some milliseconds
            std::ofstream(file, std::ios::binary) << "other";
            fs::last_write_time(file, time);
        } while (changed() == before);
        QVERIFY(fs::last_write_time(file) == time);
        QCOMPARE(cachedSha256(file), sha256OfString("other"));
        // FIPS 180-4's own example, and the empty text.
        QCOMPARE(sha256OfString("abc"),
                 std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
        QCOMPARE(sha256OfString(""),
                 std::string("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
    }

    // As published: SOURCES.md has the hashes of those that the texts are.
    void textsThatShipAreThoseOfTheirSources() {
        const std::string sources = readWholeText(resourcePath("texts/SOURCES.md"));
        QVERIFY(textNames().size() > 3);
        for (const std::string& name : textNames()) {
            const fs::path text = namedText(name);
            const std::string line = sha256OfFile(text) + "  " + text.filename().string();
            QVERIFY2(sources.find(line) != std::string::npos, line.c_str());
        }
        QCOMPARE(namedText("a/text.txt"), fs::path("a/text.txt"));
    }
};

COSPADI_TEST(TestFileHash)

}  // namespace tst_file_hash

#include "tst_file_hash.moc"
