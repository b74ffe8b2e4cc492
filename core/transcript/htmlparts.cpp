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
:root { color-scheme: light dark; --ground: light-dark(#f7f4ee, #191a1c); --card: light-dark(#ffffff, #232427);
  --ink: light-dark(#22211f, #e9e6e1); --faint: light-dark(#66625b, #a39f98); --line: light-dark(#e2dcd1, #3a3b3f);
  --code: light-dark(#f3f1ec, #202023); --human: light-dark(#1f5fa8, #7db4f0); --ai: light-dark(#2f7a3e, #86cf93);
  --tool: light-dark(#8a5a00, #e0b060); --system: light-dark(#5d5d66, #b0b0ba); --summary: light-dark(#7a3d8f, #d0a0e0);
  --bad: light-dark(#b3261e, #ff8a80); --accent: light-dark(#7a3d8f, #d0a0e0); }
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 100rem; padding: 1.6rem 2rem 4rem; background: var(--ground); color: var(--ink);
  font: 15px/1.55 system-ui, -apple-system, "Segoe UI", sans-serif; }
h1 { font: 600 1.7rem/1.25 "Iowan Old Style", Charter, Georgia, serif; margin: 0 0 .8rem; text-wrap: balance; }
h2 { font-size: 1rem; margin: 1.4rem 0 .6rem; } header h2 { font-size: 1.25rem; margin: 0 0 .6rem; }
.subject { margin: 0 0 .2rem; color: var(--accent); font-weight: 600; letter-spacing: .02em; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1.2rem; margin: 0 0 1rem; font-size: .87rem; }
dt { color: var(--faint); } dd { margin: 0; overflow-wrap: anywhere; }
code { font: .92em ui-monospace, "DejaVu Sans Mono", monospace; }
.strip { display: flex; height: 18px; margin: .8rem 0 1rem; border-radius: 4px; overflow: hidden; background: var(--line); }
.strip a { flex: 1 1 0; min-width: 1px; background: var(--system); } .strip a.out { opacity: .35; }
.strip a:hover { filter: brightness(1.25); }
.strip .human { background: var(--human); } .strip .ai { background: var(--ai); } .strip .tool { background: var(--tool); }
.strip .summary { background: var(--summary); }
.strip i { flex: none; width: 3px; background: var(--ink); }
.controls { position: sticky; top: 0; z-index: 2; display: flex; gap: .5rem; align-items: center; padding: .5rem 0;
  background: var(--ground); border-bottom: 1px solid var(--line); }
.controls input, .controls button { font: inherit; font-size: .9rem; color: var(--ink); background: var(--card);
  border: 1px solid var(--line); border-radius: 6px; padding: .28rem .7rem; }
.controls input { flex: 1; max-width: 26rem; } .controls button:hover { border-color: var(--accent); }
.controls :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; } #hits { color: var(--faint); font-size: .9rem; }
.notes { margin: 1rem 0; padding-left: 1.2rem; max-width: 70rem; } .notes li { margin: .2rem 0; } .settings { margin: .7rem 0; }
main.columns { display: grid; grid-template-columns: minmax(0, 11fr) minmax(0, 9fr); gap: 1.6rem; align-items: start; }
main.columns > .effective { position: sticky; top: 3.2rem; max-height: calc(100vh - 3.6rem); overflow: auto;
  padding-right: .4rem; scrollbar-width: thin; }
article { background: var(--card); border: 1px solid var(--line); border-left: 3px solid var(--system); border-radius: 6px;
  padding: .55rem .9rem .6rem; margin: .55rem 0; content-visibility: auto; contain-intrinsic-size: auto 5rem; scroll-margin-top: 4rem; }
article:target { outline: 2px solid var(--accent); }
h3 { display: flex; flex-wrap: wrap; gap: 0 .8rem; align-items: baseline; font-size: .87rem; margin: 0 0 .25rem; color: var(--system); }
h3 small { font-weight: normal; font-size: .78rem; color: var(--faint); font-variant-numeric: tabular-nums; }
h3 a { color: inherit; text-decoration: none; } h3 a:hover { text-decoration: underline; }
h3 em { font-style: normal; border: 1px solid currentColor; border-radius: 99px; padding: 0 .5em; }
article.human { border-left-color: var(--human); } article.human h3 { color: var(--human); }
article.ai { border-left-color: var(--ai); } article.ai h3 { color: var(--ai); }
article.tool { border-left-color: var(--tool); } article.tool h3 { color: var(--tool); }
article.summary { border-left-color: var(--summary); } article.summary h3 { color: var(--summary); }
article.out, .result.out { background: transparent; color: var(--faint); border-left-style: dashed; }
.event { display: grid; grid-template-columns: 1fr auto 1fr; gap: 0 1rem; align-items: center; margin: 1.3rem 0; color: var(--summary); }
.event::before, .event::after { content: ""; border-top: 1px solid currentColor; grid-row: 1; } .event::after { grid-column: 3; }
.event p { margin: 0; grid-column: 2; grid-row: 1; text-align: center; font-weight: 600; font-size: .9rem; }
.event p code { display: block; font-weight: normal; font-size: .78rem; color: var(--faint); overflow-wrap: anywhere; }
.event details { grid-column: 1 / -1; grid-row: 2; color: var(--ink); margin-top: .3rem; } .event summary { text-align: center; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; } .text + .text { margin-top: .5rem; }
pre { background: var(--code); border-radius: 5px; padding: .5rem .7rem; margin: .4rem 0; white-space: pre-wrap;
  overflow-wrap: anywhere; font: 12.5px/1.5 ui-monospace, "DejaVu Sans Mono", monospace; color: var(--ink); }
blockquote { border-left: 3px solid var(--line); margin: .4rem 0; padding: 0 .9rem; color: var(--faint); white-space: pre-wrap; }
summary { cursor: pointer; color: var(--faint); font-size: .87rem; } summary:hover { color: var(--ink); }
.call > summary { font: 12.5px/1.6 ui-monospace, "DejaVu Sans Mono", monospace; color: var(--tool); overflow-wrap: anywhere; }
.call > summary span { color: var(--faint); } .call { margin-top: .3rem; }
.result { border-left: 2px solid var(--line); padding-left: .7rem; margin: .3rem 0 .2rem .3rem; }
.error, .result.error > pre { color: var(--bad); } .reference { color: var(--faint); overflow-wrap: anywhere; }
img { max-width: 100%; max-height: 32rem; height: auto; display: block; margin: .5rem 0; border-radius: 5px; }
.table > div { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; background: var(--card); }
table { border-collapse: collapse; width: 100%; font-size: .87rem; } th, td { text-align: left; vertical-align: top;
  padding: .3rem .7rem; border-bottom: 1px solid var(--line); max-width: 34rem; overflow-wrap: break-word; }
tbody tr:last-child td { border-bottom: 0; } tbody tr:hover { background: var(--code); }
th { font-weight: 600; color: var(--faint); white-space: nowrap; position: sticky; top: 0; background: var(--card); }
td.number { text-align: right; font-variant-numeric: tabular-nums; } td.id { font: 12px/1.7 ui-monospace, "DejaVu Sans Mono", monospace; color: var(--faint); max-width: 9rem; overflow: hidden;
  text-overflow: ellipsis; white-space: nowrap; } td.id:hover, td.id:focus-within { white-space: normal; overflow-wrap: anywhere; }
td.words { min-width: 20rem; } td.path { min-width: 12rem; overflow-wrap: anywhere; }
header ~ header { margin-top: 3rem; padding-top: 1.4rem; border-top: 3px double var(--line); }
.hidden { display: none; } mark { background: #ffe08a; color: #000; }
@media (max-width: 62rem) { body { padding: 1rem; } main.columns { grid-template-columns: 1fr; }
  main.columns > .effective { position: static; max-height: none; } }
@media print { :root { color-scheme: light; --ground: #fff; --card: #fff; } .controls, .strip { display: none; }
  body { max-width: none; padding: 0; font-size: 9.5pt; } h1 { font-size: 16pt; } main.columns { display: block; }
  main.columns > .effective { position: static; max-height: none; overflow: visible; break-before: page; }
  article { content-visibility: visible; break-inside: avoid-page; } article:has(pre, .long) { break-inside: auto; }
  h3, .event { break-after: avoid; } pre { font-size: 8pt; } td.id { white-space: normal; overflow-wrap: anywhere; max-width: none; } td.words { min-width: 0; } }
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
  const cards = [...document.querySelectorAll('article, .event, tbody tr')];
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
  addEventListener('keydown', e => { if (e.key === '/' && e.target !== $('search')) { e.preventDefault(); $('search').focus(); } });
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
