/// What draws the page in a browser: by hand, for nothing may be fetched.
enum HTMLScript {
    static let hint =
        "Point at something. The wheel, + and - zoom; dragging, ← and → move; 0 shows all; r: more rows of tasks."

    static let style = """
        :root{color-scheme:light dark}body{margin:0;padding:8px 0 48px;background:#fff;color:#1f2328;font:13px system-ui,sans-serif}
        main{cursor:grab;outline-offset:-2px;touch-action:pan-y}main.moving{cursor:grabbing}main svg{display:block;user-select:none}
        h2{font-size:15px;margin:12px 20px 2px}h2+p,h2+p+p{margin:0 20px 2px}p.bad{color:#b34700}p.soft{color:#59636e;font-size:11px}
        .tools{position:sticky;top:0;padding:4px 20px;background:inherit}.tools button{font:inherit;min-width:2.2em}#view{margin-left:1em}
        #on{position:fixed;bottom:0;left:0;right:0;margin:0;padding:8px 20px;background:#f6f8fa;border-top:1px solid #d1d9e0;overflow-wrap:anywhere}
        @media(prefers-color-scheme:dark){body{background:#0d1117;color:#f0f6fc}p.bad{color:#ff9a5c}p.soft{color:#9198a1}#on{background:#151b23;border-color:#3d444d}}

        """

