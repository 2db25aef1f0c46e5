#include "ui/engine/matrix_lab.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <nlohmann/json.hpp>

#include "core/store/run_specification.h"

namespace cospadi::ui {

namespace {

constexpr int kRedrawMilliseconds = 34;

QJsonArray arrayOf(const QList<double>& values) {
    QJsonArray array;
    for (const double value : values) {
        array.append(value);
    }
    return array;
}

}  // namespace

QJsonObject jsonOf(const RunSpecification& specification) {
    return QJsonDocument::fromJson(QByteArray::fromStdString(toJson(specification).dump()))
        .object();
}

MatrixLab::MatrixLab(EngineClient* engine, QObject* parent) : QObject(parent), m_engine(engine) {
    m_redraw.setSingleShot(true);
    m_redraw.setInterval(kRedrawMilliseconds);
    connect(&m_redraw, &QTimer::timeout, this, &MatrixLab::exploreChanged);
    connect(engine, &EngineClient::ready, this, &MatrixLab::engineStarted);
}

void MatrixLab::follow(QPointer<EngineReply>& latest, EngineReply* reply) {
    if (latest != nullptr) {
        latest->disconnect(this);
    }
    latest = reply;
}

void MatrixLab::requestPortrait(const RunSpecification& specification, const QString& layer) {
    follow(m_portrait, m_engine->request(QStringLiteral("portrait"),
                                         {{QStringLiteral("specification"), jsonOf(specification)},
                                          {QStringLiteral("layer"), layer}}));
    connect(m_portrait, &EngineReply::finished, this, [this](const QJsonObject& result) {
        emit portraitReady(MatrixPortraitData::fromJson(result));
    });
    connect(m_portrait, &EngineReply::failed, this, &MatrixLab::portraitFailed);
}

void MatrixLab::explore(const RunSpecification& specification, const QStringList& layers,
                        const QList<double>& rhos, const QList<double>& crs) {
    follow(m_exploration,
           m_engine->request(QStringLiteral("explore"),
                             {{QStringLiteral("specification"), jsonOf(specification)},
                              {QStringLiteral("layers"), QJsonArray::fromStringList(layers)},
                              {QStringLiteral("rhos"), arrayOf(rhos)},
                              {QStringLiteral("crs"), arrayOf(crs)}},
                             QStringLiteral("explore_finished")));
    connect(m_exploration, &EngineReply::begun, this, [this](const QJsonObject& result) {
        m_trace.begin(result);
        m_redraw.start();
    });
    connect(m_exploration, &EngineReply::progressed, this, &MatrixLab::takeExploreEvent);
    connect(m_exploration, &EngineReply::finished, this, &MatrixLab::takeExploreEnd);
    connect(m_exploration, &EngineReply::failed, this, &MatrixLab::exploreFailed);
}

void MatrixLab::takeExploreEvent(const QJsonObject& event) {
    m_trace.apply(event);
    if (!m_redraw.isActive()) {
        m_redraw.start();
    }
}

void MatrixLab::takeExploreEnd(const QJsonObject& event) {
    takeExploreEvent(event);
    if (m_trace.status() == QLatin1String("failed")) {
        emit exploreFailed({m_trace.message(), tr("explore"), {}});
    }
}

void MatrixLab::stopExploring() {
    if (isExploring()) {
        m_engine->request(QStringLiteral("stop_exploring"));
    }
}

void MatrixLab::calibrate(const RunSpecification& specification) {
    if (isCalibrating()) {
        return;
    }
    m_calibration = m_engine->request(QStringLiteral("calibrate"),
                                      {{QStringLiteral("specification"), jsonOf(specification)}});
    connect(m_calibration, &EngineReply::progressed, this, [this](const QJsonObject& event) {
        emit calibrationProgress(event.value(QStringLiteral("done")).toInt(),
                                 event.value(QStringLiteral("total")).toInt(),
                                 event.value(QStringLiteral("eta_seconds")).toDouble(-1));
    });
    connect(m_calibration, &EngineReply::finished, this, &MatrixLab::calibrated);
    connect(m_calibration, &EngineReply::failed, this, &MatrixLab::calibrationFailed);
    emit calibrationStarted();
}

}  // namespace cospadi::ui
