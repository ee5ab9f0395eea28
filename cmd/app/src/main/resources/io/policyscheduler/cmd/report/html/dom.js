/* Elements and numbers. Texts become text nodes, so that no name or message from a cluster is ever markup. */

const data = JSON.parse(document.getElementById("data").textContent);
const main = document.getElementById("main");

const fill = (element, attributes, children) => {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (typeof value === "function") {
      element.addEventListener(name, value);
    } else if (name === "style") {
      // Through the object, because the policy of the page forbids the attribute.
      Object.entries(value).forEach(([property, set]) => element.style.setProperty(property, set));
    } else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  element.append(...children.flat(2).filter(child => child !== null && child !== undefined && child !== false));
  return element;
};
const el = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);
const svg = (name, attributes, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

const number = (value, digits = 0) =>
  Number(value).toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
const percent = (share, digits = 1) => number(100 * share, digits) + " %";
const count = (value, one, many) => number(value) + " " + (value === 1 ? one : many);
/* Names as people order them: node-2 before node-10. */
const byName = new Intl.Collator("en", { numeric: true }).compare;
const moment = time => time.slice(0, 19).replace("T", " ") + " UTC";
const few = (names, most = 8) => names.slice(0, most).join(", ") + (names.length > most ? " and " + number(names.length - most) + " more" : "");

/* A long name that may be broken where one of its words or folders ends. */
const breakable = text => text.split(/(?<=[a-z\d][/:._-]?)(?=[A-Z])|(?<=[/:])/).flatMap((part, i) => i ? [el("wbr"), part] : [part]);

const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/* What colours mean: [name, variable of a colour]. */
const legend = entries => el("ul", { class: "legend" }, entries.map(([name, tone]) =>
  el("li", {}, el("span", { class: "dot", style: { background: `var(${tone})` } }), name)));

const card = (title, ...children) => el("div", { class: "card" }, el("h3", {}, breakable(title)), ...children);
const big = text => el("div", { class: "big" }, text);

/* Parts of a whole as one bar: [name, value, variable of a colour]. */
const shares = parts => {
  const there = parts.filter(part => part[1] > 0);
  return [
    el("div", { class: "bar", role: "img", "aria-label": there.map(part => part[0] + " " + number(part[1])).join(", ") || "nothing" },
      there.map(part => el("div", { style: { flex: String(part[1]), background: `var(${part[2]})` } }))),
    legend(there.map(part => [part[0] + " " + number(part[1]), part[2]])),
  ];
};
