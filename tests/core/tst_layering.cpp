// The direction that ARCHITECTURE.md gives, checked on the sources: core ← gpu, core ← ui, app
// links all. Patterns write \x22 for the quote, at which moc 6.4 stumbles in a raw string. Each
// rule is also shown a line that breaks it, so that the test itself cannot rot.
#include <QDirIterator>
#include <QRegularExpression>
#include <QtTest>
#include "tests/registered_test.h"

namespace tst_layering {

class TestLayering : public QObject {
    Q_OBJECT

    static QStringList sourcesIn(const QString& folder) {
        QStringList files;
        QDirIterator walk(QString(COSPADI_SOURCE_DIR) + "/" + folder,
                          {"*.h", "*.cpp", "*.cu", "*.cuh", "*.in"}, QDir::Files,
                          QDirIterator::Subdirectories);
        while (walk.hasNext()) {
            files << walk.next();
        }
        return files;
    }

    // Lines of `text` that match, as "file:line: text".
    static QStringList offences(const QString& name, const QString& text, const QString& pattern) {
        const QRegularExpression forbidden(pattern);
        QStringList found;
        int number = 0;
        for (const QString& line : text.split('\n')) {
            ++number;
            if (forbidden.match(line).hasMatch()) {
                found << QString("%1:%2: %3").arg(name).arg(number).arg(line.trimmed());
            }
        }
        return found;
    }

  private slots:
    void sourcesKeepTheirDirection_data() {
        QTest::addColumn<QString>("folder");
        QTest::addColumn<QString>("forbidden");
        QTest::addColumn<QString>("example");
        const QString qt = R"(^\s*#\s*include\s*[<\x22](Q[A-Z]\w*|Qt\w+/.*|q[a-z]+\.h)[>\x22])";
        const QString cuda =
            R"(^\s*#\s*include\s*[<\x22](cuda|cublas|cusolver|cusparse|curand|nv|thrust|cub/))";
        QTest::newRow("core without Qt") << "core" << qt << "#include <QString>";
        QTest::newRow("core without Qt modules") << "core" << qt << "# include <QtCore/qstring.h>";
        QTest::newRow("core without CUDA") << "core" << cuda << "#include <cuda_runtime.h>";
        QTest::newRow("core without its clients") << "core"
                                                  << R"(#\s*include\s*\x22(ui|app|gpu)/)"
                                                  << "#include \"ui/base/theme.h\"";
        QTest::newRow("gpu without Qt") << "gpu" << qt << "#include <qobject.h>";
        QTest::newRow("gpu without its clients") << "gpu"
                                                 << R"(#\s*include\s*\x22(ui|app)/)"
                                                 << "#include \"app/cli/main.h\"";
        QTest::newRow("ui without SQL")
            << "ui"
            << R"(SQLiteCpp|sqlite3|QtSql|QSql|\x22\s*(SELECT|INSERT|UPDATE|DELETE|CREATE TABLE)\s)"
            << "auto rows = query(\"SELECT id FROM runs\");";
        QTest::newRow("ui without the program") << "ui"
                                                << R"(#\s*include\s*\x22(app|gpu)/)"
                                                << "#include \"app/workbench/main.h\"";
        QTest::newRow("ui without numerics") << "ui"
                                             << R"(#\s*include\s*[<\x22](Eigen/|cblas|lapacke))"
                                             << "#include <Eigen/Dense>";
        QTest::newRow("no using namespace in headers of core") << "core/*.h"
                                                               << R"(^\s*using namespace\b)"
                                                               << "using namespace std;";
    }

