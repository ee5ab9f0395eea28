// What decides: one or more ways, of which the first one places pods.

import {h, fill} from '../ui/dom.js';
import {act} from './api.js';

const PLAIN = [
  ['modern', 'modern: the default profile of kube-scheduler'],
  ['provider:DefaultProvider', 'provider:DefaultProvider of 1.17'],
  ['provider:ClusterAutoscalerProvider', 'provider:ClusterAutoscalerProvider of 1.17'],
  ['legacy:provider:DefaultProvider', 'legacy:provider:DefaultProvider of 1.17, independent implementation without plugins'],
  ['strict:provider:DefaultProvider', 'strict:provider:DefaultProvider of 1.17, without newer fields'],
];
const WITH_TEXT = [
  ['policy:', 'a policy'],
  ['legacy:policy:', 'a policy, independent implementation without plugins'],
  ['strict:policy:', 'a policy, without newer fields'],
  ['config:', 'a KubeSchedulerConfiguration'],
];
const POLICY = `{
  "kind": "Policy",
  "apiVersion": "v1",
  "predicates": [
    {"name": "GeneralPredicates"},
    {"name": "PodToleratesNodeTaints"}
  ],
  "priorities": [
    {"name": "MostRequestedPriority", "weight": 1}
  ]
}
`;
const CONFIGURATION = `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
  - schedulerName: default-scheduler
    pluginConfig:
      - name: NodeResourcesFit
        args:
          scoringStrategy:
            type: MostAllocated
            resources:
              - {name: cpu, weight: 1}
              - {name: memory, weight: 1}
`;

export function deciders(say, refresh) {
  let chosen = [];
  let shown = '';
  const list = h('ol', {id: 'deciders', class: 'chosen'});
  const warnings = h('ul', {class: 'plain soft', id: 'decider-warnings'});
  const form = h('select', {id: 'decider', change: choose}, h('option', {value: ''}, 'Add a scheduler'),
    [...PLAIN, ...WITH_TEXT].map(([value, title]) => h('option', {value}, title)));
  const name = h('input', {id: 'decider-name', size: 16, autocomplete: 'off', spellcheck: 'false'});
  const file = h('input', {id: 'decider-file', type: 'file', accept: '.json,.yaml,.yml,.txt,.cfg', change: read});
  const text = h('textarea', {id: 'decider-text', rows: 12, spellcheck: 'false', wrap: 'off', 'aria-label': 'Policy or configuration',
    'aria-describedby': 'decider-errors'});
  const errors = h('ul', {id: 'decider-errors', class: 'plain errors', role: 'alert'});
  const writing = h('div', {hidden: true, id: 'decider-writing'},
    h('p', {class: 'tools'}, h('label', null, 'Name ', name), h('label', null, 'Load from a file ', file)), text,
    h('p', {class: 'tools'}, h('button', {id: 'decider-add', type: 'button', click: add}, 'Add'),
      h('button', {type: 'button', click: done}, 'Cancel')));
  const element = h('section', {class: 'card', 'aria-label': 'Schedulers'}, h('h3', null, 'Schedulers'),
    h('p', {class: 'soft'}, 'The first scheduler binds pods. Preview shows the decisions of all schedulers.'),
    list, warnings, h('p', {class: 'tools'}, h('label', null, h('span', {class: 'unseen'}, 'Add a scheduler'), form)), writing, errors);

  function choose() {
    fill(errors);
    if (form.value === '' || PLAIN.some(([value]) => value === form.value)) {
      writing.hidden = true;
      if (form.value !== '') {
        change([...chosen, {decider: form.value, name: '', text: ''}]);
        form.value = '';
      }
      return;
    }
    writing.hidden = false;
    const configuration = form.value === 'config:';
    name.value = unused(configuration ? 'config' : 'policy');
    text.value = configuration ? CONFIGURATION : POLICY;
  }

  function unused(word) {
    for (let i = 1; ; i++) {
      if (chosen.every(one => one.name !== `${word}-${i}`)) {
        return `${word}-${i}`;
      }
    }
  }

  async function read() {
    const [given] = file.files;
    if (given !== undefined) {
      text.value = await given.text();
      name.value = given.name.replace(/[^\w.-]/g, '-');
      file.value = '';
    }
  }

  async function add() {
    if (await change([...chosen, {decider: `${form.value}${name.value}`, name: name.value, text: text.value}])) {
      done();
    }
  }

  function done() {
    writing.hidden = true;
    form.value = '';
    fill(errors);
    form.focus();
  }

  async function change(wanted) {
    try {
      await act('deciders', {deciders: wanted.map(one => ({decider: one.decider, name: one.name, text: one.text}))});
      fill(errors);
      say(`Scheduled by ${wanted[0].decider}`);
      refresh();
      return true;
    } catch (error) {
      fill(errors, (error.errors ?? [error]).map(({message, line}) => h('li', null, line ? `line ${line}: ` : '', message)));
      return false;
    }
  }

  const without = i => chosen.filter((one, j) => j !== i);

  function row(one, i) {
    const about = `${one.filters.length} filters; ${Object.entries(one.scores).map(([score, weight]) => `${score} ${weight}`).join(', ') || 'no scores'}`;
    const button = (id, word, what) => h('button', {type: 'button', 'data-key': `${id} ${i}`, 'aria-label': `${word} ${one.decider}`, click: what}, word);
    return h('li', null, h('strong', null, one.decider), ' ', i === 0 ? h('span', {class: 'soft'}, 'binds pods ') : button('first', 'Use this one', () =>
      change([one, ...without(i)])), ' ', chosen.length > 1 ? button('remove', 'Remove', () => change(without(i))) : null,
    h('p', {class: 'soft'}, about));
  }

  return {
    element,
    show(state) {
      const key = JSON.stringify([state.deciders, state.warnings]);
      if (key !== shown) {
        shown = key;
        chosen = state.deciders;
        fill(list, chosen.map(row));
        fill(warnings, state.warnings.map(warning => h('li', null, warning)));
      }
    },
  };
}
