// page.js — an interactive page of attention. SPDX-License-Identifier: GPL-3.0-or-later
//
// What is shown stands in the element "data": words in the page's language, axes, heads, and their weights as
// 16-bit numbers; 65535 is a cell that has none. Text is only ever set as text, so no token can become markup.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const say = data.words, NONE = 65535;
  const bytes = Uint8Array.from(atob(data.weights), (c) => c.charCodeAt(0));
  const numbers = new DataView(bytes.buffer);
  const $ = (id) => document.getElementById(id);
  const make = (name, text, parent) => {
    const node = document.createElement(name);
    if (text !== undefined) node.textContent = text;
    if (parent) parent.append(node);
    return node;
  };
  /* "{a} of {b}" with its names filled in. */
  const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  // ---- Numbers and colours -----------------------------------------------------------------------------------

  const axisOf = (head) => data.axes[head.axis];
  function quantum(head, r, c) {
    return numbers.getUint16(2 * (head.at + r * axisOf(head).cols.length + c), true);
  }
  /* NaN: masked, or not defined. */
  function weight(head, r, c) {
    const q = quantum(head, r, c);
    return q === NONE ? NaN : head.lo + (q / (NONE - 1)) * (head.hi - head.lo);
  }
  const written = new Intl.NumberFormat(data.language, { minimumFractionDigits: 3, maximumFractionDigits: 3 });

  function forward(share) {
    share = Math.min(Math.max(share, 0), 1);
    if (data.scale === "sqrt") return Math.sqrt(share);
    if (data.scale === "log") return share > 1e-4 ? 1 + Math.log10(share) / 4 : 0;
    return share;
  }
  /* As the program's own colour bar does it: 0 of a signed range is the middle of the map. */
  function place(value, lo, hi, rowMax) {
    if (data.scale === "row" && rowMax > 0) {
      lo = lo < 0 ? -rowMax : 0;
      hi = rowMax;
    }
    if (lo < 0 && lo === -hi) {
      const f = forward(Math.abs(value) / hi);
      return value < 0 ? 0.5 - f / 2 : 0.5 + f / 2;
    }
    return hi > lo ? forward((value - lo) / (hi - lo)) : 0;
  }
  const palette = Array.from({ length: 256 }, (_, i) => parseInt(data.colors.slice(6 * i, 6 * i + 6), 16));
  function fillImage(head, image) {
    const { rows, cols } = axisOf(head);
    const mask = color("--mask");
    const masked = parseInt(mask.slice(1), 16);
    for (let r = 0, at = 0; r < rows.length; r++) {
      let rowMax = 0;
      for (let c = 0; data.scale === "row" && c < cols.length; c++)
        rowMax = Math.max(rowMax, Math.abs(weight(head, r, c)) || 0);
      for (let c = 0; c < cols.length; c++, at += 4) {
        const value = weight(head, r, c);
        const rgb = Number.isNaN(value)
          ? masked
          : palette[Math.round(255 * place(value, head.lo, head.hi, rowMax))];
        image.data[at] = rgb >> 16;
        image.data[at + 1] = (rgb >> 8) & 255;
        image.data[at + 2] = rgb & 255;
        image.data[at + 3] = 255;
      }
    }
  }
  /* One pixel a cell. */
  function small(head, canvas) {
    const { rows, cols } = axisOf(head);
    canvas.width = cols.length;
    canvas.height = rows.length;
    const context = canvas.getContext("2d"), image = context.createImageData(cols.length, rows.length);
    fillImage(head, image);
    context.putImageData(image, 0, 0);
    return canvas;
  }

  // ---- What is shown -----------------------------------------------------------------------------------------

  let current = data.first, mode = "matrix", hovered = null, pinned = null;
  const cell = () => hovered || pinned;
  const name = (head) => head.title;
  const label = (l) => (l.p || "") + l.t + (l.s || "");

  const stage = $("stage"), base = $("base"), over = $("over"), table = $("table"), read = $("read");
  let plot = null; // of the large matrix: x, y, size of a cell

  function sizes(context, head) {
    const { rows, cols } = axisOf(head);
    const widest = (labels) => Math.min(Math.max(...labels.map((l) => context.measureText(label(l)).width)), 190);
    const left = widest(rows) + 10, top = widest(cols) * 0.72 + 16;
    const room = Math.max(stage.clientWidth - left - 40, 120);
    const side = Math.min(Math.max(room / cols.length, 3), 46);
    return { left, top, w: side, h: Math.min(Math.max(side, 3), 30) };
  }
  function resize(canvas, width, height) {
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    return context;
  }
  const FONT = '13px system-ui, "Noto Sans", "Noto Sans CJK SC", sans-serif';
  function write(context, l, x, y, align) {
    const parts = [[l.p, "--dim"], [l.t, l.x ? "--dim" : "--text"], [l.s, "--dim"]].filter((p) => p[0]);
    let width = 0;
    for (const [text] of parts) width += context.measureText(text).width;
    if (align === "right") x -= width;
    for (const [text, ink] of parts) {
      context.fillStyle = color(ink);
      context.fillText(text, x, y);
      x += context.measureText(text).width;
    }
  }

  function drawMatrix() {
    const head = data.heads[current], { rows, cols } = axisOf(head);
    let context = base.getContext("2d");
    context.font = FONT;
    const { left, top, w, h } = sizes(context, head);
    const width = left + w * cols.length + 40, height = top + h * rows.length + 4;
    context = resize(base, width, height);
    resize(over, width, height);
    context.font = FONT;
    context.textBaseline = "middle";
    const everyRow = Math.ceil(14 / h), everyCol = Math.ceil(14 / w);
    rows.forEach((l, r) => r % everyRow || write(context, l, left - 6, top + (r + 0.5) * h, "right"));
    cols.forEach((l, c) => {
      if (c % everyCol) return;
      context.save();
      context.translate(left + (c + 0.5) * w, top - 6);
      context.rotate(-Math.PI / 4);
      write(context, l, 0, 0, "left");
      context.restore();
    });
    context.imageSmoothingEnabled = false;
    context.drawImage(small(head, document.createElement("canvas")), left, top, w * cols.length, h * rows.length);
    plot = { left, top, w, h, rows: rows.length, cols: cols.length };
  }

  /* Keys at the left, queries at the right. */
  function drawLines() {
    const head = data.heads[current], { rows, cols } = axisOf(head);
    const step = Math.max(Math.min(26, 900 / Math.max(rows.length, cols.length)), 13);
    const width = Math.min(stage.clientWidth, 720), height = step * Math.max(rows.length, cols.length) + 12;
    const context = resize(base, width, height);
    resize(over, width, height);
    context.font = FONT;
    context.textBaseline = "middle";
    const at = cell(), from = width * 0.34, to = width * 0.66;
    const y = (i) => (i + 0.5) * step + 4;
    context.strokeStyle = color("--accent");
    for (let r = 0; r < rows.length; r++)
      for (let c = 0; c < cols.length; c++) {
        const value = Math.abs(weight(head, r, c)) / Math.max(Math.abs(head.hi), 1e-12);
        const told = !at || at.r === r || (at.r < 0 && at.c === c);
        if (!(value > 0.02)) continue;
        context.globalAlpha = told ? value : value * 0.12;
        context.lineWidth = 0.5 + 3 * value;
        context.beginPath();
        context.moveTo(from, y(c));
        context.lineTo(to, y(r));
        context.stroke();
      }
    context.globalAlpha = 1;
    cols.forEach((l, c) => write(context, l, from - 8, y(c), "right"));
    rows.forEach((l, r) => write(context, l, to + 8, y(r), "left"));
    plot = { lines: true, step, from, to, rows: rows.length, cols: cols.length };
  }

  function drawTable() {
    const head = data.heads[current], { rows, cols, rowTitle, colTitle } = axisOf(head);
    table.replaceChildren();
    const top = make("tr", undefined, make("thead", undefined, table));
    make("th", `${rowTitle} \\ ${colTitle}`, top);
    for (const l of cols) make("th", label(l), top).scope = "col";
    const body = make("tbody", undefined, table);
    rows.forEach((l, r) => {
      const row = make("tr", undefined, body);
      make("th", label(l), row).scope = "row";
      cols.forEach((_, c) => {
        const value = weight(head, r, c);
        make("td", Number.isNaN(value) ? "" : written.format(value), row);
      });
    });
  }

  // ---- The cell that is pointed at ---------------------------------------------------------------------------

  function drawCross() {
    if (mode !== "matrix" || !plot) return;
    const context = over.getContext("2d"), at = cell();
    context.clearRect(0, 0, over.width, over.height);
    if (!at) return;
    const { left, top, w, h } = plot;
    context.strokeStyle = color("--accent");
    context.lineWidth = 2;
    if (at.r >= 0) context.strokeRect(left - 1, top + at.r * h, w * plot.cols + 2, h);
    if (at.c >= 0) context.strokeRect(left + at.c * w, top - 1, w, h * plot.rows + 2);
    if (at.r >= 0 && at.c >= 0) {
      context.lineWidth = 3;
      context.strokeStyle = color("--text");
      context.strokeRect(left + at.c * w, top + at.r * h, w, h);
    }
  }

  /* "row nicht, column didn't: 0.560, number 1 of 14" */
  function describe() {
    const head = data.heads[current], { rows, cols } = axisOf(head), at = cell();
    if (!at) return say.point;
    const line = at.r >= 0 ? cols.map((_, c) => weight(head, at.r, c)) : rows.map((_, r) => weight(head, r, at.c));
    const labels = at.r >= 0 ? cols : rows;
    if (at.r >= 0 && at.c >= 0) {
      const value = line[at.c];
      const names = { row: label(rows[at.r]), column: label(cols[at.c]) };
      if (Number.isNaN(value)) return fill(say.masked, names);
      const rank = 1 + line.filter((v) => v > value).length;
      const n = line.filter((v) => !Number.isNaN(v)).length;
      return fill(say.cell, { ...names, value: written.format(value), rank, n });
    }
    const best = line.map((v, i) => [v, i]).filter(([v]) => !Number.isNaN(v)).sort((a, b) => b[0] - a[0]).slice(0, 3);
    const list = best.map(([v, i]) => `“${label(labels[i])}” ${written.format(v)}`).join(say.comma);
    return fill(at.r >= 0 ? say.row : say.column, { name: label(at.r >= 0 ? rows[at.r] : cols[at.c]), list });
  }

  const strips = { rows: $("rows"), cols: $("cols") };
  function lightStrips() {
    const head = data.heads[current], at = cell();
    const light = (side, shareOf, chosen) =>
      [...strips[side].children].forEach((span, i) => {
        const share = at ? shareOf(i) : 0;
        span.style.background = share > 0 ? `rgba(${color("--light")}, ${(0.75 * Math.sqrt(share)).toFixed(3)})` : "";
        span.classList.toggle("on", i === chosen);
      });
    const share = (v) => Math.min(Math.abs(v) / Math.max(Math.abs(head.hi), 1e-12), 1) || 0;
    light("rows", (r) => (at.r < 0 ? share(weight(head, r, at.c)) : 0), at ? at.r : -1);
    light("cols", (c) => (at.r >= 0 ? share(weight(head, at.r, c)) : 0), at ? at.c : -1);
  }
  function showCell() {
    if (mode === "lines") drawLines();
    drawCross();
    lightStrips();
    read.textContent = describe();
  }
  let asked = 0;
  function point(at) {
    if ((at && hovered && at.r === hovered.r && at.c === hovered.c) || (!at && !hovered)) return;
    hovered = at;
    if (!asked) asked = requestAnimationFrame(() => ((asked = 0), showCell()));
  }

  // ---- Heads -------------------------------------------------------------------------------------------------

  const thumbs = [];
  function buildThumbs() {
    const nav = $("heads");
    nav.hidden = data.heads.length < 2;
    let kind, grid, layer;
    data.heads.forEach((head, i) => {
      if (head.kind !== kind) {
        make("h2", (kind = head.kind), nav);
        grid = make("div", undefined, nav);
        layer = undefined;
        const columns = Math.max(...data.heads.filter((h) => h.kind === kind).map((h) => h.head));
        grid.style.gridTemplateColumns = `1.6em repeat(${columns}, auto)`;
      }
      if (head.layer !== layer) {
        const first = make("small", String((layer = head.layer)), grid);
        first.style.gridColumn = "1";
      }
      const button = make("button", undefined, grid), canvas = make("canvas", undefined, button);
      const { rows, cols } = axisOf(head), side = 44 / Math.max(rows.length, cols.length);
      button.setAttribute("aria-label", name(head));
      button.title = name(head);
      button.style.gridColumn = String(head.head + 1);
      canvas.style.width = `${Math.max(Math.round(side * cols.length), 6)}px`;
      canvas.style.height = `${Math.max(Math.round(side * rows.length), 6)}px`;
      button.addEventListener("click", () => show(i));
      thumbs.push({ button, canvas, head });
    });
  }
  function buildStrips() {
    const axis = axisOf(data.heads[current]);
    for (const side of ["rows", "cols"]) {
      const strip = strips[side];
      $(side + "-title").textContent = side === "rows" ? axis.rowTitle : axis.colTitle;
      strip.replaceChildren();
      axis[side].forEach((l, i) => {
        const span = make("span", l.t, strip);
        span.classList.toggle("special", Boolean(l.x));
        span.addEventListener("pointerenter", () => point(side === "rows" ? { r: i, c: -1 } : { r: -1, c: i }));
        span.addEventListener("pointerleave", () => point(null));
      });
    }
  }
  /* The bar goes from the lowest number of the head to the highest. */
  function drawScale() {
    const head = data.heads[current], canvas = $("colors"), context = canvas.getContext("2d");
    const image = context.createImageData(256, 1);
    palette.forEach((rgb, i) => image.data.set([rgb >> 16, (rgb >> 8) & 255, rgb & 255, 255], 4 * i));
    context.putImageData(image, 0, 0);
    const short = new Intl.NumberFormat(data.language, { maximumSignificantDigits: 3 });
    $("low").textContent = short.format(head.lo);
    $("high").textContent = short.format(head.hi);
  }
  function draw() {
    base.hidden = over.hidden = mode === "table";
    table.hidden = mode !== "table";
    $("scale").hidden = mode !== "matrix";
    drawScale();
    if (mode === "matrix") drawMatrix();
    else if (mode === "lines") drawLines();
    else drawTable();
    base.setAttribute("aria-label", name(data.heads[current]));
    showCell();
  }
  function show(i) {
    const before = axisOf(data.heads[current]);
    current = i;
    const axis = axisOf(data.heads[current]);
    hovered = null;
    if (axis !== before) pinned = null;
    $("name").textContent = name(data.heads[current]);
    thumbs.forEach((t, k) => t.button.setAttribute("aria-current", String(k === i)));
    buildStrips();
    draw();
  }
  /* To the nearest head of the kind that is so many layers and heads further. */
  function move(layers, heads) {
    const from = data.heads[current];
    const i = data.heads.findIndex(
      (h) => h.kind === from.kind && h.layer === from.layer + layers && h.head === from.head + heads);
    if (i >= 0) show(i);
  }
  function setMode(next) {
    mode = next;
    for (const id of ["matrix", "lines", "table"]) $("as-" + id).setAttribute("aria-pressed", String(id === mode));
    draw();
  }

  // ---- Pointer and keys --------------------------------------------------------------------------------------

  function cellAt(event) {
    const box = base.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    if (!plot) return null;
    if (plot.lines) {
      const i = Math.floor((y - 4) / plot.step);
      if (x > (plot.from + plot.to) / 2) return i >= 0 && i < plot.rows ? { r: i, c: -1 } : null;
      return i >= 0 && i < plot.cols ? { r: -1, c: i } : null;
    }
    const c = Math.floor((x - plot.left) / plot.w), r = Math.floor((y - plot.top) / plot.h);
    const inColumns = c >= 0 && c < plot.cols, inRows = r >= 0 && r < plot.rows;
    if (!inColumns && !inRows) return null;
    return { r: inRows ? r : -1, c: inColumns ? c : -1 };
  }
  base.addEventListener("pointermove", (event) => point(cellAt(event)));
  base.addEventListener("pointerleave", () => point(null));
  base.addEventListener("click", (event) => {
    const at = cellAt(event);
    pinned = at && pinned && at.r === pinned.r && at.c === pinned.c ? null : at;
    showCell();
  });
  base.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!by) return;
    const { rows, cols } = axisOf(data.heads[current]), at = cell() || { r: 0, c: 0 };
    hovered = null;
    pinned = pinned || cell()
      ? { r: Math.min(Math.max(at.r + by[0], 0), rows.length - 1), c: Math.min(Math.max(at.c + by[1], 0), cols.length - 1) }
      : { r: 0, c: 0 };
    event.preventDefault();
    showCell();
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const done = {
      "[": () => move(0, -1), "]": () => move(0, 1), PageUp: () => move(-1, 0), PageDown: () => move(1, 0),
      m: () => setMode("matrix"), l: () => setMode("lines"), t: () => setMode("table"),
      Escape: () => ((pinned = hovered = null), showCell()),
    }[event.key];
    if (!done) return;
    event.preventDefault();
    done();
  });
  for (const id of ["matrix", "lines", "table"]) $("as-" + id).addEventListener("click", () => setMode(id));
  function paintAll() {
    for (const t of thumbs) small(t.head, t.canvas);
    draw();
  }
  $("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const dark = getComputedStyle(root).getPropertyValue("--back").trim() === "#1d1d20";
    root.dataset.theme = dark ? "light" : "dark";
    paintAll();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paintAll);
  new ResizeObserver(() => mode !== "table" && requestAnimationFrame(draw)).observe(stage.parentElement);
  buildThumbs();
  for (const t of thumbs) small(t.head, t.canvas);
  show(current);
})();
