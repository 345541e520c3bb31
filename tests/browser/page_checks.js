// What a reader would stumble over, as a list of sentences: each function looks at the page as it stands.
(() => {
  const SLACK = 1.5;
  const shown = element =>
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
    !element.closest(".skip, [aria-hidden=true]:not(svg), title, style, script");
  const brief = text => text.trim().replace(/\s+/g, " ").slice(0, 50);

  // all runs of text that can be seen: {node, text, boxes}, those of drawings among them
  function texts(root = document.body) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const found = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (!node.data.trim() || !node.parentElement || !shown(node.parentElement)) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const boxes = [...range.getClientRects()].filter(box => box.width > 1 && box.height > 1);
      if (boxes.length) found.push({ node, element: node.parentElement, text: brief(node.data), boxes });
    }
    return found;
  }

  const scroller = element => element.closest(".scroll, pre");

  function overlap(a, b) {
    const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    // lines of text have room above and below their letters
    return wide > 2 && high > 0.3 * Math.min(a.height, b.height);
  }

  // what a box shows of itself: inside a scroller only what that leaves to be seen
  function visible(element, box) {
    const own = scroller(element);
    if (!own || element === own) return box;
    const edge = own.getBoundingClientRect();
    const left = Math.max(box.left, edge.left), right = Math.min(box.right, edge.right);
    return { left, right, top: box.top, bottom: box.bottom, height: right > left ? box.height : 0 };
  }

  function overlaps() {
    const boxes = texts()
      .flatMap(one => one.boxes.map(box => ({ one, box: visible(one.element, box) })))
      .filter(({ box }) => box.height > 0)
      .sort((a, b) => a.box.top - b.box.top);
    const found = new Set();
    boxes.forEach((a, i) => {
      for (let j = i + 1; j < boxes.length && boxes[j].box.top < a.box.bottom; j++) {
        const b = boxes[j];
        if (a.one !== b.one && overlap(a.box, b.box))
          found.add(`"${a.one.text}" and "${b.one.text}" overlap in ${chapter(a.one.element)}`);
      }
    });
    return [...found];
  }

  const chapter = element => (element.closest("section[id]") || { id: "the head" }).id;

  // text that leaves the window, its cell or the frame of its figure, or that an element cuts off
  function cut() {
    const width = document.documentElement.clientWidth, found = [];
    for (const { element, text, boxes } of texts()) {
      const frames = [element.closest("td, th, caption"), element.closest("figure")].filter(Boolean);
      for (const box of boxes) {
        if (!scroller(element) && (box.right > width + SLACK || box.left < -SLACK))
          found.push(`"${text}" leaves the window in ${chapter(element)}`);
        for (const frame of frames) {
          if (frame.tagName === "FIGURE" && scroller(element)) continue;
          const edge = frame.getBoundingClientRect();
          if (box.right > edge.right + SLACK || box.left < edge.left - SLACK)
            found.push(`"${text}" leaves its ${frame.tagName} in ${chapter(element)}`);
        }
      }
      for (let up = element; up && up !== document.body; up = up.parentElement) {
        if (!(up instanceof HTMLElement) || up === scroller(element)) continue;
        const style = getComputedStyle(up);
        if (style.overflowX !== "visible" && up.clientWidth && up.scrollWidth > up.clientWidth + SLACK)
          found.push(`"${text}" is cut by ${up.tagName}.${up.className} in ${chapter(element)}`);
      }
    }
    return [...new Set(found)];
  }

  function sideways() {
    const page = document.documentElement;
    return page.scrollWidth > page.clientWidth
      ? [`the page is ${page.scrollWidth} px wide, the window ${page.clientWidth}`] : [];
  }

  // colours as [r, g, b, alpha]
  function colour(text) {
    const parts = (text.match(/[\d.]+/g) || []).map(Number);
    return text.startsWith("rgb") ? [parts[0], parts[1], parts[2], parts[3] ?? 1] : [0, 0, 0, 0];
  }
  const over = (front, back) =>
    [0, 1, 2].map(n => front[n] * front[3] + back[n] * (1 - front[3])).concat(1);
  function luminance([r, g, b]) {
    const [x, y, z] = [r, g, b].map(v => v / 255)
      .map(v => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  }
  const ratio = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };

  function paper(element) {
    const layers = [];
    for (let up = element; up; up = up.parentElement) layers.push(colour(getComputedStyle(up).backgroundColor));
    return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255, 1]);
  }

  // what is drawn below a text of a drawing: shapes before it that are broad where its middle is
  function ground(element) {
    const own = element.getBoundingClientRect();
    const x = (own.left + own.right) / 2, y = (own.top + own.bottom) / 2;
    let below = paper(element.closest("figure") || document.body);
    for (const shape of element.ownerSVGElement.querySelectorAll("path, rect, line")) {
      if (!(shape.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING)) continue;
      const style = getComputedStyle(shape), box = shape.getBoundingClientRect();
      const thick = parseFloat(style.strokeWidth) > 6 ? parseFloat(style.strokeWidth) / 2 : 0;
      // a stroke is broad across, not along
      const [dx, dy] = box.width > box.height ? [0, thick] : [thick, 0];
      const inside = x > box.left - dx && x < box.right + dx && y > box.top - dy && y < box.bottom + dy;
      if (!inside) continue;
      const [paint, share] = thick ? [style.stroke, style.strokeOpacity] : [style.fill, style.fillOpacity];
      const front = colour(paint);
      front[3] *= share * style.opacity;
      below = over(front, below);
    }
    return below;
  }

  function contrast() {
    const found = [];
    for (const { element, text } of texts()) {
      const style = getComputedStyle(element);
      const drawing = element.ownerSVGElement;
      const below = drawing ? ground(element) : paper(element);
      const ink = over(colour(drawing ? style.fill : style.color), below);
      const size = parseFloat(style.fontSize);
      const large = !drawing && (size >= 24 || (size >= 18.66 && style.fontWeight >= 700));
      const got = ratio(ink, below);
      if (got < (large ? 3 : 4.5)) found.push(`"${text}" has a contrast of ${got.toFixed(2)} in ${chapter(element)}`);
    }
    return found;
  }

  // the colours of marks against the card that they are drawn on
  function marks() {
    const style = getComputedStyle(document.documentElement), found = [];
    const probe = document.body.appendChild(document.createElement("i"));
    const value = name => {
      probe.style.color = `var(${name})`;
      return colour(getComputedStyle(probe).color);
    };
    const card = value("--card");
    for (const name of [...style].filter(each => /^--(s\d+|fault|ink|muted)$/.test(each)))
      if (ratio(value(name), card) < 3) found.push(`marks of the colour ${name} have too little contrast`);
    probe.remove();
    return found;
  }

  const focusable = () =>
    [...document.querySelectorAll("a[href], summary, button, input, select, [tabindex='0']")]
      .filter(each => shown(each) && !each.disabled);

  // notes what has the focus and whether that can be seen; false when the focus comes round again, or stays away
  const visited = new Map();
  let away = 0;
  function visit() {
    const element = document.activeElement;
    // what comes to life when it is seen may take the focus along: the next step goes on from there
    if (element === document.body) return ++away % 3 > 0;
    if (visited.has(element)) return false;
    away = 0;
    const style = getComputedStyle(element);
    const outlined = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
    visited.set(element, outlined || style.boxShadow !== "none");
    return true;
  }
  const named = element => `${element.tagName} ${brief(element.textContent)} in ${chapter(element)}`;
  const unvisited = () => [
    ...focusable().filter(each => !visited.has(each)).map(each => `${named(each)} is not reached`),
    ...[...visited].filter(([, seen]) => !seen).map(([each]) => `${named(each)} shows no focus`),
  ];

  window.pageChecks = { overlaps, cut, sideways, contrast, marks, visit, unvisited };
})();
