// Whose turn it is, what each decider would do with it, and a step or a run by the first of them.

import {h, fill} from '../ui/dom.js';
import {link} from '../ui/route.js';
import {against, heatMap} from '../ui/pod.js';
import {act} from './api.js';

const MOST_NODES = 8;

export function scheduling(say, refresh) {
  let running = false;
  let shown = '[]';
  const queue = h('p', {id: 'queue'});
  const result = h('div', {id: 'result', 'aria-live': 'polite'});
  const look = h('button', {id: 'look', type: 'button', click: () => guarded(preview)}, 'Preview');
  const whose = h('select', {id: 'whose', 'aria-label': 'Pod to preview'}, h('option', {value: ''}, 'the next pod'));
  const step = h('button', {id: 'step', type: 'button', click: () => guarded(one)}, 'Step');
  const run = h('button', {id: 'run', type: 'button', click: () => (running ? stop() : guarded(all))}, 'Run');
  const element = h('section', {class: 'card', 'aria-label': 'Scheduling'}, h('h3', null, 'Scheduling'), queue,
    h('p', {class: 'tools'}, look, whose, step, run,
      h('span', {class: 'soft'}, 'Preview binds nothing. Step schedules one pod. Run schedules pods until nothing changes.')), result);

  async function guarded(what) {
    look.disabled = step.disabled = true;
    try {
      await what();
    } catch (error) {
      say(error.message);
    }
    look.disabled = step.disabled = false;
    refresh();
  }

  async function preview() {
    const {pod, deciders} = await act('look', {pod: whose.value});
    say(`Decisions for ${pod}`);
    fill(result, h('h4', null, `Decisions for ${pod}`), h('div', {class: 'opinions'}, deciders.map(opinion)));
  }

  async function one() {
    const turn = await act('step');
    if (turn.pod === null) {
      say('Nothing to do: no pod is pending, or the cluster has not changed since the last attempts.');
      return;
    }
    say(told(turn));
    fill(result, h('h4', null, h('a', {href: link('pod', {pod: turn.pod}), 'data-key': 'stepped'}, turn.pod), `: ${outcome(turn)}`),
      h('div', {class: 'opinions'}, opinion(turn.explanation)));
  }

  async function all() {
    running = true;
    run.textContent = 'Stop';
    const turns = [];
    let more = true;
    try {
      while (more && running) {
        const part = await act('run');
        turns.push(...part.turns);
        more = part.more;
        say(`${bound(turns)} of ${turns.length} decisions bound a pod`);
        refresh();
      }
    } finally {
      running = false;
      run.textContent = 'Run';
    }
    const last = new Map(turns.map(turn => [turn.pod, turn]));
    const waiting = [...last.values()].filter(turn => turn.outcome !== 'bound');
    say(`${bound(turns)} bound, ${waiting.length} unschedulable`);
    fill(result, h('h4', null, `${bound(turns)} bound, ${waiting.length} unschedulable`),
      h('ul', {class: 'plain'}, [...last.values()].slice(-MOST_NODES * 5).map(turn => h('li', null,
        h('a', {href: link('pod', {pod: turn.pod})}, turn.pod), `: ${outcome(turn)}`))));
  }

  function stop() {
    running = false;
  }

  return {
    element,
    show(state) {
      const {next, count, gated, pods} = state.queue;
      const waiting = `${count} pending`;
      const turn = count === 0 ? 'No pod is pending' : next === null ? `${waiting}, all attempted since the last change` : `Next: ${next}; ${waiting}`;
      const text = gated === 0 ? `${turn}.` : `${turn}; ${gated} more with scheduling gates.`;
      if (queue.textContent !== text) {
        queue.textContent = text;
      }
      const names = pods.map(one => one.pod);
      if (JSON.stringify(names) !== shown) {
        shown = JSON.stringify(names);
        const wanted = names.includes(whose.value) ? whose.value : '';
        fill(whose, h('option', {value: ''}, 'the next pod'), names.map(name => h('option', {value: name}, name)));
        whose.value = wanted;
      }
    },
    close: stop,
  };
}

const bound = turns => turns.filter(turn => turn.outcome === 'bound').length;

const told = turn => `${turn.pod}: ${outcome(turn)}`;

function outcome(turn) {
  return turn.outcome === 'bound' ? `bound to ${turn.node}`
    : turn.node === null ? turn.message : `not bound to ${turn.node}: ${turn.message}`;
}

/** What one decider thinks of a pod, as the page of a pod shows a decision. */
function opinion(one) {
  const algorithms = Object.entries(one.weights);
  const best = one.ranking.slice(0, MOST_NODES).map(({node, total, scores}) => ({node, total,
    scores: algorithms.map(([algorithm, weight]) => ({algorithm, weight, weighted: weight * (scores[algorithm] ?? 0)}))}));
  return h('section', {class: 'opinion', 'aria-label': one.decider},
    h('h4', null, one.decider),
    h('p', {class: 'verdict'}, one.winner === null ? one.message ?? 'unschedulable' : h('span', null, 'node: ', h('strong', null, one.winner))),
    h('p', {class: 'soft'}, `${one.ranking.length} of ${one.ranking.length + Object.keys(one.failures).length} nodes ${one.ranking.length === 1 ? 'is' : 'are'} feasible`,
      algorithms.length === 0 && one.ranking.length > 0 ? '; no scores' : ''),
    best.length === 0 || algorithms.length === 0 ? null : heatMap(best),
    Object.keys(one.failures).length === 0 ? null : against(rejections(one.failures)),
    one.nearest.length === 0 ? null : h('div', null, h('h4', null, 'Changes that make a node feasible'),
      h('ul', null, one.nearest.map(({lifts, nodes}) => h('li', null, `${lifts.map(lift => lift.text).join(' and ')}: ${nodes.join(', ')}`)))),
    preemption(one.preemption));
}

/** Nodes by reason, the most frequent first. */
function rejections(failures) {
  const names = new Map();
  for (const [node, obstacles] of Object.entries(failures)) {
    for (const reason of new Set(obstacles.flatMap(obstacle => obstacle.reasons))) {
      names.set(reason, [...names.get(reason) ?? [], node]);
    }
  }
  return [...names].map(([reason, nodes]) => ({reason, nodes: nodes.length, names: nodes})).sort((a, b) => b.nodes - a.nodes);
}

function preemption(found) {
  if (found === null || found.node === null) {
    return null;
  }
  const victims = found.candidates[found.node]?.victims ?? [];
  return h('p', null, `Preemption would evict ${victims.map(victim => victim.pod).join(', ')} from ${found.node}. `
    + 'The playground does not evict pods.');
}
