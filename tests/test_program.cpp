// The main function of every program of tests: runs the test that the first argument names, with
// the arguments after it, or without one each of its tests in turn.
#include <QtTest>
#include <cstdio>
#include <map>
#ifdef COSPADI_TEST_WIDGETS
#include <QApplication>
#endif

#include "tests/registered_test.h"

namespace {

// Made when it is first asked for: tests register themselves before main() begins.
std::map<QString, RegisteredTest::Make>& registry() {
    static std::map<QString, RegisteredTest::Make> tests;
    return tests;
}

int run(const QString& name, RegisteredTest::Make make, QStringList arguments) {
    QCoreApplication::setApplicationName(name);
    arguments.prepend(name);
    return QTest::qExec(make().get(), arguments);
}

}  // namespace

RegisteredTest::RegisteredTest(const char* file, Make make) {
    registry().emplace(QFileInfo(QString::fromUtf8(file)).completeBaseName(), make);
}

int main(int argc, char** argv) {
#ifdef COSPADI_TEST_WIDGETS
    const QApplication application(argc, argv);
#else
    const QCoreApplication application(argc, argv);
#endif
    QStringList arguments = QCoreApplication::arguments().mid(1);
    if (arguments.isEmpty()) {
        int failed = 0;
        for (const auto& [name, make] : registry()) {
            failed += run(name, make, {});
        }
        return failed;
    }
    const auto found = registry().find(arguments.takeFirst());
    if (found == registry().end()) {
        std::fprintf(stderr, "No test of that name is in this program. It has:\n");
        for (const auto& [name, make] : registry()) {
            std::fprintf(stderr, "  %s\n", qPrintable(name));
        }
        return 2;
    }
    return run(found->first, found->second, arguments);
}
