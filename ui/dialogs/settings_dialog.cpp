#include "ui/dialogs/settings_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QSpinBox>
#include <QThread>
#include <QToolButton>
#include <QVBoxLayout>

#include "core/base/thread_pool.h"
#include "core/store/locations.h"
#include "ui/base/font_units.h"
#include "ui/base/language.h"
#include "ui/base/theme.h"

namespace cospadi::ui {

namespace {

constexpr double kExample = 1234.5;

QString defaultRuns() { return QString::fromStdString((dataDirectory() / "runs").string()); }

QComboBox* makeChoice(const char* name, const QString& accessibleName, const QStringList& choices,
                      int chosen) {
    auto* box = new QComboBox;
    box->setObjectName(QString::fromLatin1(name));
    box->setAccessibleName(accessibleName);
    box->addItems(choices);
    box->setCurrentIndex(chosen);
    return box;
}

}  // namespace

SettingsDialog::SettingsDialog(const Preferences& preferences, QWidget* parent) : QDialog(parent) {
    setObjectName(QStringLiteral("settingsDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Settings"));
    auto* form = new QFormLayout;
    form->setSpacing(8);
    m_theme = makeChoice("settingsTheme", tr("Theme"),
                         {tr("Follow the desktop"), tr("Light"), tr("Dark")},
                         static_cast<int>(preferences.look));
    form->addRow(tr("&Theme"), m_theme);
    makeLanguage(preferences.language);
    form->addRow(tr("&Language"), m_language);
    QLocale plain = QLocale::c();
    plain.setNumberOptions(QLocale::OmitGroupSeparator);
    m_numbers = makeChoice("settingsNumbers", tr("Numbers"),
                           {tr("Follow the desktop: %1").arg(QLocale::system().toString(kExample)),
                            tr("Plain: %1").arg(plain.toString(kExample))},
                           preferences.plainNumbers ? 1 : 0);
    m_numbers->setToolTip(
        tr("How numbers look and are typed in this window. Files, exports and command lines always "
           "have a decimal point."));
    form->addRow(tr("&Numbers"), m_numbers);
    m_threads = new QSpinBox;
    m_threads->setObjectName(QStringLiteral("settingsThreads"));
    m_threads->setAccessibleName(tr("Threads of the engine"));
    m_threads->setRange(0, 1024);
    // Those of the program are as many as were chosen here before.
    const int cores =
        areThreadsGiven() ? ThreadPool::availableCores() : QThread::idealThreadCount();
    m_threads->setSpecialValueText(tr("all cores (%1)").arg(cores));
    m_threads->setValue(preferences.threads);
    m_threads->setToolTip(
        tr("How many processor threads a run may use. Fewer leave the machine usable for other "
           "work; results are the same bit for bit."));
    form->addRow(tr("Th&reads"), m_threads);

    m_runs = new QLineEdit(preferences.runsDirectory);
    m_runs->setObjectName(QStringLiteral("settingsRuns"));
    m_runs->setAccessibleName(tr("Runs folder"));
    m_runs->setPlaceholderText(defaultRuns());
    m_runs->setClearButtonEnabled(true);
    m_runs->setMinimumWidth(charactersWide(font(), 53));
    m_runs->setToolTip(
        tr("Every run is a subfolder; the index cospadi.sqlite is stored here, too. Existing runs "
           "are not moved."));
    auto* browse = new QToolButton;
    browse->setIcon(icon(QStringLiteral("open")));
    browse->setToolTip(tr("Choose the folder"));
    browse->setAccessibleName(tr("Choose the runs folder"));
    browse->setFocusPolicy(Qt::StrongFocus);
    connect(browse, &QToolButton::clicked, this, [this] {
        auto* chooser = new QFileDialog(this, tr("Runs folder"), m_runs->text());
        chooser->setAttribute(Qt::WA_DeleteOnClose);
        chooser->setFileMode(QFileDialog::Directory);
        connect(chooser, &QFileDialog::fileSelected, m_runs, &QLineEdit::setText);
        chooser->open();
    });
    m_runsRow = new QWidget;
    auto* row = new QHBoxLayout(m_runsRow);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(m_runs, 1);
    row->addWidget(browse);
    auto* runsLabel = new QLabel(tr("R&uns folder"));
    runsLabel->setBuddy(m_runs);
    form->addRow(runsLabel, m_runsRow);

    m_closing = makeChoice(
        "settingsClosing", tr("Closing the window during a run"),
        {tr("asks what to do"), tr("stops the run; it can be resumed"), tr("lets it continue")},
        static_cast<int>(preferences.closing));
    form->addRow(tr("&Closing during a run"), m_closing);
    m_notify = new QCheckBox(tr("&Desktop notification when the last run ends"));
    m_notify->setObjectName(QStringLiteral("settingsNotify"));
    m_notify->setChecked(preferences.notify);
    form->addRow(QString(), m_notify);

    m_problem = new QLabel;
    m_problem->setObjectName(QStringLiteral("muted"));
    m_problem->setWordWrap(true);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Apply |
                                         QDialogButtonBox::Cancel);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(18, 16, 18, 14);
    column->setSpacing(12);
    column->addLayout(form);
    column->addWidget(m_problem);
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, [this] {
        take();
        if (m_problem->property("refused").toBool()) {
            return;
        }
        close();
    });
    connect(buttons, &QDialogButtonBox::rejected, this, &QWidget::close);
    connect(buttons->button(QDialogButtonBox::Apply), &QPushButton::clicked, this,
            &SettingsDialog::take);
    setBusy(false);
}

