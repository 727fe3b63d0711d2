// Explorers and diagrams come alive: frames drawn when the book was built are swapped as a control moves. No library.
"use strict";

const ownAddress = document.currentScript.src;
const framesOf = {};  // filled by the files of frames, each of which is one assignment

function addFile(tag, attributes) {
  return new Promise((resolve, reject) => {
    const element = Object.assign(document.createElement(tag), attributes, { onload: resolve });
    element.onerror = () => reject(Error(`could not load ${attributes.src ?? attributes.href}`));
    document.head.append(element);
  });
}

async function loadFrames(root) {
  await addFile("script", { src: root.dataset.source });
  return inflate(framesOf[root.dataset.explorer]);
}

async function inflate(base64) {
  const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

const isRange = (input) => input.type === "range";

// A control is one range, one checkbox, or a group of radios; its grid is counted as the build counted it.
function readControls(form) {
  return [...form.querySelectorAll(".control")].map((box) => {
    const inputs = [...box.querySelectorAll("input")];
    const first = inputs[0];
    const size = isRange(first) ? Math.round((first.max - first.min) / first.step) + 1 : Math.max(2, inputs.length);
    return {
      box, inputs, size, name: first.name,
      label: box.querySelector("legend, label").textContent.trim(),
      get index() {
        if (isRange(first)) return Math.round((first.value - first.min) / first.step);
        return first.type === "checkbox" ? +first.checked : inputs.findIndex((input) => input.checked);
      },
      get text() {
        if (isRange(first)) return String(+(+first.value).toFixed(10));
        return first.type === "checkbox" ? (first.checked ? "on" : "off") : inputs[this.index].value;
      },
      set text(text) {
        if (isRange(first)) { if (text.trim() && isFinite(text)) first.value = text; }
        else if (first.type === "checkbox") first.checked = text === "on";
        else { const wanted = inputs.find((input) => input.value === text); if (wanted) wanted.checked = true; }
      },
      show() {
        const now = box.querySelector(".now");
        if (now) { now.textContent = this.text; first.setAttribute("aria-valuetext", this.text); }
      },
    };
  });
}

function announcer(status) {
  let timer;
  return (words) => { clearTimeout(timer); timer = setTimeout(() => { status.textContent = words; }, 400); };
}

function liveForm(root, update) {
  const form = root.querySelector("form");
  const controls = readControls(form);
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => update());
  form.addEventListener("reset", () => setTimeout(() => update(), 0));
  form.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-by]");
    if (!button) return;
    const range = button.parentElement.querySelector("input");
    range.value = +range.value + button.dataset.by * range.step;
    update();
  });
  return controls;
}

function startExplorer(root) {
  const name = root.dataset.explorer;
  const stage = root.querySelector(".stage");
  const outputs = [...root.querySelectorAll("output")];
  const link = root.querySelector("a.setting");
  const announce = announcer(root.querySelector("[role=status]"));
  const controls = liveForm(root, update);
  const starts = controls.map((control) => control.text);
  let loading, frames, dragged;

  const load = () => (loading ??= loadFrames(root).then((data) => { frames = data; }, () => {
    loading = undefined;  // the next move asks again
    announce("The frames of this figure did not load.");
  }));
  const number = (list) => list.reduce((sum, control) => sum * control.size + control.index, 0);
  const setting = () => controls.map((control) => `${control.name}=${encodeURIComponent(control.text)}`).join("&");

  async function update() {
    if (!frames) await load();
    if (frames) draw();
  }

  function draw() {
    controls.forEach((control) => control.show());
    const moved = controls.some((control, i) => control.text !== starts[i]);
    link.href = `#${name}${moved ? "?" + setting() : ""}`;
    const [parts, values] = frames.frames[number(controls)];
    stage.innerHTML = parts.map((i) => frames.lines[i]).join("\n");
    outputs.forEach((output, i) => { [output.dataset.value, output.value] = values[i]; });
    const words = controls.map((control) => `${control.label} ${control.text}`).join(", ");
    const facts = [...root.querySelectorAll(".readout")].map((item) =>
      [...item.children].map((part) => part.textContent).join(": ")).join("; ");
    stage.setAttribute("aria-label", `${words}; ${facts}`);
    announce(`${words}; ${facts}`);
  }

  function open(hash) {
    const [place, query] = hash.slice(1).split("?");
    if (place !== name || (!query && !frames)) return;
    if (!query) return root.querySelector("form").reset();
    const wanted = new URLSearchParams(query);
    controls.forEach((control) => { if (wanted.has(control.name)) control.text = wanted.get(control.name); });
    update();
    root.scrollIntoView({ block: "center" });
  }

  // A part of the drawing that sets a control: by pointing or pressing.
  for (const kind of ["pointerover", "click"]) {
    stage.addEventListener(kind, (event) => {
      const part = event.target.closest("[data-set]");
      if (!part) return;
      const [key, ...rest] = part.dataset.set.split("=");
      const value = rest.join("=");
      const control = controls.find((c) => c.name === key);
      if (control && control.text !== value) { control.text = value; update(); }
    });
  }

  // A handle that is dragged: its control goes to the value whose handle is nearest to the pointer.
  stage.addEventListener("pointerdown", (event) => {
    const handle = event.target.closest("[data-drag]");
    if (!handle || !frames || event.button) return;
    event.preventDefault();
    dragged = controls.find((control) => control.name === handle.dataset.drag);
  });
  addEventListener("pointermove", (event) => {
    if (!dragged) return;
    const offset = () => {
      const box = stage.querySelector(`[data-drag="${dragged.name}"]`).getBoundingClientRect();
      return event.clientX - box.left - box.width / 2;
    };
    const [input] = dragged.inputs;
    for (let rest = offset(); ;) {
      const before = input.value;
      input.value = +before + Math.sign(rest) * input.step;
      if (input.value === before) break;
      draw();
      const now = offset();
      if (Math.abs(now) >= Math.abs(rest)) { input.value = before; draw(); break; }
      rest = now;
    }
  });
  for (const kind of ["pointerup", "pointercancel"]) addEventListener(kind, () => { dragged = undefined; });

  new IntersectionObserver((entries, observer) => {
    if (entries.some((entry) => entry.isIntersecting)) { observer.disconnect(); load(); }
  }, { rootMargin: "400px" }).observe(root);
  addEventListener("hashchange", (event) => {
    const back = !location.hash && new URL(event.oldURL).hash.startsWith(`#${name}?`); // to before the link was followed
    open(back ? `#${name}` : location.hash);
  });
  open(location.hash);
}

