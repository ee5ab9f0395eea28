// What the playground asks of the server: each a POST of JSON, which only a page that was served from there may send.

/** What the server does not do, with its reasons: [{message, line}], the line null when unknown. */
export class Refused extends Error {
  constructor(errors) {
    super(errors.map(error => error.message).join('; '));
    this.errors = errors;
  }
}

const MOST_BYTES = 32 * 1024 * 1024;

/** Does something and gives the answer; a text is sent as it is. */
export async function act(what, asked = {}) {
  const body = new Blob([typeof asked === 'string' ? asked : JSON.stringify(asked)]);
  if (body.size > MOST_BYTES) {
    throw new Refused([{message: 'The text is larger than 32 MiB. Use cluster --load for larger files.', line: null}]);
  }
  const response = await fetch(`playground/${what}`, {
    method: 'POST',
    headers: {'Content-Type': typeof asked === 'string' ? 'text/plain' : 'application/json', 'X-Requested-With': 'policy-scheduler'},
    body,
  });
  if (!response.ok) {
    throw new Refused([{message: `${response.status}: ${(await response.text()).trim()}`, line: null}]);
  }
  const answer = await response.json();
  if (answer.errors !== undefined) {
    throw new Refused(answer.errors);
  }
  return answer;
}
