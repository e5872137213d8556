// Everything is built with textContent: what comes from files is never markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const PAGE = 200;
  // The first changes are open.
  const OPEN = 2;
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
  // A place as a link to the forge, where one shows the revision: 0 is the base, 1 the head.
  const linked = (file, line, side) => {
    const web = data.about.web[side];
    const text = el("code", {}, place(file, line));
    if (!web) return text;
    const path = data.files[file].split("/").map(encodeURIComponent).join("/");
    return el("a", { href: web[0] + path + web[1] + line, rel: "noreferrer" }, text);
  };
  const copy = (text) => {
    const button = el("button", { type: "button", title: text, on: { click: async () => {
      try { await navigator.clipboard.writeText(text); button.textContent = "Copied"; } catch { button.replaceWith(el("code", {}, text)); }
    } } }, "Copy `stacklint why`");
    return button;
  };
  const quoted = (word) => (/^[\w./:^~@=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
  const SIGNS = { added: "+", removed: "−", modified: "~", renamed: "~" };

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
  const mark = (view, id) => el("a", { class: "mark", href: hashOf({ view, open: id }), "aria-label": "Link to this" }, "link");
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
      before === null ? el("p", { class: "dim" }, "did not exist before") : side(left, "del", "before", "before"), el("span", { class: "dim" }, "→"),
      after === null ? el("p", { class: "dim" }, "no longer exists") : side(right, "ins", "after", "after"));
  };

  const ROLES = ["set", "reads", "overrides", "import", "base", "setting"];
  let returnFocus = null;
  // The steps behind a value, as a chain: the deciding line first.
  const drawn = (steps, side) => el("ol", { class: "chain" }, ...steps.map(([role, depth, file, line, text]) => el("li", { class: `d${Math.min(depth, 4)}` },
    el("span", { class: "dim" }, `${ROLES[role]} `), file === null ? "by the system, not by a file" : linked(file, line, side), " ",
    text === null ? "" : el("code", { class: "dim" }, data.texts[text]))));
  // The values of what the code of a component makes that a line decides: component, path, value.
  const madeBy = (i, file, line) => file === null ? [] : data.addresses.flatMap((made, j) => {
    const by = data.made_by[j];
    if (!by || !by.every((part, k) => part === data.addresses[i][k])) return [];
    const leaves = data.components[j].map((leaf) => data.leaves[leaf]);
    const decided = leaves.filter(([, , , , chain]) => (data.chains[chain] || []).some((step) => step[2] === file && step[3] === line));
    return decided.map(([path, value]) => [address(made), path, value]);
  });
  const why = (title, chain, side, reaches = []) => {
    const panel = byId("why");
    const close = () => { panel.hidden = true; if (returnFocus && returnFocus.isConnected) returnFocus.focus(); };
    returnFocus = document.activeElement;
    const steps = data.chains[chain] || [];
    const button = el("button", { type: "button", on: { click: close } }, "Close");
    const rest = reaches.length - 50;
    const below = reaches.length ? el("div", {}, el("h3", {}, `Reaches ${many(reaches.length, "value")} in the code`),
      el("ul", {}, ...reaches.slice(0, 50).map(([made, path, value]) => el("li", {}, el("code", {}, `${made} ${path}`), " ", el("span", { class: "mono dim" }, value)))),
      rest > 0 ? el("p", { class: "dim" }, `… ${rest} more`) : null) : null;
    panel.replaceChildren(...[el("h2", {}, title), steps.length ? drawn(steps, side) : el("p", {}, "No line of a file sets it."), below, button].filter(Boolean));
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

  data.findings.forEach((finding, i) => { finding.id = `f${i}`; });
  const isRisky = (f) => f.risk && ["danger", "error"].includes(f.level);
  (data.groups || []).forEach((group, i) => {
    group.id = `g${i}`;
    const lines = new Set(group.causes.map(([, file, line]) => `${file}:${line}`));
    group.findings = data.findings.filter((f) => lines.has(`${f.file}:${f.line}`));
    group.isMade = group.at.every((i) => data.made_by[i]);
  });
  // What is dangerous comes first, then what reaches protected stacks, then what reaches most; what code makes of it comes last.
  const weight = (group) => [group.findings.some(isRisky), !group.isMade, group.at.some((i) => data.about.protected.includes(data.stacks[data.addresses[i][0]])), group.at.length];
  (data.groups || []).sort((a, b) => {
    const [x, y] = [weight(a), weight(b)], at = x.findIndex((part, i) => part !== y[i]);
    return at < 0 ? 0 : y[at] - x[at];
  });
  // A finding is told once, with the first changes of its line.
  const told = new Set();
  for (const group of data.groups || []) {
    group.isRisky = group.findings.some(isRisky);
    group.findings = group.findings.filter((f) => !told.has(f.id) && told.add(f.id));
  }
  const pager = (items, one) => {
    const box = el("div");
    if (state.open) state.shown = Math.max(state.shown, items.findIndex((item) => item.id === state.open) + 1);
    const fill = () => {
      box.replaceChildren(...items.slice(0, state.shown).map((item, i) => one(item, i)));
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
  const MAX_DRAWN = 8;
  const change = (c, group) => {
    const box = el("section", {}, el("h2", { class: "small mono" }, c.path || "/"));
    if (c.moved) box.append(el("p", {}, moved(c.moved)));
    for (const [before, after] of c.values) box.append(sides(c.moved ? after : before, after));
    if (c.more) box.append(el("p", { class: "dim" }, `and ${many(c.more, "other pair")} of values`));
    const steps = data.chains[c.head] || [];
    if (steps.length > 1 && steps.length <= MAX_DRAWN) box.append(drawn(steps, 1));
    const actions = el("p", { class: "actions" });
    for (const [name, chain, side] of [["Why before?", c.base, 0], ["Why after?", c.head, 1]])
      if (chain !== null) actions.append(el("button", { type: "button", on: { click: () => why(c.path, chain, side) } }, name));
    const a = data.addresses[group.at[0]];
    const range = data.about.web[1] || data.base && data.head !== "worktree" ? [`${data.base}..${data.head}`] : [];
    if (!group.isMade && c.path) actions.append(copy(["stacklint", "why", ...range, data.stacks[a[0]], data.names[a[2]], c.path].map(quoted).join(" ")));
    box.append(actions);
    return box;
  };
  const RISKS = 5;
  const risks = data.findings.filter((f) => f.risk);
  // What to do stands in the head of the page for the first risks.
  const isInHead = (f) => isRisky(f) && risks.indexOf(f) < RISKS;
  const advice = (f) => el("div", { class: `about ${f.level}` }, el("p", {}, el("span", { class: `tag ${f.level}` }, f.level), " ", f.message), f.help && !isInHead(f) ? el("p", { class: "dim" }, f.help) : null);
  const cut = (text, length) => (text.length > length ? `${text.slice(0, length)}…` : text);
  const peek = (c) => {
    const [before, after] = c.values[0] || [];
    if (c.moved) return moved(c.moved);
    return [before, after].map((text) => text ?? null).filter((text) => text !== null).map((text) => cut(text, 90)).join(" → ");
  };
  // The components of a group by stack, closed if they are many.
  const FEW = 8;
  const reached = (group) => {
    const stacks = new Map();
    for (const i of group.at) {
      const [stack, kind, name] = data.addresses[i];
      if (!stacks.has(stack)) stacks.set(stack, []);
      stacks.get(stack).push(group.isMade ? `${data.kinds[kind]}/${data.names[name]}` : data.names[name]);
    }
    const rows = [...stacks].map(([stack, names]) => el("tr", {}, el("th", { scope: "row" }, el("code", {}, data.stacks[stack])), el("td", {}, el("code", {}, names.join(", ")))));
    return el("details", { class: "reached", open: group.at.length <= FEW }, el("summary", {}, group.isMade ? "What code makes" : many(group.at.length, "component")),
      el("table", {}, el("tbody", {}, ...rows)));
  };
  const groupRow = (group, at) => {
    const stacks = new Set(group.at.map((i) => data.addresses[i][0]));
    const first = group.changes.length ? group.changes.map((c) => c.path).slice(0, 3).join(", ") + (group.changes.length > 3 ? ` and ${group.changes.length - 3} more` : "")
      : group.at.slice(0, 3).map((i) => data.names[data.addresses[i][2]]).join(", ") + (group.at.length > 3 ? ` and ${group.at.length - 3} more` : "");
    const reach = group.at.length === 1 ? `${data.names[data.addresses[group.at[0]][2]]} in ${data.stacks[data.addresses[group.at[0]][0]]}`
      : group.isMade ? `${group.at.length} of ${many(stacks.size, "component")}` : `${many(group.at.length, "component")} in ${many(stacks.size, "stack")}`;
    const box = el("details", { class: `card${group.isRisky ? " risky" : ""}`, "data-id": group.id }, el("summary", {},
      el("span", { class: `sign ${group.status}`, role: "img", "aria-label": group.status }, SIGNS[group.status]), el("code", { class: "paths" }, first),
      el("span", { class: "reach" }, reach),
      group.changes.length ? el("code", { class: "peek" }, peek(group.changes[0])) : null));
    const fill = () => {
      if (box.childElementCount > 1) return;
      box.append(...group.findings.map(advice));
      if (group.causes.length)
        box.append(el("h2", { class: "small" }, group.causes.length > 1 ? "Edited lines" : "Edited line"), el("div", { class: "causes mono" }, ...group.causes.map(([base, file, line, text]) =>
          el("div", {}, linked(file, line, base ? 0 : 1), "  ", el("span", { class: base ? "cut" : "put" }, `${base ? "−" : "+"} ${data.texts[text]}`)))));
      box.append(...group.changes.map((c) => change(c, group)), reached(group), el("p", {}, mark("changes", group.id)));
    };
    if (at < OPEN && !state.open) { box.open = true; fill(); }
    box.addEventListener("toggle", () => {
      if (!box.open) return;
      if (box.childElementCount === 1) { state.open = group.id; write(); }
      fill();
    });
    return box;
  };

  const findings = () => data.findings.filter((f) =>
    (!state.kind || f.level === state.kind) && (!state.stack || f.stacks.length === 0 || f.stacks.includes(state.stack))
    && matches([f.rule, f.message, data.files[f.file], ...f.stacks]));
  const findingRow = (f) => el("article", { class: `card finding${isRisky(f) ? " risky" : ""}`, "data-id": f.id, tabindex: "-1" },
    el("p", {}, el("span", { class: `tag ${f.level}` }, f.level), " ", f.message, mark("findings", f.id)),
    el("p", { class: "dim" }, linked(f.file, f.line, f.status === "fixed" ? 0 : 1), " · ", el("a", { href: f.page, rel: "noreferrer" }, f.rule), f.status ? ` · ${f.status}` : ""),
    el("div", { class: "excerpt mono", tabindex: "0", role: "region", "aria-label": `Lines of ${place(f.file, f.line)}` }, f.excerpt.map(([line, text]) => `${String(line).padStart(5)} ${line === f.line ? "›" : " "} ${text}`).join("\n")),
    f.help ? el("p", {}, f.help) : null,
    f.stacks.length ? el("p", { class: "dim" }, `in ${f.stacks.slice(0, 8).join(", ")}${f.stacks.length > 8 ? ` and ${f.stacks.length - 8} more` : ""}`) : null);

  const RANK = ["clean", "note", "modified", "added", "warning", "removed", "error", "danger"];
  const worse = (a, b) => (RANK.indexOf(a) > RANK.indexOf(b) ? a : b);
  const legend = (...kinds) => el("p", { class: "legend" }, ...kinds.map(([kind, text]) => el("span", {}, el("span", { class: kind }), text)));
  const cellOf = (i) => { const a = data.made_by[i] || data.addresses[i]; return `${data.stacks[a[0]]}\u0000${data.names[a[2]]}`; };
  // The components that a finding is about: also those whose code makes what it names.
  const made = new Map(data.addresses.map((a, i) => [`${data.stacks[a[0]]}\u0000${data.names[a[2]]}`, cellOf(i)]));
  const cellsOf = (f) => f.subjects.map(([stack, name]) => made.get(`${stack}\u0000${name}`)).filter(Boolean);
  // Components and stacks, each with how many changes there are: where the change arrives.
  const where = () => {
    const cells = new Map();
    for (const group of groups()) for (const i of group.at) {
      if (!inStack(data.made_by[i] || data.addresses[i])) continue;
      const cell = cells.get(cellOf(i)) || { n: 0, kind: "modified", picks: new Set() };
      cell.n += Math.max(1, group.changes.length);
      if (!data.made_by[i] && group.status !== "renamed") cell.kind = worse(cell.kind, group.status);
      cell.picks.add(address(data.addresses[i]));
      cells.set(cellOf(i), cell);
    }
    for (const f of data.findings.filter(isRisky)) for (const cell of cellsOf(f)) if (cells.has(cell)) cells.get(cell).kind = worse(cells.get(cell).kind, f.level);
    for (const [key, cell] of cells) Object.assign(cell, {
      text: String(cell.n), label: `${cell.kind}, ${many(cell.n, "change")}`,
      open: (isFolded) => {
        const [stack] = key.split("\u0000");
        Object.assign(state, { stack, pick: isFolded || cell.picks.size > 1 ? "" : [...cell.picks][0], view: "changes", open: "" });
        render();
        byId("main").focus();
      },
    });
    return cells;
  };
  // Of one state: all components, with what was found about them.
  const overview = () => {
    const cells = new Map();
    data.addresses.forEach((a, i) => { if (!data.made_by[i] && inStack(a) && matches([address(a)])) cells.set(cellOf(i), { n: 0, kind: "clean", address: address(a) }); });
    for (const f of data.findings) {
      const own = cellsOf(f);
      const reached = own.length ? own : [...cells.keys()].filter((key) => f.stacks.includes(key.split("\u0000")[0]));
      for (const key of reached) if (cells.has(key)) { const cell = cells.get(key); cell.n += 1; cell.kind = worse(cell.kind, f.level); }
    }
    for (const cell of cells.values()) Object.assign(cell, {
      text: cell.n ? String(cell.n) : "·", label: cell.n ? many(cell.n, "finding") : "no findings",
      open: () => { Object.assign(state, { view: "explorer", pick: cell.address, kind: "", open: "" }); render(); byId("main").focus(); },
    });
    count(many(cells.size, "component"));
    return el("div", {}, legend(["danger", "error"], ["warning", "warning"], ["clean", "no finding"]), matrix(el, data, "Components and stacks", cells), versions(), unknowns());
  };
  // A table with the first rows of many.
  const MOST = 20;
  const table = (title, heads, rows) => rows.length ? el("section", {}, el("h2", {}, title),
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title }, el("table", {}, el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", { scope: "col" }, head)))),
      el("tbody", {}, ...rows.slice(0, MOST).map((row) => el("tr", {}, ...row.map((cell) => el("td", { class: "mono" }, cell))))))),
    rows.length > MOST ? el("p", { class: "dim" }, `… ${many(rows.length - MOST, "row")} more; the components show all`) : null) : null;
  const shownComponents = () => data.components.map((leaves, i) => [i, leaves]).filter(([i]) => inStack(data.made_by[i] || data.addresses[i]) && matches([address(data.addresses[i])]));
  // The sources of code that name a version, those with several versions first.
  const versions = () => {
    const found = new Map();
    for (const [, leaves] of shownComponents()) {
      const own = new Map(leaves.map((leaf) => data.leaves[leaf]).map(([path, value]) => [path, value.replace(/^"|"$/g, "")]));
      for (const prefix of ["", "terraform.", "metadata.", "source."]) {
        const source = own.get(`${prefix}source`) || (prefix === "source." ? own.get("source.uri") : undefined);
        if (!source) continue;
        const [, name, query] = source.match(/^([^?]*)\??(.*)$/);
        const version = own.get(`${prefix}version`) || new URLSearchParams(query).get("ref") || new URLSearchParams(query).get("version");
        if (!version) continue;
        if (!found.has(name)) found.set(name, new Map());
        found.get(name).set(version, (found.get(name).get(version) || 0) + 1);
      }
    }
    const rows = [...found].sort(([a, x], [b, y]) => y.size - x.size || a.localeCompare(b));
    return table("Versions of modules", ["source", "version", "used by"], rows.flatMap(([name, all]) => [...all].map(([version, n], i) => [i ? "" : name, version, many(n, "component")])));
  };
  // What is known only when it is deployed, equal values of several stacks once.
  const unknowns = () => {
    const unknown = new Set(data.unknown), found = new Map();
    for (const [i, leaves] of shownComponents()) for (const leaf of leaves) if (unknown.has(leaf)) {
      const [path, value] = data.leaves[leaf];
      const key = `${data.kinds[data.addresses[i][1]]}/${data.names[data.addresses[i][2]]}\u0000${path}\u0000${value}`;
      if (!found.has(key)) found.set(key, new Set());
      found.get(key).add(data.addresses[i][0]);
    }
    const rows = [...found].map(([key, stacks]) => [...key.split("\u0000"), many(stacks.size, "stack")]);
    return table("Values that are not known", ["component", "value", "as written", "in"], rows);
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
          el("td", {}, el("button", { type: "button", class: "link mono", on: { click: () => why(path, chain, undefined, madeBy(i, file, line)) } }, value)),
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
    count(`${many(found.length, "block")} of equal changes` + (state.pick ? ` of ${state.pick}` : ""));
    if (!found.length) return el("p", {}, data.groups.length ? "Nothing matches." : "No effective change.");
    const cells = where();
    return el("div", {}, cells.size > 1 ? el("div", {}, matrix(el, data, "Changes by component and stack", cells),
      legend(["danger", "danger or error"], ["removed", "removed"], ["modified", "modified"], ["added", "added"])) : null, pager(found, groupRow));
  };
  const found = () => {
    const all = findings();
    count(many(all.length, "finding"));
    return all.length ? pager(all, findingRow) : el("p", {}, data.findings.length ? "Nothing matches." : "No findings.");
  };
  const views = [
    data.groups && { id: "changes", name: "Changes", number: data.groups.length, draw: changes, kinds: ["added", "removed", "modified", "renamed"] },
    data.components && { id: "overview", name: "Overview", draw: overview, kinds: [] },
    data.components && { id: "explorer", name: "Components", number: data.components.length, draw: explorer, kinds: data.kinds },
    { id: "findings", name: "Findings", number: data.findings.length, draw: found, kinds: ["danger", "error", "warning", "note"] },
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

  byId("tabs").append(...views.map((view) => el("button", { type: "button", role: "tab", id: `tab-${view.id}`, "data-view": view.id, "aria-controls": "view", on: { click: () => go(view.id) } }, view.name, view.number === undefined ? null : el("span", { class: "num" }, ` ${view.number.toLocaleString("en")}`))));
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

  const { about } = data;
  byId("where").append(about.repository ? el("a", { href: about.repository[1], rel: "noreferrer" }, about.repository[0]) : "stacklint",
    ...(data.base ? [el("code", {}, data.base), "→"] : []), el("code", {}, data.head));
  byId("title").textContent = about.title || (data.base ? "What the change does" : "What is configured");
  const by = about.authors.length ? `by ${about.authors.join(", ")}` : "";
  byId("commits").textContent = [by, about.commits > 1 ? `the newest of ${about.commits} commits` : ""].filter(Boolean).join(" · ");
  byId("sentence").textContent = `${about.sign} ${data.verdict}`;
  byId("verdict").className = data.level;
  byId("risks").hidden = risks.length === 0;
  byId("risks").append(...risks.slice(0, RISKS).map((f) => el("li", {},
    el("span", { class: `tag ${f.level}` }, f.level),
    el("button", { type: "button", class: "link", on: { click: () => { Object.assign(state, { view: "findings", query: "", stack: "", kind: "", pick: "", open: f.id }); render(); reveal(); } } }, f.message),
    isRisky(f) && f.help ? el("span", { class: "dim" }, f.help) : null)),
    ...(risks.length > RISKS ? [el("li", { class: "dim" }, `and ${risks.length - RISKS} more; see the findings`)] : []));
  const number = (n, noun, more, kind) => el("li", { class: kind }, el("span", { class: "number" }, n.toLocaleString("en")), n === 1 ? noun : `${noun}s`, more ? ` ${more}` : "");
  const configured = data.addresses.filter((_, i) => !data.made_by[i]);
  const stacks = new Set(configured.map((a) => a[0])).size;
  const bad = data.findings.filter((f) => (data.base ? f.risk : true) && ["danger", "error"].includes(f.level)).length;
  byId("numbers").append(number(bad, "serious finding", "", bad ? "bad" : "good"),
    data.groups ? number(data.groups.filter((group) => !group.isMade).reduce((sum, group) => sum + Math.max(1, group.changes.length), 0), "change") : number(stacks, "stack"),
    number(configured.length, "component", data.groups ? `in ${many(stacks, "stack")}` : ""));
  byId("coverage").textContent = data.coverage;
  byId("lacking").hidden = data.lacking.length === 0;
  byId("lacking").append(...data.lacking.map((text) => el("li", {}, text)));
  document.title = `${about.title || "stacklint"} · ${data.base ? `${data.base} → ` : ""}${data.head}`;
  read();
  render();
  reveal();
})();
