// Live code: the page's cells run in a kernel, and its explorers become the widgets of that kernel. Loaded on the reader's click.
"use strict";

const liveFiles = document.currentScript.src.replace(/[^/]*$/, "thebe-core/");

async function startKernel({ path, binder, server }, say) {
  await Promise.all([
    addFile("link", { rel: "stylesheet", href: liveFiles + "thebe-core.css" }),
    addFile("script", { src: liveFiles + "thebe-core.min.js" }),
  ]);
  const { api } = window.thebeCore;
  const config = api.makeConfiguration({
    mathjaxUrl: "", mathjaxConfig: "",  // no formulas among the outputs, and nothing from another host
    kernelOptions: { kernelName: "python3", path }, binderOptions: binder, serverSettings: server,
  });
  config.events.on("status", (event, data) => { if (data.subject === "server") say(`Live code: ${data.message}`); });
  const connection = server ? api.connectToJupyter(config) : api.connectToBinder(config);
  await connection.ready;
  const rendermime = api.makeRenderMimeRegistry(config.mathjax);
  const session = await connection.startNewSession(rendermime);
  useOwnWidgets(session.manager);
  return { api, config, rendermime, session };
}

// thebe-core holds the classes of ipywidgets, yet asks a CDN for require.js before it hands them out; its parent class does not.
function useOwnWidgets(manager) {
  const parent = Object.getPrototypeOf(Object.getPrototypeOf(manager));
  manager.loadClass = parent.loadClass;
}

// Where a cell's live output goes: in place of its static one, above the caption where there is one.
function outputPlace(cell) {
  let output = cell.querySelector(".cell_output");
  if (!output) cell.append(output = Object.assign(document.createElement("div"), { className: "cell_output" }));
  const stale = [...output.querySelectorAll(".output")];
  const place = Object.assign(document.createElement("div"), { className: "live-output" });
  if (stale.length) stale[0].before(place);
  else output.append(place);
  stale.forEach((old) => old.remove());
  return place;
}

function makeEditable(source, run) {
  source.contentEditable = "plaintext-only";
  source.setAttribute("role", "textbox");
  source.setAttribute("aria-multiline", "true");
  source.setAttribute("aria-label", "code of this cell; Shift and Enter run it");
  source.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.shiftKey) { event.preventDefault(); run(); }
  });
  const button = Object.assign(document.createElement("button"), { type: "button", className: "live-run", textContent: "Run" });
  button.addEventListener("click", run);
  source.after(button);
}

async function goLive(settings, say) {
  try {
    say("Live code: asking for a kernel …");
    const { api, config, rendermime, session } = await startKernel(settings, say);
    const cells = [...document.querySelectorAll("div.cell")].filter((cell) => cell.querySelector(".cell_input pre"));
    const sources = cells.map((cell) => cell.querySelector(".cell_input pre"));
    const notebook = api.setupNotebookFromBlocks(sources.map((pre, i) => ({ id: `live-${i}`, source: pre.textContent })), config, rendermime);
    notebook.attachSession(session);
    const places = [];
    const run = async (i) => {
      places[i] ??= outputPlace(cells[i]);
      const cell = notebook.cells[i];
      if (!cell.isAttachedToDOM) cell.attachToDOM(places[i]);
      const done = await cell.execute(sources[i].textContent);
      return done && !done.error;
    };
    for (const [i, source] of sources.entries()) {
      say(`Live code: running cell ${i + 1} of ${cells.length} …`);
      if (!(await run(i))) throw Error(`cell ${i + 1} of ${cells.length} failed; its output says why`);
      makeEditable(source, () => run(i));
    }
    say("Live code: every cell of this page has run in a kernel; sliders call it, and the code under “Code” can be changed and run.");
    document.documentElement.dataset.live = "ready";
  } catch (error) {
    say(`Live code has stopped: ${error?.message ?? error}. Reload the page to have the static book back.`);
    document.documentElement.dataset.live = "failed";
  }
}
