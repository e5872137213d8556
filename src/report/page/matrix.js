"use strict";
// The matrix of components and stacks. `cells` has, by `stack\0component`, what a cell shows: its class, its text, its label, and what a
// click does. Stacks stand beside those with the same labels; components with equal cells share a row.
const matrix = (el, data, title, cells) => {
  const MAX_COLUMNS = 400, MAX_CELLS = 20000, MAX_NAMES = 3;
  const key = (stack, name) => `${stack}\u0000${name}`;
  const index = new Map(data.stacks.map((stack, i) => [stack, i]));
  const [stacks, names] = [0, 1].map((part) => [...new Set([...cells.keys()].map((cell) => cell.split("\u0000")[part]))]);
  const labelsOf = (stack) => data.labels[index.get(stack)] || [];
  // What all stacks share places none of them.
  const differs = (_, i) => new Set(stacks.map((stack) => labelsOf(stack)[i])).size > 1;
  const columns = stacks.map((stack) => {
    const labels = labelsOf(stack).filter(differs);
    return { stack, group: labels.slice(0, -1).join(" "), name: labels.at(-1) || stack };
  });
  // Two stacks that the labels do not tell apart keep their names.
  const seen = columns.map((column) => `${column.group}\u0000${column.name}`);
  if (new Set(seen).size < seen.length) for (const column of columns) Object.assign(column, { group: "", name: column.stack });
  const order = (a, b) => a.group.localeCompare(b.group) || a.name.localeCompare(b.name);
  columns.sort(order);
  const wide = columns.slice(0, MAX_COLUMNS);
  const rows = new Map();
  for (const name of names.sort()) {
    const own = wide.map(({ stack }) => cells.get(key(stack, name)));
    const equal = JSON.stringify(own.map((cell) => cell && [cell.kind, cell.text]));
    if (!rows.has(equal)) rows.set(equal, []);
    rows.get(equal).push(name);
  }
  const weight = (name) => wide.reduce((sum, { stack }) => {
    const cell = cells.get(key(stack, name));
    return sum + (cell ? (["danger", "error"].includes(cell.kind) ? 1000 : 1) : 0);
  }, 0);
  const all = [...rows.values()].sort((a, b) => weight(b[0]) - weight(a[0]) || b.length - a.length || a[0].localeCompare(b[0]));
  const tall = all.slice(0, Math.max(20, Math.floor(MAX_CELLS / Math.max(1, wide.length))));
  const groups = [];
  for (const { group } of wide) {
    if (groups.length && groups.at(-1).group === group) groups.at(-1).span += 1;
    else groups.push({ group, span: 1 });
  }
  const starts = new Set();
  groups.reduce((at, { span }) => (starts.add(at), at + span), 0);
  const isLong = wide.length > 10 || wide.some(({ name }) => name.length > 16);
  const first = (i) => (starts.has(i) && i > 0 ? "first" : "");
  const head = groups.length > 1 || groups[0]?.group
    ? [el("tr", {}, el("td"), ...groups.map(({ group, span }) => el("th", { scope: "colgroup", colspan: span, class: "group" }, group)))] : [];
  head.push(el("tr", {}, el("td"), ...wide.map(({ name, stack }, i) =>
    el("th", { scope: "col", title: stack, class: first(i) }, isLong ? el("span", { class: "tall" }, name) : name))));
  const cell = (of, { stack }, i) => {
    const found = cells.get(key(stack, of[0]));
    if (!found) return el("td", { class: first(i) }, el("span", { class: "none" }));
    const label = `${of.length > 1 ? `${of.length} components` : of[0]} in ${stack}: ${found.label}`;
    return el("td", { class: first(i) }, el("button", { type: "button", class: found.kind, "aria-label": label, on: { click: () => found.open(of.length > 1) } }, found.text));
  };
  const name = (of) => of.slice(0, of.length > MAX_NAMES + 1 ? MAX_NAMES : of.length).join(", ") + (of.length > MAX_NAMES + 1 ? ` and ${of.length - MAX_NAMES} more` : "");
  const table = el("table", { id: "heat" }, el("thead", {}, ...head),
    el("tbody", {}, ...tall.map((of) => el("tr", {}, el("th", { scope: "row", title: of.join(", ") }, el("code", {}, name(of))), ...wide.map((column, i) => cell(of, column, i))))));
  const isCut = tall.length < all.length || wide.length < columns.length;
  return el("div", {}, isCut ? el("p", { class: "dim" }, "Not all fit: filter to see the rest.") : null,
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title }, table));
};
