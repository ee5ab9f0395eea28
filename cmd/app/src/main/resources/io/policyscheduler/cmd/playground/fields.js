// The fields of the kind that stands in the editor, as kubectl explain has them.

import {h, fill} from '../ui/dom.js';
import {act} from './api.js';

/** Help for a text area; update() looks at what kind is in it. */
export function fields(text) {
  let kind = null;
  let path = [];
  let asked = '';
  const body = h('div', {id: 'fields'});
  const element = h('details', {class: 'help', toggle: () => update()}, h('summary', {id: 'fields-summary'}, 'Fields'), body);

  /** The document in which the cursor is; its first lines say what it is. */
  function current() {
    let start = 0;
    for (const found of text.value.matchAll(/^---.*$/gm)) {
      if (found.index < text.selectionStart) {
        start = found.index + found[0].length;
      }
    }
    const own = text.value.slice(start).split(/^---/m)[0];
    const word = name => own.match(new RegExp(`^\\s*"?${name}"?:\\s*"?([\\w./-]+)`, 'm'))?.[1] ?? '';
    return {apiVersion: word('apiVersion'), kind: word('kind')};
  }

  async function update() {
    if (!element.open) {
      return;
    }
    const now = current();
    if (now.kind !== kind?.kind || now.apiVersion !== kind?.apiVersion) {
      kind = now;
      path = [];
    }
    const key = JSON.stringify([kind, path]);
    if (key === asked) {
      return;
    }
    asked = key;
    if (kind.kind === '') {
      fill(body, h('p', {class: 'soft'}, 'The text has no kind.'));
      return;
    }
    try {
      const answer = await act('fields', {...kind, path});
      if (key === asked) {
        fill(body, crumbs(), h('ul', {class: 'plain fields'}, answer.fields.map(field)));
      }
    } catch (error) {
      fill(body, h('p', {class: 'soft'}, error.message));
    }
  }

  function go(to) {
    path = to;
    update();
  }

  function crumbs() {
    const steps = [kind.kind, ...path];
    return h('p', {class: 'crumbs'}, steps.map((step, i) => [i === 0 ? '' : '.', i === steps.length - 1 ? h('strong', null, step)
      : h('button', {type: 'button', 'data-key': `crumb ${i}`, click: () => go(path.slice(0, i))}, step)]).flat());
  }

  function field({name, type, more}) {
    return h('li', null, more ? h('button', {type: 'button', 'data-key': `field ${name}`, click: () => go([...path, name])}, name)
      : h('code', null, name), ' ', h('span', {class: 'soft'}, type));
  }

  return {element, update};
}
