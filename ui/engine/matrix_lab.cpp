#include "ui/engine/matrix_lab.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <nlohmann/json.hpp>
#include <utility>

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
    connect(engine, &EngineClient::replied, this, &MatrixLab::takeReply);
    connect(engine, &EngineClient::refused, this, &MatrixLab::takeRefusal);
    connect(engine, &EngineClient::eventReceived, this, &MatrixLab::takeEvent);
    connect(engine, &EngineClient::died, this, &MatrixLab::takeDeath);
    connect(engine, &EngineClient::ready, this, &MatrixLab::engineStarted);
}

void MatrixLab::requestPortrait(const RunSpecification& specification, const QString& layer) {
    m_portraitId = m_engine->request(QStringLiteral("portrait"),
                                     {{QStringLiteral("specification"), jsonOf(specification)},
                                      {QStringLiteral("layer"), layer}});
}

void MatrixLab::explore(const RunSpecification& specification, const QStringList& layers,
                        const QList<double>& rhos, const QList<double>& crs) {
    m_awaited = true;
    m_exploreId = m_engine->request(QStringLiteral("explore"),
                                    {{QStringLiteral("specification"), jsonOf(specification)},
                                     {QStringLiteral("layers"), QJsonArray::fromStringList(layers)},
                                     {QStringLiteral("rhos"), arrayOf(rhos)},
                                     {QStringLiteral("crs"), arrayOf(crs)}});
}

void MatrixLab::stopExploring() {
    if (isExploring()) {
        m_engine->request(QStringLiteral("stop_exploring"));
    }
}

void MatrixLab::calibrate(const RunSpecification& specification) {
    if (!isCalibrating()) {
        m_calibrateId =
            m_engine->request(QStringLiteral("calibrate"),
                              {{QStringLiteral("specification"), jsonOf(specification)}});
        emit calibrationStarted();
    }
}

void MatrixLab::takeReply(int id, const QJsonObject& result) {
    if (id == m_portraitId) {
        m_portraitId = 0;
        emit portraitReady(MatrixPortraitData::fromJson(result));
    } else if (id == m_exploreId) {
        m_awaited = false;
        m_trace.begin(result);
        m_redraw.start();
    } else if (id == m_calibrateId) {
        m_calibrateId = 0;
        emit calibrated();
    }
}

void MatrixLab::takeRefusal(int id, const EngineError& error) {
    if (id == m_portraitId) {
        m_portraitId = 0;
        emit portraitFailed(error);
    } else if (id == m_exploreId) {
        m_exploreId = 0;
        emit exploreFailed(error);
    } else if (id == m_calibrateId) {
        m_calibrateId = 0;
        emit calibrationFailed(error);
    }
}

void MatrixLab::takeEvent(const QJsonObject& event) {
    const QString kind = event.value(QStringLiteral("event")).toString();
    if (kind.startsWith(QLatin1String("explore_"))) {
        m_trace.apply(event);
        if (!m_trace.status().isEmpty() && !m_awaited) {  // else it is the end of the one before
            m_exploreId = 0;
        }
        if (!m_redraw.isActive()) {
            m_redraw.start();
        }
        if (m_trace.status() == QLatin1String("failed")) {
            emit exploreFailed({m_trace.message(), tr("explore"), {}});
        }
    } else if (isCalibrating() && kind == QLatin1String("progress") &&
               event.value(QStringLiteral("run")).toString() == QLatin1String("calibration")) {
        emit calibrationProgress(event.value(QStringLiteral("done")).toInt(),
                                 event.value(QStringLiteral("total")).toInt(),
                                 event.value(QStringLiteral("eta_seconds")).toDouble(-1));
    }
}

void MatrixLab::takeDeath(const EngineError& error) {
    if (std::exchange(m_portraitId, 0) != 0) {
        emit portraitFailed(error);
    }
    if (std::exchange(m_exploreId, 0) != 0) {
        emit exploreFailed(error);
    }
    if (std::exchange(m_calibrateId, 0) != 0) {
        emit calibrationFailed(error);
    }
}

}  // namespace cospadi::ui
