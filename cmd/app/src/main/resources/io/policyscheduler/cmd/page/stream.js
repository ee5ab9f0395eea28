// What the server sends: frames with what is new, put together to the state that all views show.

// Fifteen minutes.
const MOST_POINTS = 1800;
const MOST_DECISIONS = 200;
const PATIENCE = 5000;

export class Stream extends EventTarget {
  points = [];
  nodes = new Map();
  nodeCount = 0;
  keys = [];
  decisions = new Map();
  pending = [];
  connected = false;
  frames = 0;
  #source = null;
  #leaving = 0;
  #due = false;

  /** Follows as long as the page is to be seen: browsers have few connections for all their tabs, and nobody sees the others. */
  start() {
    this.#open();
    addEventListener('pagehide', () => this.#close());
    addEventListener('pageshow', () => this.#open());
    document.addEventListener('visibilitychange', () => {
      clearTimeout(this.#leaving);
      if (document.hidden) {
        this.#leaving = setTimeout(() => this.#close(), PATIENCE);
      } else {
        this.#open();
      }
    });
  }

  #open() {
    if (this.#source === null) {
      this.#source = new EventSource('ui/events');
      this.#source.addEventListener('frame', event => this.#take(JSON.parse(event.data)));
      this.#source.addEventListener('open', () => this.#setConnected(true));
      this.#source.addEventListener('error', () => this.#failed());
    }
  }

  #close() {
    this.#source?.close();
    this.#source = null;
  }

  /** A stream that has ended comes back by itself; one that was refused does not. */
  #failed() {
    this.#setConnected(false);
    if (this.#source?.readyState === EventSource.CLOSED) {
      this.#close();
      setTimeout(() => document.hidden || this.#open(), PATIENCE);
    }
  }

  #setConnected(value) {
    this.connected = value;
    this.#changed();
  }

  #take(frame) {
    this.connected = true;
    this.frames++;
    if (frame.first) {
      // A new connection tells everything anew, perhaps of a new process.
      this.points = [];
      this.decisions.clear();
    }
    if (frame.nodes.all) {
      this.nodes.clear();
    }
    this.points.push(...frame.points);
    this.points.splice(0, this.points.length - MOST_POINTS);
    frame.nodes.rows.forEach(row => this.nodes.set(row[0], node(row)));
    this.nodeCount = frame.nodes.count;
    this.keys = frame.nodes.keys;
    frame.decisions.forEach(decision => this.decisions.set(decision.number, decision));
    if (this.decisions.size > MOST_DECISIONS) {
      const oldest = [...this.decisions.keys()].sort((a, b) => a - b);
      oldest.filter(number => this.decisions.get(number).preemption === null)
        .slice(0, this.decisions.size - MOST_DECISIONS)
        .forEach(number => this.decisions.delete(number));
    }
    this.pending = frame.pending ?? this.pending;
    this.#changed();
  }

  /** The views are told once for all that comes in between two pictures. */
  #changed() {
    if (!this.#due) {
      this.#due = true;
      requestAnimationFrame(() => {
        this.#due = false;
        this.dispatchEvent(new Event('change'));
      });
    }
  }

  /** The last point; null before the first. */
  get last() {
    return this.points.at(-1) ?? null;
  }

  /** The last decisions first. */
  get latest() {
    return [...this.decisions.values()].sort((a, b) => b.number - a.number);
  }
}

function node(row) {
  const [name, zone, trouble, pods, mostPods, cpu, allCpu, memory, allMemory, ...scalars] = row;
  const resources = {pods: [pods, mostPods], cpu: [cpu, allCpu], memory: [memory, allMemory]};
  for (let i = 0; i < scalars.length; i += 3) {
    resources[scalars[i]] = [scalars[i + 1], scalars[i + 2]];
  }
  return {name, zone, trouble, resources};
}

/** The answer of the server as JSON; null when there is none of the name. */
export async function ask(path, parameters = {}) {
  const query = new URLSearchParams(parameters).toString();
  const response = await fetch(query ? `${path}?${query}` : path, {headers: {Accept: 'application/json'}});
  if (response.status === 404) {
    return null;
  }
  if (!response.ok) {
    throw new Error(`${response.status}: ${(await response.text()).trim()}`);
  }
  return response.json();
}
