/** What stands around records in an answer, in the spelling of the deployment. docs/reference/deployments.md: "Lists". */
import { isRow, type Row } from './shape.ts';
import type { HttpAnswer } from './transport.ts';

/** `data`, as the document has it; `items` around lists and nothing around a record; or nothing at all. */
export type Envelope = 'data' | 'items' | 'none';

/** What an answer tells of the rest of its list. */
export interface ListTold {
  lastPage: number | undefined;
  perPage: number | undefined;
  total: number | undefined;
  /** False where the service says so; undefined where it says nothing. */
  hasNext: boolean | undefined;
}

/** The one record of an answer; undefined where it holds none. */
export function recordIn(body: unknown, envelope: Envelope): Row | undefined {
  if (!isRow(body)) return undefined;
  if (envelope === 'data') return isRow(body.data) ? body.data : undefined;
  const within = envelope === 'items' ? (body.item ?? body) : body;
  return isRow(within) ? within : undefined;
}

/** The records of a list; undefined where it is none. */
export function rowsIn(body: unknown, envelope: Envelope): Row[] | undefined {
  const list = envelope === 'none' ? body : isRow(body) ? body[envelope] : undefined;
  return Array.isArray(list) && list.every(isRow) ? list : undefined;
}

/** The document promises no more than the records. */
export function toldIn(body: unknown, headers: HttpAnswer['headers'], envelope: Envelope): ListTold {
  const whole = isRow(body) ? body : {};
  const meta = isRow(whole.meta) ? whole.meta : {};
  const links = isRow(whole.links) ? whole.links : {};
  if (envelope === 'data') return toldBy(meta, 'next' in links ? links.next !== null : undefined);
  const { next } = { ...links, ...whole } as Row;
  const link = headers.link === undefined ? undefined : /;\s*rel="?next"?/i.test(headers.link);
  const inBody = next === undefined ? undefined : next !== null;
  const inHeaders = {
    total: headers['x-total-count'],
    last_page: headers['x-total-pages'],
    per_page: headers['x-per-page'],
  };
  return toldBy({ ...inHeaders, ...whole, ...meta }, inBody ?? link);
}

/** By the names that the document's deployments use, and by those that are usual elsewhere. */
function toldBy(meta: Row, hasNext: boolean | undefined): ListTold {
  return {
    lastPage: countIn(meta.last_page ?? meta.total_pages),
    perPage: countIn(meta.per_page ?? meta.page_size),
    total: countIn(meta.total ?? meta.total_count),
    hasNext,
  };
}

/** A whole number of at least 0, which some services write as a text. */
function countIn(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}
