// timeline.js - what each worker did when, drawn on a canvas.
// SPDX-License-Identifier: Apache-2.0 OR MIT
"use strict";

const KINDS = { "porep-c2": "--porep", "snap-update": "--snap", "window-post": "--window", "winning-post": "--winning" };

const LANES = ["parse", "witness", "device", "finish", "verify"];

class Timeline {
  constructor(canvas, told) {
    this.canvas = canvas;
    this.told = told;
    this.rows = [];
    this.bars = [];
    this.boxes = [];
    this.kinds = new Map(); // of running jobs
    this.seconds = 60;
    this.now = 0;
    this.held = false;
    this.seen = 0;
    canvas.addEventListener("pointermove", (event) => this.point(event));
    canvas.addEventListener("pointerdown", (event) => this.point(event));
    addEventListener("resize", () => this.draw());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  // Numbers of nanoseconds may be above 2^53: they are used as milliseconds, in which they are exact enough.
  take(data) {
    if (data.now_ns < this.seen) { // the host was started anew
      this.seen = 0;
      this.bars = [];
    }
    this.now = data.now_ns / 1e6;
    this.rows = data.rows;
    const rank = (i) => LANES.indexOf(this.rows[i].lane) * 1000 + i;
    const order = this.rows.map((_, i) => i).sort((a, b) => rank(a) - rank(b));
    order.forEach((row, place) => { this.rows[row].place = place; });
    for (const bar of data.bars) { // seen: exact to two nanoseconds, up to half a year of uptime
      this.seen = Math.max(this.seen, bar.end_ns);
      this.bars.push({ row: bar.row, job: bar.job_id, kind: bar.proof_kind, partition: bar.partition, together: bar.together,
                       failed: bar.failed, start: bar.start_ns / 1e6, end: bar.end_ns / 1e6 });
    }
    const oldest = this.now - 1800e3;
    this.bars = this.bars.filter((bar) => bar.end > oldest);
    if (!this.held) this.draw();
  }

  name(row) {
    const lane = row.device ? `${row.lane} ${row.device}` : row.lane;
    return lane + (row.worker > 0 ? ` ${row.worker + 1}` : "") + (row.urgent ? " (urgent)" : "");
  }

  draw() {
    const height = 22, top = 4, axis = 20;
    const width = this.canvas.clientWidth, ratio = devicePixelRatio || 1;
    const left = Math.min(170, width * 0.3);
    const full = top + height * this.rows.length + axis;
    this.canvas.style.height = full + "px";
    this.canvas.width = width * ratio;
    this.canvas.height = full * ratio;
    const draw = this.canvas.getContext("2d");
    const style = getComputedStyle(document.documentElement);
    const color = (name) => style.getPropertyValue(name).trim();
    draw.scale(ratio, ratio);
    draw.font = "12px system-ui, sans-serif";
    draw.textBaseline = "middle";
    const end = this.now, start = end - this.seconds * 1000;
    const x = (t) => left + (width - left) * (t - start) / (end - start);
    this.boxes = [];
    for (const row of this.rows) {
      const y = top + height * row.place;
      draw.fillStyle = color("--track");
      draw.fillRect(left, y + 3, width - left, height - 6);
      draw.fillStyle = row.busy ? color("--ink") : color("--quiet");
      draw.fillText(this.name(row), 0, y + height / 2, left - 8);
    }
    const busy = this.rows.flatMap((row, index) => row.busy
      ? [{ row: index, job: row.job_id, kind: this.kinds.get(row.job_id), partition: row.partition, failed: false, start: row.since_ns / 1e6, end }] : []);
    for (const bar of this.bars.concat(busy)) {
      if (bar.end < start || bar.start > end || bar.row >= this.rows.length) continue;
      const from = Math.max(left, x(bar.start)), to = Math.min(width, x(bar.end)), y = top + height * this.rows[bar.row].place;
      draw.fillStyle = color(bar.failed ? "--bad" : KINDS[bar.kind] || "--quiet");
      draw.globalAlpha = bar.partition % 2 ? 0.75 : 1;
      draw.fillRect(from, y + 3, Math.max(1, to - from - 0.5), height - 6);
      draw.globalAlpha = 1;
      if (to - from > 22 && bar.partition !== undefined) {
        draw.fillStyle = color("--panel");
        draw.fillText(bar.together ? `×${bar.together}` : String(bar.partition), from + 4, y + height / 2);
      }
      this.boxes.push({ from, to: Math.max(to, from + 3), y, height, bar });
    }
    draw.fillStyle = color("--quiet");
    for (let i = 0; i <= 4; i++) {
      const at = left + (width - left) * i / 4;
      draw.textAlign = i === 0 ? "left" : i === 4 ? "right" : "center";
      draw.fillText(i === 4 ? "now" : `-${this.seconds * (4 - i) / 4} s`, at, full - axis / 2);
    }
    draw.textAlign = "left";
  }

  point(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    const hit = this.boxes.findLast((b) => x >= b.from - 1 && x <= b.to + 1 && y >= b.y && y < b.y + b.height);
    this.told(hit ? hit.bar : null, hit ? this.name(this.rows[hit.bar.row]) : "");
  }
}
