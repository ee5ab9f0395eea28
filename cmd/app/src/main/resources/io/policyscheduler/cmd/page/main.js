// Puts the page together: the views, and which of them is shown.

import {h} from './dom.js';
import {round} from './amounts.js';
import {here, link} from './route.js';
import {Stream} from './stream.js';
import * as overview from './overview.js';
import * as pending from './pending.js';
import * as decisions from './decisions.js';
import * as nodes from './nodes.js';
import * as pod from './pod.js';
import * as policy from './policy.js';

const VIEWS = [
  ['overview', 'Overview', overview.open],
  ['pending', 'Pending', pending.open],
  ['decisions', 'Decisions', decisions.open],
  ['nodes', 'Nodes', nodes.open],
  ['preemptions', 'Preemptions', decisions.openPreemptions],
  ['policy', 'Policy', policy.open],
  // Reached by links of the others.
  ['pod', null, pod.open],
];

// What only some commands have comes with its own script.
const addition = document.body.dataset.addition;
if (addition) {
  const view = await import(`../${addition}/${addition}.js`);
  VIEWS.splice(0, VIEWS.length, [addition, view.TITLE, view.open], ...VIEWS.filter(([name]) => !view.INSTEAD_OF.includes(name)));
  if (location.hash === '') {
    history.replaceState(null, '', link(addition));
  }
}

const MEASURES = 200;

const stream = new Stream();
const main = document.getElementById('main');
const links = document.getElementById('views');
const summary = document.getElementById('summary');
const connection = document.getElementById('connection');

VIEWS.filter(([, title]) => title !== null).forEach(([name, title]) => links.append(h('a', {href: link(name), id: `to-${name}`}, title)));

// Says what the address means if it is none of a view.
const unknown = h('p', {id: 'unknown', role: 'status', class: 'card'});
unknown.hidden = true;
main.before(unknown);

let shown = null;
let shownKey = null;

function route() {
  const {view, parameters} = here();
  const known = VIEWS.find(([name]) => name === view);
  const found = known ?? VIEWS[0];
  unknown.hidden = known !== undefined;
  unknown.textContent = known ? '' : `There is no view "${view}". This is ${VIEWS[0][1]}.`;
  // Views keep their place and the focus while their parameters change; another pod is another view.
  const key = found[0] === 'pod' ? `pod ${parameters}` : found[0];
  if (key !== shownKey) {
    const moved = shownKey !== null && !shownKey.startsWith(found[0]);
    shown?.close();
    shownKey = key;
    main.replaceChildren();
    shown = found[2](main, stream, parameters);
    if (moved) {
      main.focus({preventScroll: true});
      scrollTo(0, 0);
    }
  }
  for (const one of links.children) {
    one.id === `to-${found[0]}` ? one.setAttribute('aria-current', 'page') : one.removeAttribute('aria-current');
  }
  document.title = `${found[1] ?? parameters.get('pod') ?? ''} - policy-scheduler`;
  shown.update();
}

/** Timed, so that tools of browsers and tests see what it takes. */
function update() {
  const start = performance.now();
  show();
  performance.measure('page-update', {start});
  if (stream.frames % MEASURES === 0) {
    performance.clearMeasures('page-update');
  }
}

function show() {
  const last = stream.last;
  summary.textContent = last === null ? 'waiting for the scheduler'
    : `${round(stream.nodeCount)} nodes, ${round(last.pods)} running pods${
      VIEWS.some(([name]) => name === 'pending') ? `, ${round(last.active + last.backoff + last.unschedulable + last.gated)} pending` : ''}`;
  const lost = stream.connected ? '' : 'Not connected. The page retries.';
  if (connection.textContent !== lost) {
    connection.textContent = lost;
  }
  shown?.update();
}

// A link to the content itself is no view.
addEventListener('hashchange', () => (location.hash === '#main' ? main.focus() : route()));
stream.addEventListener('change', update);
route();
stream.start();
