/** From a successful answer to its data; anything else ends in a failure. */
import { Failure } from '../errors.ts';
import { parseJson } from './json-text.ts';
import { type Asked, refusal } from './refusal.ts';
import { isRow, isWebPage, type Row } from './shape.ts';
import type { HttpAnswer } from './transport.ts';

export { isRow, type Row } from './shape.ts';

/** Throws for every status but a success. */
export function throwUnlessOk(answer: HttpAnswer, asked: Asked): void {
  if (answer.status < 200 || answer.status >= 300) throw refusal(answer, asked);
}

/** The JSON of a success. Throws a Failure for any other status and for bodies that aren't JSON. */
export function jsonOf(answer: HttpAnswer, asked: Asked): unknown {
  throwUnlessOk(answer, asked);
  if (answer.isText === false) throw unexpected(answer, asked, 'text that is not UTF-8');
  let parsed: ReturnType<typeof parseJson>;
  try {
    parsed = parseJson(answer.body);
  } catch (cause) {
    throw unexpected(answer, asked, `${shapeOf(answer.body)} instead of JSON`, cause);
  }
  if (!parsed) throw unexpected(answer, asked, 'JSON that is nested too deep to be a record');
  return parsed.value;
}

/** The record under `data`. */
export function recordOf(answer: HttpAnswer, asked: Asked): Row {
  const body = jsonOf(answer, asked);
  if (isRow(body) && isRow(body.data)) return body.data;
  throw unexpected(answer, asked, 'JSON without a record in it');
}

/** A success that promises no body: deletes and restores. What comes is not read, unless someone else answered. */
export function throwUnlessDone(answer: HttpAnswer, asked: Asked): void {
  throwUnlessOk(answer, asked);
  if (isWebPage(answer.body)) throw unexpected(answer, asked, 'a web page');
}

export interface Page {
  /** From 1. */
  number: number;
  rows: Row[];
  /** The body as it came, for `--raw`. */
  body: string;
  lastPage?: number | undefined;
  perPage?: number | undefined;
  total?: number | undefined;
  /** False where the service says so; undefined where it says nothing. */
  hasNext?: boolean | undefined;
}

/** The records under `data`, with what the envelope tells of the rest. The document promises no more than `data`. */
export function pageOf(answer: HttpAnswer, asked: Asked, number = 1): Page {
  const body = jsonOf(answer, asked);
  if (!isRow(body) || !Array.isArray(body.data) || !body.data.every(isRow)) {
    throw unexpected(answer, asked, 'JSON without a list of records in it');
  }
  const meta = isRow(body.meta) ? body.meta : {};
  const links = isRow(body.links) ? body.links : {};
  return {
    number,
    rows: body.data,
    body: answer.body,
    lastPage: countIn(meta.last_page),
    perPage: countIn(meta.per_page),
    total: countIn(meta.total),
    hasNext: 'next' in links ? links.next !== null : undefined,
  };
}

/** A whole number of at least 0, which some services write as a text. */
function countIn(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

/** An answer that the contract doesn't allow. `what` completes "The service answered 200 with". */
export function unexpected(answer: HttpAnswer, asked: Asked, what: string, cause?: unknown): Failure {
  return new Failure('unavailable', `The service answered ${answer.status} with ${what}.`, {
    status: answer.status,
    request: { method: asked.method, path: asked.path },
    hint: 'A proxy or a maintenance page may have answered in its place. Check the address: boh config get base_url',
    cause,
  });
}

function shapeOf(body: string): string {
  if (body.trim() === '') return 'an empty body';
  if (isWebPage(body)) return 'a web page';
  return /^\s*[[{]/.test(body) ? 'something damaged or cut off' : 'something else';
}
