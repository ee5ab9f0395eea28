// The cluster as a whole: a dump comes in, the state goes out, and what was there comes back.

import {h, fill} from '../ui/dom.js';
import {act} from './api.js';

const KEPT_FOR = 60000;

export function whole(say, refresh) {
  const file = h('input', {id: 'dump-file', type: 'file', accept: '.yaml,.yml,.json,.txt', change: read});
  const pasted = h('textarea', {id: 'dump', rows: 5, spellcheck: 'false', wrap: 'off', 'aria-label': 'A dump, YAML or JSON',
    placeholder: 'kubectl get nodes,pods -A -o yaml'});
  const told = h('div', {id: 'told', 'aria-live': 'polite'});
  const button = (id, word, what) => h('button', {id, type: 'button', click: () => guarded(what)}, word);
  const element = h('section', {class: 'card', 'aria-label': 'Import, export, and reset'}, h('h3', null, 'Import, export, and reset'),
    h('p', {class: 'tools'}, h('label', null, 'Import a dump ', file)), pasted,
    h('p', {class: 'tools'}, button('import', 'Import the text', () => bring(pasted.value)), button('export', 'Export as YAML', give),
      button('to-import', 'Reset to the last import', () => reset(true)), button('to-empty', 'Reset to empty', () => reset(false))),
    told);

  async function guarded(what) {
    try {
      await what();
    } catch (error) {
      say(error.message);
    }
    refresh();
  }

  function read() {
    const [chosen] = file.files;
    if (chosen !== undefined) {
      guarded(async () => bring(await chosen.text()));
      file.value = '';
    }
  }

  async function bring(text) {
    const {created, leftOut, changed} = await act('import', text);
    const counts = Object.entries(created).map(([kind, count]) => `${count} ${kind}`);
    say(`Imported: ${counts.length === 0 ? 'nothing' : counts.join(', ')}`);
    fill(told, h('p', null, `Imported: ${counts.length === 0 ? 'nothing' : counts.join(', ')}.`),
      remarks('Skipped', leftOut), remarks('Changed', changed));
  }

  async function give() {
    const {yaml} = await act('export');
    const url = URL.createObjectURL(new Blob([yaml], {type: 'application/yaml'}));
    h('a', {href: url, download: 'cluster.yaml'}).click();
    setTimeout(() => URL.revokeObjectURL(url), KEPT_FOR);
    say(`Exported cluster.yaml, ${yaml.length.toLocaleString('en')} characters`);
  }

  async function reset(toImport) {
    await act('reset', {toImport});
    fill(told);
    say(toImport ? 'Reset to the last import, or to the initial cluster if there is none' : 'Reset to empty');
  }

  return {element, show() {}};
}

function remarks(title, all) {
  return all.length === 0 ? null : h('div', null, h('h4', null, title), h('ul', null, all.map(({kind, count, why, examples}) =>
    h('li', null, `${count} ${kind}: ${why} (${examples.join(', ')}${count > examples.length ? ', ...' : ''})`))));
}
