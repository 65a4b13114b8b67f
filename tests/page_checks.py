"""What a page must not have, asked of the browser that drew it: too little contrast, fields without a label, …"""

from __future__ import annotations

from playwright.sync_api import Page

__all__ = ["complaints"]

_ASKED = r"""
() => {
  const found = [];
  const say = (what, node) => found.push(`${what}: ${node.outerHTML.slice(0, 140)}`);
  const every = (selector) => [...document.querySelectorAll(selector)];
  const shown = (node) => node.checkVisibility({ opacityProperty: true, visibilityProperty: true });

  // --- labels and structure
  if (!document.documentElement.lang) say("no language", document.documentElement);
  if (every("h1").length !== 1) found.push(`${every("h1").length} main headings`);
  if (every("main").length !== 1) found.push("not one main");
  let level = 0;
  for (const head of every("h1, h2, h3, h4").filter((node) => !node.closest("dialog"))) {
    const now = Number(head.tagName[1]);
    if (now > level + 1) say(`a heading of level ${now} below one of level ${level}`, head);
    level = now;
  }
  const ids = every("[id]").map((node) => node.id);
  for (const id of new Set(ids)) {
    if (ids.filter((other) => other === id).length > 1) found.push(`id ${id} is there twice`);
  }
  for (const field of every("input:not([type=hidden]), select, textarea")) {
    if (shown(field) && !field.labels.length && !field.ariaLabel) say("no label", field);
  }
  const named = (node) => node.textContent.trim() || node.ariaLabel || node.title;
  for (const node of every("button, a, summary")) if (shown(node) && !named(node)) say("no name", node);
  for (const node of every("svg")) {
    const told = node.getAttribute("role") === "img" && node.ariaLabel;
    if (node.ariaHidden !== "true" && !told) say("a picture without words", node);
  }
  for (const node of every("th")) if (!node.scope) say("a head of no row or column", node);
  for (const node of every("[tabindex]")) if (node.tabIndex > 0) say("its own order of focus", node);
  for (const node of every("[aria-labelledby]")) {
    if (!document.getElementById(node.getAttribute("aria-labelledby"))) say("labelled by nothing", node);
  }
  for (const node of every("ul > *, ol > *")) if (node.tagName !== "LI") say("no item of a list", node);
  for (const node of every("button, .button, nav a, summary")) {
    const box = node.getBoundingClientRect();
    if (shown(node) && box.height < 20) say(`only ${box.height} high`, node);
  }

  // --- nothing inline: the policy of content forbids it
  for (const node of every("[style]:not([style='']), script:not([src]), style")) say("inline", node);
  for (const node of every("*")) {
    if (node.getAttributeNames().some((name) => name.startsWith("on"))) say("a handler", node);
  }

  // --- contrast
  const numbers = (text) => (text.match(/[\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => {
    const one = (v) => ((v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * one(r) + 0.7152 * one(g) + 0.0722 * one(b);
  };
  const behind = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const [r, g, b, a = 1] = numbers(getComputedStyle(at).backgroundColor);
      if (a > 0.98) return [r, g, b];
      if (a > 0.02) return null; // see-through: not judged
    }
    return [255, 255, 255];
  };
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const node = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || !shown(node)) continue;
    if (node.closest("dialog:not([open]), svg, .skip, option")) continue;
    const style = getComputedStyle(node);
    const ground = behind(node);
    if (!ground) { say("text on what is see-through", node); continue; }
    const [one, other] = [light(numbers(style.color)), light(ground)].sort((a, b) => b - a);
    const ratio = (one + 0.05) / (other + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 600);
    if (ratio < (large ? 3 : 4.5)) say(`contrast ${ratio.toFixed(2)}`, node);
  }

  // --- nothing reaches over the edge
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  if (wide > 0) {
    found.push(`${wide} pixels too wide`);
    const edge = document.documentElement.clientWidth + 1;
    const over = every("main *").find((node) => node.getBoundingClientRect().right > edge);
    if (over) say("reaches over", over);
  }
  return [...new Set(found)].slice(0, 20);
}
"""


def complaints(page: Page) -> list[str]:
    found: list[str] = page.evaluate(_ASKED)
    return found
