// The current policy, with the origin of each line.

import {h, fill, table} from './dom.js';
import {reloads} from './amounts.js';
import {ask} from './stream.js';

export function open(root, stream) {
  const body = h('div', null, h('p', {class: 'soft'}, 'loading'));
  root.append(h('h2', null, 'Current policy'), body);
  let frames = -1000;
  let shown = '';
  async function load() {
    try {
      const profiles = await ask('ui/policy');
      const key = JSON.stringify(profiles);
      if (key !== shown) {
        shown = key;
        fill(body, profiles.map(profile));
      }
    } catch (error) {
      fill(body, h('p', {role: 'alert'}, `The request failed: ${error.message}`));
    }
  }
  return {
    update() {
      // It changes seldom.
      if (stream.frames - frames > 20) {
        frames = stream.frames;
        load();
      }
    },
    close() {},
  };
}

function profile(one) {
  const kinds = [['predicate', 'Predicates'], ['priority', 'Priorities'], ['plugin', 'Plugins']];
  return h('section', {class: 'card'}, h('h3', null, one.schedulerName),
    h('p', {class: 'soft'}, `${one.source}: ${one.composition}${reloads(one.generation)}`),
    kinds.map(([kind, title]) => {
      const lines = one.lines.filter(line => line.kind === kind);
      if (lines.length === 0) {
        return null;
      }
      return kind === 'priority'
        ? table(title, [title, '#weight', 'origin'], lines.map(line => [line.name, line.weight, line.origin]))
        : table(title, [title, 'origin'], lines.map(line => [line.name, line.origin]));
    }));
}
