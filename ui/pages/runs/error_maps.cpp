#include "ui/pages/runs/error_maps.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

#include "ui/base/theme.h"
#include "ui/charts/heat_map.h"
#include "ui/models/comparison_curves.h"
#include "ui/models/run_looks.h"
#include "ui/widgets/elided_label.h"

namespace cospadi::ui {

ErrorMaps::ErrorMaps(QWidget* parent) : QWidget(parent) {
    const auto make = [](const char* name, const QString& words) {
        auto* map = new HeatMap;
        map->setObjectName(QString::fromLatin1(name));
        map->setAccessibleName(words);
        return map;
    };
    m_first = make("errorMap", tr("Error by block and kind"));
    m_second = make("secondErrorMap", tr("Error of the second run by block and kind"));
    m_difference = make("errorDifferenceMap", tr("Difference between the errors"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    for (HeatMap* map : {m_first, m_second, m_difference}) {
        auto* title = new ElidedLabel;
        title->setObjectName(QStringLiteral("muted"));
        title->setAlignment(Qt::AlignHCenter);
        m_titles << title;
        auto* column = new QVBoxLayout;
        column->setSpacing(2);
        column->addWidget(title);
        column->addWidget(map, 1);
        row->addLayout(column, 1);
    }
}

QString ErrorMaps::setRuns(const std::vector<RunCurves>& runs) {
    const bool paired = runs.size() > 1;
    for (QWidget* widget :
         QList<QWidget*>{m_second, m_difference, m_titles[0], m_titles[1], m_titles[2]}) {
        widget->setVisible(paired);
    }
    if (!paired) {
        m_first->setData(errorMap(runs.front()));
        return tr("of %1").arg(nameOf(runs.front().run));
    }
    const ErrorMapPair pair = errorMaps(runs[0], runs[1]);
    const QStringList names = namesBeside({runs[0].run, runs[1].run});
    m_first->setData(pair.first);
    m_second->setData(pair.second);
    m_difference->setData(pair.difference);
    m_titles[0]->setText(names[0]);
    m_titles[1]->setText(names[1]);
    m_titles[2]->setText(tr("%1 − %2: purple where the first is larger").arg(names[1], names[0]));
    return runs.size() > 2 ? tr("the first two of the selected runs") : QString();
}

ExportSource ErrorMaps::exportSource() const {
    ExportSource first = m_first->exportSource(QStringLiteral("error-map"));
    if (m_second->isHidden()) {
        return first;
    }
    const QList<ExportSource> parts{first, m_second->exportSource(first.name),
                                    m_difference->exportSource(first.name)};
    QStringList titles;
    for (const QLabel* title : m_titles) {
        titles << title->text();
    }
    ExportSource source;
    source.name = QStringLiteral("error-maps");
    source.screenSize = size();
    source.draw = [parts, titles, words = exportFont(font())](QPainter& painter, const QSize& size,
                                                              bool print) {
        const int line = QFontMetrics(words).height() + 4;
        const QSize each(size.width() / 3, size.height() - line);
        painter.fillRect(QRect(QPoint(0, 0), size), print ? QColor(Qt::white) : theme().panel);
        for (int i = 0; i < 3; ++i) {
            painter.save();
            painter.translate(i * each.width(), 0);
            painter.setFont(words);
            painter.setPen(print ? QColor(Qt::black) : theme().muted);
            painter.drawText(QRect(0, 0, each.width(), line), Qt::AlignCenter, titles[i]);
            painter.translate(0, line);
            parts[i].draw(painter, each, print);
            painter.restore();
        }
    };
    source.csv = [parts, titles] {
        QString text;
        for (int i = 0; i < 3; ++i) {
            QStringList lines = parts[i].csv().split('\n', Qt::SkipEmptyParts);
            if (i == 0) {
                text += QStringLiteral("map,") + lines.first() + '\n';
            }
            for (const QString& line : lines.mid(1)) {
                text += csvCell(titles[i]) + ',' + line + '\n';
            }
        }
        return text;
    };
    return source;
}

}  // namespace cospadi::ui
