// A folder of a test's own, gone with it: `class TestX : public QObject, OwnFolder`.
#pragma once

#include <QTemporaryDir>
#include <filesystem>
#include <string>

class OwnFolder {
  protected:
    std::filesystem::path place(const std::string& name) const {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }

    QTemporaryDir m_folder;
};
