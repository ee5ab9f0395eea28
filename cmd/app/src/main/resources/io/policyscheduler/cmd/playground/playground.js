// Puts the playground together: objects of the cluster, what decides, and whose turn it is.

import {h} from '../ui/dom.js';
import {act} from './api.js';
import {objects} from './objects.js';
import {deciders} from './deciders.js';
import {scheduling} from './scheduling.js';
import {whole} from './whole.js';

export const TITLE = 'Playground';
/** Views that would be empty: there is no queue, nobody is evicted, and no policy is in effect but those chosen here. */
export const INSTEAD_OF = ['pending', 'preemptions', 'policy'];

const FRAMES = 3;

export function open(root, stream) {
  if (document.getElementById('playground-style') === null) {
    document.head.append(h('link', {id: 'playground-style', rel: 'stylesheet', href: 'playground/playground.css'}));
  }
  const said = h('p', {role: 'status', class: 'said', id: 'said'});
  let frames = -1000;
  let busy = false;
  let again = false;
  const say = text => {
    said.textContent = text;
  };
  /** Shows the state as it is; one question at a time. */
  async function refresh() {
    if (busy) {
      again = true;
      return;
    }
    busy = true;
    try {
      const state = await act('state', parts[0].wanted());
      parts.forEach(part => part.show(state));
    } catch (error) {
      say(`Error: ${error.message}`);
    }
    busy = false;
    if (again) {
      again = false;
      refresh();
    }
  }
  const parts = [objects(say, refresh), scheduling(say, refresh), deciders(say, refresh), whole(say, refresh)];
  const [first, second, ...others] = parts.map(part => part.element);
  root.append(h('h2', {class: 'unseen'}, TITLE), said, first, second, h('div', {class: 'two'}, others));
  refresh();
  return {
    update() {
      if (stream.frames - frames > FRAMES) {
        frames = stream.frames;
        refresh();
      }
    },
    close() {
      parts.forEach(part => part.close?.());
    },
  };
}
