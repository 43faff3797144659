/** What is told of a write that failed half-way: whether it may have happened, and how to find out. */
import { flagName } from '../contract/text.ts';
import { Failure } from '../errors.ts';
import type { Call } from './request.ts';
import { TransportError } from './transport.ts';

/** The same failure, with what is known of the write's fate. Repeating one that may have happened could do it twice. */
export function withFate(error: unknown, call: Call): unknown {
  if (!(error instanceof Failure)) return error;
  const { category, message, details } = error;
  switch (fateOf(error)) {
    case 'told':
      return error;
    case 'never left':
      return new Failure(category, `${message} Nothing was sent.`, details);
    case 'unknown': {
      const { operation, ids = [] } = call;
      const line = [operation.resource.command, operation.verb, ...ids.map(shellWord)].join(' ');
      return new Failure(
        category,
        `${message} Whether \`${line}\` was carried out is not known; it was not repeated.`,
        {
          ...details,
          hint: `See whether it was: ${checkCommand(call)}`,
        },
      );
    }
  }
}

/** Statuses of "unavailable" by which a request was turned away, or sent elsewhere, before anything was done. */
const notDone = new Set([300, 301, 304, 305, 307, 308, 407]);

function fateOf({ category, details: { cause, status } }: Failure): 'told' | 'never left' | 'unknown' {
  if (category !== 'unavailable' && category !== 'interrupted') return 'told';
  if (cause instanceof TransportError) return cause.mayHaveArrived ? 'unknown' : 'never left';
  // Interrupted before it was sent, or while waiting after a refusal.
  if (category === 'interrupted') return 'told';
  return status !== undefined && notDone.has(status) ? 'told' : 'unknown';
}

function checkCommand({ operation, ids: [id] = [], body = {} }: Call): string {
  const { link, resource } = operation;
  const { command, key } = resource;
  if (id !== undefined) {
    return `boh ${command} get ${shellWord(id)}${link ? ` --include ${link.field}` : ''}`;
  }
  const name = key.find((candidate) => typeof body[candidate] === 'string');
  if (name === undefined) return `boh ${command} list --updated-after 10m`;
  return `boh ${command} list --${flagName(name)} ${shellWord(String(body[name]))}`;
}

/** Safe to paste into a shell, whatever a record is called. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
