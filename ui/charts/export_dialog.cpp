#include "ui/charts/export_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPixmap>
#include <QPushButton>
#include <QSettings>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/base/font_units.h"
#include "ui/base/theme.h"

namespace cospadi::ui {

namespace {

constexpr double kPreviewCharacters = 63;
constexpr double kPreviewLines = 16;
constexpr int kFontRole = Qt::UserRole + 1;  // points, of a size that asks for them
constexpr double kAsOnScreen = 4;            // points: below what can be read, and so no size

}  // namespace

ExportDialog::ExportDialog(ExportSource source, QWidget* parent)
    : QDialog(parent), m_source(std::move(source)) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Export %1").arg(m_source.name));
    setObjectName(QStringLiteral("exportDialog"));
    m_preview = new QLabel;
    m_preview->setObjectName(QStringLiteral("exportPreview"));
    m_preview->setFixedSize(charactersWide(font(), kPreviewCharacters),
                            linesHigh(font(), kPreviewLines));
    m_preview->setAlignment(Qt::AlignCenter);
    m_preview->setAccessibleName(tr("Preview"));
    m_problem = new QLabel;
    m_problem->setWordWrap(true);
    m_problem->setObjectName(QStringLiteral("exportProblem"));
    m_problem->hide();
    auto* buttons = new QDialogButtonBox;
    m_save = buttons->addButton(tr("Save"), QDialogButtonBox::AcceptRole);
    m_save->setObjectName(QStringLiteral("exportSave"));
    m_save->setDefault(true);
    buttons->addButton(QDialogButtonBox::Cancel);
    auto* upper = new QHBoxLayout;
    upper->setSpacing(16);
    upper->addWidget(makeForm(), 1);
    upper->addWidget(m_preview, 0, Qt::AlignTop);
    auto* column = new QVBoxLayout(this);
    column->addLayout(upper);
    column->addWidget(m_problem);
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &ExportDialog::save);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    chooseSize();
    chooseFormat();
}

QWidget* ExportDialog::makeForm() {
    auto* page = new QWidget;
    auto* form = new QFormLayout(page);
    form->setContentsMargins(0, 0, 0, 0);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    m_format = new QComboBox;
    m_format->setObjectName(QStringLiteral("exportFormat"));
    m_format->addItem(tr("SVG: vectors, for papers and the web"),
                      static_cast<int>(ExportFormat::Svg));
    m_format->addItem(tr("PDF: vectors, for LaTeX"), static_cast<int>(ExportFormat::Pdf));
    m_format->addItem(tr("PNG: pixels, 288 dpi, for slides"), static_cast<int>(ExportFormat::Png));
    m_format->addItem(tr("CSV: the data behind it"), static_cast<int>(ExportFormat::Csv));
    if (m_source.tikz) {
        m_format->addItem(tr("pgfplots: coordinates, drawn by LaTeX"),
                          static_cast<int>(ExportFormat::Tikz));
    }
    m_size = new QComboBox;
    m_size->setObjectName(QStringLiteral("exportSize"));
    const auto add = [this](const QString& words, const QSizeF& millimetres, double fontPoints) {
        m_size->addItem(words, millimetres);
        m_size->setItemData(m_size->count() - 1, fontPoints, kFontRole);
    };
    add(tr("One column of a paper"), QSizeF(84, 60), 0);
    add(tr("Full width of a paper"), QSizeF(174, 90), 0);
    // The widths that the style files of these venues set, to whole millimetres.
    add(tr("NeurIPS, ICLR: text width, 8 pt"), QSizeF(140, 75), 8);
    add(tr("ICML: one column, 8 pt"), QSizeF(82, 58), 8);
    add(tr("ICML: both columns, 8 pt"), QSizeF(171, 75), 8);
    add(tr("ACL, EMNLP: one column, 8 pt"), QSizeF(77, 55), 8);
    add(tr("Slide"), QSizeF(254, 143), 0);
    add(tr("As on the screen"), millimetresOfPixels(m_source.screenSize), 0);
    add(tr("Other"), QSizeF(), 0);
    m_size->setCurrentIndex(1);
    const auto millimetres = [this](const char* name, const QString& words) {
        auto* spin = new QDoubleSpinBox;
        spin->setObjectName(QString::fromLatin1(name));
        spin->setAccessibleName(words);
        spin->setRange(20, 1000);
        spin->setDecimals(0);
        spin->setSuffix(tr(" mm"));
        connect(spin, &QDoubleSpinBox::valueChanged, this, [this] {
            const QSignalBlocker quiet(m_size);
            m_size->setCurrentIndex(m_size->count() - 1);
            showPreview();
        });
        return spin;
    };
    m_width = millimetres("exportWidth", tr("Width"));
    m_height = millimetres("exportHeight", tr("Height"));
    auto* sizes = new QHBoxLayout;
    sizes->addWidget(m_width, 1);
    sizes->addWidget(new QLabel(QStringLiteral("×")));
    sizes->addWidget(m_height, 1);
    m_words = new QDoubleSpinBox;
    m_words->setObjectName(QStringLiteral("exportFont"));
    m_words->setAccessibleName(tr("Text size"));
    m_words->setToolTip(tr("Text size on paper; lines scale with it"));
    m_words->setRange(kAsOnScreen, 24);
    m_words->setDecimals(1);
    m_words->setSuffix(tr(" pt"));
    m_words->setSpecialValueText(tr("as on the screen"));
    connect(m_words, &QDoubleSpinBox::valueChanged, this, &ExportDialog::showPreview);
    m_print = new QCheckBox(tr("for print: white, line styles as well as colours"));
    m_print->setToolTip(
        tr("Curves differ in their dashes as well as in colour-blind-safe colours,\n"
           "so that they can be told apart on a black-and-white print"));
    m_print->setChecked(true);
    m_path = new QLineEdit;
    m_path->setObjectName(QStringLiteral("exportPath"));
    m_path->setAccessibleName(tr("File"));
    const QSettings settings;
    const QString folder =
        settings.value(QStringLiteral("export/folder"), QDir::homePath()).toString();
    m_path->setText(QDir(folder).filePath(m_source.name + QStringLiteral(".svg")));
    auto* browseButton = new QPushButton(tr("Browse…"));
    browseButton->setAutoDefault(false);
    auto* file = new QHBoxLayout;
    file->addWidget(m_path, 1);
    file->addWidget(browseButton);
    connect(m_path, &QLineEdit::textChanged, this, [this] {
        m_problem->hide();
        m_save->setText(tr("Save"));
    });
    form->addRow(tr("Format"), m_format);
    form->addRow(tr("Size"), m_size);
    form->addRow(QString(), sizes);
    form->addRow(tr("Text"), m_words);
    form->addRow(tr("Look"), m_print);
    form->addRow(tr("File"), file);
    connect(m_format, &QComboBox::currentIndexChanged, this, &ExportDialog::chooseFormat);
    connect(m_size, &QComboBox::currentIndexChanged, this, &ExportDialog::chooseSize);
    connect(m_print, &QCheckBox::toggled, this, &ExportDialog::showPreview);
    connect(browseButton, &QPushButton::clicked, this, &ExportDialog::browse);
    return page;
}

