// Opens pages that `stacklint report` wrote in headless Chromium and uses them: `node tests/page.mjs CHROMIUM PAGE...`.
// Talks to the browser over a pipe, so that it needs no package.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const [chromium, ...pages] = process.argv.slice(2);
const profile = mkdtempSync(join(tmpdir(), "stacklint-page-"));
const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe", `--user-data-dir=${profile}`, "about:blank"];
const browser = spawn(chromium, flags, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
const [, , , to, from] = browser.stdio;

let next = 1, rest = "";
const waiting = new Map(), listeners = [];
from.on("data", (bytes) => {
  rest += bytes;
  for (let end; (end = rest.indexOf("\0")) >= 0; rest = rest.slice(end + 1)) {
    const message = JSON.parse(rest.slice(0, end));
    if (message.id) waiting.get(message.id)(message);
    else listeners.forEach((listen) => listen(message));
  }
});
const send = (method, params = {}, sessionId) => new Promise((done, fail) => {
  const id = next++;
  waiting.set(id, (message) => (message.error ? fail(new Error(`${method}: ${message.error.message}`)) : done(message.result)));
  to.write(JSON.stringify({ id, method, params, sessionId }) + "\0");
});

const fail = (text) => { throw new Error(text); };
const same = (got, wanted, what) => JSON.stringify(got) === JSON.stringify(wanted) || fail(`${what}: ${JSON.stringify(got)}, not ${JSON.stringify(wanted)}`);
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

async function open(path) {
  const { targetId } = await send("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
  const problems = [], requests = [];
  listeners.push((message) => {
    if (message.sessionId !== sessionId) return;
    const { method, params } = message;
    if (method === "Runtime.exceptionThrown") problems.push(params.exceptionDetails.text);
    if (method === "Runtime.consoleAPICalled" && params.type === "error") problems.push("console.error");
    if (method === "Log.entryAdded") problems.push(params.entry.text);
    if (method === "Page.javascriptDialogOpening") problems.push(`a dialog: ${params.message}`);
    if (method === "Network.requestWillBeSent") requests.push(params.request.url);
  });
  const ask = (method, params) => send(method, params, sessionId);
  for (const domain of ["Runtime", "Log", "Page", "Network"]) await ask(`${domain}.enable`);
  const run = async (expression) => {
    const { result, exceptionDetails } = await ask("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
    if (exceptionDetails) fail(`${expression}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
    return result.value;
  };
  const key = async (name, text) => {
    await ask("Input.dispatchKeyEvent", { type: "keyDown", key: name, code: name, text, windowsVirtualKeyCode: { Enter: 13, Escape: 27, ArrowRight: 39, ArrowLeft: 37, Tab: 9 }[name] });
    await ask("Input.dispatchKeyEvent", { type: "keyUp", key: name, code: name });
  };
  const url = `file://${resolve(path)}`;
  const begin = Date.now();
  await ask("Page.navigate", { url });
  while (!(await run("document.readyState === 'complete' && document.getElementById('view')?.childElementCount > 0"))) {
    if (Date.now() - begin > 20_000) fail(`${path} shows nothing: ${problems.join("; ")}`);
    await sleep(20);
  }
  const at = async (hash) => {
    await run(`location.hash = ${JSON.stringify(hash)}`);
    await sleep(100);
  };
  return { ask, at, run, key, problems, requests, url, time: Date.now() - begin };
}

// What may stand in no page: elements that names and values of a hostile repository ask for.
const MARKUP = "document.querySelectorAll('main img, main script, main b, main iframe, main a[href^=javascript], aside img, aside script').length";

async function use(path) {
  const page = await open(path);
  const { run, key } = page;
  const size = statSync(path).size;
  same(await run(MARKUP), 0, "elements from files");
  const tabs = await run("[...document.querySelectorAll('[role=tab]')].map((tab) => tab.dataset.view)");
  for (const view of tabs) {
    await run(`document.getElementById('tab-${view}').click()`);
    same(await run("document.querySelector('[role=tab][aria-selected=true]').dataset.view"), view, "the view after a click");
    same(await run(MARKUP), 0, `elements from files in ${view}`);
  }
  // Dark and light: another background, and text that can be read on it.
  const shades = [];
  for (const value of ["light", "dark"]) {
    await page.ask("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value }] });
    const [back, front] = await run("['backgroundColor', 'color'].map((name) => getComputedStyle(document.body)[name].match(/\\d+/g).map(Number))");
    const light = ([r, g, b]) => 0.2126 * r + 0.7152 * g + 0.0722 * b;
    if (Math.abs(light(back) - light(front)) < 128) fail(`${value}: ${front} on ${back}`);
    shades.push(light(back) > light(front));
  }
  same(shades, [true, false], "light and dark");
  // By keyboard: the arrow goes on to the first view, and the slash to the search.
  await run(`document.getElementById('tab-${tabs.at(-1)}').focus()`);
  await key("ArrowRight");
  same(await run("document.activeElement.dataset.view"), tabs[0], "the view after an arrow");
  await run("document.activeElement.blur()");
  await key("/", "/");
  same(await run("document.activeElement.id"), "query", "what a slash focuses");
  const before = await run("document.getElementById('count').textContent");
  await page.ask("Input.insertText", { text: "nothing-is-called-like-this" });
  await sleep(400);
  const after = await run("document.getElementById('count').textContent");
  if (before === after || !/^0 /.test(after)) fail(`the search for nothing finds ${after}`);
  if (!(await run("location.hash")).includes("nothing-is-called-like-this")) fail("the search is not in the address");
  await run("document.getElementById('clear').click()");
  same(await run("document.getElementById('count').textContent"), before, "the count after clearing");
  // A filter of stacks, and its link.
  const stack = await run("document.getElementById('stack').options[1]?.value");
  if (stack !== undefined) {
    await run("(() => { const s = document.getElementById('stack'); s.value = s.options[1].value; s.dispatchEvent(new Event('change')); })()");
    same(await run("new URLSearchParams(location.hash.slice(1)).get('stack')"), stack, "the stack in the address");
    await run("document.getElementById('clear').click()");
  }
  // A row has a link of its own, which opens it whatever is shown now.
  for (const view of tabs) {
    await run(`document.getElementById('tab-${view}').click()`);
    const link = await run("document.querySelector('#view [data-id] .mark')?.getAttribute('href')");
    if (!link) continue;
    const id = new URLSearchParams(link.slice(1)).get("open");
    await page.at("#query=nothing-is-called-like-this");
    await page.at(link);
    same(await run("document.querySelector('[role=tab][aria-selected=true]').dataset.view"), view, "the view of a link");
    same(await run("document.querySelector('.target')?.dataset.id"), id, "the row of a link");
    same(await run("document.querySelector('.target').open ?? true"), true, "the row of a link is open");
    same(await run("document.querySelector('.target').contains(document.activeElement)"), true, "the focus after a link");
  }
  await run("document.getElementById('clear').click()");
  await run(`document.getElementById('tab-${tabs[0]}').click()`);
  // Enter opens a group.
  if (await run("!!document.querySelector('#view details')")) {
    await run("(() => { const d = document.querySelector('#view details'); d.open = false; d.querySelector('summary').focus(); })()");
    await key("Enter", "\r");
    same(await run("document.querySelector('#view details').open"), true, "a group after Enter");
  }
  // What is risky leads to its finding.
  if (!(await run("document.getElementById('risks').hidden"))) {
    await run("document.querySelector('#risks button').click()");
    same(await run("document.activeElement.classList.contains('finding')"), true, "the finding of a risk");
    await run(`document.getElementById('tab-${tabs[0]}').click()`);
  }
  // A click shows where a value comes from, Escape ends that and gives the focus back.
  await run("document.querySelectorAll('details').forEach((d) => { d.open = true; })");
  await sleep(200);
  same(await run(MARKUP), 0, "elements from files in opened groups");
  const asked = "[...document.querySelectorAll('main button')].find((b) => /^Why/.test(b.textContent) || b.classList.contains('link'))";
  if (await run(`!!${asked}`)) {
    await run(`(() => { const b = ${asked}; b.id = 'asked'; b.focus(); b.click(); })()`);
    same(await run("document.getElementById('why').hidden"), false, "the chain is shown");
    same(await run(MARKUP), 0, "elements from files in the chain");
    await key("Escape");
    same(await run("document.getElementById('why').hidden"), true, "the chain is closed");
    same(await run("document.activeElement.id"), "asked", "the focus after closing");
  }
  // A value says what it reaches in the code, and an argument of a resource where it comes from.
  if (path.endsWith("code.html")) {
    const lines = async (component, name) => {
      await run(`document.getElementById('tab-explorer').click()`);
      await run(`[...document.querySelectorAll('#explorer .list button')].find((b) => b.textContent.endsWith('${component}')).click()`);
      await run(`[...document.querySelectorAll('#explorer tr')].find((r) => r.textContent.startsWith('${name}')).querySelector('button').click()`);
      const shown = await run("document.getElementById('why').innerText");
      await key("Escape");
      return shown;
    };
    await run(`document.getElementById('tab-overview').click()`);
    const overview = await run("document.getElementById('view').innerText.replace(/\\s+/g, ' ')");
    for (const part of ["acme/lb/aws 1.2.0 1 component", "module/lb inputs.target ${aws_instance.web.id} 1 stack"])
      if (!overview.includes(part)) fail(`the overview lacks ${part}: ${overview}`);
    const reached = await lines("terraform/web", "vars.size");
    if (!/Reaches 1 value in the code/.test(reached) || !/aws_instance.web cores 3/.test(reached)) fail(`vars.size: ${reached}`);
    const chain = await lines("resource/aws_instance.web", "cores");
    if (!/dev.yaml:6/.test(chain) || /Reaches/.test(chain)) fail(`cores: ${chain}`);
  }
  // A narrow window needs no scrolling sideways.
  await page.ask("Emulation.setDeviceMetricsOverride", { width: 360, height: 700, deviceScaleFactor: 1, mobile: true });
  for (const view of tabs) {
    await run(`document.getElementById('tab-${view}').click()`);
    const wide = await run("document.documentElement.scrollWidth");
    if (wide > 362) fail(`${view} is ${wide} pixels wide in a window of 360`);
  }
  same(page.problems, [], "problems");
  same(page.requests.filter((url) => !url.startsWith(page.url)), [], "requests");
  console.log(`${path}: ${(size / 1024 / 1024).toFixed(2)} MiB, shown after ${page.time} ms, ${tabs.length} views`);
}

let status = 0;
try {
  for (const path of pages) await use(path);
} catch (error) {
  console.error(`tests/page.mjs: ${error.message}`);
  status = 1;
}
browser.kill();
await new Promise((done) => browser.once("exit", done));
rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
process.exit(status);
