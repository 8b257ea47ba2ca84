// page.js - the status page: asks for /status and /timeline, and shows them.
// SPDX-License-Identifier: Apache-2.0 OR MIT
"use strict";

const $ = (id) => document.getElementById(id);

// All texts go in as text: nothing that a client sent is taken for markup.
function element(name, attributes = {}, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "style") Object.assign(e.style, value);
    else e.setAttribute(key, value);
  }
  e.append(...children.filter((c) => c !== null && c !== undefined));
  return e;
}

function bytes(n) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let i = 0;
  while (n >= 1024 && i < units.length - 1) { n /= 1024; i++; }
  return `${n >= 100 || i === 0 ? n.toFixed(0) : n.toFixed(1)} ${units[i]}`;
}

function duration(ms) {
  if (ms === undefined || ms === null) return "";
  if (ms < 1000) return `${ms.toFixed(0)} ms`;
  const s = ms / 1000;
  if (s < 60) return `${s.toFixed(s < 10 ? 2 : 1)} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${Math.floor(s % 60)} s`;
  const h = s / 3600;
  return h < 48 ? `${Math.floor(h)} h ${Math.floor(h % 1 * 60)} min` : `${(h / 24).toFixed(1)} d`;
}

function table(id, heads, rows) {
  const head = element("tr", {}, ...heads.map(([text, kind]) => element("th", { class: kind || "" }, text)));
  const body = rows.map((cells) => element("tr", {}, ...cells.map((cell, i) => {
    const td = element("td", { class: heads[i][1] || "" });
    td.append(cell ?? "");
    return td;
  })));
  $(id).replaceChildren(element("thead", {}, head), element("tbody", {}, ...body));
}

function mark(text, kind) {
  return element("span", { class: kind }, text);
}

const total = (counts) => Object.values(counts).reduce((a, b) => a + b, 0);

function showTiles(s) {
  const tiles = [
    ["running", s.running], ["waiting", s.counters.queue_depth], ["completed", s.counters.total_completed],
    ["failed", s.counters.total_failed], ["cancelled", total(s.counters.cancelled_by_kind)],
    ["partitions", s.counters.partitions], ["retries", s.counters.retries], ["CPU fallbacks", s.counters.cpu_fallbacks],
  ];
  $("tiles").replaceChildren(...tiles.map(([name, value]) =>
    element("div", { class: "tile" }, element("b", {}, String(value)), element("span", {}, name))));
}

function showMemory(m) {
  const share = (n) => `${Math.min(100, m.total_bytes ? 100 * n / m.total_bytes : 0).toFixed(2)}%`;
  const meter = element("div", { class: "meter", title: "reserved of the budget; the line is the peak" },
    element("i", { style: { width: share(m.used_bytes) } }), element("u", { style: { left: share(m.peak_bytes) } }));
  const facts = [["reserved", `${bytes(m.used_bytes)} of ${bytes(m.total_bytes)}`], ["in use", bytes(m.in_use_bytes)],
    ["peak", bytes(m.peak_bytes)], ["resident", bytes(m.resident_bytes)], ["when idle", m.baseline_bytes ? bytes(m.baseline_bytes) : "not known yet"],
    ["payloads", bytes(m.payload_bytes)], ["waiting for memory", String(m.waiting)]];
  const list = element("dl", {}, ...facts.flatMap(([k, v]) => [element("dt", {}, k), element("dd", {}, v)]));
  $("memory").replaceChildren(meter, list, m.leak ? mark("more memory than when idle before", "bad") : "");
}

function showLists(s) {
  table("queues", [["kind"], ["waiting", "number"], ["in work", "number"], ["done", "number"], ["failed", "number"]],
    s.queues.map((q) => [q.proof_kind, q.pending, q.in_progress, s.counters.completed_by_kind[q.proof_kind],
                         s.counters.failed_by_kind[q.proof_kind]]));
  table("devices", [["device"], ["state"], ["memory", "number"], ["proofs", "number"], ["faults", "number"]],
    s.devices.map((d) => [d.name,
      d.quarantined ? mark(`quarantine: ${d.fault}`, "bad") : d.leak ? mark("memory not returned", "warn") : mark((d.job_id ? "proving" : "idle") + (d.in_batch ? `, ${d.in_batch} in a batch` : ""), "good"),
      d.memory_total_bytes ? `${bytes(d.memory_total_bytes - d.memory_free_bytes)} of ${bytes(d.memory_total_bytes)}` : "",
      d.proofs, d.failures + d.invalid]));
  table("parameters", [["circuit"], ["state"], ["size", "number"], ["in use", "number"]],
    s.parameters.filter((p) => p.path).map((p) => [p.circuit, p.tier + (p.held ? ", kept" : ""), bytes(p.bytes), p.refs]));
}

