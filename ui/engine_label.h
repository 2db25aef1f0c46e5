// What the status bar says of the engine: its version and device as it greeted, the device's load
// while a run computes, that it is gone.
#pragma once

#include <QJsonObject>
#include <QLabel>
#include <QString>

namespace cospadi::ui {

class EngineClient;

class EngineLabel : public QLabel {
    Q_OBJECT

  public:
    explicit EngineLabel(EngineClient* engine, QWidget* parent = nullptr);

    void showAtRest();  // it was not started yet, or was stopped

  private:
    void takeEvent(const QJsonObject& event);
    void showDevice(const QJsonObject& event);

    QString m_words;  // of the engine itself; a device may add what it does
};

}  // namespace cospadi::ui
