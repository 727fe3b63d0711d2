// The excerpts that Sphinx's search shows are the words of a page: without its buttons, code, drawings, and the TeX behind a formula.
const PLAIN_TEXT = Search.htmlToText;
const NO_WORDS = ".bd-header-article, #jb-print-docs-body, .katex-html, annotation, .cell_input, .cell details > summary, .explorer, .diagram, .prev-next-area";
Search.htmlToText = (html, anchor) => {
  const page = new DOMParser().parseFromString(html, "text/html");
  page.querySelectorAll(NO_WORDS).forEach((part) => part.remove());
  return PLAIN_TEXT(page.documentElement.outerHTML, anchor);
};