const PHASES = ["--quiet", "--window", "--snap", "--porep", "--winning", "--good"];
const colors = new Map();
function phaseColor(name) {
  if (!colors.has(name)) colors.set(name, PHASES[colors.size % PHASES.length]);
  return `var(${colors.get(name)})`;
}

// The phases of the job's slowest partition, one after the other.
function phases(job) {
  const last = (spans) => spans.reduce((end, s) => Math.max(end, s.at_ms + (s.ms || 0)), 0);
  const slowest = job.partitions.reduce((a, p) => !a || last(p.spans) > last(a.spans) ? p : a, null);
  const spans = slowest ? slowest.spans : job.spans;
  const whole = spans.reduce((sum, s) => sum + (s.ms || 0), 0);
  if (!whole) return "";
  return element("div", { class: "phases" }, ...spans.filter((s) => s.ms).map((s) =>
    element("i", { style: { width: `${100 * s.ms / whole}%`, background: phaseColor(s.name) }, title: `${s.name}: ${duration(s.ms)}` })));
}

function stateOf(job) {
  const kind = { completed: "good", failed: "bad", cancelled: "warn" }[job.state] || "";
  return element("div", {}, mark(job.state, kind), job.error ? element("div", { class: "quiet" }, job.error) : null);
}

function partsOf(job, running) {
  const live = running.get(job.job_id);
  if (live) return element("div", { class: "parts", title: `${live.partitions_done} of ${live.total_partitions}` },
    ...live.partitions.map((p) => element("i", { class: p.state, title: `${p.index}: ${p.phase}` })));
  return `${job.partitions_done} of ${job.total_partitions}`;
}

function showJobs(s) {
  const running = new Map(s.pipelines.map((p) => [p.job_id, p]));
  table("jobs", [["request", "id"], ["circuit"], ["state"], ["partitions"], ["time", "number"], ["phases", "wide"], ["accepted", "wide"], ["trace", "wide"]],
    s.jobs.map((job) => [job.request_id || job.job_id, job.circuit, stateOf(job), partsOf(job, running), duration(job.total_ms), phases(job),
      new Date(job.accepted_unix_ms).toLocaleTimeString(), element("a", { href: `trace?job=${encodeURIComponent(job.job_id)}` }, "save")]));
}

function showState(text, kind) {
  $("state").textContent = text;
  $("state").className = `badge ${kind}`;
}

function show(s) {
  timeline.kinds = new Map(s.pipelines.map((p) => [p.job_id, p.proof_kind]));
  showState(s.draining ? "draining" : s.ready ? "ready" : `not ready: ${s.not_ready}`, s.ready ? "good" : "warn");
  $("facts").textContent = `version ${s.version}, up ${duration(s.uptime_secs * 1000)}`;
  showTiles(s);
  showMemory(s.memory);
  showLists(s);
  showJobs(s);
}

async function get(path) {
  const answer = await fetch(path, { signal: AbortSignal.timeout(5000) });
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.json();
}

const timeline = new Timeline($("timeline"), (bar, row) => {
  $("bar").textContent = !bar ? "Point at a bar to see its job."
    : `${row}: ${bar.job}${bar.together ? `, ${bar.together} partitions settled together` : bar.partition === undefined ? "" : `, partition ${bar.partition}`}, ${duration(bar.end - bar.start)}${bar.failed ? ", failed" : ""}`;
});

$("span").addEventListener("change", (event) => {
  timeline.seconds = Number(event.target.value);
  timeline.draw();
});
$("hold").addEventListener("click", () => {
  timeline.held = !timeline.held;
  $("hold").setAttribute("aria-pressed", String(timeline.held));
});
$("legend").replaceChildren(...Object.entries(KINDS).map(([kind, name]) =>
  element("span", {}, element("i", { style: { background: `var(${name})` } }), kind)));

async function look() {
  try {
    if (!document.hidden) {
      show(await get("status"));
      timeline.take(await get(`timeline?from=${timeline.seen + 2}`));
    }
  } catch (error) {
    showState("no answer", "bad");
  }
  setTimeout(look, 1000);
}
look();