function startDiagram(root) {
  const stepped = [...root.querySelectorAll("[data-step]")];
  if (!stepped.length) return;
  const announce = announcer(root.querySelector("[role=status]"));
  const [control] = liveForm(root, update);
  const picture = root.querySelector("svg");
  const words = picture.getAttribute("aria-label");
  function update() {
    const now = +control.text;
    control.show();
    for (const part of stepped) {
      const [from, to = from] = part.dataset.step.split("-").map(Number);
      part.classList.toggle("off", now < from || now > to);
    }
    const shown = stepped.filter((part) => !part.classList.contains("off")).map((part) => part.querySelector("title"));
    const step = `Step ${now}: ${shown.filter(Boolean).map((title) => title.textContent.trim()).join("; ")}`;
    picture.setAttribute("aria-label", `${words} ${step}`);
    announce(step);
  }
  update();
}

document.querySelectorAll(".explorer").forEach(startExplorer);
document.querySelectorAll(".diagram").forEach(startDiagram);

// What scrolls sideways is reached by keyboard. Asked only of what comes on screen: to ask all would lay out the whole page. Code
// and tables count as scrolling until they are seen.
const scrollers = new IntersectionObserver((entries) => {
  const seen = entries.filter((entry) => entry.isIntersecting).map(({ target }) => [target, target.scrollWidth > target.clientWidth]);
  for (const [target, scrolls] of seen) scrolls ? target.setAttribute("tabindex", 0) : target.removeAttribute("tabindex");
});
function watchScrollers() {
  scrollers.disconnect();
  document.querySelectorAll("pre, .pst-scrollable-table-container").forEach((block) => { block.tabIndex = 0; });
  document.querySelectorAll("pre, .pst-scrollable-table-container, .cell_output > .output, .katex-display").forEach((element) => scrollers.observe(element));
}
addEventListener("resize", watchScrollers);
watchScrollers();

// The menus on top close by a click elsewhere and by Escape.
const menus = [...document.querySelectorAll("details.dropdown")];
addEventListener("click", (event) => { menus.forEach((menu) => { if (!menu.contains(event.target)) menu.open = false; }); });
addEventListener("keydown", (event) => {
  const menu = menus.find((one) => one.open);
  if (event.key !== "Escape" || !menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});

// A link into a fold opens it; printing opens all of them and closes them again, and shows diagrams at their last step.
function openFold() {
  const target = document.getElementById(location.hash.slice(1));
  for (let fold = target?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  if (target?.closest("details")) target.scrollIntoView();
}
addEventListener("hashchange", openFold);
openFold();
let opened = [], stepped = [], theme;
function setStep(input, value) {
  input.value = value;
  input.dispatchEvent(new Event("input", { bubbles: true }));
}
addEventListener("beforeprint", () => {
  opened = [...document.querySelectorAll("details.derivation:not([open]), details.checks:not([open]), details.solution:not([open])")];
  opened.forEach((fold) => { fold.open = true; });
  stepped = [...document.querySelectorAll(".diagram input[type=range]")].map((input) => [input, input.value]);
  stepped.forEach(([input]) => setStep(input, input.max));
  theme = document.documentElement.dataset.theme;
  document.documentElement.dataset.theme = "light";
});
addEventListener("afterprint", () => {
  opened.forEach((fold) => { fold.open = false; });
  stepped.forEach(([input, value]) => setStep(input, value));
  document.documentElement.dataset.theme = theme;
});

// Live code: nothing of it is loaded before the reader asks for a kernel.
let sayLive, askedLive;
function statusLine() {
  const line = Object.assign(document.createElement("p"), { className: "live-status" });
  line.setAttribute("role", "status");
  document.querySelector("article").prepend(line);
  return (words) => { line.textContent = words; };
}
function askForLiveCode() {
  sayLive ??= statusLine();
  askedLive ??= addFile("script", { src: new URL("live.js", ownAddress) }).then(
    () => goLive(JSON.parse(document.querySelector('meta[name="live-code"]').content), sayLive),
    () => {
      askedLive = undefined;  // the next press asks again
      sayLive("Live code did not load. Press its button to try again.");
    });
}
