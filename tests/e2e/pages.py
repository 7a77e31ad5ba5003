#!/usr/bin/env python3
"""Opens pages in a real browser and holds that they are fit to be read there.

    pages.py BROWSER SCRATCH [--pictures] PAGE CHARTS TEXT... [-- PAGE CHARTS TEXT...]

Each at two widths, light and dark: nothing on the console, nothing asked of the network, nothing
wider than the window, every chart drawn with its texts inside it, apart and large enough, every cell
as large as its text, every text readable against what is behind it; and the texts are there.
"""

import os
import sys

from browser import Browser

PROBE = """(() => {
  const texts = [];
  const parse = c => { const n = c.match(/[\\d.]+/g).map(Number); return {rgb: n.slice(0, 3), a: n.length > 3 ? n[3] : 1}; };
  const channel = v => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
  const light = c => 0.2126 * channel(c[0]) + 0.7152 * channel(c[1]) + 0.0722 * channel(c[2]);
  const behind = e => {
    for (; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      if (c.a === 1) return c.rgb;
    }
    return [255, 255, 255];
  };
  const contrast = (a, b) => { const [x, y] = [light(a), light(b)]; return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05); };
  const bad = [];
  for (const e of document.querySelectorAll('body, body *')) {
    const own = [...e.childNodes].filter(n => n.nodeType === 3).map(n => n.data.trim()).join('');
    if (!own || e.closest('style')) continue;
    const style = getComputedStyle(e);
    const ink = parse(e.closest('svg') ? style.fill : style.color).rgb;
    const ratio = contrast(ink, behind(e.closest('svg') || e));
    if (ratio < 4.5) bad.push(`contrast ${ratio.toFixed(2)} of "${own.slice(0, 40)}"`);
    const box = e.getBoundingClientRect();
    if (box.height < 9) bad.push(`"${own.slice(0, 40)}" is ${box.height.toFixed(1)} high`);
  }
  let charts = 0;
  for (const svg of document.querySelectorAll('svg')) {
    const name = svg.getAttribute('aria-label');
    const frame = svg.getBoundingClientRect();
    if (!name) bad.push('a drawing without a name');
    if (frame.width < 50 || frame.height < 8) bad.push(`"${name}" is ${frame.width} x ${frame.height}`);
    if (svg.classList.contains('chart')) {
      ++charts;
      const drawn = [...svg.querySelectorAll('path')].some(p => p.getTotalLength() > 20);
      if (!drawn) bad.push(`"${name}" has no line`);
    }
    const boxes = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect()]);
    boxes.forEach(([text, box], i) => {
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
        bad.push(`"${text}" leaves "${name}"`);
      for (const [other, its] of boxes.slice(i + 1)) {
        if (box.left < its.right - 1 && its.left < box.right - 1 && box.top < its.bottom - 1 && its.top < box.bottom - 1)
          bad.push(`"${text}" lies on "${other}" in "${name}"`);
      }
    });
  }
  for (const cell of document.querySelectorAll('td, th')) {
    if (cell.scrollWidth > cell.clientWidth) bad.push(`"${cell.innerText.slice(0, 40)}" leaves its cell`);
  }
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) bad.push(`it is ${root.scrollWidth} wide in ${root.clientWidth}`);
  return {bad, charts, width: root.clientWidth, text: document.body.innerText, title: document.title, dark: light(behind(document.body)) < 0.2};
})()"""


# A page with one fault of each kind, and what is to be said of it.
BAD = """<!doctype html><body style="width: 2000px"><script>nowhere()</script>
<img src="http://127.0.0.1:9/x.png"><p style="color: #aaa">pale</p><p style="font-size: 5px">tiny</p>
<table><tr><td><div style="width: 1px; white-space: nowrap">long cell</div></table>
<svg class="chart" aria-label="a" viewBox="0 0 9 9" width="90" height="90"><path d="M0 0"/>
<text x="8" y="5">out</text><text x="8" y="5">twice</text></svg><svg width="9" height="1"></svg>"""
FAULTS = ["nowhere is not defined", "it asks for http://127.0.0.1:9/x.png", 'contrast 2.32 of "pale"',
          '"tiny" is', '"long cell" leaves its cell', '"a" has no line', '"out" leaves "a"',
          '"out" lies on "twice"', "a drawing without a name", "wide in 1280", "it is laid out 980 wide", "no title",
          "light or dark", "1 charts, not 2", "it does not say `hello`"]


def check(browser, page, charts, wanted, pictures):
    problems = []
    for width in (1280, 400):
        browser.look(width, 900, False)
        browser.open("file://" + os.path.abspath(page))
        for dark in (False, True):
            browser.look(width, 900, dark)
            seen = browser.value(PROBE)
            bad = seen["bad"] + browser.complaints()
            if seen["charts"] != charts:
                bad.append(f"{seen['charts']} charts, not {charts}")
            if seen["width"] != width:
                bad.append(f"it is laid out {seen['width']} wide")
            if not seen["title"]:
                bad.append("no title")
            if seen["dark"] != dark:
                bad.append("it does not follow the user's light or dark")
            spaced = " ".join(seen["text"].split())
            bad += [f"it does not say `{text}`" for text in wanted if text not in spaced]
            name = f"{width}{' dark' if dark else ''}"
            problems += [f"{os.path.basename(page)} at {name}: {each}" for each in bad]
            if pictures:
                browser.picture(f"{page}.{name.replace(' ', '-')}.png")
    return problems


def overlooked(browser, scratch):
    """The faults of the bad page that the checks do not find."""
    page = os.path.join(scratch, "bad.html")
    with open(page, "w", encoding="utf-8") as file:
        file.write(BAD)
    said = check(browser, page, 2, ["hello"], False)
    return [f"nobody says: {fault}" for fault in FAULTS if not any(fault in each for each in said)]


def main(arguments):
    browser, scratch, *rest = arguments
    pictures = rest[0] == "--pictures"
    pages = [[]]
    for word in rest[pictures:]:
        if word == "--":
            pages.append([])
        else:
            pages[-1].append(word)
    with Browser(browser, os.path.join(scratch, "browser")) as running:
        problems = overlooked(running, scratch)
        for page, charts, *wanted in pages:
            problems += check(running, page, int(charts), wanted, pictures)
    for problem in problems[:60]:
        print(problem, file=sys.stderr)
    print(f"{len(pages)} pages, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
