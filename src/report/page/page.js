"use strict";
// Everything is built with textContent: what comes from files is never markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const PAGE = 200;
  const state = { view: "", query: "", stack: "", kind: "", pick: "", open: "", shown: PAGE };

  const el = (name, attributes = {}, ...children) => {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key === "on") for (const [event, run] of Object.entries(value)) node.addEventListener(event, run);
      else if (value !== undefined && value !== null && value !== false) node.setAttribute(key, value === true ? "" : value);
    }
    node.append(...children.filter((child) => child !== undefined && child !== null));
    return node;
  };
  const many = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
  const address = (a) => `${data.stacks[a[0]]} ${data.kinds[a[1]]}/${data.names[a[2]]}`;
  const place = (file, line) => `${data.files[file]}:${line}`;

  // Hash of the page: what is shown, so that it can be linked to.
  const KEYS = ["view", "query", "stack", "kind", "pick", "open"];
  const hashOf = (shown) => {
    const parts = new URLSearchParams();
    for (const key of KEYS) if (shown[key]) parts.set(key, shown[key]);
    return "#" + parts.toString();
  };
  const write = () => {
    const hash = hashOf(state);
    if (location.hash !== hash) history.replaceState(null, "", hash);
  };
  // A link to one row, whatever is searched for.
  const mark = (view, id) => el("a", { class: "mark", href: hashOf({ view, open: id }), "aria-label": "Link to this" }, "#");
  const read = () => {
    const parts = new URLSearchParams(location.hash.slice(1));
    for (const key of KEYS) state[key] = parts.get(key) || "";
    if (!views.some((view) => view.id === state.view)) state.view = views[0].id;
  };

  // The words that differ, by the longest common subsequence; long values are compared as a whole.
  const words = (before, after) => {
    const split = (text) => text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) || [];
    const a = split(before), b = split(after);
    if (a.length * b.length > 250000) return [[[before, true]], [[after, true]]];
    const width = b.length + 1;
    const best = new Uint16Array((a.length + 1) * width);
    for (let i = a.length - 1; i >= 0; i--)
      for (let j = b.length - 1; j >= 0; j--)
        best[i * width + j] = a[i] === b[j] ? best[(i + 1) * width + j + 1] + 1 : Math.max(best[(i + 1) * width + j], best[i * width + j + 1]);
    const left = [], right = [];
    let i = 0, j = 0;
    while (i < a.length || j < b.length) {
      if (i < a.length && j < b.length && a[i] === b[j]) { left.push([a[i++], false]); right.push([b[j++], false]); }
      else if (j >= b.length || (i < a.length && best[(i + 1) * width + j] >= best[i * width + j + 1])) left.push([a[i++], true]);
      else right.push([b[j++], true]);
    }
    return [left, right];
  };
  const side = (parts, tag, name, title) => {
    const pre = el("pre", { class: name, "aria-label": title });
    for (const [text, differs] of parts) pre.append(differs ? el(tag, {}, text) : text);
    return pre;
  };
  const sides = (before, after) => {
    const [left, right] = before !== null && after !== null ? words(before, after) : [[[before ?? "", true]], [[after ?? "", true]]];
    return el("div", { class: "sides" },
      before === null ? el("p", { class: "dim" }, "did not exist before") : side(left, "del", "before", "before"),
      after === null ? el("p", { class: "dim" }, "no longer exists") : side(right, "ins", "after", "after"));
  };

  const ROLES = ["set", "reads", "overrides", "import", "base", "setting"];
  let returnFocus = null;
  const why = (title, chain) => {
    const panel = byId("why");
    const close = () => { panel.hidden = true; if (returnFocus && returnFocus.isConnected) returnFocus.focus(); };
    returnFocus = document.activeElement;
    const steps = data.chains[chain] || [];
    const button = el("button", { type: "button", on: { click: close } }, "Close");
    const list = el("ol", {}, ...steps.map(([role, depth, file, line, text]) => el("li", { class: `d${Math.min(depth, 4)}` },
      el("span", { class: "dim" }, `${ROLES[role]} `),
      el("code", {}, file === null ? "by the system, not by a file" : place(file, line)), " ",
      text === null ? "" : el("code", { class: "dim" }, data.texts[text]))));
    panel.replaceChildren(el("h2", {}, title), steps.length ? list : el("p", {}, "No line of a file sets it."), button);
    panel.onkeydown = (event) => { if (event.key === "Escape") close(); };
    panel.hidden = false;
    button.focus();
  };

  const matches = (texts) => {
    if (!state.query) return true;
    const wanted = state.query.toLowerCase().split(/\s+/).filter(Boolean);
    const all = texts.join("\n").toLowerCase();
    return wanted.every((word) => all.includes(word));
  };
  const inStack = (a) => !state.stack || data.stacks[a[0]] === state.stack;

  (data.groups || []).forEach((group, i) => { group.id = `g${i}`; });
  data.findings.forEach((finding, i) => { finding.id = `f${i}`; });
  const pager = (items, one) => {
    const box = el("div");
    if (state.open) state.shown = Math.max(state.shown, items.findIndex((item) => item.id === state.open) + 1);
    const fill = () => {
      box.replaceChildren(...items.slice(0, state.shown).map(one));
      if (items.length > state.shown)
        box.append(el("button", { type: "button", on: { click: () => { state.shown += PAGE; fill(); } } },
          `Show ${many(Math.min(PAGE, items.length - state.shown), "more row")} of ${items.length.toLocaleString("en")}`));
    };
    fill();
    return box;
  };

  const groupText = (group) => [
    ...group.changes.map((c) => c.path), ...group.causes.map((c) => place(c[1], c[2])),
    ...group.at.map((i) => address(data.addresses[i]))];
  const texts = new Map();
  const textOf = (group) => { if (!texts.has(group)) texts.set(group, groupText(group)); return texts.get(group); };
  const groups = () => data.groups.filter((group) =>
    (!state.kind || group.status === state.kind)
    && (!state.pick || group.at.some((i) => address(data.addresses[i]) === state.pick))
    && group.at.some((i) => inStack(data.addresses[i])) && matches(textOf(group)));

  const moved = ([from, to]) => from === to ? "other items moved past it" : `moved from index ${from} to ${to}`;
  const change = (c) => {
    const box = el("section", {}, el("h2", { class: "mono" }, c.path || "/"));
    if (c.moved) box.append(el("p", {}, moved(c.moved)));
    for (const [before, after] of c.values) box.append(sides(c.moved ? after : before, after));
    if (c.more) box.append(el("p", { class: "dim" }, `and ${many(c.more, "other pair")} of values`));
    for (const [name, chain] of [["Why before?", c.base], ["Why after?", c.head]])
      if (chain !== null) box.append(el("button", { type: "button", on: { click: () => why(c.path, chain) } }, name), " ");
    return box;
  };
  const groupRow = (group) => {
    const stacks = new Set(group.at.map((i) => data.addresses[i][0]));
    const first = group.changes.length ? group.changes.map((c) => c.path).slice(0, 3).join(", ") + (group.changes.length > 3 ? ", …" : "") : address(data.addresses[group.at[0]]);
    const box = el("details", { "data-id": group.id }, el("summary", {},
      el("span", { class: `tag ${group.status}` }, group.status), el("code", {}, first),
      el("span", { class: "dim" }, `  ${many(group.at.length, "component")} in ${many(stacks.size, "stack")}`), mark("changes", group.id)));
    const fill = () => {
      if (box.open) { state.open = group.id; write(); }
      if (!box.open || box.childElementCount > 1) return;
      if (group.causes.length)
        box.append(el("h2", {}, "Causes"), el("div", { class: "causes mono" }, ...group.causes.map(([base, file, line, text]) =>
          el("div", {}, el("span", { class: "dim" }, `${place(file, line)}  `), el("span", { class: base ? "cut" : "put" }, `${base ? "−" : "+"} ${data.texts[text]}`)))));
      box.append(...group.changes.map(change), el("h2", {}, "Components"));
      const list = el("ul", { class: "plain" });
      const more = (from) => {
        list.append(...group.at.slice(from, from + PAGE).map((i) => el("li", {}, el("code", {}, address(data.addresses[i])))));
        if (group.at.length > from + PAGE) {
          const item = el("li", {}, el("button", { type: "button", on: { click: () => { item.remove(); more(from + PAGE); } } }, `Show more of ${group.at.length}`));
          list.append(item);
        }
      };
      more(0);
      box.append(list);
    };
    box.addEventListener("toggle", fill);
    return box;
  };

  const findings = () => data.findings.filter((f) =>
    (!state.kind || f.level === state.kind) && (!state.stack || f.stacks.length === 0 || f.stacks.includes(state.stack))
    && matches([f.rule, f.message, data.files[f.file], ...f.stacks]));
  const findingRow = (f) => el("article", { class: "finding", "data-id": f.id, tabindex: "-1" },
    el("p", {}, el("span", { class: `tag ${f.level}` }, f.level), f.status ? el("span", { class: "tag" }, f.status) : null, el("code", {}, f.rule), " ", f.message, mark("findings", f.id)),
    el("p", { class: "mono dim" }, place(f.file, f.line)),
    el("div", { class: "excerpt mono" }, f.excerpt.map(([line, text]) => `${String(line).padStart(5)} ${line === f.line ? "›" : " "} ${text}`).join("\n")),
    f.help ? el("p", {}, f.help) : null,
    f.stacks.length ? el("p", { class: "dim" }, `in ${f.stacks.slice(0, 8).join(", ")}${f.stacks.length > 8 ? ` and ${f.stacks.length - 8} more` : ""}`) : null);

  const MAX_CELLS = 20000;
  const heat = () => {
    const cells = new Map(), rows = new Set(), columns = new Set();
    for (const group of groups()) for (const i of group.at) {
      const a = data.addresses[i];
      if (!inStack(a)) continue;
      const column = `${data.kinds[a[1]]}/${data.names[a[2]]}`;
      rows.add(data.stacks[a[0]]); columns.add(column);
      const key = data.stacks[a[0]] + "\u0000" + column;
      const cell = cells.get(key) || { n: 0, status: group.status, address: address(a) };
      cell.n += Math.max(1, group.changes.length);
      cells.set(key, cell);
    }
    const wide = [...columns].sort(), width = Math.min(wide.length, 400);
    const tall = [...rows].sort(), height = Math.min(tall.length, Math.max(20, Math.floor(MAX_CELLS / Math.max(1, width))));
    count(`${many(cells.size, "changed component")}, ${many(tall.length, "stack")}` + (height < tall.length || width < wide.length ? "; not all fit: filter to see the rest" : ""));
    const cell = (stack, column) => {
      const found = cells.get(stack + "\u0000" + column);
      if (!found) return el("td");
      const name = found.status === "added" ? "ha" : found.status === "removed" ? "hx" : found.n > 3 ? "h2" : "h1";
      const go = () => { state.pick = found.address; state.view = "changes"; render(); byId("main").focus(); };
      return el("td", {}, el("button", { type: "button", class: name, "aria-label": `${found.address}: ${found.status}, ${many(found.n, "change")}`, on: { click: go } }, String(found.n)));
    };
    const table = el("table", { id: "heat" },
      el("thead", {}, el("tr", {}, el("td"), ...wide.slice(0, width).map((name) => el("th", { scope: "col" }, name)))),
      el("tbody", {}, ...tall.slice(0, height).map((stack) => el("tr", {}, el("th", { scope: "row" }, stack), ...wide.slice(0, width).map((column) => cell(stack, column))))));
    return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Changes by stack and component" }, table);
  };

  const SVG = "http://www.w3.org/2000/svg";
  const svg = (name, attributes, ...children) => {
    const node = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  };
  const graph = () => {
    const { nodes, edges, cut } = data.graph;
    count(`${many(nodes.length, "node")}, ${many(edges.length, "edge")}${cut ? ", more are omitted" : ""}`);
    if (!nodes.length) return el("p", {}, "Nothing to draw.");
    const widths = [], rows = [];
    for (const [name, layer, row] of nodes) {
      widths[layer] = Math.max(widths[layer] || 0, Math.min(name.length, 44) * 7 + 16);
      rows[layer] = Math.max(rows[layer] || 0, row + 1);
    }
    const lefts = []; let at = 10;
    for (let i = 0; i < widths.length; i++) { lefts[i] = at; at += (widths[i] || 0) + 70; }
    const top = ([, layer, row]) => 10 + (Math.max(...rows.map((r) => r || 0)) - rows[layer]) * 17 + row * 34;
    const picture = svg("svg", { width: at, height: Math.max(...rows.map((r) => r || 0)) * 34 + 20, role: "img", "aria-label": "Dependencies of what changes; also as a list below" });
    for (const [from, to] of edges) {
      const a = nodes[from], b = nodes[to];
      const x1 = lefts[a[1]] + widths[a[1]], y1 = top(a) + 12, x2 = lefts[b[1]], y2 = top(b) + 12;
      picture.append(svg("path", { d: `M${x1} ${y1} C${x1 + 35} ${y1} ${x2 - 35} ${y2} ${x2} ${y2}` }));
    }
    for (const node of nodes) {
      const title = svg("title", {}); title.textContent = `${node[0]}: ${node[3]}`;
      const text = svg("text", { x: lefts[node[1]] + 8, y: top(node) + 16 });
      text.textContent = node[0].length > 44 ? node[0].slice(0, 43) + "…" : node[0];
      picture.append(svg("g", { class: node[3] }, title, svg("rect", { x: lefts[node[1]], y: top(node), width: widths[node[1]], height: 24, rx: 4 }), text));
    }
    const list = el("ul", {}, ...edges.slice(0, 500).map(([from, to, label]) => el("li", {}, el("code", {}, `${nodes[from][0]} → ${nodes[to][0]}`), label ? ` ${label}` : "")));
    return el("div", {}, el("div", { class: "scroll", id: "graph", tabindex: "0", role: "region", "aria-label": "Graph" }, picture),
      edges.length ? el("details", {}, el("summary", {}, "As a list"), list) : null);
  };

  const explorer = () => {
    const all = data.components.map((leaves, i) => [i, leaves]).filter(([i]) =>
      inStack(data.addresses[i]) && (!state.kind || data.kinds[data.addresses[i][1]] === state.kind));
    const wanted = (i, leaves) => matches([address(data.addresses[i]), ...(state.query ? leaves.map((leaf) => data.leaves[leaf][0]) : [])]);
    const found = all.filter(([i, leaves]) => wanted(i, leaves));
    count(many(found.length, "component") + (data.cut ? "; the report omits some" : ""));
    const detail = el("div", { "aria-live": "polite" });
    const show = (i, button) => {
      state.pick = address(data.addresses[i]); write();
      for (const other of document.querySelectorAll("#explorer .list [aria-current]")) other.removeAttribute("aria-current");
      if (button) button.setAttribute("aria-current", "true");
      const row = (leaf) => {
        const [path, value, file, line, chain] = data.leaves[leaf];
        return el("tr", {}, el("td", {}, el("code", {}, path)),
          el("td", {}, el("button", { type: "button", class: "link mono", on: { click: () => why(path, chain) } }, value)),
          el("td", { class: "mono dim" }, file === null ? "" : place(file, line)));
      };
      detail.replaceChildren(el("h2", {}, address(data.addresses[i])), el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Values" },
        el("table", {}, el("tbody", {}, ...data.components[i].map(row)))));
    };
    const list = pager(found, ([i]) => {
      const text = address(data.addresses[i]);
      const button = el("button", { type: "button", "aria-current": text === state.pick ? "true" : null, on: { click: () => show(i, button) } }, text);
      return button;
    });
    const start = found.find(([i]) => address(data.addresses[i]) === state.pick) || found[0];
    if (start) show(start[0], list.querySelector("button"));
    return el("div", { id: "explorer" }, el("div", { class: "scroll list" }, list), detail);
  };

  const count = (text) => { byId("count").textContent = text; };
  const changes = () => {
    const found = groups();
    count(`${many(found.length, "group")} of equal changes` + (state.pick ? ` of ${state.pick}` : ""));
    return found.length ? pager(found, groupRow) : el("p", {}, data.groups.length ? "Nothing matches." : "No effective change.");
  };
  const found = () => {
    const all = findings();
    count(many(all.length, "finding"));
    return all.length ? pager(all, findingRow) : el("p", {}, data.findings.length ? "Nothing matches." : "No findings.");
  };
  const views = [
    data.groups && { id: "changes", name: `Changes (${data.groups.length})`, draw: changes, kinds: ["added", "removed", "modified"] },
    data.groups && { id: "map", name: "Map", draw: heat, kinds: ["added", "removed", "modified"] },
    data.components && { id: "explorer", name: "Components", draw: explorer, kinds: data.kinds },
    { id: "findings", name: `Findings (${data.findings.length})`, draw: found, kinds: ["error", "warning", "note"] },
    { id: "graph", name: data.groups ? "Dependencies" : "Imports", draw: graph, kinds: [] },
  ].filter(Boolean);

  // Opens the row that the address of the page names, and goes there.
  const reveal = () => {
    const row = [...document.querySelectorAll("#view [data-id]")].find((node) => node.dataset.id === state.open);
    if (!row) return;
    if (row.tagName === "DETAILS") row.open = true;
    row.classList.add("target");
    row.scrollIntoView({ block: "center" });
    (row.querySelector("summary") || row).focus({ preventScroll: true });
  };
  const render = () => {
    state.shown = PAGE;
    const view = views.find((v) => v.id === state.view);
    for (const tab of byId("tabs").children) {
      const isOn = tab.dataset.view === state.view;
      tab.setAttribute("aria-selected", String(isOn));
      tab.tabIndex = isOn ? 0 : -1;
    }
    const kind = byId("kind");
    if (!view.kinds.includes(state.kind)) state.kind = "";
    kind.replaceChildren(el("option", { value: "" }, "all"), ...view.kinds.map((k) => el("option", { value: k }, k)));
    kind.value = state.kind;
    byId("query").value = state.query;
    byId("stack").value = state.stack;
    byId("view").replaceChildren(view.draw());
    write();
  };
  const go = (id) => { state.view = id; state.kind = ""; state.open = ""; render(); };

  byId("tabs").append(...views.map((view) => el("button", { type: "button", role: "tab", id: `tab-${view.id}`, "data-view": view.id, "aria-controls": "view", on: { click: () => go(view.id) } }, view.name)));
  byId("tabs").addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const at = views.findIndex((view) => view.id === state.view);
    go(views[(at + step + views.length) % views.length].id);
    byId(`tab-${state.view}`).focus();
    event.preventDefault();
  });
  byId("stack").append(el("option", { value: "" }, "all"), ...[...data.stacks].sort().map((stack) => el("option", { value: stack }, stack)));
  let timer = 0;
  byId("query").addEventListener("input", (event) => { clearTimeout(timer); timer = setTimeout(() => { state.query = event.target.value; state.pick = ""; state.open = ""; render(); }, 120); });
  byId("stack").addEventListener("change", (event) => { state.stack = event.target.value; render(); });
  byId("kind").addEventListener("change", (event) => { state.kind = event.target.value; render(); });
  byId("clear").addEventListener("click", () => { Object.assign(state, { query: "", stack: "", kind: "", pick: "", open: "" }); render(); });
  byId("search").addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) { byId("query").focus(); event.preventDefault(); }
  });
  addEventListener("hashchange", () => { read(); render(); reveal(); });

  byId("revisions").textContent = data.base ? `${data.base} → ${data.head}` : data.head;
  byId("verdict").textContent = data.verdict;
  byId("verdict").className = data.level;
  byId("coverage").textContent = data.coverage;
  byId("lacking").hidden = data.lacking.length === 0;
  byId("lacking").append(...data.lacking.map((text) => el("li", {}, text)));
  const RISKS = 5;
  const risks = data.findings.filter((f) => f.risk);
  byId("risks").hidden = risks.length === 0;
  byId("risks").append(el("h2", {}, many(risks.length, "risk")), el("ul", {}, ...risks.slice(0, RISKS).map((f) => el("li", {},
    el("span", { class: `tag ${f.level}` }, f.level),
    el("button", { type: "button", class: "link", on: { click: () => { Object.assign(state, { view: "findings", query: "", stack: "", kind: "", pick: "", open: f.id }); render(); reveal(); } } }, f.message))),
    risks.length > RISKS ? el("li", { class: "dim" }, `and ${risks.length - RISKS} more; see the findings`) : null));
  document.title = `stacklint: ${data.base ? `${data.base} → ` : ""}${data.head}`;
  read();
  render();
  reveal();
})();
