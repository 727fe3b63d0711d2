"""What the browser tests ask of a page in its own language: functions of JavaScript, each of which returns a list of complaints."""

OPEN_ALL = """() => {
  document.querySelectorAll('details').forEach(fold => { fold.open = true; });
  const style = document.createElement('style');
  style.textContent = '* { content-visibility: visible !important; }';
  document.head.append(style);
}"""

_COLOR = """
  const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
  const mix = ([r, g, b], alpha, under) => [r, g, b].map((c, i) => alpha * c + (1 - alpha) * under[i]);
  const linear = (c) => (c / 255 <= .04045 ? c / 255 / 12.92 : ((c / 255 + .055) / 1.055) ** 2.4);
  const luminance = (color) => { const [r, g, b] = color.map(linear); return .2126 * r + .7152 * g + .0722 * b; };
  const contrast = (one, other) => {
    const [dark, bright] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (bright + .05) / (dark + .05);
  };
  const ground = (element) => {  // the color behind an element, from all the layers below it
    const layers = [];
    for (let e = element; e; e = e.parentElement) layers.unshift(rgb(getComputedStyle(e).backgroundColor));
    return layers.reduce((under, [r, g, b, alpha = 1]) => mix([r, g, b], alpha, under), [255, 255, 255]);
  };
"""

# Whatever can have the focus shows it by an outline of at least 3:1 against what is behind it.
FOCUS = "() => {" + _COLOR + """
  const found = [];
  for (const e of document.querySelectorAll(':is(a[href], button, input, summary, [tabindex="0"])')) {
    if (!e.checkVisibility({ visibilityProperty: true })) continue;
    e.focus({ preventScroll: true });
    if (document.activeElement !== e) { found.push(`no focus: ${e.outerHTML.slice(0, 80)}`); continue; }
    const style = getComputedStyle(e);
    const shown = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1;
    const behind = ground(e.parentElement);
    const ratio = style.outlineStyle === 'auto' ? Infinity : contrast(mix(rgb(style.outlineColor), rgb(style.outlineColor)[3] ?? 1, behind), behind);
    if (!shown || ratio < 3) found.push(`${style.outline}, ${ratio.toFixed(1)}:1: ${e.outerHTML.slice(0, 120)}`);
  }
  document.activeElement.blur();
  return [...new Set(found)];
}"""

# Words of figures stand out from the shapes under them by 4.5:1; axe does not look into drawings.
LETTERS = "(roots) => {" + _COLOR + """
  const found = [];
  const opacity = (part) => { let all = 1; for (let e = part; e.tagName !== 'svg'; e = e.parentElement) all *= getComputedStyle(e).opacity; return all; };
  const holds = (shape, x, y) => {
    const { left, right, top, bottom } = shape.box;
    if (x < left || x > right || y < top || y > bottom) return false;
    return shape.part.isPointInFill(new DOMPoint(x, y).matrixTransform(shape.part.getScreenCTM().inverse()));
  };
  for (const svg of roots) {
    const paper = ground(svg), shapes = [];
    for (const part of svg.querySelectorAll('rect, path, circle, ellipse, polygon, text')) {
      if (part.closest('defs, clipPath') || !part.checkVisibility({ visibilityProperty: true })) continue;
      const style = getComputedStyle(part), box = part.getBoundingClientRect();
      if (style.fill === 'none') continue;
      const color = rgb(style.fill), alpha = (color[3] ?? 1) * style.fillOpacity * opacity(part);
      if (part.tagName !== 'text') { shapes.push({ part, box, color, alpha }); continue; }
      if (!part.textContent.trim()) continue;
      const x = (box.left + box.right) / 2, y = (box.top + box.bottom) / 2;
      const under = shapes.filter((shape) => holds(shape, x, y)).reduce((all, shape) => mix(shape.color, shape.alpha, all), paper);
      const ratio = contrast(mix(color, alpha, under), under);
      const name = svg.closest('[data-explorer], [data-diagram]');
      if (ratio < 4.5) found.push(`${name.dataset.explorer ?? name.dataset.diagram}: ${part.textContent.trim()} ${ratio.toFixed(2)}:1 ${style.fill} ${alpha}`);
    }
  }
  return found;
}"""

# For those who asked for less motion nothing moves by itself.
MOTION = """() => [...document.querySelectorAll('*')].filter((e) => {
  const style = getComputedStyle(e);
  const long = (list) => list.split(',').some((time) => parseFloat(time) > .01);
  return long(style.transitionDuration) || long(style.animationDuration) || style.scrollBehavior === 'smooth';
}).map((e) => e.outerHTML.slice(0, 80))"""

# Code, formulas and checks in a color and a kind of place that was measured once need not be measured again; this marks them.
MARK_REPEATED = """() => {
  const seen = new Set();
  for (const part of document.querySelectorAll('pre span, .katex, .check, details.checks li')) {
    const roles = ['obs', 'hid', 'der'].filter((role) => part.querySelector('.' + role));
    const key = [getComputedStyle(part).color, part.parentElement.tagName, part.closest('figure, details, table, li, p')?.className, ...roles].join();
    part.toggleAttribute('data-repeated', seen.has(key));
    seen.add(key);
  }
}"""
