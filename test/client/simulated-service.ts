/**
 * Simulates a service whose list changes at a realistic rate while it is read: records are added, deleted, restored and
 * updated between two responses, several of them in one second, and some responses fail or are wrong.
 */
import { type HttpResponse, type Transport, TransportError } from '../../src/account/client/transport.ts';
import { operationOf } from './operations.ts';
import { createTestClient } from './test-client.ts';

/** A change of a record. `position` selects the record among the possible ones, from 0 to 1. */
export interface ListEvent {
  kind: 'add' | 'delete' | 'restore' | 'update';
  position: number;
}

/** The order of the list: by the creation or update time of its records. */
export type Order = 'created' | 'created, newest first' | 'updated' | 'updated, newest first';

/** An error of a response. */
export type Fault =
  | 'unavailable'
  | 'cut off'
  | 'empty'
  | 'short'
  | 'outdated page'
  | 'outdated total'
  | 'wrong last page'
  | { perPage: number };

/** The events before a response, and the response itself. */
export interface Step {
  ms?: number | undefined;
  events?: readonly ListEvent[] | undefined;
  fault?: Fault | undefined;
  /** Selects the pending request to respond to next. */
  pick?: number | undefined;
}

export interface Schedule {
  /** For each initial record, whether it is deleted. */
  records: readonly boolean[];
  perPage: number;
  order: Order;
  /** One step for each request. No event occurs before further requests. */
  steps: readonly Step[];
  /** The default time between two responses, in milliseconds. */
  ms: number;
  /** The maximum number of concurrent requests. */
  maxConcurrency: number;
  /** The milliseconds by which the clock of the records is ahead of the Date header. */
  clockSkewMs: number;
}

interface SimulatedRecord {
  number: number;
  createdMs: number;
  updatedMs: number;
  isDeleted: boolean;
}

export interface SimulationResult {
  ids: string[];
  failure: unknown;
  requests: number;
  /** The IDs of records that existed from the first response to the last and were not returned. */
  missing: string[];
}

const startMs = Date.UTC(2026, 10, 20, 8, 0, 0, 400);
const createdBeforeMs = startMs - 3 * 86_400_000;

export async function readSimulated({
  records,
  perPage,
  order,
  steps,
  ms: defaultMs,
  maxConcurrency,
  clockSkewMs,
}: Schedule): Promise<SimulationResult> {
  const all: SimulatedRecord[] = records.map((isDeleted, position) => ({
    number: position + 1,
    createdMs: createdBeforeMs,
    updatedMs: createdBeforeMs,
    isDeleted,
  }));
  let now = startMs;
  let requests = 0;
  let expectedIds: Set<string> | undefined;
  const lists: SimulatedRecord[][] = [];

  const listRecords = (): SimulatedRecord[] => {
    const displayed = all.filter(({ isDeleted }) => !isDeleted);
    if (order.startsWith('updated')) displayed.sort((a, b) => a.updatedMs - b.updatedMs);
    return order.endsWith('newest first') ? displayed.reverse() : displayed;
  };
  const applyEvent = ({ kind, position }: ListEvent) => {
    if (kind === 'add') {
      all.push({ number: all.length + 1, createdMs: now, updatedMs: now, isDeleted: false });
      return;
    }
    const candidates = all.filter(({ isDeleted }) => isDeleted === (kind === 'restore'));
    const record = candidates[Math.min(Math.floor(position * candidates.length), candidates.length - 1)];
    if (!record) return;
    record.updatedMs = now;
    record.isDeleted = kind === 'delete';
    if (kind === 'delete') expectedIds?.delete(idOf(record));
  };

  const respond = (target: string, { ms = defaultMs, events = [], fault }: Step): HttpResponse => {
    now += ms;
    events.forEach(applyEvent);
    expectedIds ??= new Set(listRecords().map(idOf));
    const headers = { date: new Date(now - clockSkewMs).toUTCString() };
    if (fault === 'unavailable') return { status: 503, headers, body: '{}' };
    if (fault === 'cut off') throw new TransportError('The response was cut off.', { mayHaveArrived: true });
    lists.push(listRecords());
    const [previousList, list] = [lists.at(-2) ?? listRecords(), listRecords()];
    const displayed = fault === 'outdated page' ? previousList : list;
    const size = typeof fault === 'object' ? fault.perPage : perPage;
    const number = Number(/[?&]page=(\d+)/.exec(target)?.[1] ?? 1);
    const page = displayed.slice((number - 1) * size, number * size);
    const total = fault === 'outdated total' ? previousList.length : displayed.length;
    const last = Math.max(1, Math.ceil(total / size) - (fault === 'wrong last page' ? 1 : 0));
    const rows = fault === 'empty' ? [] : fault === 'short' ? page.slice(1) : page;
    const body = {
      data: rows.map((row) => ({
        id: idOf(row),
        created_at: dateOf(row.createdMs),
        updated_at: dateOf(row.updatedMs),
      })),
      links: { next: number < last ? 'https://elsewhere.example/' : null },
      meta: { current_page: number, last_page: last, per_page: size, total },
    };
    return { status: 200, headers, body: JSON.stringify(body) };
  };

  const pending: (() => void)[] = [];
  const transport: Transport = ({ target }) =>
    new Promise<HttpResponse>((resolve, reject) => {
      pending.push(() => {
        const step = steps[requests++] ?? {};
        try {
          resolve(respond(target, step));
        } catch (error) {
          reject(error);
        }
      });
      // All concurrent requests have been sent by then.
      setImmediate(() => {
        const { pick = 0 } = steps[requests] ?? {};
        pending.splice(pick % pending.length, 1)[0]?.();
      });
    });

  const ids: string[] = [];
  let failure: unknown;
  try {
    const call = { operation: operationOf('customers', 'list'), query: {}, expectedRows: Infinity };
    for await (const { rows } of createTestClient(transport, { maxConcurrency }).pages(call)) {
      ids.push(...rows.map(({ id }) => String(id)));
    }
  } catch (error) {
    failure = error;
  }
  const receivedIds = new Set(ids);
  return { ids, failure, requests, missing: [...(expectedIds ?? [])].filter((id) => !receivedIds.has(id)) };
}

function idOf({ number }: SimulatedRecord): string {
  return `r${number}`;
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}
