/**
 * A service whose list changes while the client reads it, at real speeds: records come, go, come back and change between
 * one answer and the next, many of them in one second, and some answers fail or say what isn't so.
 */
import { type HttpResponse, type Transport, TransportError } from '../../src/client/transport.ts';
import { clientOver } from './client-over.ts';
import { operationOf } from './operations.ts';

/** What happens to a record; `at` is its place among those it can happen to, from 0 to 1. */
export interface Event {
  what: 'add' | 'delete' | 'restore' | 'update';
  at: number;
}

/** Lists by when a record was made or changed. */
export type Order = 'made' | 'made, newest first' | 'changed' | 'changed, newest first';

/** What is wrong with an answer. */
export type Fault =
  | 'unavailable'
  | 'cut off'
  | 'empty'
  | 'short'
  | 'as it was before'
  | 'old total'
  | 'wrong last page'
  | { perPage: number };

/** What happens before a request, and how it is answered. */
export interface Step {
  ms?: number | undefined;
  events?: readonly Event[] | undefined;
  fault?: Fault | undefined;
  /** Which of the requests that wait is answered next. */
  pick?: number | undefined;
}

export interface Schedule {
  /** For each record that is there at first, whether it is deleted. */
  records: readonly boolean[];
  perPage: number;
  order: Order;
  /** One for each request; nothing happens before those that follow. */
  steps: readonly Step[];
  /** From one answer to the next, where a step says nothing else. */
  ms: number;
  /** Requests that may be under way at once. */
  mostAtOnce: number;
  /** By how many milliseconds the records' clock is ahead of the one that dates the answers. */
  skew: number;
}

interface Record {
  number: number;
  made: number;
  changed: number;
  isDeleted: boolean;
}

export interface Read {
  ids: string[];
  failure: unknown;
  requests: number;
  /** Records that were there from the first answer to the last, and did not come. */
  lost: string[];
}

const began = Date.UTC(2026, 10, 20, 8, 0, 0, 400);
const daysBefore = began - 3 * 86_400_000;

export async function readBusy({
  records,
  perPage,
  order,
  steps,
  ms: usual,
  mostAtOnce,
  skew,
}: Schedule): Promise<Read> {
  const all: Record[] = records.map((isDeleted, at) => ({
    number: at + 1,
    made: daysBefore,
    changed: daysBefore,
    isDeleted,
  }));
  let now = began;
  let requests = 0;
  let always: Set<string> | undefined;
  const lists: Record[][] = [];

  const listed = (): Record[] => {
    const shown = all.filter(({ isDeleted }) => !isDeleted);
    if (order.startsWith('changed')) shown.sort((some, other) => some.changed - other.changed);
    return order.endsWith('newest first') ? shown.reverse() : shown;
  };
  const happen = ({ what, at }: Event) => {
    if (what === 'add') {
      all.push({ number: all.length + 1, made: now, changed: now, isDeleted: false });
      return;
    }
    const able = all.filter(({ isDeleted }) => isDeleted === (what === 'restore'));
    const record = able[Math.min(Math.floor(at * able.length), able.length - 1)];
    if (!record) return;
    record.changed = now;
    record.isDeleted = what === 'delete';
    if (what === 'delete') always?.delete(idOf(record));
  };

  const answer = (target: string, { ms = usual, events = [], fault }: Step): HttpResponse => {
    now += ms;
    events.forEach(happen);
    always ??= new Set(listed().map(idOf));
    const headers = { date: new Date(now - skew).toUTCString() };
    if (fault === 'unavailable') return { status: 503, headers, body: '{}' };
    if (fault === 'cut off') throw new TransportError('The answer broke off.', { mayHaveArrived: true });
    lists.push(listed());
    const [before, list] = [lists.at(-2) ?? listed(), listed()];
    const shown = fault === 'as it was before' ? before : list;
    const size = typeof fault === 'object' ? fault.perPage : perPage;
    const number = Number(/[?&]page=(\d+)/.exec(target)?.[1] ?? 1);
    const page = shown.slice((number - 1) * size, number * size);
    const total = fault === 'old total' ? before.length : shown.length;
    const last = Math.max(1, Math.ceil(total / size) - (fault === 'wrong last page' ? 1 : 0));
    const rows = fault === 'empty' ? [] : fault === 'short' ? page.slice(1) : page;
    const body = {
      data: rows.map((row) => ({
        id: idOf(row),
        created_at: dateOf(row.made),
        updated_at: dateOf(row.changed),
      })),
      links: { next: number < last ? 'https://elsewhere.example/' : null },
      meta: { current_page: number, last_page: last, per_page: size, total },
    };
    return { status: 200, headers, body: JSON.stringify(body) };
  };

  const waiting: (() => void)[] = [];
  const transport: Transport = ({ target }) =>
    new Promise<HttpResponse>((resolve, reject) => {
      waiting.push(() => {
        const step = steps[requests++] ?? {};
        try {
          resolve(answer(target, step));
        } catch (error) {
          reject(error);
        }
      });
      // Everyone who wants to ask has asked by then.
      setImmediate(() => {
        const { pick = 0 } = steps[requests] ?? {};
        waiting.splice(pick % waiting.length, 1)[0]?.();
      });
    });

  const ids: string[] = [];
  let failure: unknown;
  try {
    const call = { operation: operationOf('customers', 'list'), query: {}, expectedRows: Infinity };
    for await (const { rows } of clientOver(transport, { maxConcurrency: mostAtOnce }).pages(call)) {
      ids.push(...rows.map(({ id }) => String(id)));
    }
  } catch (error) {
    failure = error;
  }
  const got = new Set(ids);
  return { ids, failure, requests, lost: [...(always ?? [])].filter((id) => !got.has(id)) };
}

function idOf({ number }: Record): string {
  return `r${number}`;
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}
