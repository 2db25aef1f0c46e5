#include "ui/pages/runs/ablation_bar.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSettings>
#include <QSignalBlocker>

#include "ui/base/quantity_words.h"
#include "ui/models/ablation_curves.h"

namespace cospadi::ui {

namespace {

const char* const kPlotSetting = "runs/plot";  // x, y, curve, facet, log x, log y

void setChosen(QComboBox* box, const std::string& name) {
    const QString key = QString::fromStdString(name);
    if (box->findData(key) < 0) {
        box->addItem(quantityWords(key), key);
    }
    box->setCurrentIndex(box->findData(key));
}

std::string chosenIn(const QComboBox* box) { return box->currentData().toString().toStdString(); }

}  // namespace

AblationBar::AblationBar(QWidget* parent) : QWidget(parent), m_row(new QHBoxLayout(this)) {
    m_row->setContentsMargins(0, 0, 0, 0);
    m_row->setSpacing(6);
    const auto box = [this](const QString& label, const char* name, const QString& help) {
        auto* words = new QLabel(label);
        words->setObjectName(QStringLiteral("muted"));
        auto* choices = new QComboBox;
        choices->setObjectName(QString::fromLatin1(name));
        choices->setAccessibleName(help);
        choices->setToolTip(help);
        choices->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        choices->setMinimumContentsLength(9);
        words->setBuddy(choices);
        m_row->addWidget(words);
        m_row->addWidget(choices, 1);
        connect(choices, &QComboBox::currentIndexChanged, this, &AblationBar::take);
        return choices;
    };
    const auto tick = [this](const QString& words, const char* name, const QString& help) {
        auto* check = new QCheckBox(words);
        check->setObjectName(QString::fromLatin1(name));
        check->setToolTip(help);
        m_row->addWidget(check);
        connect(check, &QCheckBox::toggled, this, &AblationBar::take);
        return check;
    };
    m_y = box(tr("y"), "comparisonMetric", tr("The value on the y axis"));
    m_logY = tick(tr("log"), "ablationLogY", tr("Logarithmic y axis"));
    m_x = box(tr("over"), "ablationX", tr("The x axis: a setting or a measured value"));
    m_logX = tick(tr("log"), "ablationLogX", tr("Logarithmic x axis"));
    m_curve = box(tr("a curve for each"), "ablationCurve",
                  tr("The setting shown by colour. Runs that differ otherwise are never joined: "
                     "they form separate curves with different dashes"));
    m_facet =
        box(tr("a plot for each"), "ablationFacet", tr("The setting with one plot per value"));
    m_logX->setAccessibleName(tr("Logarithmic x axis"));
    m_logY->setAccessibleName(tr("Logarithmic y axis"));
    setNames({});
    restore();
}

AblationChoice AblationBar::choice() const {
    return {{chosenIn(m_x), chosenIn(m_y), chosenIn(m_curve), chosenIn(m_facet)},
            {m_logX->isChecked(), m_logY->isChecked()}};
}

void AblationBar::choose(const AblationChoice& wanted) {
    if (wanted == choice()) {
        return;
    }
    {
        const QSignalBlocker quiet(this);
        setChosen(m_y, wanted.axes.y);
        setChosen(m_x, wanted.axes.x);
        setChosen(m_curve, wanted.axes.curve);
        setChosen(m_facet, wanted.axes.facet);
        m_logX->setChecked(wanted.logarithmic.x);
        m_logY->setChecked(wanted.logarithmic.y);
    }
    take();
}

void AblationBar::restore() {
    const QStringList kept = QSettings().value(QLatin1String(kPlotSetting)).toStringList();
    if (kept.size() == 6) {
        choose({{kept[0].toStdString(), kept[1].toStdString(), kept[2].toStdString(),
                 kept[3].toStdString()},
                {kept[4] == QLatin1String("log"), kept[5] == QLatin1String("log")}});
    }
}

void AblationBar::take() {
    m_isChosen = true;
    const AblationChoice now = choice();
    const auto word = [](bool on) { return on ? QStringLiteral("log") : QString(); };
    QSettings().setValue(
        QLatin1String(kPlotSetting),
        QStringList{QString::fromStdString(now.axes.x), QString::fromStdString(now.axes.y),
                    QString::fromStdString(now.axes.curve), QString::fromStdString(now.axes.facet),
                    word(now.logarithmic.x), word(now.logarithmic.y)});
    emit chosen();
}

void AblationBar::setNames(const AblationNames& names) {
    m_names = names;
    const AblationAxes before = m_x->count() > 0 ? choice().axes : AblationAxes();
    const AblationAxes wanted = m_isChosen ? before : names.first;
    const auto filled = [this](QComboBox* box, bool measured, bool settings,
                               const std::string& kept) {
        const QSignalBlocker quiet(box);
        fill(box, measured, settings);
        setChosen(box, kept);
    };
    filled(m_y, true, false, wanted.y);
    filled(m_x, true, true, wanted.x);
    filled(m_curve, false, true, wanted.curve);
    filled(m_facet, false, true, wanted.facet);
    if (!(wanted == before)) {
        emit chosen();
    }
}

// Settings in which runs differ come first: they are what an ablation is of.
void AblationBar::fill(QComboBox* box, bool measured, bool settings) {
    box->clear();
    const auto add = [box](const std::vector<std::string>& list) {
        if (box->count() > 0 && !list.empty()) {
            box->insertSeparator(box->count());
        }
        for (const std::string& name : list) {
            box->addItem(quantityWords(name), QString::fromStdString(name));
        }
    };
    if (!measured) {
        box->addItem(box == m_facet ? tr("– (one plot)") : tr("– (what differs)"), QString());
    }
    if (settings) {
        add(m_names.varied);
    }
    if (measured) {
        add(m_names.measured);
    }
    if (settings) {
        add(m_names.others);
    }
}

}  // namespace cospadi::ui
