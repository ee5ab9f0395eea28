// Where on the page one is, as the fragment of the address: #nodes?by=zone&node=n1

/** The view and its parameters. */
export function here() {
  const [view, query] = location.hash.replace(/^#/, '').split('?');
  return {view: view || 'overview', parameters: new URLSearchParams(query ?? '')};
}

/** The address of a view. */
export function link(view, parameters = {}) {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== null && value !== '')).toString();
  return `#${view}${query ? `?${query}` : ''}`;
}

/** Changes a parameter of the view one is in, without an entry in the history of the browser. */
export function amend(changes) {
  const {view, parameters} = here();
  history.replaceState(null, '', link(view, {...Object.fromEntries(parameters), ...changes}));
  dispatchEvent(new HashChangeEvent('hashchange'));
}
