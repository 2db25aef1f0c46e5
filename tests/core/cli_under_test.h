// The command line in a place of its own: folders, environment, small models.
#pragma once

#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <nlohmann/json.hpp>

struct CliOutcome {
    int exitCode = -1;  // -1: killed
    QByteArray out;
    QString error;
    nlohmann::json object() const { return nlohmann::json::parse(out.toStdString()); }
};

class CliUnderTest {
  public:
    CliUnderTest() {
        environment.insert("XDG_DATA_HOME", place("data"));
        environment.insert("XDG_CACHE_HOME", place("cache"));
        environment.remove("COSPADI_DEFAULT_MODEL");
        useRuns("runs");
    }

    bool isValid() const { return m_folder.isValid(); }
    QString place(const QString& name) const { return m_folder.filePath(name); }

    // A folder of runs, made where it is missing; returns it.
    QString useRuns(const QString& name) {
        QDir().mkpath(place(name));
        environment.insert("COSPADI_RUNS", place(name));
        return place(name);
    }

    // The folder of runs that the program chooses where nothing names one.
    void useDefaultRuns() { environment.remove("COSPADI_RUNS"); }

    CliOutcome run(const QStringList& arguments, const QString& program = COSPADI_CLI,
                   const QByteArray& input = {}) const {
        QProcess process;
        process.setProcessEnvironment(environment);
        process.start(program, arguments);
        process.write(input);
        process.closeWriteChannel();
        process.waitForFinished(120000);
        return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
                process.readAllStandardOutput(), QString::fromUtf8(process.readAllStandardError())};
    }

    // A model of 14 layers that knows bytes: it can be calibrated and evaluated.
    QString model() const {
        const QString folder = place("model");
        if (!QFileInfo::exists(folder)) {
            QDir().mkpath(folder);
            for (const char* file : {"config.json", "model.safetensors"}) {
                QFile::copy(QString(COSPADI_TEST_DATA "/oracle/arch/a_llama_gqa/") + file,
                            folder + "/" + file);
            }
            QFile::copy(COSPADI_TEST_DATA "/fuzz/byte_level.json", folder + "/tokenizer.json");
        }
        return folder;
    }

    QString text() const {
        const QString path = place("text.txt");
        QFile file(path);
        if (!file.exists()) {
            if (!file.open(QIODevice::WriteOnly)) {
                qFatal("%s cannot be written", qPrintable(path));
            }
            file.write(QByteArray("some words to be read ").repeated(200));
        }
        return path;
    }

    QStringList compress(const QStringList& more = {}) const {
        return QStringList{"compress", model(), "--method", "cospadi-free", "--json"} + more;
    }

    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();

  private:
    QTemporaryDir m_folder;
};
