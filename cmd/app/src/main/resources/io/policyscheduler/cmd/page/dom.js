// Elements. Texts become text nodes, so that no name or message from the cluster is ever markup.

/** An element; attributes that are null or false are left out, functions become listeners. */
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) {
      continue;
    }
    if (typeof value === 'function') {
      element.addEventListener(name, value);
    } else {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  element.append(...children.flat().filter(child => child !== null && child !== undefined).map(asNode));
  return element;
}

function asNode(child) {
  return child instanceof Node ? child : document.createTextNode(String(child));
}

/** A table; columns that start with # hold numbers. */
export function table(caption, columns, rows) {
  const numeric = columns.map(column => column.startsWith('#'));
  const head = columns.map((column, i) => h('th', {scope: 'col', class: numeric[i] ? 'n' : null}, column.replace(/^#/, '')));
  const body = rows.map(row => h('tr', null, row.map((cell, i) =>
    h('td', {class: numeric[i] ? 'n' : null}, cell ?? ''))));
  return h('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption},
    h('table', null, h('caption', {class: 'unseen'}, caption), h('thead', null, h('tr', null, head)), h('tbody', null, body)));
}

/** Replaces what is in an element, but not while somebody selects in it or its focus would be lost. */
export function fill(element, ...children) {
  const focused = element.contains(document.activeElement) ? document.activeElement : null;
  const mark = focused?.getAttribute('data-key') ?? null;
  element.replaceChildren(...children.flat().filter(child => child !== null));
  if (mark !== null) {
    element.querySelector(`[data-key="${CSS.escape(mark)}"]`)?.focus();
  }
}