void SettingsDialog::makeLanguage(const QString& chosen) {
    const QString desktops = languageOf({}, QLocale::system().uiLanguages());
    QStringList names{QString()};
    int row = 0;
    for (const Language& language : languages()) {
        const QString code = QLatin1String(language.code);
        row = code == chosen ? static_cast<int>(names.size()) : row;
        names << QString::fromUtf8(language.name);
        if (code == desktops) {
            names[0] = tr("Follow the desktop: %1").arg(names.last());
        }
    }
    m_language = makeChoice("settingsLanguage", tr("Language"), names, row);
    m_language->setToolTip(
        tr("The language of this window, from its next start on. Messages of the engine, and the "
           "words in files, exports and command lines, are English."));
}

void SettingsDialog::setBusy(bool busy) {
    m_threads->setEnabled(!busy && !areThreadsGiven());
    m_runsRow->setEnabled(!busy && !isRunsDirectoryGiven());
    QStringList why;
    if (busy) {
        why << tr(
            "Threads and the runs folder can be changed when no run, evaluation or calibration is "
            "in progress.");
    } else {
        if (areThreadsGiven()) {
            why << tr("The threads are set by $COSPADI_THREADS.");
        }
        if (isRunsDirectoryGiven()) {
            why << tr("The runs folder is set by --runs or $COSPADI_RUNS: %1")
                       .arg(QString::fromStdString(cospadi::runsDirectory().string()));
        }
    }
    m_problem->setText(why.join(QLatin1Char('\n')));
    m_problem->setVisible(!why.isEmpty());
}

Preferences SettingsDialog::preferences() const {
    Preferences p;
    p.look = static_cast<Preferences::Look>(m_theme->currentIndex());
    p.language =
        m_language->currentIndex() == 0
            ? QString()
            : QString::fromLatin1(
                  languages()[static_cast<std::size_t>(m_language->currentIndex()) - 1].code);
    p.plainNumbers = m_numbers->currentIndex() == 1;
    p.threads = m_threads->value();
    p.runsDirectory = m_runs->text().trimmed();
    p.closing = static_cast<Preferences::Closing>(m_closing->currentIndex());
    p.notify = m_notify->isChecked();
    return p;
}

void SettingsDialog::take() {
    Preferences p = preferences();
    if (!p.runsDirectory.isEmpty()) {
        p.runsDirectory = QDir(p.runsDirectory).absolutePath();
        const bool usable =
            QDir().mkpath(p.runsDirectory) && QFileInfo(p.runsDirectory).isWritable();
        m_problem->setProperty("refused", !usable);
        if (!usable) {
            m_problem->setText(tr("Nothing was changed: %1 is not writable. Choose a folder of "
                                  "yours, or leave the field empty.")
                                   .arg(p.runsDirectory));
            m_problem->show();
            return;
        }
    } else {
        m_problem->setProperty("refused", false);
    }
    emit applied(p);
}

}  // namespace cospadi::ui
