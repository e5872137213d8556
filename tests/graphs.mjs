// Parses graphs of `stacklint graph` with Graphviz and Mermaid and compares what they read with the JSON of the same graph:
// `node graphs.mjs GRAPH.dot...`, with GRAPH.mermaid and GRAPH.json beside each.
import { readFileSync } from "node:fs";
import { instance } from "@viz-js/viz";
import DOMPurify from "dompurify";

// Mermaid cleans text for a page that there is none of; only what it reads is looked at.
DOMPurify.addHook ??= () => {};
DOMPurify.sanitize ??= (text) => text;
const { default: mermaid } = await import("mermaid");
const viz = await instance();

const same = (got, wanted, what) => {
  if (JSON.stringify(got) !== JSON.stringify(wanted)) throw new Error(`${what}: ${JSON.stringify(got)}, not ${JSON.stringify(wanted)}`);
};
// Mermaid writes characters by number between marks of its own.
const plain = (text) => text.replace(/(?:ﬂ°°|#)(\d+)(?:¶ß|;)/g, (_, code) => String.fromCodePoint(Number(code)));
// A name of Graphviz keeps the two backslashes that its label shows as one.
const single = (text) => text.replaceAll("\\\\", "\\");
const sorted = (list) => [...list].sort();

let count = 0;
for (const path of process.argv.slice(2)) {
  const file = (ending) => readFileSync(path.replace(/dot$/, ending), "utf8");
  const { nodes, edges } = JSON.parse(file("json"));
  const names = sorted(nodes.map((node) => node.name));
  const ends = sorted(edges.map((edge) => `${edge.from} -> ${edge.to}`));

  const dot = JSON.parse(viz.renderString(file("dot"), { format: "dot_json", engine: "dot" }));
  const objects = dot.objects ?? [];
  same(sorted(objects.map((object) => single(object.name))), names, `${path}: nodes of Graphviz`);
  same(sorted((dot.edges ?? []).map((edge) => `${single(objects[edge.tail].name)} -> ${single(objects[edge.head].name)}`)), ends, `${path}: edges of Graphviz`);

  const text = file("mermaid");
  await mermaid.parse(text);
  const { db } = await mermaid.mermaidAPI.getDiagramFromText(text);
  const labels = new Map([...db.getVertices().values()].map((vertex) => [vertex.id, plain(vertex.text)]));
  same(sorted(labels.values()), names, `${path}: nodes of Mermaid`);
  same(sorted(db.getEdges().map((edge) => `${labels.get(edge.start)} -> ${labels.get(edge.end)}`)), ends, `${path}: edges of Mermaid`);
  count += 1;
}
if (count === 0) throw new Error("no graphs");
console.log(`${count} graphs read by Graphviz and Mermaid`);
