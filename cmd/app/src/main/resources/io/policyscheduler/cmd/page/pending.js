// Pending pods by reason.

import {h, fill, table} from './dom.js';
import {age, round} from './amounts.js';
import {amend, here, link} from './route.js';

export function open(root, stream) {
  const body = h('div', null);
  const total = h('p', {class: 'soft', role: 'status'});
  root.append(h('h2', null, 'Pending pods'), total, body);
  let shown = null;
  return {
    update() {
      const wanted = here().parameters.get('reason');
      const waiting = stream.pending.reduce((sum, group) => sum + group.count, 0);
      total.textContent = `${round(waiting)} pods are pending, for ${stream.pending.length} ${stream.pending.length === 1 ? 'reason' : 'reasons'}`;
      const key = JSON.stringify([stream.pending, wanted]);
      if (key !== shown) {
        shown = key;
        fill(body, stream.pending.map(group => card(group, group.reason === wanted)));
      }
    },
    close() {},
  };
}

function card(group, isOpen) {
  const rows = group.pods.map(pod => [
    h('a', {href: link('pod', {pod: pod.pod}), 'data-key': pod.pod}, pod.pod), pod.queue, pod.attempts, age(pod.since), pod.priority]);
  const more = group.count - group.pods.length;
  const toggle = event => event.target.open !== isOpen && amend({reason: event.target.open ? group.reason : ''});
  return h('details', {class: 'card', open: isOpen, toggle},
    h('summary', {'data-key': `reason ${group.reason}`}, h('strong', null, round(group.count)), ' ', group.reason),
    table(`Pending pods: ${group.reason}`, ['pod', 'queue', '#attempts', '#pending for', '#priority'], rows),
    more > 0 ? h('p', {class: 'soft'}, `and ${round(more)} more`) : null);
}
