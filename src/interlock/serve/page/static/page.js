// What is nice to have: new questions appear by themselves, keys move through them, times stay true.
// Everything that answers is a form, and works without this.
"use strict";

(() => {
  const $ = (id) => document.getElementById(id);
  const main = $("main");

  // --- times -------------------------------------------------------------------------------------

  const STEPS = [[60, "s", 1], [3600, "min", 60], [86400, "h", 3600], [Infinity, "d", 86400]];

  function distance(seconds) {
    const far = Math.abs(seconds);
    if (far < 5) return "now";
    const [, unit, each] = STEPS.find(([most]) => far < most);
    const words = `${Math.floor(far / each)} ${unit}`;
    return seconds > 0 ? `${words} ago` : `in ${words}`;
  }

  function tellTimes() {
    for (const time of document.querySelectorAll("time[datetime]")) {
      const told = distance((Date.now() - Date.parse(time.dateTime)) / 1000);
      if (time.textContent !== told) time.textContent = told;
    }
  }

  setInterval(tellTimes, 5000);
  document.addEventListener("visibilitychange", tellTimes);
  tellTimes();

  // --- news --------------------------------------------------------------------------------------

  // What somebody waits for is shown at once. The rest may come by the hundred, and is shown now and then.
  const AT_ONCE = ["prompt", "answer", "redemption", "reminder"];
  const IN_A_WHILE = ["decision", "outcome", "grant", "revocation", "session", "posture"];
  const SOON = 120; // milliseconds: rows come in bursts
  const BETWEEN = [500, 4000]; // milliseconds between two looks, for the one and for the other
  const live = $("live");
  let asking = false;
  let again = false;
  let stale = false;
  let timer = 0;
  let due = 0;
  let last = 0;

  function news(kind) {
    const urgent = !IN_A_WHILE.includes(kind);
    if (!urgent && document.hidden) {
      stale = true;
      return;
    }
    const now = Date.now();
    const at = Math.max(now + SOON, last + BETWEEN[urgent ? 0 : 1]);
    if (timer && due <= at) return;
    clearTimeout(timer);
    due = at;
    timer = setTimeout(look, at - now);
  }

  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && stale) news("");
  });

  async function look() {
    timer = 0;
    if (asking) {
      again = true;
      return;
    }
    asking = true;
    stale = false;
    last = Date.now();
    try {
      const answer = await fetch(location.href, { headers: { accept: "text/html" } });
      if (answer.redirected && new URL(answer.url).pathname === "/sign-in") location.reload();
      else if (answer.ok) take(new DOMParser().parseFromString(await answer.text(), "text/html"));
    } catch {
      // the stream tells that the service is gone, and comes back by itself
    } finally {
      asking = false;
      if (again) {
        again = false;
        news("");
      }
    }
  }

  function take(fresh) {
    for (const part of main.querySelectorAll("[data-live]")) {
      const other = fresh.getElementById(part.id);
      if (other === null) continue;
      if (part.dataset.live === "keyed") merge(part, other);
      else if (!part.contains(document.activeElement) && !part.isEqualNode(other)) part.replaceWith(document.adoptNode(other));
    }
    const badge = $("badge");
    const now = fresh.getElementById("badge");
    if (now) badge.replaceWith(document.adoptNode(now));
    document.title = fresh.title;
    const icon = fresh.getElementById("icon");
    if (icon && $("icon").href !== icon.href) $("icon").href = icon.href;
    if (!main.querySelector(".answer") && current && !current.isConnected) current = null;
    tellTimes();
  }

  // What is there stays as it is, with what somebody is typing into it.
  function merge(part, other) {
    const there = new Map([...part.children].map((child) => [child.dataset.key, child]));
    const wanted = [...other.children];
    const names = new Set(wanted.map((child) => child.dataset.key));
    let arrived = 0;
    for (const [name, child] of there) {
      if (!names.has(name)) leave(child);
    }
    let at = part.firstElementChild;
    for (const child of wanted) {
      const old = there.get(child.dataset.key);
      if (old) {
        at = old.nextElementSibling;
      } else {
        const added = document.adoptNode(child);
        if (added.matches(".card")) {
          added.classList.add("new");
          arrived += 1;
        }
        part.insertBefore(added, at);
      }
    }
    if (arrived) say(arrived === 1 ? "A new call waits for an answer." : `${arrived} new calls wait for an answer.`);
  }

  function leave(child) {
    const next = child.nextElementSibling || child.previousElementSibling;
    const had = child.contains(document.activeElement) || child === current;
    if (child.matches(".card")) {
      const asked = $("confirm");
      if (asked.open && asked.dataset.about === child.dataset.key) asked.close("");
      say("A call was answered elsewhere, or ended.");
    }
    child.remove();
    if (had && next) choose(next);
    else if (had) main.focus();
  }

  function say(words) {
    $("said").textContent = words;
  }

  function listen() {
    const stream = new EventSource("/v1/events");
    live.hidden = false;
    const told = (words, lost) => {
      live.classList.toggle("lost", lost);
      live.querySelector(".words").textContent = words;
    };
    told("connecting", true);
    let before = false;
    stream.addEventListener("open", () => {
      told("live", false);
      if (before) news(""); // something may have happened meanwhile
      before = true;
    });
    stream.addEventListener("error", () => {
      told("not connected", true);
      if (stream.readyState === EventSource.CLOSED) {
        setTimeout(listen, 5000);
        news("");
      }
    });
    for (const kind of [...AT_ONCE, ...IN_A_WHILE]) stream.addEventListener(kind, () => news(kind));
    window.addEventListener("pagehide", () => stream.close(), { once: true });
  }

  if (main.querySelector("[data-live]")) listen();
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload();
  });

  // --- keys --------------------------------------------------------------------------------------

  let current = null;
  let gone = 0; // when `g` was pressed
  const GOES = { i: "/", a: "/activity", g: "/grants", p: "/policy", c: "/charts" };

  function items() {
    return [...main.querySelectorAll("[data-item]")];
  }

  function choose(item) {
    if (current) current.classList.remove("at");
    current = item;
    item.classList.add("at");
    if (!item.hasAttribute("tabindex")) item.tabIndex = -1;
    item.focus({ preventScroll: true });
    item.scrollIntoView({ block: "nearest" });
  }

  function move(by) {
    const every = items();
    if (!every.length) return;
    const at = current && current.isConnected ? every.indexOf(current) : by > 0 ? -1 : every.length;
    choose(every[Math.max(0, Math.min(every.length - 1, at + by))]);
  }

  function chosen() {
    if (current && current.isConnected) return current;
    const every = main.querySelectorAll(".card[data-item]");
    return every.length === 1 ? every[0] : null;
  }

  function second(say) {
    const card = chosen();
    const form = card && card.querySelector("form.answer");
    const button = form && form.querySelector(`button[value="${say}"]`);
    const asked = $("confirm");
    if (!button) return;
    choose(card);
    asked.dataset.about = card.dataset.key;
    $("confirm-title").textContent = `${button.textContent.trim()}?`;
    $("confirm-text").textContent = card.querySelector("h2").textContent;
    const shown = card.querySelector(".call");
    $("confirm-call").replaceChildren(...(shown ? [shown.cloneNode(true)] : []));
    const sure = $("confirm-yes");
    sure.textContent = button.textContent.trim();
    sure.className = button.className;
    asked.returnValue = "";
    asked.onclose = () => {
      if (asked.returnValue === "yes" && form.isConnected) form.requestSubmit(button);
      else choose(card);
    };
    asked.showModal();
    sure.focus();
  }

  const KEYS = {
    j: () => move(1),
    k: () => move(-1),
    a: () => second("approve once"),
    d: () => second("deny"),
    r: () => {
      const field = chosen() && chosen().querySelector("input[name=reason]");
      if (field) field.focus();
    },
    "?": () => $("help").showModal(),
    "/": () => {
      const field = $("f-text");
      if (field) field.focus();
      else location.href = "/activity";
    },
    g: () => {
      gone = Date.now();
    },
    Enter: (event) => {
      if (event.target !== current) return false;
      const link = current.querySelector("[data-opens]");
      if (link) link.click();
      return true;
    },
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (document.querySelector("dialog[open]")) return;
    const typing = event.target.closest("input, select, textarea");
    if (typing) {
      if (event.key === "Escape") (current || main).focus();
      return;
    }
    if (Date.now() - gone < 1200 && GOES[event.key]) {
      location.href = GOES[event.key];
      event.preventDefault();
      return;
    }
    const act = KEYS[event.key];
    if (act && act(event) !== false) event.preventDefault();
  });

  main.addEventListener("focusin", (event) => {
    const item = event.target.closest("[data-item]");
    if (item && item !== current) {
      if (current) current.classList.remove("at");
      current = item;
    }
  });

  const keys = $("keys");
  keys.hidden = false;
  keys.addEventListener("click", () => $("help").showModal());

  // An answer is sent once, however often the button is pressed.
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.matches(".answer")) return;
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = "yes";
    setTimeout(() => form.querySelectorAll("button").forEach((button) => { button.disabled = true; }), 0);
  });
})();