    static let text = #"""
        (() => {
          "use strict";
          const data = JSON.parse(document.getElementById("data").textContent);
          const runs = document.getElementById("runs"), on = document.getElementById("on");
          const LEFT = 92, RIGHT = 24, ROWS = 6, RANKS = ["fatal", "warning", "plain", "minor"];
          const told = new WeakMap();
          const hint = on.textContent;
          let view = { from: 0, to: data.length }, width = 960, taskRows = 10;

          // Words

          const DAY = 864e8, HOUR = 36e8, MINUTE = 6e7, SECOND = 1e6;
          const short = (value, places) => String(Number(value.toFixed(places)));
          // The digits that somebody wants who sees all of it, in nanoseconds.
          const DIGITS = [[1e3, 1], [1e6, 100], [1e9, 1e5], [6e10, 1e6], [36e11, 1e8], [Infinity, 1e9]];
          // Such as "1 min 3.4 s", rounded to what is shown before it is split, so that no "60 s" comes of it; `step`, what
          // can be told apart in µs: as many digits as it has.
          function time(us, step = Infinity) {
            if (us < 0) return "-" + time(-us, step);
            const usual = DIGITS.find(each => us * 1e3 < each[0])[1];
            const digit = Math.min(usual, 10 ** Math.max(0, String(Math.floor(Math.min(step * 1e3, 1e15))).length - 1));
            const whole = Math.round(us * 1e3 / digit) * digit;
            const of = (amount, unit) => short(amount / unit, Math.max(0, Math.round(Math.log10(unit / digit))));
            if (whole === 0) return "0";
            if (whole < 1e3) return whole + " ns";
            if (whole < 1e6) return of(whole, 1e3) + " µs";
            if (whole < 1e9) return of(whole, 1e6) + " ms";
            if (whole < 6e10) return of(whole, 1e9) + " s";
            const parts = [];
            let rest = whole;
            for (const [length, name] of [[DAY, "d"], [HOUR, "h"], [MINUTE, "min"]]) {
              const count = Math.floor(rest / (length * 1e3));
              if (count > 0) parts.push(count + " " + name);
              rest -= count * length * 1e3;
            }
            const seconds = of(rest, 1e9);
            return seconds === "0" ? parts.join(" ") : [...parts, seconds + " s"].join(" ");
          }
          // A moment, to a tenth of a pixel.
          const moment = us => time(us, (view.to - view.from) / plot() / 10);
          function size(bytes) {
            let power = 0;
            while (bytes >= 1024 && power < 6) { bytes /= 1024; power += 1; }
            return short(Math.floor(bytes * 10) / 10, 1) + " " + ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"][power];
          }

          // Places

          const plot = () => width - LEFT - RIGHT;
          const x = at => LEFT + plot() * (at - view.from) / (view.to - view.from);
          const at = px => view.from + (px - LEFT) / plot() * (view.to - view.from);
          const inside = px => Math.min(Math.max(px, LEFT), width - RIGHT);
          const isSeen = (from, to) => to >= view.from && from <= view.to;
          const STEPS = [];
          for (let power = 1e-3; power < SECOND; power *= 10) STEPS.push(power, 2 * power, 5 * power);
          STEPS.push(...[1, 2, 5, 10, 15, 30].map(n => n * SECOND), ...[1, 2, 5, 10, 15, 30].map(n => n * MINUTE),
            ...[1, 2, 3, 6, 12, 24, 48, 168, 720].map(n => n * HOUR));
          // Each with its words, which have room beside each other.
          function ticks() {
            const length = view.to - view.from, wide = step => plot() * step / length;
            const months = Math.ceil(length / Math.max(2, plot() / 84) / (30 * DAY)) * 30 * DAY;
            for (const step of [...STEPS, months, 2 * months]) {
              if (wide(step) < 84 && step !== 2 * months) continue;
              const found = [];
              for (let n = Math.ceil(view.from / step); n * step <= view.to; n += 1) found.push([n * step, time(n * step, step)]);
              if (found.every(each => letters(each[1]) * 6.3 + 12 <= wide(step)) || step === 2 * months) return found;
            }
          }
          const letters = text => [...text].reduce((sum, each) => sum + (each > "\u2e7f" ? 2 : 1), 0);
          function cut(text, room) {
            if (letters(text) * 6.3 <= room) return text;
            const kept = [...text].slice(0, Math.max(0, Math.floor(room / 6.3) - 1)).join("");
            return kept.length < 3 ? "" : kept + "…";
          }

          // Elements: text is only ever set as text.

          function make(parent, name, attributes, what, words) {
            const element = document.createElementNS("http://www.w3.org/2000/svg", name);
            for (const [key, value] of Object.entries(attributes)) {
              element.setAttribute(key, typeof value === "number" ? value.toFixed(1) : value);
            }
            if (words !== undefined) element.textContent = words;
            if (what) told.set(element, what);
            parent.append(element);
            return element;
          }
          const rect = (svg, left, top, wide, high, kind, what) =>
            make(svg, "rect", { x: left, y: top, width: Math.max(wide, 1), height: high, class: kind }, what);
          const label = (svg, words, left, top, kind, anchor, what) =>
            make(svg, "text", { x: left, y: top, class: kind, "text-anchor": anchor ?? "start" }, what, words);
          const path = (svg, points, kind, what) => make(svg, "path",
            { d: points.map(([px, py], n) => (n ? "L" : "M") + px.toFixed(1) + " " + py.toFixed(1)).join(""), class: kind }, what);
          const lane = (svg, words, top) => label(svg, words, LEFT - 10, top, "soft", "end");

          // Lanes: each draws from `top` on, and returns where it ends.

          const HIGH = 28, heights = Object.fromEntries(data.states), isHatched = state => state === "notRunning" || state === "unknown";
          const span = (name, from, to) => `${name}, ${moment(to - from)}: ${moment(from)} to ${moment(to)}`;
          function band(svg, [state, from, to], top, left, wide) {
            const high = HIGH * heights[state], y = top + HIGH - high, what = span(state, from, to);
            rect(svg, left, y, wide, high, `band ${state}${wide < 4 ? " thin" : ""}`, what);
            if (isHatched(state)) rect(svg, left, y, wide, high, "edge", what);
            const kind = state === "suspended" ? "onDark" : isHatched(state) ? "" : "on";
            if (letters(state) * 6.6 <= wide - 10) label(svg, state, left + 5, y + high / 2 + 4, kind, "start", what);
          }
          // What falls into one pixel: each state with its share of the time, and seen however short.
          function stack(svg, group, top, left, wide) {
            const lengths = {};
            for (const [state, from, to] of group) lengths[state] = (lengths[state] ?? 0) + to - from;
            const states = data.states.map(each => each[0]).filter(each => each in lengths);
            const all = states.reduce((sum, each) => sum + lengths[each], 0), room = HIGH - 2 * states.length;
            const what = span(group.length + " states", group[0][1], group[group.length - 1][2]);
            let y = top;
            for (const state of states) {
              const high = 2 + room * (all > 0 ? lengths[state] / all : 1 / states.length);
              rect(svg, left, y, wide, high, `band ${state} thin`, what);
              y += high;
            }
          }
          function bands(svg, run, top) {
            lane(svg, "state", top + 18);
            const slivers = [];
            let group = [];
            const draw = group => {
              const left = inside(x(group[0][1])), wide = inside(x(group[group.length - 1][2])) - left;
              if (wide < 1) rect(svg, left, top, 1, HIGH, "page");
              if (group.length === 1) band(svg, group[0], top, left, wide);
              else stack(svg, group, top, left, wide);
            };
            const isWide = group => x(group[group.length - 1][2]) - x(group[0][1]) >= 1;
            const flush = () => {
              if (group.length === 0) return;
              if (isWide(group)) draw(group);
              else slivers.push(group);
              group = [];
            };
            for (const each of run.bands) {
              if (!isSeen(each[1], each[2])) continue;
              if (isWide([each])) flush();
              group.push(each);
              if (isWide(group)) flush();
            }
            flush();
            // Seen, though short.
            slivers.forEach(draw);
            return top + HIGH + 8;
          }

          // Of what is in view each in the first row that is free.
          function tasks(svg, run, top) {
            if (run.tasks.length === 0) return top;
            lane(svg, "tasks", top + 12);
            const ends = [], reached = [];
            let hidden = 0, narrow = 0;
            for (const [name, from, to, isOpen, what] of run.tasks) {
              if (!isSeen(from, to)) continue;
              let row = ends.findIndex(end => end <= from);
              if (row < 0) row = ends.length;
              if (row >= taskRows) { hidden += 1; continue; }
              ends[row] = to;
              if (x(to) - (reached[row] ?? -1) < 1) { narrow += 1; continue; }
              reached[row] = x(to);
              const left = inside(x(from)), wide = Math.max(inside(x(to)) - left, 1.5), y = top + row * 18;
              rect(svg, left, y, wide, 16, wide < 4 ? "task thin" : "task", what);
              if (isOpen) path(svg, [[left + wide, y], [left + wide, y + 16]], "taskOpen", what);
              const words = cut(name, wide - 8);
              if (words) label(svg, words, left + 4, y + 12, "on", "start", what);
            }
            const end = top + Math.max(ends.length, 1) * 18;
            if (hidden + narrow === 0) return end + 8;
            const why = [narrow > 0 ? "zoom in" : "", hidden > 0 ? "r: more rows" : ""].filter(each => each).join(", ");
            label(svg, `${hidden + narrow} more tasks here: ${why}`, LEFT, end + 10, "small soft");
            return end + 22;
          }

          // Those that are nearer than 3 pixels as one, which is the most important of them.
          function gathered(run) {
            const found = [];
            for (const mark of run.marks) {
              if (mark[0] < view.from || mark[0] > view.to) continue;
              const last = found[found.length - 1], px = x(mark[0]);
              if (!last || px - last.px >= 3) found.push({ px, mark, others: [] });
              else if (mark[2] < last.mark[2]) { last.others.push(last.mark); last.mark = mark; }
              else last.others.push(mark);
            }
            return found;
          }
          function overlaps(one, other) {
            if (one.row === other.row) {
              const left = Math.min(other.from, other.px), right = Math.max(other.to, other.px);
              return Math.min(one.from, one.px) < right + 6 && Math.max(one.to, one.px) > left - 6;
            }
            const [near, far] = one.row < other.row ? [one, other] : [other, one];
            return far.px > near.from - 3 && far.px < near.to + 3;
          }
          function named(found) {
            const wishes = found.map(drawn => {
              const words = cut(drawn.mark[1], 220) + (drawn.others.length ? " +" + drawn.others.length : "");
              const wide = letters(words) * 6.3, isLeft = drawn.px + 4 + wide > width - RIGHT + 16;
              return { drawn, words, wide, isLeft };
            });
            // From right to left, so that no line has to cross a label; those whose label stands to their left the other way.
            const ordered = [...wishes.filter(each => !each.isLeft).reverse(), ...wishes.filter(each => each.isLeft)];
            const isImportant = each => each.drawn.mark[2] < 2;
            const taken = placed(ordered);
            if (taken.filter(each => isImportant(each)).length === ordered.filter(isImportant).length) return taken;
            return placed([...ordered.filter(isImportant), ...ordered.filter(each => !isImportant(each))]);
          }
          function placed(wishes) {
            const taken = [];
            for (const { drawn, words, wide, isLeft } of wishes) {
              if (taken.length >= ROWS * 24) break;
              const from = isLeft ? drawn.px - 4 - wide : drawn.px + 4;
              for (let row = 0; row < ROWS && from >= 0; row += 1) {
                const place = { row, from, to: from + wide, px: drawn.px, words, isLeft, drawn };
                if (taken.some(each => overlaps(place, each))) continue;
                taken.push(place);
                break;
              }
            }
            return taken;
          }
          function symbol(svg, px, y, rank, what) {
            if (rank === 0) make(svg, "path", { d: `M${px} ${y}m-5-5 10 10m0-10-10 10`, class: "fatal", "stroke-width": "2.5" }, what);
            else if (rank === 1) make(svg, "path", { d: `M${px} ${y}m0-6 5.5 10h-11z`, class: "warning" }, what);
            else make(svg, "circle", { cx: px, cy: y, r: rank === 2 ? 3.5 : 3, class: RANKS[rank] }, what);
          }
          function marks(svg, run, top) {
            if (run.marks.length === 0) return top;
            lane(svg, "events", top + 9);
            path(svg, [[LEFT, top + 6], [width - RIGHT, top + 6]], "grid");
            const found = gathered(run), taken = named(found);
            for (const drawn of found) {
              const shown = [drawn.mark, ...drawn.others].slice(0, 4).map(each => moment(each[0]) + "  " + each[3]);
              drawn.what = shown.join(" · ") + (drawn.others.length > 3 ? ` · and ${drawn.others.length - 3} more` : "");
            }
            for (const place of taken) {
              const base = top + 25 + place.row * 14;
              path(svg, [[place.px, top + 6], [place.px, base]], "stem");
              label(svg, place.words, place.px + (place.isLeft ? -4 : 4), base, place.drawn.mark[2] === 0 ? "small bad" : "small",
                place.isLeft ? "end" : "start", place.drawn.what);
            }
            // What matters most is covered by nothing.
            for (const drawn of [...found].sort((a, b) => b.mark[2] - a.mark[2])) symbol(svg, drawn.px, top + 6, drawn.mark[2], drawn.what);
            const rows = taken.reduce((most, each) => Math.max(most, each.row + 1), 0);
            const count = found.reduce((sum, each) => sum + 1 + each.others.length, 0);
            let end = top + 22 + rows * 14;
            if (taken.length < found.length || count > 60) {
              label(svg, `${count} events here at ${found.length} places, ${taken.length} of them named; zoom in for more`, LEFT, end + 8, "small soft");
              end += 16;
            }
            return end + 6;
          }

          // Of those within a pixel the first, the least, the most and the last; and one beyond each edge.
          function thinned(samples) {
            let first = samples.findIndex(each => each[0] >= view.from), last = samples.length - 1;
            if (first < 0) first = samples.length;
            while (last > 0 && samples[last][0] > view.to) last -= 1;
            const seen = samples.slice(Math.max(0, first - 1), last + 2), kept = [];
            let column = [];
            const flush = () => {
              if (column.length === 0) return;
              const least = column.reduce((a, b) => b[1] < a[1] ? b : a), most = column.reduce((a, b) => b[1] > a[1] ? b : a);
              kept.push(...column.filter((each, n) => n === 0 || n === column.length - 1 || each === least || each === most));
              column = [];
            };
            for (const each of seen) {
              if (column.length && Math.floor(x(column[0][0])) !== Math.floor(x(each[0]))) flush();
              column.push(each);
            }
            flush();
            return kept;
          }
          function lines(svg, clip, name, kind, series, whole, limits, text, top, end, note) {
            if (series.length === 0) return top;
            const most = series.flat().reduce((best, each) => Math.max(best, each[1]), 0);
            const limit = limits.reduce((best, each) => Math.max(best, each[1] ?? 0), 0);
            const hasLimit = limit > 0 && limit / 50 <= Math.max(most, 1);
            const high = Math.max(most, whole ?? 0, hasLimit ? limit : 0, 1e-9);
            const y = value => top + 14 + 46 * (1 - Math.min(Math.max(value, 0), high) / high);
            rect(svg, LEFT, top, plot(), 64, "lane");
            lane(svg, name, top + 42);
            label(svg, text(high), LEFT - 10, top + 18, "small soft", "end");
            label(svg, "0", LEFT - 10, top + 64, "small soft", "end");
            const inner = make(svg, "g", { "clip-path": `url(#${clip})` });
            if (note) label(svg, note, LEFT + 6, top + 10, "small bad");
            if (limit > 0 && !hasLimit) label(svg, `the limit, ${text(limit)}, is far above`, LEFT + 6, top + 10, "small bad");
            if (hasLimit) limits.forEach(([from, value], n) => {
              const to = n + 1 < limits.length ? limits[n + 1][0] : end;
              if (value === null || !isSeen(from, to)) return;
              path(inner, [[x(from), y(value)], [x(to), y(value)]], "limit", `limit: ${text(value)}`);
              const words = `limit ${text(value)}`, hasRoom = inside(x(to)) - inside(x(from)) > letters(words) * 6.3 + 8;
              // The one that holds at the end is always named, left of it where its line is short.
              if (hasRoom) label(inner, words, inside(x(from)) + 4, y(value) + 11, "small bad");
              else if (n === limits.length - 1) label(inner, words, inside(x(to)) - 4, y(value) + 11, "small bad", "end");
            });
            for (const samples of series) {
              const points = thinned(samples);
              if (points.length === 0) continue;
              const what = px => {
                const now = at(px), after = samples.findIndex(each => each[0] > now);
                const near = after < 0 ? samples[samples.length - 1] : samples[Math.max(0, after - 1)];
                const next = after < 0 ? near : samples[after];
                const share = next[0] > near[0] ? Math.min(Math.max((now - near[0]) / (next[0] - near[0]), 0), 1) : 0;
                return `${name}: ${text(near[1] + share * (next[1] - near[1]))} at ${moment(now)}`;
              };
              if (points.length > 1) path(inner, points.map(([t, value]) => [x(t), y(value)]), kind, what);
              if (kind === "budget") continue;
              const [t, value] = samples[samples.length - 1], wide = letters(text(value)) * 6.3 + 8;
              const isAtRight = x(t) + wide > width - RIGHT;
              if (isSeen(t, t)) label(svg, text(value), x(t) + (isAtRight ? -6 : 6), y(value) - 4, "small", isAtRight ? "end" : "start");
              if (points.length > 60) continue;
              // Whole at the edge, too.
              for (const [t, value] of points.filter(each => isSeen(each[0], each[0]))) {
                make(svg, "circle", { cx: x(t), cy: y(value), r: 2.5, class: "dot " + kind }, `${moment(t)}  ${name}: ${text(value)}`);
              }
            }
            return top + 72;
          }

          function axis(svg, top) {
            path(svg, [[LEFT, top], [width - RIGHT, top]], "axis");
            for (const [each, words] of ticks()) {
              path(svg, [[x(each), top], [x(each), top + 5]], "axis");
              label(svg, words, x(each), top + 18, "small", "middle");
            }
            label(svg, data.axis, LEFT, top + 36, "small soft");
            return top + 44;
          }

          // The whole

          function add(parent, name, kind, words) {
            const element = document.createElement(name);
            element.className = kind;
            element.textContent = words;
            parent.append(element);
          }
          function legend(parts) {
            const present = new Set(data.runs.flatMap(run => run.bands.map(band => band[0])));
            const svg = make(parts, "svg", { width, height: 20 });
            let left = LEFT;
            for (const [state, high] of data.states.filter(each => present.has(each[0]))) {
              rect(svg, left, 16 - 14 * high, 16, 14 * high, "band " + state);
              label(svg, state, left + 21, 14, "small");
              left += 37 + letters(state) * 6.3;
            }
          }
          const viewed = us => time(us, (view.to - view.from) / 100);
          function draw() {
            width = Math.max(480, document.documentElement.clientWidth);
            const parts = document.createDocumentFragment();
            legend(parts);
            data.runs.forEach((run, n) => {
              add(parts, "h2", "", run.name);
              add(parts, "p", run.killed ? "bad" : "", run.outcome);
              if (run.facts) add(parts, "p", "soft", run.facts);
              const svg = make(parts, "svg", { class: "run", role: "img", "aria-label": `${run.name}: ${run.outcome}` });
              const clip = "clip" + n;
              const shape = make(make(svg, "clipPath", { id: clip }), "rect", { x: LEFT, y: 0, width: plot(), height: 0 });
              const grid = make(svg, "g", {});
              let y = bands(svg, run, 24);
              y = tasks(svg, run, y);
              y = marks(svg, run, y);
              y = lines(svg, clip, "budget left", "budget", run.budget, run.budgetSpan, [], time, y, run.to);
              y = lines(svg, clip, "memory", "memory", run.memory.length ? [run.memory] : [], null, run.limits, size, y, run.to);
              y = lines(svg, clip, "CPU time", "cpu", run.cpu.length ? [run.cpu] : [], null, [], time, y, run.to, run.cpuNote);
              for (const [each] of ticks()) path(grid, [[x(each), 20], [x(each), y]], "grid");
              if (run.end && isSeen(run.end.time, run.end.time)) {
                const px = x(run.end.time), what = `${moment(run.end.time)}  ${run.outcome}`;
                path(svg, [[px, 16], [px, y]], run.killed ? "end killed" : "end", what);
                label(svg, run.end.label, px, 13, run.killed ? "small bad" : "small", px - letters(run.end.label) * 6.3 < LEFT ? "start" : "end", what);
              }
              if (n === data.runs.length - 1) y = axis(svg, y + 4);
              shape.setAttribute("height", y);
              svg.setAttribute("width", width);
              svg.setAttribute("height", y + 6);
              svg.setAttribute("viewBox", `0 0 ${width} ${y + 6}`);
            });
            runs.replaceChildren(parts);
            document.getElementById("view").textContent = `${viewed(view.from)} to ${viewed(view.to)}`;
          }

          // The view

          function show(from, length) {
            const long = Math.min(Math.max(length, 0.01), data.length);
            const start = Math.min(Math.max(from, 0), data.length - long);
            view = { from: start, to: start + long };
            draw();
          }
          function zoom(factor, px) {
            const length = view.to - view.from, share = Math.min(Math.max((px - LEFT) / plot(), 0), 1);
            const long = Math.min(Math.max(length * factor, 0.01), data.length);
            show(view.from + share * (length - long), long);
          }
          const middle = () => LEFT + plot() / 2;
          const move = share => show(view.from + share * (view.to - view.from), view.to - view.from);
          const actions = {
            nearer: () => zoom(0.5, middle()), farther: () => zoom(2, middle()), earlier: () => move(-0.25), later: () => move(0.25),
            all: () => show(0, data.length),
            // Where one is hidden, four times as many.
            rows: () => { taskRows *= 4; draw(); },
          };
          for (const [id, action] of Object.entries(actions)) document.getElementById(id).addEventListener("click", action);
          const keys = { "+": "nearer", "=": "nearer", "-": "farther", "_": "farther", ArrowLeft: "earlier", ArrowRight: "later", "0": "all", r: "rows" };
          document.addEventListener("keydown", event => {
            const name = keys[event.key];
            if (!name || event.ctrlKey || event.metaKey || event.altKey) return;
            event.preventDefault();
            actions[name]();
          });
          runs.addEventListener("wheel", event => {
            // With Control the browser's own; sideways it moves.
            if (event.ctrlKey) return;
            const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
            // All of it is shown: then the page is scrolled.
            if (!isSideways && event.deltaY > 0 && view.to - view.from >= data.length) return;
            event.preventDefault();
            if (isSideways) move(event.deltaX / plot());
            else zoom(Math.exp(Math.min(Math.max(event.deltaY, -300), 300) / 300), event.clientX);
          }, { passive: false });
          let held = null;
          runs.addEventListener("pointerdown", event => {
            if (event.button !== 0) return;
            held = { px: event.clientX, from: view.from };
            runs.setPointerCapture(event.pointerId);
            runs.classList.add("moving");
          });
          const letGo = () => { held = null; runs.classList.remove("moving"); };
          runs.addEventListener("pointerup", letGo);
          runs.addEventListener("pointercancel", letGo);
          runs.addEventListener("pointermove", event => {
            if (held) {
              const length = view.to - view.from;
              show(held.from - (event.clientX - held.px) / plot() * length, length);
              return;
            }
            const what = told.get(event.target);
            on.textContent = typeof what === "function" ? what(event.clientX) : what ?? hint;
          });
          runs.addEventListener("pointerleave", () => { on.textContent = hint; });
          addEventListener("resize", draw);
          draw();
        })();
        """#
}
