/* Tables whose columns sort by a button in their title, and boxes that filter their rows. */

const PAGE = 50;

/*
 * columns: {title, value(row), kind: "n", "words" or "name", digits, cell(row), mark: class of the cells}
 * options: sorted: [column, down], detail(row): what unfolds, key(row) and kind: the address of a row, rowClass(row)
 */
const table = (caption, columns, rows, options = {}) => {
  let accept = () => true, shown = rows, limit = options.page || PAGE;
  let [sorted, down] = options.sorted || [-1, false];
  const open = new Set();
  const body = el("tbody");
  const heads = columns.map((column, index) => el("th", { scope: "col", class: [column.kind === "n" && "n", column.mark].filter(Boolean).join(" ") || null },
    el("button", { type: "button", click: () => { down = sorted === index ? !down : column.kind === "n"; sorted = index; arrange(); } },
      breakable(column.title), column.note ? el("span", { class: "note" }, column.note) : null)));
  const more = el("button", { type: "button", class: "more", click: () => {
    const before = body.rows.length;
    limit += 4 * PAGE;
    draw();
    body.rows[before]?.querySelector("a, button")?.focus();
  } });

  const unfold = (row, line) => {
    const link = line.querySelector("[aria-expanded]");
    link.setAttribute("aria-expanded", "true");
    line.after(el("tr", { class: "detail" }, el("td", { colspan: columns.length }, options.detail(row))));
  };
  const toggle = (row, line) => {
    if (!open.delete(row)) {
      open.add(row);
      unfold(row, line);
      return;
    }
    line.querySelector("[aria-expanded]").setAttribute("aria-expanded", "false");
    line.nextSibling.remove();
  };
  const unfolding = row => {
    const link = el("a", { href: address(options.kind, options.key(row)), class: "unfold", "aria-expanded": "false" }, options.key(row));
    link.addEventListener("click", event => {
      // Opening goes by the address, so that it can be copied; what is open is only closed.
      const line = link.closest("tr");
      if (open.has(row) || location.hash === link.getAttribute("href")) {
        event.preventDefault();
        toggle(row, line);
      }
    });
    return link;
  };
  const fillLine = row => {
    const line = el("tr", { class: options.rowClass ? options.rowClass(row) : null }, columns.map((column, index) => {
      const value = column.unfolds ? unfolding(row) : column.cell ? column.cell(row) : column.value(row);
      const kinds = [column.kind, column.mark].filter(Boolean).join(" ") || null;
      return el(index === 0 ? "th" : "td", { scope: index === 0 ? "row" : null, class: kinds },
        column.kind === "n" && typeof value === "number" ? number(value, column.digits || 0) : value);
    }));
    return line;
  };
  const draw = () => {
    body.replaceChildren();
    for (const row of shown.slice(0, limit)) {
      const line = fillLine(row);
      body.append(line);
      if (open.has(row)) unfold(row, line);
    }
    more.hidden = shown.length <= limit;
    more.textContent = "Show more (" + number(shown.length - limit) + " left)";
  };
  const compare = (a, b) => typeof a === "number" && typeof b === "number" ? a - b : byName(String(a), String(b));
  const arrange = () => {
    shown = rows.filter(accept);
    if (sorted >= 0) {
      const value = columns[sorted].value;
      shown = shown.map(row => [value(row), row]).sort((a, b) => (down ? -1 : 1) * compare(a[0], b[0])).map(pair => pair[1]);
    }
    heads.forEach((head, i) => head.setAttribute("aria-sort", i !== sorted ? "none" : down ? "descending" : "ascending"));
    draw();
  };
  arrange();
  const element = el("div", {}, el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    el("table", {}, el("caption", { class: "unseen" }, caption), el("thead", {}, el("tr", {}, heads)), body)), more);
  return {
    element,
    filter: wanted => { accept = wanted; limit = options.page || PAGE; arrange(); return shown.length; },
    /* Opens the first row that is meant; false when none of those shown is. */
    reveal: wanted => {
      const index = shown.findIndex(wanted);
      if (index < 0) return false;
      if (index >= limit) limit = index + PAGE;
      open.add(shown[index]);
      draw();
      const line = [...body.rows].filter(one => !one.classList.contains("detail"))[index];
      line.querySelector("[aria-expanded]").focus({ preventScroll: true });
      line.scrollIntoView({ block: "start" });
      return true;
    },
  };
};

/* Boxes above a table. choices: [value, text]; fits(row, text, choice). */
const filtered = (name, made, choices, fits) => {
  let extra = null;
  const search = el("input", { type: "search", placeholder: "name, node, or text", "aria-label": "Search " + name, input: () => apply() });
  const choice = choices.length > 1 ? el("select", { "aria-label": "Which " + name, change: () => apply() }, choices.map(([value, text]) => el("option", { value }, text))) : null;
  const found = el("span", { class: "soft", role: "status" });
  const clear = el("button", { type: "button", click: () => { reset(); apply(); } }, "Show all");
  const reset = () => { search.value = ""; extra = null; if (choice) choice.value = choices[0][0]; };
  const apply = () => {
    const text = search.value.trim().toLowerCase();
    const left = made.filter(row => (!extra || extra.fits(row)) && fits(row, text, choice ? choice.value : ""));
    found.textContent = count(left, "row", "rows") + (extra ? ": " + extra.text : "");
    clear.hidden = !extra && !text && !(choice && choice.value !== choices[0][0]);
  };
  apply();
  const element = el("div", {}, el("div", { class: "tools" }, search, choice, clear, found), made.element);
  const lead = () => element.closest("section").scrollIntoView();
  return {
    element,
    /* Leads to what fits and shows nothing else, and says what that is. */
    only: (text, wanted) => { reset(); extra = { text, fits: wanted }; apply(); lead(); },
    /* Leads to the first row that fits, if need be among all rows. */
    open: wanted => {
      if (made.reveal(wanted)) return;
      reset();
      apply();
      if (!made.reveal(wanted)) lead();
    },
  };
};
