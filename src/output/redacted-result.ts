/** Redacts known secrets in a result before it is drawn: a table may cut a secret, and its parts wouldn't be recognized. */
import { knownSecrets, redacted, redactedValue } from '../base/redaction.ts';
import type { Page, Result } from './result.ts';

/** Returns the result without known secrets. Records are already redacted, and secret texts are printed on purpose. */
export function redactedResult(result: Result): Result {
  if (knownSecrets().length === 0) return result;
  switch (result.kind) {
    case 'facts': {
      const { facts, rows, each, text, shown } = result;
      return {
        ...result,
        facts: redactedValue(facts),
        ...(rows && { rows: redactedValue(rows) }),
        ...(each && { each: mapValues(each, redactedValue) }),
        ...(text !== undefined && { text: redactedText(text) }),
        ...(shown && { shown: (page: Page) => redactedValue(shown(page)) }),
      };
    }
    case 'planned':
      return { ...result, requests: redactedValue(result.requests) };
    case 'value':
      return { ...result, value: redactedValue(result.value), rows: redactedValue(result.rows) };
    case 'run': {
      const { rows, lines } = result;
      const redactedLines = lines && ((isWindow: boolean) => mapValues(lines(isWindow), redacted));
      return { ...result, rows: mapAsync(rows, redactedValue), ...(lines && { lines: redactedLines }) };
    }
    case 'live': {
      const { events } = result;
      return { ...result, events: mapAsync(events, redactedValue) };
    }
    case 'answer':
      return { ...result, rows: mapAsync(result.rows, redactedValue) };
    case 'texts':
      return { ...result, texts: mapAsync(result.texts, redacted) };
    default:
      return result;
  }
}

type Text = string | ((page: Page) => string | Promise<string>);

function redactedText(text: Text): Text {
  return typeof text === 'string' ? redacted(text) : async (page) => redacted(await text(page));
}

function* mapValues<Value>(values: Iterable<Value>, change: (value: Value) => Value): Generator<Value> {
  for (const value of values) yield change(value);
}

/** Changes values as they are read. Stopping early stops `values` only if its iterator has a `return`. */
function mapAsync<Value>(
  values: AsyncIterable<Value>,
  change: (value: Value) => Value,
): AsyncIterable<Value> {
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = values[Symbol.asyncIterator]();
      return {
        async next() {
          const next = await iterator.next();
          return next.done ? next : { done: false, value: change(next.value) };
        },
        async return() {
          await iterator.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
