/** Redacts known secrets in a result before it is drawn: a table may cut a secret, and its parts wouldn't be recognized. */
import { knownSecrets, redact, redactValue } from '../base/redaction.ts';
import type { DisplayOptions, Result } from './result.ts';

/** Returns the result without known secrets. Records are already redacted, and text results that are secrets are printed on purpose. */
export function redactResult(result: Result): Result {
  if (knownSecrets().length === 0) return result;
  switch (result.kind) {
    case 'data': {
      const { data, rows, streamedRows, text, dataForPeople } = result;
      return {
        ...result,
        data: redactValue(data),
        ...(rows && { rows: redactValue(rows) }),
        ...(streamedRows && { streamedRows: mapValues(streamedRows, redactValue) }),
        ...(text !== undefined && { text: redactText(text) }),
        ...(dataForPeople && {
          dataForPeople: (display: DisplayOptions) => redactValue(dataForPeople(display)),
        }),
      };
    }
    case 'dry-run':
      return { ...result, requests: redactValue(result.requests) };
    case 'value':
      return { ...result, value: redactValue(result.value), rows: redactValue(result.rows) };
    case 'run': {
      const { rows, lines } = result;
      const redactedLines = lines && ((isTerminal: boolean) => mapValues(lines(isTerminal), redact));
      return { ...result, rows: mapAsync(rows, redactValue), ...(lines && { lines: redactedLines }) };
    }
    case 'live': {
      const { events } = result;
      return { ...result, events: mapAsync(events, redactValue) };
    }
    case 'query-rows':
      return { ...result, rows: mapAsync(result.rows, redactValue) };
    case 'text-stream':
      return { ...result, chunks: mapAsync(result.chunks, redact) };
    default:
      return result;
  }
}

type Text = string | ((display: DisplayOptions) => string | Promise<string>);

function redactText(text: Text): Text {
  return typeof text === 'string' ? redact(text) : async (display) => redact(await text(display));
}

function* mapValues<Value>(values: Iterable<Value>, transform: (value: Value) => Value): Generator<Value> {
  for (const value of values) yield transform(value);
}

/** Changes values as they are read. Stopping early stops `values` only if its iterator has a `return`. */
function mapAsync<Value>(
  values: AsyncIterable<Value>,
  transform: (value: Value) => Value,
): AsyncIterable<Value> {
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = values[Symbol.asyncIterator]();
      return {
        async next() {
          const next = await iterator.next();
          return next.done ? next : { done: false, value: transform(next.value) };
        },
        async return() {
          await iterator.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
