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
        fill(body, profiles.flatMap(profile));
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

// The canary, and how its decisions differ from those of the current policy.
function canary(state) {
  if (!state) {
    return null;
  }
  const status = state.active
    ? `The canary is active. For ${state.waiting} of its pods, only the current policy finds a node. For ${state.failing} of its pods, the last attempt failed.`
    : state.reason ? `The canary was rolled back: ${state.reason}` : 'The canary is not active.';
  return h('section', {class: 'card'}, h('h3', null, 'Canary'),
    h('p', state.active || !state.reason ? null : {role: 'alert'}, status),
    h('p', {class: 'soft'}, 'Each decision is compared with the one that the other policy would make.'),
    table('Decisions', ['decided by', '#the other policy selects the same node', '#the other policy selects another node',
      '#the other policy finds no node, this one does', '#the other policy finds a node, this one does not', '#not compared'],
      state.decisions.map(row =>
        [row.policy, row.same, row.other_node, row.no_node, row.node, row.not_evaluated])));
}

function profile(one) {
  const kinds = [['predicate', 'Predicates'], ['priority', 'Priorities'], ['plugin', 'Plugins']];
  const name = one.share ? `${one.schedulerName}: canary for the pods of ${100 * one.share} % of the controllers, such as ReplicaSets` : one.schedulerName;
  return [canary(one.canary), h('section', {class: 'card'}, h('h3', null, name),
    h('p', {class: 'soft'}, `${one.source}: ${one.composition}${reloads(one.generation)}`),
    kinds.map(([kind, title]) => {
      const lines = one.lines.filter(line => line.kind === kind);
      if (lines.length === 0) {
        return null;
      }
      return kind === 'priority'
        ? table(title, [title, '#weight', 'origin'], lines.map(line => [line.name, line.weight, line.origin]))
        : table(title, [title, 'origin'], lines.map(line => [line.name, line.origin]));
    }))];
}
