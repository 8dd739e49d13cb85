// Runs in a page before its own scripts. What it tells is believed as little as the page itself.
(() => {
  "use strict";
  const none = () => undefined;
  const set = (on, name, value) => {
    try {
      Object.defineProperty(on, name, { value, writable: true, configurable: true });
    } catch {}
  };

  // Nothing opens, asks, prints, is sent or is left behind.
  set(window, "alert", none);
  set(window, "confirm", () => false);
  set(window, "prompt", () => null);
  set(window, "print", none);
  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "WebTransport", "SharedWorker"]) {
    try {
      delete window[name];
    } catch {}
  }
  try {
    Object.defineProperty(Navigator.prototype, "serviceWorker", { get: none });
  } catch {}
  set(Navigator.prototype, "sendBeacon", () => false);
  set(HTMLFormElement.prototype, "submit", none);
  set(HTMLFormElement.prototype, "requestSubmit", none);
  window.addEventListener("submit", (event) => event.preventDefault(), true);
  if (window.top !== window) {
    set(window, "open", () => null);
    return;
  }

  const leads = [];
  const lead = (address) => {
    try {
      const url = new URL(address, document.baseURI);
      if (/^https?:$/.test(url.protocol) && leads.length < 200) leads.push(url.href);
    } catch {}
  };
  set(window, "open", (address) => {
    if (address) lead(address);
    return null;
  });

  const realListen = EventTarget.prototype.addEventListener;

  // Timers: the short ones are waited for, and what repeating ones change is no state.
  const realTimeout = window.setTimeout.bind(window);
  const realInterval = window.setInterval.bind(window);
  const realClear = window.clearTimeout.bind(window);
  const SHORT = 1500;
  const DEEPEST = 4;
  const waiting = new Set();
  const volatile = new WeakSet();
  let depth = 0;
  let observer = null;

  const marking = (callback, self, rest) => {
    if (observer) observer.takeRecords();
    try {
      return typeof callback === "function" ? callback.apply(self, rest) : undefined;
    } finally {
      if (observer) for (const record of observer.takeRecords()) mark(record);
    }
  };
  // A clock, a counter, a rotating picture: little. More than that is a page at work.
  const mark = (record) => {
    const target = record.target;
    if (record.type === "characterData") volatile.add(target);
    else if (target !== document.body && target.childNodes.length <= 3 && target.textContent.length < 200) volatile.add(target);
  };
  set(window, "setTimeout", function (callback, delay, ...rest) {
    const level = depth + 1;
    const wait = Number(delay) || 0;
    const counted = wait <= SHORT && level <= DEEPEST;
    const id = realTimeout(() => {
      waiting.delete(id);
      const before = depth;
      depth = level;
      try {
        if (typeof callback !== "function") return void 0;
        if (level > DEEPEST) marking(callback, window, rest);
        else callback.apply(window, rest);
      } finally {
        depth = before;
      }
    }, wait);
    if (counted) waiting.add(id);
    return id;
  });
  set(window, "clearTimeout", (id) => {
    waiting.delete(id);
    realClear(id);
  });
  set(window, "setInterval", (callback, delay, ...rest) =>
    realInterval(() => {
      const before = depth;
      depth = DEEPEST;
      try {
        marking(callback, window, rest);
      } finally {
        depth = before;
      }
    }, delay),
  );

  // The tab has no window: it is laid out, and never drawn. What happens when a page is drawn happens by timers.
  const FRAME = 16;
  set(window, "requestAnimationFrame", (callback) => {
    const level = depth + 1;
    const id = realTimeout(() => {
      waiting.delete(id);
      const before = depth;
      depth = level;
      try {
        if (level > DEEPEST) marking(callback, window, [performance.now()]);
        else callback(performance.now());
      } finally {
        depth = before;
      }
    }, FRAME);
    if (level <= DEEPEST) waiting.add(id);
    return id;
  });
  set(window, "cancelAnimationFrame", (id) => {
    waiting.delete(id);
    realClear(id);
  });
  set(window, "requestIdleCallback", (callback) => window.setTimeout(() => callback({ didTimeout: false, timeRemaining: () => 10 }), 1));
  set(window, "cancelIdleCallback", (id) => window.clearTimeout(id));
  const watchers = new Set();
  class Intersections {
    #callback;
    #margin;
    #seen = new Map();
    constructor(callback, options = {}) {
      this.#callback = callback;
      this.#margin = parseFloat(options?.rootMargin) || 0;
      this.root = options?.root ?? null;
      this.rootMargin = options?.rootMargin ?? "0px";
      this.thresholds = [0];
    }
    observe(target) {
      this.#seen.set(target, undefined);
      watchers.add(this);
      realTimeout(() => this.look(), 0);
    }
    unobserve(target) {
      this.#seen.delete(target);
    }
    disconnect() {
      this.#seen.clear();
      watchers.delete(this);
    }
    takeRecords() {
      return [];
    }
    look() {
      const [top, bottom] = [-this.#margin, window.innerHeight + this.#margin];
      const changed = [];
      for (const [target, before] of this.#seen) {
        const box = target.getBoundingClientRect();
        const drawn = target.isConnected && (box.width > 0 || box.height > 0 || target.getClientRects().length > 0);
        const isIntersecting = drawn && box.bottom >= top && box.top <= bottom;
        if (isIntersecting === before) continue;
        this.#seen.set(target, isIntersecting);
        changed.push({ target, isIntersecting, intersectionRatio: isIntersecting ? 1 : 0, boundingClientRect: box, intersectionRect: box, rootBounds: null, time: performance.now() });
      }
      if (changed.length > 0) this.#callback.call(this, changed, this);
    }
  }
  class Sizes {
    #callback;
    constructor(callback) {
      this.#callback = callback;
    }
    observe(target) {
      realTimeout(() => {
        const contentRect = target.getBoundingClientRect();
        const size = [{ inlineSize: contentRect.width, blockSize: contentRect.height }];
        this.#callback.call(this, [{ target, contentRect, borderBoxSize: size, contentBoxSize: size }], this);
      }, 0);
    }
    unobserve() {}
    disconnect() {}
  }
  set(window, "IntersectionObserver", Intersections);
  set(window, "ResizeObserver", Sizes);
  const drawn = () => {
    for (const watcher of [...watchers]) {
      try {
        watcher.look();
      } catch {}
    }
  };

  // What is fetched is waited for too, from the call to the last byte. That a request was made is told to the
  // other side of the browser on another way, and may get there later than what is said here.
  let fetching = 0;
  const awaited = (promise) => {
    fetching++;
    const done = () => void fetching--;
    promise.then(done, done);
    return promise;
  };
  const realFetch = window.fetch;
  set(window, "fetch", function (...rest) {
    return awaited(realFetch.apply(this ?? window, rest));
  });
  for (const name of ["text", "json", "arrayBuffer", "blob", "formData"]) {
    const real = Response.prototype[name];
    set(Response.prototype, name, function (...rest) {
      return awaited(real.apply(this, rest));
    });
  }
  const realSend = XMLHttpRequest.prototype.send;
  set(XMLHttpRequest.prototype, "send", function (...rest) {
    fetching++;
    realListen.call(this, "loadend", () => void fetching--, { once: true });
    try {
      return realSend.apply(this, rest);
    } catch (error) {
      fetching--;
      throw error;
    }
  });

  // Who listens to what.
  const listening = { click: new Set(), dblclick: new Set(), hover: new Set(), scroll: new Set() };
  const sorts = {
    click: "click", mousedown: "click", mouseup: "click", pointerdown: "click", pointerup: "click",
    dblclick: "dblclick", mouseover: "hover", mouseenter: "hover", pointerover: "hover", pointerenter: "hover", scroll: "scroll",
  };
  const MOST = 400;
  set(EventTarget.prototype, "addEventListener", function (type, ...rest) {
    const sort = sorts[type];
    if (sort && this instanceof Element && this !== document.body && this !== document.documentElement) {
      if (listening[sort].size < MOST) listening[sort].add(this);
    }
    return realListen.call(this ?? window, type, ...rest);
  });

  realListen.call(window, "click", (event) => {
    const link = event.target instanceof Element && event.target.closest("a[href], area[href]");
    if (link && !event.defaultPrevented && leaves(link)) {
      event.preventDefault();
      lead(link.href);
    }
  });

  // What a page says, without what changes by itself.
  const SKIPPED = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "LINK", "META", "IFRAME", "OBJECT", "EMBED", "TIME", "INPUT", "TEXTAREA", "SELECT", "PROGRESS", "METER"]);
  const CHANGING = /(^|[-_\s])(ads?|adv|advert\w*|sponsor\w*|adsbygoogle|doubleclick|counter|clock|timestamp|countdown|ticker|visitors?|hits|viewcount)([-_\s]|$)/i;
  const MOMENTS =
    /\b\d{1,2}:\d{2}(:\d{2})?(\s*[ap]\.?m\.?)?|\b\d{4}-\d{2}-\d{2}(t[\d:.]+z?)?|\b\d+\s*(?:views?|visitors?|visits|hits|online|seconds?|minutes?|hours?|days?)\b(\s+ago)?/gi;
  const BUSTER = /([?&])(_|t|ts|cb|rand|nocache|timestamp)=\d+/g;
  const ADDRESSES = ["href", "src", "srcset", "data-src", "data-srcset", "poster", "alt"];
  const LETTER = /\p{L}/u;
  const DEEP = 256;
  const PARTS = 60000;

  const say = (node, parts, level) => {
    for (let child = node.firstChild; child && parts.length < PARTS; child = child.nextSibling) {
      if (volatile.has(child)) continue;
      if (child.nodeType === 3) {
        const text = child.data.replace(MOMENTS, "").replace(/\s+/g, " ").trim();
        if (LETTER.test(text)) parts.push(text);
      } else if (child.nodeType === 1) {
        const tag = child.tagName;
        if (SKIPPED.has(tag) || level > DEEP) continue;
        const named = (child.getAttribute("class") || "") + " " + (child.id || "");
        if (named.length > 1 && CHANGING.test(named)) continue;
        parts.push("<" + tag);
        for (const name of ADDRESSES) {
          const value = child.getAttribute(name);
          if (value) parts.push(name + "=" + value.replace(BUSTER, "$1"));
        }
        const style = child.getAttribute("style");
        if (style && style.includes("url(")) parts.push(style);
        if (child.shadowRoot) say(child.shadowRoot, parts, level + 1);
        say(child, parts, level + 1);
      }
    }
  };
  const hash = (text, seed) => {
    let a = 0xdeadbeef ^ seed, b = 0x41c6ce57 ^ seed;
    for (let i = 0; i < text.length; i++) {
      const c = text.charCodeAt(i);
      a = Math.imul(a ^ c, 2654435761);
      b = Math.imul(b ^ c, 1597334677);
    }
    a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
    b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
    return (b >>> 0).toString(16).padStart(8, "0") + (a >>> 0).toString(16).padStart(8, "0");
  };
  const look = () => {
    const parts = [];
    if (document.body) say(document.body, parts, 0);
    const text = parts.join("\n");
    return { hash: hash(text, 1) + hash(text, 2), address: location.href };
  };

  // What can be done on the page.
  const leaves = (link) => {
    const href = (link.getAttribute("href") || "").trim();
    return href !== "" && !href.startsWith("#") && !/^javascript:/i.test(href);
  };
  const SENDS = /^(submit|image|reset|file)$/i;
  const LIKELY =
    "button, summary, [role=button], [role=tab], [role=menuitem], [role=option], [role=switch], [aria-expanded], [aria-controls], " +
    "[data-toggle], [data-bs-toggle], a:not([href]), a[href^='#'], a[href^='javascript:'], [onclick], [ondblclick], [onmouseover], [onmouseenter]";
  const FORBIDDEN = /\b(log|sign)\s?-?(out|off)\b|\bdelete\b|\bremove\b|\bunsubscribe\b/i;
  const may = (element) => {
    if (!element.isConnected || element.disabled) return false;
    const link = element.closest("a[href], area[href]");
    if (link && leaves(link)) return false;
    if (/^(INPUT|SELECT|TEXTAREA|OPTION|FORM|HTML|BODY|VIDEO|AUDIO)$/.test(element.tagName)) return false;
    const form = element.closest("form");
    if (form && element.tagName === "BUTTON" && SENDS.test(element.type)) return false;
    return !FORBIDDEN.test((element.textContent || "").slice(0, 80));
  };
  const base = (element) =>
    element.tagName + "#" + element.id + "|" + (element.textContent || "").replace(/\d+/g, "").replace(/\s+/g, " ").trim().slice(0, 60) +
    "|" + (element.getAttribute("onclick") || element.getAttribute("data-to") || element.getAttribute("href") || "").slice(0, 80);

  const elements = new Map();
  const keys = new Map();
  const numbers = new WeakMap();
  let next = 0;
  const number = (element) => {
    let n = numbers.get(element);
    if (n === undefined) {
      n = next++;
      numbers.set(element, n);
      elements.set(n, element);
    }
    return n;
  };
  const list = () => {
    const found = new Map();
    const add = (element, kind) => {
      if (found.size < MOST && may(element)) {
        const kinds = found.get(element) || new Set();
        kinds.add(kind);
        found.set(element, kinds);
      }
    };
    for (const element of document.querySelectorAll(LIKELY)) {
      const hover = element.hasAttribute("onmouseover") || element.hasAttribute("onmouseenter");
      if (hover) add(element, "hover");
      if (element.hasAttribute("ondblclick")) add(element, "dblclick");
      if (!hover || element.hasAttribute("onclick")) if (!element.hasAttribute("ondblclick") || element.hasAttribute("onclick")) add(element, "click");
    }
    for (const kind of ["click", "dblclick", "hover"]) for (const element of listening[kind]) if (element.isConnected) add(element, kind);
    let looked = 0;
    for (const element of document.body ? document.body.querySelectorAll("div, span, li, img, td, p, h2, h3, h4") : []) {
      if (++looked > 1500 || found.size >= MOST) break;
      if (found.has(element) || element.childElementCount > 3) continue;
      if (getComputedStyle(element).cursor === "pointer") {
        const parent = element.parentElement;
        if (parent && getComputedStyle(parent).cursor !== "pointer") add(element, "click");
      }
    }
    const ordinals = new Map();
    const listed = [];
    for (const [element, kinds] of found) {
      const key = base(element);
      const ordinal = ordinals.get(key) || 0;
      ordinals.set(key, ordinal + 1);
      for (const kind of kinds) listed.push({ element: number(element), kind, key: kind + " " + key + " " + ordinal });
      keys.set(number(element), key + " " + ordinal);
    }
    return listed;
  };
  const named = (selector) => {
    try {
      const element = document.querySelector(selector);
      return element && may(element) ? number(element) : null;
    } catch {
      return null;
    }
  };

  const fire = (element, type, maker, more) =>
    element.dispatchEvent(new maker(type, { bubbles: !/enter$|leave$/.test(type), cancelable: true, composed: true, view: window, ...more }));
  const act = (n, kind) => {
    let element = elements.get(n);
    if (element && !element.isConnected) {
      // Made anew in the same place, as frameworks do.
      const again = list().find((one) => one.kind === kind && one.key === kind + " " + keys.get(n));
      element = again && elements.get(again.element);
    }
    if (!element || !element.isConnected) return;
    const box = element.getBoundingClientRect();
    const at = { clientX: box.x + box.width / 2, clientY: box.y + box.height / 2, pointerType: "mouse", button: 0 };
    if (kind === "hover") {
      for (const type of ["pointerover", "pointerenter"]) fire(element, type, PointerEvent, at);
      for (const type of ["mouseover", "mouseenter", "mousemove"]) fire(element, type, MouseEvent, at);
      return;
    }
    const times = kind === "dblclick" ? 2 : 1;
    for (let i = 0; i < times; i++) {
      fire(element, "pointerdown", PointerEvent, at);
      fire(element, "mousedown", MouseEvent, at);
      fire(element, "pointerup", PointerEvent, at);
      fire(element, "mouseup", MouseEvent, at);
      if (typeof element.click === "function") element.click();
      else fire(element, "click", MouseEvent, at);
    }
    if (kind === "dblclick") fire(element, "dblclick", MouseEvent, at);
  };
  const leave = (n) => {
    const element = elements.get(n);
    if (!element || !element.isConnected) return;
    for (const type of ["pointerout", "pointerleave"]) fire(element, type, PointerEvent, {});
    for (const type of ["mouseout", "mouseleave"]) fire(element, type, MouseEvent, {});
  };
  const scroll = () => {
    window.scrollTo(0, document.documentElement.scrollHeight);
    document.dispatchEvent(new Event("scroll", { bubbles: true }));
    let done = 0;
    for (const element of listening.scroll) {
      if (element.isConnected && element.scrollHeight > element.clientHeight && done++ < 3) {
        element.scrollTop = element.scrollHeight;
        element.dispatchEvent(new Event("scroll"));
      }
    }
    drawn();
  };

  const frame = () =>
    new Promise((done) =>
      realTimeout(() => {
        drawn();
        realTimeout(done, 0);
      }, FRAME),
    );
  // Until nothing short is waited for any more, within limits.
  const quiet = async (most) => {
    const end = performance.now() + most;
    await frame();
    while ((waiting.size > 0 || fetching > 0 || document.readyState !== "complete") && performance.now() < end) {
      await new Promise((done) => realTimeout(done, 10));
    }
    await frame();
    // What came of the last answer may ask for more.
    if (fetching > 0 && performance.now() < end) await quiet(end - performance.now());
  };
  const told = (more) => JSON.stringify({ ...look(), ...more });

  // The whole document at first, later what it did not have before: elements are told apart by what they say.
  const shown = new Set();
  let first = true;
  let says = false;
  const mix = (a, text) => {
    let b = a ^ 0x41c6ce57;
    for (let i = 0; i < text.length; i++) {
      const c = text.charCodeAt(i);
      a = Math.imul(a ^ c, 2654435761);
      b = Math.imul(b ^ c, 1597334677);
    }
    return (a ^ (a >>> 15)) * 4294967296 + ((b ^ (b >>> 13)) >>> 0);
  };
  const weigh = (element, weights, level) => {
    if (SKIPPED.has(element.tagName) || volatile.has(element) || level > DEEP) return null;
    const own = [element.tagName];
    for (const name of ADDRESSES) {
      const value = element.getAttribute(name);
      if (value) own.push(value.replace(BUSTER, "$1"));
    }
    let has = false;
    for (const root of element.shadowRoot ? [element, element.shadowRoot] : [element]) {
      for (let child = root.firstChild; child; child = child.nextSibling) {
        if (child.nodeType === 3) own.push(child.data.replace(MOMENTS, "").replace(/\s+/g, " ").trim());
        else if (child.nodeType === 1 && weights.size < PARTS) {
          const weight = weigh(child, weights, level + 1);
          if (weight) {
            own.push(weight.key);
            has = has || weight.has || weight.known;
          }
        }
      }
    }
    const key = String(mix(0xdeadbeef, own.join("\n")));
    const weight = { key, has, known: shown.has(key) };
    weights.set(element, weight);
    return weight;
  };
  const SHOWS = "[href], [src], [srcset], [data-src], [poster], [style*='url(']";
  // Whether it has a text or an address that was not there before.
  const brings = (node, level) => {
    if (node.nodeType === 3) return LETTER.test(node.data) && !shown.has("t" + mix(1, node.data.trim()));
    if (node.nodeType !== 1 || SKIPPED.has(node.tagName) || volatile.has(node) || level > DEEP) return false;
    if (node.matches(SHOWS) && ADDRESSES.some((name) => node.hasAttribute(name) && !shown.has("a" + node.getAttribute(name)))) return true;
    for (let child = node.firstChild; child; child = child.nextSibling) if (brings(child, level + 1)) return true;
    return false;
  };
  const fresh = (element, weights, out) => {
    const weight = weights.get(element);
    if (!weight || weight.known) return;
    if (!weight.has && !element.shadowRoot) {
      if (!brings(element, 0)) return;
      out.push(element.outerHTML);
      says = true;
      return;
    }
    const parts = [];
    for (const root of element.shadowRoot ? [element, element.shadowRoot] : [element]) {
      for (let child = root.firstChild; child; child = child.nextSibling) {
        if (child.nodeType === 3 && LETTER.test(child.data)) {
          const key = "t" + mix(1, child.data.trim());
          if (shown.has(key)) continue;
          parts.push(child.data.replace(/[&<]/g, (c) => (c === "&" ? "&amp;" : "&lt;")));
          says = true;
        } else if (child.nodeType === 1) fresh(child, weights, parts);
      }
    }
    if (parts.length > 0) out.push("<div>" + parts.join(" ") + "</div>");
  };
  const remember = (weights) => {
    for (const [element, weight] of weights) {
      shown.add(weight.key);
      for (const name of ADDRESSES) if (element.hasAttribute(name)) shown.add("a" + element.getAttribute(name));
      for (let child = element.firstChild; child; child = child.nextSibling) {
        if (child.nodeType === 3 && LETTER.test(child.data)) shown.add("t" + mix(1, child.data.trim()));
      }
    }
  };
  const html = (most) => {
    const weights = new Map();
    if (document.body) weigh(document.body, weights, 0);
    let text;
    if (first) {
      text = "<!DOCTYPE html>" + document.documentElement.outerHTML;
      let shadows = "";
      for (const element of document.querySelectorAll("*")) {
        if (element.shadowRoot && shadows.length < most) shadows += "<div>" + element.shadowRoot.innerHTML + "</div>";
      }
      if (shadows) text = text.replace(/<\/body>/i, () => shadows + "</body>");
      first = false;
    } else {
      const out = [];
      says = false;
      if (document.body) fresh(document.body, weights, out);
      // What says nothing new is no state of its own, however it is arranged.
      text = says ? out.join("\n") : "";
    }
    remember(weights);
    return text.slice(0, most);
  };

  Object.defineProperty(window, "%NAME%", {
    configurable: true,
    value: Object.freeze({
      settle: async (most) => {
        if (!observer) {
          observer = new MutationObserver(none);
          observer.observe(document, { subtree: true, childList: true, characterData: true });
        }
        await quiet(most);
        return told({ scrolls: document.documentElement.scrollHeight > window.innerHeight + 4 || listening.scroll.size > 0 });
      },
      act: async (n, kind, most) => {
        act(n, kind);
        await quiet(most);
        return told({});
      },
      leave: (n) => leave(n),
      scroll: async (most) => {
        scroll();
        await quiet(most);
        return told({});
      },
      back: async (most) => {
        history.back();
        await new Promise((done) => realTimeout(done, 30));
        await quiet(most);
        return told({});
      },
      list: () => JSON.stringify(list()),
      named: (selector) => named(selector),
      html: (most) => html(most),
      leads: () => JSON.stringify(leads),
    }),
  });
})();
