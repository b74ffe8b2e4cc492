// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/mechanismplaces.h"

#include <QDialog>

#include <functional>

namespace palimpsest {

class HelpBrowser;
class Theme;

/// A page of the help (resources/help), as it reads on the web as well. Where the page names a mechanism
/// (`<!-- place: event -->`), the places at which the open thread shows it are put in.
class HelpPage : public QDialog {
    Q_OBJECT
public:
    using PlaceFinder = std::function<std::vector<MechanismPlace>(QStringView mechanism)>;

    HelpPage(const Theme &theme, PlaceFinder places, QWidget *parent = nullptr);

    /// Shows ":/help/<name>"; false when there is no such page.
    bool showPage(const QString &name);
    /// Looks for the places again: another thread is open.
    void refresh();
    [[nodiscard]] QString text() const;

Q_SIGNALS:
    /// A place in the open thread was clicked.
    void placeWanted(const palimpsest::Place &place);

private:
    void follow(const QUrl &link);
    [[nodiscard]] QString withPlaces(const QString &markdown);

    PlaceFinder m_places;
    HelpBrowser *m_page;
    QString m_name;
    std::vector<Place> m_linked; ///< by the number in a link "place:3"
};

} // namespace palimpsest