void ExportDialog::chooseSize() {
    const QSizeF size = m_size->currentData().toSizeF();
    if (!size.isEmpty()) {
        const QSignalBlocker first(m_width);
        const QSignalBlocker second(m_height);
        m_width->setValue(size.width());
        m_height->setValue(size.height());
        const QSignalBlocker third(m_words);
        const double points = m_size->currentData(kFontRole).toDouble();
        m_words->setValue(points > 0 ? points : kAsOnScreen);
    }
    showPreview();
}

void ExportDialog::chooseFormat() {
    const QString suffix = suffixOf(options().format);
    const QFileInfo file(m_path->text());
    m_path->setText(
        QDir(file.path()).filePath(file.completeBaseName() + QLatin1Char('.') + suffix));
    const ExportFormat format = options().format;
    for (QWidget* field : std::initializer_list<QWidget*>{m_size, m_width, m_height}) {
        field->setEnabled(format != ExportFormat::Csv);
    }
    for (QWidget* field : std::initializer_list<QWidget*>{m_words, m_print}) {
        field->setEnabled(format != ExportFormat::Csv && format != ExportFormat::Tikz);
    }
    showPreview();
}

ExportOptions ExportDialog::options() const {
    ExportOptions options;
    options.format = static_cast<ExportFormat>(m_format->currentData().toInt());
    options.size = pixelsOfMillimetres(QSizeF(m_width->value(), m_height->value()));
    options.print = m_print->isChecked();
    options.fontPoints = m_words->value() > kAsOnScreen ? m_words->value() : 0;
    return options;
}

QString ExportDialog::path() const { return m_path->text().trimmed(); }

void ExportDialog::showPreview() {
    if (options().format == ExportFormat::Csv || options().format == ExportFormat::Tikz) {
        const QString text =
            options().format == ExportFormat::Csv ? m_source.csv() : m_source.tikz(options().size);
        const QStringList lines = text.left(4000).split(QLatin1Char('\n'));
        m_preview->setText(QStringLiteral("<pre style='font-size:small'>%1\n…</pre>")
                               .arg(lines.mid(0, 12).join(QLatin1Char('\n')).toHtmlEscaped()));
        return;
    }
    const QSize size = options().size;
    const double scale = std::min({(m_preview->width() - 4.0) / size.width(),
                                   (m_preview->height() - 4.0) / size.height(), 1.0});
    const double ratio = devicePixelRatioF();
    QPixmap picture((QSizeF(size) * scale * ratio).toSize());
    picture.setDevicePixelRatio(ratio);
    picture.fill(Qt::white);
    QPainter painter(&picture);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    painter.save();
    painter.scale(scale, scale);
    drawExport(m_source, options(), size, painter);
    painter.restore();
    painter.setPen(theme().line);
    painter.drawRect(QRectF(0, 0, size.width() * scale - 1, size.height() * scale - 1));
    painter.end();
    m_preview->setPixmap(picture);
}

void ExportDialog::browse() {
    auto* dialog = new QFileDialog(this, tr("Save as"), path());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->selectFile(path());
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& chosen) {
        m_path->setText(chosen);
        m_replaced = chosen;  // that dialog has asked already
    });
    dialog->open();
}

void ExportDialog::save() {
    if (path().isEmpty()) {
        m_path->setFocus();
        return;
    }
    if (QFileInfo::exists(path()) && m_replaced != path()) {
        m_replaced = path();
        m_problem->setText(tr("%1 already exists. Press again to replace it.")
                               .arg(QFileInfo(path()).fileName().toHtmlEscaped()));
        m_problem->show();
        m_save->setText(tr("Replace"));
        return;
    }
    const QString problem = writeExport(m_source, options(), path());
    if (!problem.isEmpty()) {
        m_problem->setText(
            QStringLiteral("<span style='color:%1'><b>%2</b></span> %3")
                .arg(theme().error.name(), tr("Nothing was saved:"), problem.toHtmlEscaped()));
        m_problem->show();
        emit failed(problem);
        return;
    }
    QSettings().setValue(QStringLiteral("export/folder"), QFileInfo(path()).absolutePath());
    emit exported(QFileInfo(path()).absoluteFilePath());
    accept();
}

}  // namespace cospadi::ui
