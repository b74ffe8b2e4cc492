// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/transcript/htmlparts.h"

namespace palimpsest::html {

std::string escaped(std::string_view wtf8)
{
    std::string out;
    out.reserve(wtf8.size() + wtf8.size() / 16);
    std::size_t from = 0;
    for (std::size_t i = 0; i < wtf8.size(); ++i) {
        std::string_view with;
        std::size_t width = 1;
        const auto byte = static_cast<unsigned char>(wtf8[i]);
        if (byte == '&')
            with = "&amp;";
        else if (byte == '<')
            with = "&lt;";
        else if (byte == '>')
            with = "&gt;";
        else if (byte == '"')
            with = "&quot;";
        else if (byte == 0)
            with = "\xEF\xBF\xBD";
        else if (byte == 0xED && i + 2 < wtf8.size() && static_cast<unsigned char>(wtf8[i + 1]) >= 0xA0) {
            with = "\xEF\xBF\xBD";
            width = 3;
        }
        if (with.empty())
            continue;
        out.append(wtf8.substr(from, i - from)).append(with);
        i += width - 1;
        from = i + 1;
    }
    return out.append(wtf8.substr(from));
}

std::string_view style()
{
    return R"css(
:root { color-scheme: light dark; --ground: light-dark(#fbfaf7, #1d1d1f); --card: light-dark(#ffffff, #27272a);
  --ink: light-dark(#1f1f1f, #e8e6e3); --faint: light-dark(#5c5c5c, #a8a8a8); --line: light-dark(#d8d4cb, #45454a);
  --code: light-dark(#f3f1ec, #202023); --human: light-dark(#1f5fa8, #7db4f0); --ai: light-dark(#2f7a3e, #86cf93);
  --tool: light-dark(#8a5a00, #e0b060); --summary: light-dark(#7a3d8f, #d0a0e0); --bad: light-dark(#b3261e, #ff8a80); }
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; }
body { margin: 0 auto; max-width: 110rem; padding: 1rem; background: var(--ground); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.3rem; margin: 0 0 .2rem; } h2 { font-size: 1.1rem; } h3 { font-size: .95rem; margin: 0 0 .4rem; }
h3 small { font-weight: normal; color: var(--faint); margin-left: .8em; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: .6rem 0; }
dt { color: var(--faint); } dd { margin: 0; overflow-wrap: anywhere; }
.controls { position: sticky; top: 0; display: flex; gap: .5rem; align-items: center; padding: .4rem 0; }
.controls input { flex: 1; max-width: 24rem; font: inherit; padding: .2rem .5rem; }
.controls button { font: inherit; padding: .2rem .7rem; }
header .subject { margin: 0; font-weight: 600; }
main.columns { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 1rem; }
article, .event, .table { background: var(--card); border: 1px solid var(--line); border-left: 4px solid var(--line);
  border-radius: 4px; padding: .5rem .8rem; margin: .5rem 0; }
article.human { border-left-color: var(--human); } article.human h3 { color: var(--human); }
article.ai { border-left-color: var(--ai); } article.ai h3 { color: var(--ai); }
article.tool { border-left-color: var(--tool); } article.tool h3 { color: var(--tool); }
article.summary { border-left-color: var(--summary); } article.summary h3 { color: var(--summary); }
article.out, .result.out { opacity: .62; }
.event { border-style: dashed; text-align: center; color: var(--summary); } .event details { text-align: left; color: var(--ink); }
.text { white-space: pre-wrap; overflow-wrap: anywhere; }
pre { background: var(--code); border-radius: 4px; padding: .5rem; margin: .4rem 0; white-space: pre-wrap;
  overflow-wrap: anywhere; font: 13px/1.45 ui-monospace, monospace; }
blockquote { border-left: 3px solid var(--line); margin: .4rem 0; padding: 0 .8rem; color: var(--faint);
  white-space: pre-wrap; }
details > summary { cursor: pointer; } .call > summary, p.call { font: 13px ui-monospace, monospace; color: var(--tool); }
.error { color: var(--bad); } .reference { color: var(--faint); overflow-wrap: anywhere; }
img { max-width: 100%; height: auto; display: block; margin: .4rem 0; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top; padding: .2rem .5rem;
  border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
.hidden { display: none; } mark { background: #ffe08a; color: #000; }
@media print { .controls { display: none; } body { max-width: none; font-size: 10pt; } :root { color-scheme: light; }
  article, .event { break-inside: avoid-page; } article.out { opacity: 1; color: #555; } }
@media (max-width: 60rem) { main.columns { grid-template-columns: 1fr; } }
)css";
}

std::string_view controls()
{
    return R"html(<div class="controls" role="toolbar"><input id="search" type="search" placeholder="Search" aria-label="Search">
<span id="hits" aria-live="polite"></span><button id="unfold">Unfold all</button><button id="fold">Fold all</button>
<button id="theme">Light or dark</button></div>
)html";
}

std::string_view script()
{
    return R"js(
(() => {
  const $ = id => document.getElementById(id);
  const cards = [...document.querySelectorAll('article, .event, .table tr')];
  const search = () => {
    const wanted = $('search').value.toLowerCase();
    let hits = 0;
    for (const card of cards) {
      const hit = !wanted || card.textContent.toLowerCase().includes(wanted);
      card.classList.toggle('hidden', !hit);
      if (wanted && hit) { hits++; for (const d of card.querySelectorAll('details')) d.open = d.textContent.toLowerCase().includes(wanted); }
    }
    $('hits').textContent = wanted ? hits + ' found' : '';
  };
  let waiting;
  $('search').addEventListener('input', () => { clearTimeout(waiting); waiting = setTimeout(search, 150); });
  const all = open => { for (const d of document.querySelectorAll('details')) d.open = open; };
  $('unfold').addEventListener('click', () => all(true));
  $('fold').addEventListener('click', () => all(false));
  $('theme').addEventListener('click', () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset.theme = dark ? 'light' : 'dark';
  });
  addEventListener('beforeprint', () => all(true));
})();
)js";
}

} // namespace palimpsest::html