    void sourcesKeepTheirDirection() {
        QFETCH(QString, folder);
        QFETCH(QString, forbidden);
        QFETCH(QString, example);
        QCOMPARE(offences("example", example, forbidden).size(), 1);

        const bool headersOnly = folder.endsWith("/*.h");
        const QStringList files = sourcesIn(folder.section('/', 0, 0));
        if (files.isEmpty()) {
            QSKIP(qPrintable("there is no source in " + folder + " yet"));
        }
        QStringList found;
        for (const QString& name : files) {
            if (headersOnly && !name.endsWith(".h")) {
                continue;
            }
            QFile file(name);
            QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(name));
            found += offences(name, QString::fromUtf8(file.readAll()), forbidden);
        }
        QVERIFY2(found.isEmpty(), qPrintable("\n" + found.join('\n')));
    }

    // ARCHITECTURE.md: inside core a folder includes itself and earlier ones only.
    void coreFoldersStandInOrder() {
        const QStringList order = {
            "base",       "tensors",    "products",   "linalg",   "packed",      "tokenizer",
            "dictionary", "model",      "gradients",  "forms",    "calibration", "refine",
            "methods",    "evaluation", "allocation", "tasks",    "store",       "report",
            "exports",    "run",        "serving",    "lm_eval",  "records",     "sweep",
            "cluster",    "schedulers", "explore",    "patterns", "bundle",      "reproduce"};
        const QRegularExpression include("^#include \"core/(\\w+)/");
        QStringList found;
        for (const QString& name : sourcesIn("core")) {
            const QString folder = name.section("/core/", -1).section('/', 0, 0);
            QVERIFY2(order.contains(folder), qPrintable("new folder, give it a place: " + name));
            QFile file(name);
            QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(name));
            for (const QString& line : QString::fromUtf8(file.readAll()).split('\n')) {
                const auto match = include.match(line);
                if (match.hasMatch() && order.indexOf(match.captured(1)) > order.indexOf(folder)) {
                    found << name + ": " + line;
                }
            }
        }
        QVERIFY2(found.isEmpty(), qPrintable("\n" + found.join('\n')));
    }

    // And inside ui, where the window's own files come last; no page knows another.
    void uiFoldersStandInOrder() {
        const QStringList order = {"base",   "sources", "engine",  "cluster", "models",
                                   "charts", "widgets", "dialogs", "pages",   "window"};
        const QRegularExpression include("^#include \"ui/(?:(\\w+)/)?(?:(\\w+)/)?\\w+\\.h\"");
        const auto folderIn = [](const QString& name) {
            return name.isEmpty() ? QStringLiteral("window") : name;
        };
        QStringList found;
        int looked = 0;
        for (const QString& name : sourcesIn("ui")) {
            const QStringList way = name.section("/ui/", -1).split('/');
            const QString folder = folderIn(way.size() > 1 ? way[0] : QString());
            QVERIFY2(order.contains(folder), qPrintable("new folder, give it a place: " + name));
            QFile file(name);
            QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(name));
            for (const QString& line : QString::fromUtf8(file.readAll()).split('\n')) {
                const auto match = include.match(line);
                if (!match.hasMatch()) {
                    continue;
                }
                ++looked;
                const QString other = folderIn(match.captured(1));
                const bool anotherPage =
                    folder == "pages" && other == "pages" && match.captured(2) != way[1];
                if (order.indexOf(other) > order.indexOf(folder) || anotherPage) {
                    found << name + ": " + line;
                }
            }
        }
        QVERIFY(looked > 0);
        QVERIFY2(found.isEmpty(), qPrintable("\n" + found.join('\n')));
    }

    void cudaSourcesHaveNoEigen() {
        for (const QString& name : sourcesIn("gpu")) {
            if (name.endsWith(".cu") || name.endsWith(".cuh")) {
                QFile file(name);
                QVERIFY(file.open(QIODevice::ReadOnly));
                QCOMPARE(
                    offences(name, QString::fromUtf8(file.readAll()), R"(#\s*include\s*<Eigen)"),
                    QStringList());
            }
        }
    }
};

COSPADI_TEST(TestLayering)

}  // namespace tst_layering

#include "tst_layering.moc"
