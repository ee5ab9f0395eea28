/* Sections with the list of them on top, and what the part of an address behind # opens. */

const nav = document.getElementById("nav");

const section = (id, title, ...children) => {
  nav.append(el("a", { href: "#" + id }, title));
  const made = el("section", { id, "aria-labelledby": id + "-title" }, el("h2", { id: id + "-title" }, title), ...children);
  main.append(made);
  return made;
};

/* What follows #KIND= is given to the one that opens it. */
const openers = new Map();
const address = (kind, name) => "#" + kind + "=" + encodeURIComponent(name);
const follow = () => {
  const [kind, name] = location.hash.slice(1).split(/=(.*)/s);
  if (name !== undefined && openers.has(kind)) {
    try {
      openers.get(kind)(decodeURIComponent(name));
    } catch (broken) {
      if (!(broken instanceof URIError)) throw broken;
    }
  }
};
/* A link that opens what it names again when the address has it already. */
const opens = (kind, name, text, attributes) => el("a", {
  href: address(kind, name),
  click: event => { if (location.hash === address(kind, name)) { event.preventDefault(); follow(); } },
  ...attributes,
}, text);

const warnings = list => {
  if (list && list.length) section("warnings", "Warnings", el("ul", {}, list.map(warning => el("li", {}, warning))));
};

const begin = view => {
  view();
  addEventListener("hashchange", follow);
  // A section that the address names was not there when the page was read.
  if (location.hash.length > 1 && !location.hash.includes("=")) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  follow();
};
