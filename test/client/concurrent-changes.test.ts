import { describe, expect, test } from 'vitest';
import { fc } from '../harness/fast-check.ts';
import { trackListOutcomes } from './list-outcomes.ts';
import {
  type Fault,
  type ListEvent,
  type Order,
  readSimulated,
  type Schedule,
  type Step,
} from './simulated-service.ts';

const emptySchedule: Schedule = {
  records: [],
  perPage: 5,
  order: 'created',
  steps: [],
  ms: 20,
  maxConcurrency: 0,
  clockSkewMs: 0,
};

/** Returns a schedule with these steps, by the number of the request from 1. No event occurs before other requests. */
function schedule(
  count: number,
  happening: Readonly<Record<number, Step>> = {},
  overrides: Partial<Schedule> = {},
): Schedule {
  const records = overrides.records ?? Array.from({ length: count }, () => false);
  const steps = Array.from({ length: 50 }, (_, index) => happening[index + 1] ?? {});
  return { ...emptySchedule, records, steps, ...overrides };
}

const replacement: readonly ListEvent[] = [
  { kind: 'delete', position: 0 },
  { kind: 'add', position: 1 },
];

describe('a list that changes while it is read: no record is missed if', () => {
  test('a record is deleted while another is added in the first second of the reading', async () => {
    expect(await readSimulated(schedule(20, { 2: { events: replacement } }))).toMatchObject({
      failure: undefined,
      missing: [],
    });
    expect(await readSimulated(schedule(20, { 4: { events: replacement } }))).toMatchObject({
      failure: undefined,
      missing: [],
    });
  });

  test('a record is deleted while an older one is restored', async () => {
    const restoreAnother: ListEvent[] = [
      { kind: 'delete', position: 0 },
      { kind: 'restore', position: 1 },
    ];
    const records = Array.from({ length: 20 }, (_, index) => index === 17);
    for (const ms of [20, 3000]) {
      const result = await readSimulated(schedule(20, { 2: { events: restoreAnother, ms } }, { records }));
      expect(result).toMatchObject({ failure: undefined, missing: [] });
    }
  });

  test('a page is empty although the total is correct, and a record was deleted in the meantime', async () => {
    const steps: Record<number, Step> = {
      2: { events: [{ kind: 'delete', position: 0 }], ms: 3000 },
      // The previous page is reread first.
      4: { fault: 'empty' },
    };
    expect(await readSimulated(schedule(11, steps))).toMatchObject({ failure: undefined, missing: [] });
  });

  test('a record was deleted and another added between two prefetched pages', async () => {
    const add: ListEvent = { kind: 'add', position: 0 };
    const remove: ListEvent = { kind: 'delete', position: 0 };
    const steps = Object.fromEntries(
      [add, remove, add, add, remove, add, add].map((event, index) => [index + 2, { events: [event] }]),
    );
    const result = await readSimulated(schedule(3, steps, { perPage: 1, ms: 5, maxConcurrency: 4 }));
    expect(result).toMatchObject({ failure: undefined, missing: [] });
  });

  test('last_page is too small, and a record was deleted', async () => {
    const steps: Record<number, Step> = {
      3: { events: [{ kind: 'delete', position: 0 }], ms: 3000, fault: 'wrong last page' },
    };
    const result = await readSimulated(schedule(8, steps, { perPage: 2 }));
    expect(result).toMatchObject({ failure: undefined, missing: [] });
  });
});

describe("changes that can't hide a record: a limited number of pages is reread if", () => {
  test('records are added before the current position', async () => {
    const add: ListEvent = { kind: 'add', position: 1 };
    const steps = { 3: { events: [add] }, 6: { events: [add] } };
    const result = await readSimulated(schedule(40, steps, { order: 'created, newest first' }));
    // Eight pages, one more for the moved rows, and two that are reread.
    expect(result).toMatchObject({ failure: undefined, missing: [], requests: 11 });
  });

  test('records are updated and keep their positions', async () => {
    const change = (position: number): Step => ({ ms: 700, events: [{ kind: 'update', position }] });
    const steps = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [index + 2, change(0.99)]));
    const result = await readSimulated(schedule(400, steps, { perPage: 10 }));
    expect(result).toMatchObject({ failure: undefined, missing: [] });
    expect(result.requests).toBeLessThanOrEqual(40 + 5);
  });

  test('a record was created in the first second of the reading', async () => {
    const steps: Record<number, Step> = { 1: { events: [{ kind: 'add', position: 0 }] }, 3: { ms: 1500 } };
    const result = await readSimulated(schedule(45, steps));
    // Ten pages, and two that are reread.
    expect(result).toMatchObject({ failure: undefined, missing: [], requests: 12 });
  });
});

