// Objects of the cluster: a table of one kind, and an editor for one of them or for new ones.

import {h, fill} from '../ui/dom.js';
import {link} from '../ui/route.js';
import {act} from './api.js';
import {EXAMPLES} from './examples.js';
import {fields} from './fields.js';

/** Shown first. */
const USUAL = ['pods', 'nodes', 'deployments.apps', 'jobs.batch', 'priorityclasses.scheduling.k8s.io'];
/** Ages change all the time, and a table that somebody reads should not. */
const SHOWN = {pods: ['Name', 'Status', 'Node']};

export function objects(say, refresh) {
  let resource = 'pods';
  let shown = '';
  let shownKinds = '';
  let editing = null;
  const kind = h('select', {id: 'kind', change: () => choose(kind.value)});
  const part = h('input', {id: 'part', type: 'search', size: 14, placeholder: 'filter by name', 'aria-label': 'Filter objects by name', input: refresh});
  const list = h('div', {id: 'objects'});
  const example = h('select', {id: 'example', change: () => begin(example.value)},
    h('option', {value: ''}, 'Start from an example'), EXAMPLES.map(({title}, i) => h('option', {value: i}, title)));
  const text = h('textarea', {id: 'yaml', rows: 14, spellcheck: 'false', autocapitalize: 'off', autocomplete: 'off', wrap: 'off',
    'aria-describedby': 'errors', keydown: event => event.key === 'Enter' && (event.ctrlKey || event.metaKey) && submit()});
  const help = fields(text);
  ['input', 'click', 'keyup'].forEach(event => text.addEventListener(event, help.update));
  const title = h('h3', {id: 'editor-title'}, 'New objects');
  const save = h('button', {id: 'save', type: 'button', click: submit}, 'Create');
  const leave = h('button', {id: 'leave', type: 'button', hidden: true, click: () => edit(null, '')}, 'Cancel');
  const errors = h('ul', {id: 'errors', class: 'plain errors', role: 'alert'});
  const element = h('div', {class: 'two'},
    h('section', {class: 'card', 'aria-label': 'Objects'},
      h('p', {class: 'tools'}, h('label', {for: 'kind'}, 'Objects'), kind, part), list),
    h('section', {class: 'card', 'aria-labelledby': 'editor-title'},
      title,
      h('p', {class: 'tools'}, h('label', null, h('span', {class: 'unseen'}, 'Example'), example)),
      h('label', {for: 'yaml', class: 'unseen'}, 'YAML or JSON'), text, errors,
      h('p', {class: 'tools'}, save, leave, h('span', {class: 'soft'}, 'Ctrl+Enter')), help.element));

  function choose(value) {
    resource = value;
    kind.value = value;
    refresh();
  }

  function begin(index) {
    if (index !== '') {
      edit(null, EXAMPLES[index].yaml);
    }
  }

  /** What the editor is for: an object that is there, or new ones. */
  function edit(object, yaml) {
    editing = object;
    title.textContent = object === null ? 'New objects' : `${object.resource} ${object.name}`;
    save.textContent = object === null ? 'Create' : 'Save';
    leave.hidden = object === null;
    text.value = yaml;
    text.setSelectionRange(0, 0);
    help.update();
    if (object !== null) {
      example.value = '';
    }
    blame([]);
  }

  /** What is wrong with the text, or only odd about it. */
  function blame(reasons, wrong = reasons.length > 0) {
    text.setAttribute('aria-invalid', wrong);
    errors.classList.toggle('odd', !wrong);
    fill(errors, reasons.map(({message, line}) => h('li', null,
      line === null ? null : h('button', {type: 'button', click: () => goTo(line)}, `line ${line}`), ' ', message)));
  }

  function goTo(line) {
    const lines = text.value.split('\n');
    const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    text.focus();
    text.setSelectionRange(start, start + (lines[line - 1] ?? '').length);
    text.scrollTop = Math.max(0, line - 4) * (text.scrollHeight / lines.length);
  }

  async function submit() {
    try {
      if (editing === null) {
        const {done, warnings} = await act('create', {text: text.value});
        say(`Created: ${done.join(', ')}`);
        blame(warnings, false);
      } else {
        const {done, warnings} = await act('replace', {text: text.value});
        await load(editing);
        say(`Saved: ${done.join(', ')}`);
        // The lines are those of the text as it was sent.
        blame(warnings.map(({message}) => ({message, line: null})), false);
      }
    } catch (error) {
      blame(error.errors ?? [{message: error.message, line: null}]);
    }
    refresh();
  }

  async function load(object) {
    edit(object, (await act('object', object)).yaml);
  }

  async function on(what, object) {
    try {
      await what(object);
    } catch (error) {
      say(error.message);
    }
  }

  async function remove(object) {
    await act('delete', object);
    say(`Deleted: ${object.resource} ${object.name}`);
    refresh();
  }

  function row({namespace, name, cells}, columns) {
    const object = {resource, namespace, name};
    const key = `${resource} ${namespace}/${name}`;
    const button = (word, what) => h('button', {type: 'button', 'data-key': `${word} ${key}`, 'aria-label': `${word} ${name}`,
      click: () => on(what, object)}, word);
    const first = resource === 'pods' ? h('a', {href: link('pod', {pod: `${namespace}/${name}`}), 'data-key': key}, name)
      : resource === 'nodes' ? h('a', {href: link('nodes', {node: name}), 'data-key': key}, name) : name;
    return h('tr', null, h('th', {scope: 'row'}, namespace === '' || namespace === 'default' ? null : `${namespace}/`, first),
      columns.slice(1).map(({index}) => h('td', null, cells[index] ?? '')),
      h('td', {class: 'acts'}, button('Edit', load), ' ', button('Delete', remove)));
  }

  return {
    element,
    wanted: () => ({resource, part: part.value}),
    show({kinds, table}) {
      // A list that is open would close.
      const counts = JSON.stringify(kinds);
      if (counts !== shownKinds) {
        shownKinds = counts;
        showKinds(kinds);
      }
      kind.value = resource;
      showTable(table);
    },
  };

  function showKinds(kinds) {
    const rank = one => (USUAL.includes(one.resource) ? USUAL.indexOf(one.resource) : USUAL.length);
    fill(kind, kinds.toSorted((a, b) => rank(a) - rank(b)).map(one => h('option', {value: one.resource}, `${one.resource} (${one.count})`)));
  }

  function showTable(table) {
    const columns = table.columns.map((column, index) => ({...column, index}))
      .filter(({name, wide}) => (SHOWN[resource] ? SHOWN[resource].includes(name) : !wide && name !== 'Age'));
    const key = JSON.stringify([resource, table.more, table.rows.map(one => [one.namespace, one.name, columns.map(({index}) => one.cells[index])])]);
    if (key === shown) {
      return;
    }
    shown = key;
    fill(list, table.rows.length === 0 ? h('p', {class: 'soft'}, `There are no ${resource}.`)
      : h('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': resource},
        h('table', null, h('thead', null, h('tr', null, columns.map(({name}) => h('th', {scope: 'col'}, name.toLowerCase())),
          h('th', {scope: 'col'}, h('span', {class: 'unseen'}, 'actions')))),
        h('tbody', null, table.rows.map(one => row(one, columns))))),
      table.more > 0 ? h('p', {class: 'soft'}, `and ${table.more} more`) : null);
  }
}
