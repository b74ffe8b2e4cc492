// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/render/pdfoutline.h"

#include <qpdf/Buffer.hh>
#include <qpdf/QPDF.hh>
#include <qpdf/QPDFPageDocumentHelper.hh>
#include <qpdf/QPDFWriter.hh>

#include <exception>
#include <memory>
#include <vector>

namespace palimpsest {
namespace {

struct Item {
    QPDFObjectHandle object;
    std::vector<std::size_t> children;
};

/// Links the children of one entry to each other and to it.
void link(std::vector<Item> &items, QPDFObjectHandle parent, const std::vector<std::size_t> &children)
{
    if (children.empty())
        return;
    parent.replaceKey("/First", items[children.front()].object);
    parent.replaceKey("/Last", items[children.back()].object);
    parent.replaceKey("/Count", QPDFObjectHandle::newInteger(static_cast<long long>(children.size())));
    for (std::size_t i = 0; i < children.size(); ++i) {
        QPDFObjectHandle &object = items[children[i]].object;
        object.replaceKey("/Parent", parent);
        if (i > 0)
            object.replaceKey("/Prev", items[children[i - 1]].object);
        if (i + 1 < children.size())
            object.replaceKey("/Next", items[children[i + 1]].object);
    }
}

} // namespace

Result<QByteArray> withOutline(const QByteArray &pdf, const QList<PdfBookmark> &bookmarks)
{
    try {
        QPDF document;
        document.processMemoryFile("transcript", pdf.constData(), static_cast<std::size_t>(pdf.size()));
        std::vector<QPDFPageObjectHelper> pages = QPDFPageDocumentHelper(document).getAllPages();
        std::vector<Item> items;
        std::vector<std::size_t> top;
        for (const PdfBookmark &bookmark : bookmarks) {
            if (bookmark.page < 0 || static_cast<std::size_t>(bookmark.page) >= pages.size())
                continue;
            QPDFObjectHandle page = pages[static_cast<std::size_t>(bookmark.page)].getObjectHandle();
            const double height = page.getKey("/MediaBox").getArrayItem(3).getNumericValue();
            QPDFObjectHandle target =
                QPDFObjectHandle::newArray({page, QPDFObjectHandle::newName("/XYZ"), QPDFObjectHandle::newNull(),
                    QPDFObjectHandle::newReal(height - bookmark.top, 1), QPDFObjectHandle::newNull()});
            QPDFObjectHandle object = document.makeIndirectObject(QPDFObjectHandle::newDictionary());
            object.replaceKey("/Title", QPDFObjectHandle::newUnicodeString(bookmark.title.toStdString()));
            object.replaceKey("/Dest", target);
            items.push_back({object, {}});
            if (bookmark.level > 0 && !top.empty())
                items[top.back()].children.push_back(items.size() - 1);
            else
                top.push_back(items.size() - 1);
        }
        QPDFObjectHandle outline = document.makeIndirectObject(QPDFObjectHandle::newDictionary());
        outline.replaceKey("/Type", QPDFObjectHandle::newName("/Outlines"));
        link(items, outline, top);
        for (const std::size_t place : top)
            link(items, items[place].object, items[place].children);
        document.getRoot().replaceKey("/Outlines", outline);
        document.getRoot().replaceKey("/PageMode", QPDFObjectHandle::newName("/UseOutlines"));
        QPDFWriter writer(document);
        writer.setOutputMemory();
        writer.setStaticID(true);
        writer.write();
        const std::shared_ptr<Buffer> out = writer.getBufferSharedPointer();
        return QByteArray(reinterpret_cast<const char *>(out->getBuffer()), static_cast<qsizetype>(out->getSize()));
    } catch (const std::exception &error) {
        return failure(Error::Code::Io, {}, std::string("the outline cannot be made: ") + error.what());
    }
}

} // namespace palimpsest
