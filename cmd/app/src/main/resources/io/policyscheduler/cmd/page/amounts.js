// Numbers for people.

const UNITS = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi'];

export function bytes(value) {
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${round(value)} ${UNITS[unit]}B`;
}

export function cores(milli) {
  return `${round(milli / 1000)} cores`;
}

/** An amount of a resource. */
export function amount(resource, value) {
  if (resource === 'cpu') {
    return cores(value);
  }
  return resource === 'memory' || resource.startsWith('hugepages-') ? bytes(value) : String(value);
}

export function nanos(value) {
  if (value === null || value === undefined) {
    return '-';
  }
  if (value < 1e6) {
    return `${round(value / 1e3)} µs`;
  }
  return value < 1e9 ? `${round(value / 1e6)} ms` : `${round(value / 1e9)} s`;
}

export function round(value) {
  return value >= 100 || Number.isInteger(value) ? Math.round(value).toLocaleString('en') : value.toFixed(value >= 10 ? 1 : 2);
}

export function age(sinceMillis) {
  const seconds = Math.max(0, Math.round((Date.now() - sinceMillis) / 1000));
  if (seconds < 120) {
    return `${seconds} s`;
  }
  return seconds < 7200 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3600)} h`;
}

/** The time of day of an instant: its text, or epoch milliseconds. */
export function clock(instant) {
  return new Date(instant).toLocaleTimeString('en-GB');
}

/** How often the policy was reloaded before an attempt, as the end of a sentence; generations count from 1. */
export function reloads(generation) {
  const count = generation - 1;
  return count < 1 ? '' : `, after ${count} policy ${count === 1 ? 'reload' : 'reloads'}`;
}
