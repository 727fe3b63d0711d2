// A prebuilt extension of JupyterLab, in the form that webpack would give it. postBuild puts MACROS and STYLE on top.

let modules, files; // of JupyterLab: what its extensions share, and where it serves the folder with the book

// Directives and roles that JupyterLab's Markdown does not know, as Markdown that it does. Numbers are known to a build of the
// book only, so a thing and what points to it both show its label.
function plainMarkdown(text) {
  return text
    .replace(/^(`{3,}|:{3,})\{([a-z-]+)\} *(.*)\n((?::[a-z]+:.*\n)*)\s*?([^]*?)^\1 *$/gm, plainDirective)
    .replace(/\{(cite|eq)\}`([^`]+)`/g, (role, name, labels) => `(${labels.replaceAll(",", ", ")})`)
    .replace(/\{[a-z:-]+\}`([^`<]*[^`< ]) *(?:<[^`]*>)?`/g, "*$1*")
    .replace(/\[([^\]]+)\]\{\.[a-z]+\}/g, "$1");
}

function plainDirective(directive, fence, name, title, options, body) {
  if (name.endsWith("-end")) return "∎";
  let [, label] = options.match(/^:(?:name|label): *(.*)$/m) ?? [], head = title;
  if (name === "exercise") head = `Exercise. ${title}`;
  if (name === "solution-start") [head, label] = [`Solution of ${title}`];
  if (name === "diagram") {
    head = title.replace(/^.*\/|\.svg$/g, "");
    body = `![${head}](${files}${title})\n\n${body}`;
  }
  if (!head) return directive;
  return `**${head}**${label ? ` (${label})` : ""}\n\n${body}`.trim().replace(/^/gm, "> ");
}

function activate(app, { markdownParser, latexTypesetter }) {
  files = `${app.serviceManager.serverSettings.baseUrl}files/`;
  const { render } = markdownParser, { typeset } = latexTypesetter;
  markdownParser.render = (text, ...more) => render.call(markdownParser, plainMarkdown(text), ...more);
  let defined;
  const define = async () => (await latexTypesetter.mathDocument()).convert(MACROS);
  latexTypesetter.typeset = async (node) => {
    await (defined ??= define());
    return typeset.call(latexTypesetter, node);
  };
  document.head.append(Object.assign(document.createElement("style"), { textContent: STYLE }));
}

(window._JUPYTERLAB ??= {}).toyattn = {
  init(shared) { modules = shared; },
  async get() {
    const [rendermime] = Object.values(modules["@jupyterlab/rendermime"]);
    const { IRenderMimeRegistry } = (await rendermime.get())();
    const plugin = { id: "toyattn:chapters", autoStart: true, requires: [IRenderMimeRegistry], activate };
    return () => ({ __esModule: true, default: plugin });
  },
};
