// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/dialogs/helppage.h"

#include "views/theme.h"

#include <QDesktopServices>
#include <QDialogButtonBox>
#include <QFile>
#include <QImage>
#include <QRegularExpression>
#include <QTextBlock>
#include <QTextBrowser>
#include <QUrl>
#include <QVBoxLayout>

namespace palimpsest {

using namespace Qt::StringLiterals;

/// Pictures as wide as the page.
class HelpBrowser : public QTextBrowser {
public:
    using QTextBrowser::QTextBrowser;

protected:
    QVariant loadResource(int type, const QUrl &name) override
    {
        if (type != QTextDocument::ImageResource)
            return {};
        const QImage image(u":/help/"_s + name.path());
        const int room = viewport()->width() - 2 * static_cast<int>(document()->documentMargin()) - 8;
        if (image.isNull() || image.width() <= room || room <= 0)
            return image;
        return image.scaledToWidth(static_cast<int>(room * devicePixelRatioF()), Qt::SmoothTransformation);
    }
};

HelpPage::HelpPage(const Theme &theme, PlaceFinder places, QWidget *parent)
    : QDialog(parent)
    , m_places(std::move(places))
    , m_page(new HelpBrowser)
{
    setObjectName(u"helpPage"_s);
    setAttribute(Qt::WA_DeleteOnClose);
    m_page->setOpenLinks(false);
    m_page->setFrameShape(QFrame::NoFrame);
    m_page->document()->setDocumentMargin(20);
    m_page->document()->setDefaultStyleSheet(u"a { color: %1; }"_s.arg(theme.text(Ink::Accent).name()));
    connect(m_page, &QTextBrowser::anchorClicked, this, &HelpPage::follow);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 8);
    column->addWidget(m_page, 1);
    column->addWidget(buttons);
    resize(860, 760);
}

bool HelpPage::showPage(const QString &name)
{
    QFile file(u":/help/"_s + name);
    if (!file.open(QIODevice::ReadOnly))
        return false;
    m_name = name;
    m_page->setMarkdown(withPlaces(QString::fromUtf8(file.readAll())));
    setWindowTitle(m_page->document()->firstBlock().text());
    return true;
}

void HelpPage::refresh()
{
    if (!m_name.isEmpty())
        showPage(m_name);
}

QString HelpPage::text() const
{
    return m_page->toPlainText();
}

QString HelpPage::withPlaces(const QString &markdown)
{
    static const QRegularExpression mark(u"<!-- place: (\\w+) -->"_s);
    m_linked.clear();
    QString out;
    qsizetype from = 0;
    for (const QRegularExpressionMatch &match : mark.globalMatch(markdown)) {
        out += QStringView(markdown).mid(from, match.capturedStart() - from);
        from = match.capturedEnd();
        QStringList links;
        const std::vector<MechanismPlace> places = m_places(match.capturedView(1));
        for (const MechanismPlace &found : places) {
            QString label = found.text;
            for (const QChar special : u"\\[]*_`<"_s)
                label.replace(special, u'\\' + QString(special));
            links << u"[%1](place:%2)"_s.arg(label).arg(m_linked.size());
            m_linked.push_back(found.place);
        }
        out += links.isEmpty() ? tr("*Not seen at work in the thread that is open.*")
                               : tr("*In the thread that is open:* %1").arg(links.join(u" · "_s));
    }
    return out + markdown.sliced(from);
}

void HelpPage::follow(const QUrl &link)
{
    if (link.scheme() == "place"_L1) {
        const std::size_t at = link.path().toULongLong();
        if (at < m_linked.size())
            Q_EMIT placeWanted(m_linked[at]);
    } else if (link.isRelative() && !link.path().isEmpty()) {
        showPage(link.path());
    } else if (!link.isRelative()) {
        QDesktopServices::openUrl(link);
    }
}

} // namespace palimpsest