interface ChangeKind {
  kinds: ListEvent['kind'][];
  /** Whether up to three events occur between two responses, once. Otherwise at most one event occurs. */
  isAtOnce?: boolean;
  isMoving?: boolean;
  faults?: Fault[];
}

/** Combinations of changes. Changes that compensate each other twice in one reading can't be detected. */
const changeKinds: Record<string, ChangeKind> = {
  'are added and deleted': { kinds: ['add', 'delete'], isAtOnce: true, isMoving: true },
  'are added, deleted and restored': { kinds: ['add', 'delete', 'restore'], isMoving: true },
  'are added, deleted, restored and updated': { kinds: ['add', 'delete', 'restore', 'update'] },
  'are added, deleted and moved': { kinds: ['add', 'delete', 'update'], isMoving: true },
  'are added and deleted, and requests fail': {
    kinds: ['add', 'delete'],
    isAtOnce: true,
    isMoving: true,
    faults: ['unavailable', 'cut off'],
  },
  'are added and deleted, and responses are outdated': {
    kinds: ['add', 'delete'],
    isMoving: true,
    faults: ['outdated page', 'outdated total'],
  },
  'stay the same, and pages are incomplete or have other sizes': {
    kinds: [],
    faults: ['empty', 'short', 'wrong last page', { perPage: 2 }, { perPage: 7 }],
  },
};

const position = fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 1));

function schedules({
  kinds,
  faults = [],
  isAtOnce = false,
  isMoving = false,
}: ChangeKind): fc.Arbitrary<Schedule> {
  const event = kinds.length > 0 && fc.record({ kind: fc.constantFrom(...kinds), position });
  const noFault = fc.constant(undefined);
  const fault = fc.oneof(
    { weight: 4, arbitrary: noFault },
    { weight: 1, arbitrary: faults.length > 0 ? fc.constantFrom(...faults) : noFault },
  );
  const step = (events: fc.Arbitrary<ListEvent[]>): fc.Arbitrary<Step> =>
    fc.record({ events, fault, pick: fc.nat({ max: 7 }) });
  const noEvents = fc.constant<ListEvent[]>([]);
  const oneEventAtMost = step(event ? fc.oneof(noEvents, noEvents, fc.tuple(event)) : noEvents);
  const severalEvents =
    event && isAtOnce ? step(fc.array(event, { minLength: 2, maxLength: 3 })) : oneEventAtMost;
  const steps = fc.array(oneEventAtMost, { maxLength: 15 });
  return fc.record({
    records: fc.array(fc.boolean(), { maxLength: 25 }),
    perPage: fc.integer({ min: 1, max: 5 }),
    order: fc.constantFrom<Order[]>(
      'created',
      'created, newest first',
      ...(isMoving ? (['updated', 'updated, newest first'] as const) : []),
    ),
    steps: fc.tuple(steps, severalEvents, steps).map(([before, one, after]) => [...before, one, ...after]),
    ms: fc.constantFrom(5, 60, 400, 3000),
    maxConcurrency: fc.constantFrom(0, 0, 4),
    // Restored records can only be detected by the dates of the same clock.
    clockSkewMs: kinds.includes('restore') ? fc.constant(0) : fc.constantFrom(0, 0, 60_000),
  });
}

describe('a list that changes at any rate: no record that existed all the time is missed without a failure', () => {
  test.each(Object.entries(changeKinds))('if records %s', async (_, changeKind) => {
    const readings = trackListOutcomes();
    await fc.assert(
      fc.asyncProperty(schedules(changeKind), async (each) => readings.check(await readSimulated(each))),
      { numRuns: 2000 },
    );
    readings.expectMostComplete();
  });
});
