// fivenines.table(table): makes a table sortable, by value if cells have one, and adds a filter to long tables.
// fivenines.number(text): the number at the beginning of a cell, times in seconds, sizes in bytes; null if there is none.
//   "1 254 (1 180 to 1 320)" is 1254, "<0.1 s" 0.1, "at least 7.99 s (not recovered)" 7.99, "3 of 10" 3. Of a range or
//   several values, the first one.
(() => {
  "use strict";
  const fivenines = window.fivenines;
  const LONG = 10;
  const words = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

  // Factors to seconds or bytes.
  const UNITS = {
    ns: 1e-9, "\u00b5s": 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600, d: 86400, day: 86400, days: 86400, hours: 3600,
    year: 365.25 * 86400, years: 365.25 * 86400,
    B: 1, kB: 1e3, KiB: 2 ** 10, MB: 1e6, MiB: 2 ** 20, GB: 1e9, GiB: 2 ** 30,
  };
  const NUMBER = new RegExp(
    "^(?:at least |at most |about |[<>\u2265\u2264~] ?)?([-+\u2212]?)"
    + "((?:\\d{1,3}(?:[ ,\u202f\u00a0]\\d{3})+(?!\\d)|\\d+)(?:\\.\\d+)?)(?: to [\\d.]+)?(?:\\s?([A-Za-z\u00b5]+))?");

  fivenines.number = text => {
    const found = NUMBER.exec(text.trim());
    if (!found) return null;
    const size = Number(found[2].replace(/[\s,]/g, "")) * (UNITS[found[3]] ?? 1);
    return found[1] === "-" || found[1] === "\u2212" ? -size : size;
  };

  // Names of rows may begin with a number, but have no value unless they are one.
  const value = cell => {
    const text = cell.textContent.trim();
    if (cell.tagName === "TD") return fivenines.number(text);
    return text === "" || Number.isNaN(Number(text)) ? null : Number(text);
  };

  // Sort rows by a column; cells without a value come last in both directions.
  const order = (rows, column, down) => {
    const keys = rows.map(row => ({ row, cell: row.cells[column] })).map(
      ({ row, cell }) => ({ row, number: value(cell), text: cell.textContent.trim() }));
    const filled = keys.filter(key => key.text && key.text !== "\u2013");
    const numeric = filled.length > 0 && filled.filter(key => key.number !== null).length * 2 >= filled.length;
    const missing = key => (numeric ? key.number === null : !key.text || key.text === "\u2013");
    const compare = (a, b) => (numeric ? a.number - b.number : words.compare(a.text, b.text));
    keys.sort((a, b) => missing(a) - missing(b) || (missing(a) ? 0 : (down ? -1 : 1) * compare(a, b)));
    return keys.map(key => key.row);
  };

  const sorts = table => {
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    const first = [...body.rows];
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const now = head.getAttribute("aria-sort");
        heads.forEach(each => each.removeAttribute("aria-sort"));
        const next = now === "ascending" ? "descending" : now === "descending" ? "" : "ascending";
        if (next) head.setAttribute("aria-sort", next);
        body.append(...(next ? order(first, column, next === "descending") : first));
      });
    });
  };

  const filters = table => {
    const rows = [...table.tBodies[0].rows];
    const label = document.createElement("label");
    const field = document.createElement("input");
    const left = document.createElement("output");
    field.type = "search";
    label.className = "filter";
    label.append("Filter rows ", field, " ", left);
    field.addEventListener("input", () => {
      const wanted = field.value.trim().toLowerCase().split(/\s+/);
      let shown = 0;
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !wanted.every(word => text.includes(word));
        shown += !row.hidden;
      }
      left.textContent = field.value.trim() ? `${shown} of ${rows.length}` : "";
    });
    // The filter is outside of the scrolling box.
    (table.closest(".scroll") || table).before(label);
  };

  fivenines.table = table => {
    const rows = table.tBodies[0]?.rows.length || 0;
    if (!table.tHead || rows < 2) return;
    sorts(table);
    if (rows > LONG) filters(table);
  };
})();
