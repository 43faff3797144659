import { describe, expect, test } from 'vitest';
import { fc } from '../harness/fast-check.ts';
import { type Event, type Fault, type Order, readBusy, type Schedule, type Step } from './busy-service.ts';
import { wholeOrTold } from './whole-or-told.ts';

const still: Schedule = {
  records: [],
  perPage: 5,
  order: 'made',
  steps: [],
  ms: 20,
  mostAtOnce: 0,
  skew: 0,
};

/** What happens before which request, from 1; all others find nothing changed. */
function schedule(
  count: number,
  happening: Readonly<Record<number, Step>> = {},
  rest: Partial<Schedule> = {},
): Schedule {
  const records = rest.records ?? Array.from({ length: count }, () => false);
  const steps = Array.from({ length: 50 }, (_, at) => happening[at + 1] ?? {});
  return { ...still, records, steps, ...rest };
}

const swap: readonly Event[] = [
  { what: 'delete', at: 0 },
  { what: 'add', at: 1 },
];

describe('a list that changes while it is read: no record is missed', () => {
  test('one record is deleted while another is added, in the second in which the reading began', async () => {
    expect(await readBusy(schedule(20, { 2: { events: swap } }))).toMatchObject({
      failure: undefined,
      lost: [],
    });
    expect(await readBusy(schedule(20, { 4: { events: swap } }))).toMatchObject({
      failure: undefined,
      lost: [],
    });
  });

  test('one record is deleted while an old one is restored', async () => {
    const back: Event[] = [
      { what: 'delete', at: 0 },
      { what: 'restore', at: 1 },
    ];
    const records = Array.from({ length: 20 }, (_, at) => at === 17);
    for (const ms of [20, 3000]) {
      const read = await readBusy(schedule(20, { 2: { events: back, ms } }, { records }));
      expect(read).toMatchObject({ failure: undefined, lost: [] });
    }
  });

  test('a page is empty although the count is right, and a record was deleted meanwhile', async () => {
    const happening: Record<number, Step> = {
      2: { events: [{ what: 'delete', at: 0 }], ms: 3000 },
      // The page before is read back first.
      4: { fault: 'empty' },
    };
    expect(await readBusy(schedule(11, happening))).toMatchObject({ failure: undefined, lost: [] });
  });

  test('a record was deleted and one added between two answers that were requested early', async () => {
    const add: Event = { what: 'add', at: 0 };
    const remove: Event = { what: 'delete', at: 0 };
    const happening = Object.fromEntries(
      [add, remove, add, add, remove, add, add].map((event, at) => [at + 2, { events: [event] }]),
    );
    const read = await readBusy(schedule(3, happening, { perPage: 1, ms: 5, mostAtOnce: 4 }));
    expect(read).toMatchObject({ failure: undefined, lost: [] });
  });

  test('the last page is reported too small, and a record was deleted', async () => {
    const happening: Record<number, Step> = {
      3: { events: [{ what: 'delete', at: 0 }], ms: 3000, fault: 'wrong last page' },
    };
    const read = await readBusy(schedule(8, happening, { perPage: 2 }));
    expect(read).toMatchObject({ failure: undefined, lost: [] });
  });
});

describe("changes that can't hide a record: only the necessary pages are read again", () => {
  test('records are added before the position: the previous page, each time', async () => {
    const add: Event = { what: 'add', at: 1 };
    const happening = { 3: { events: [add] }, 6: { events: [add] } };
    const read = await readBusy(schedule(40, happening, { order: 'made, newest first' }));
    // Eight pages, one more for what was pushed behind them, and two that were read back.
    expect(read).toMatchObject({ failure: undefined, lost: [], requests: 11 });
  });

  test('records change and keep their positions: some pages, never the whole list', async () => {
    const change = (at: number): Step => ({ ms: 700, events: [{ what: 'update', at }] });
    const happening = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [at + 2, change(0.99)]));
    const read = await readBusy(schedule(400, happening, { perPage: 10 }));
    expect(read).toMatchObject({ failure: undefined, lost: [] });
    expect(read.requests).toBeLessThanOrEqual(40 + 5);
  });

  test('a record was created in the second in which the reading began: the pages of that second', async () => {
    const happening: Record<number, Step> = { 1: { events: [{ what: 'add', at: 0 }] }, 3: { ms: 1500 } };
    const read = await readBusy(schedule(45, happening));
    // Ten pages, and the first two again.
    expect(read).toMatchObject({ failure: undefined, lost: [], requests: 12 });
  });
});

interface Kind {
  what: Event['what'][];
  /** Up to three of them between one answer and the next, once; else always one. */
  isAtOnce?: boolean;
  isMoving?: boolean;
  faults?: Fault[];
}

/** What hides each other twice in one reading is beyond what any page shows. */
const kinds: Record<string, Kind> = {
  'come and go': { what: ['add', 'delete'], isAtOnce: true, isMoving: true },
  'come, go and come back': { what: ['add', 'delete', 'restore'], isMoving: true },
  'come, go, come back and change': { what: ['add', 'delete', 'restore', 'update'] },
  'come, go and move': { what: ['add', 'delete', 'update'], isMoving: true },
  'come and go, and answers fail': {
    what: ['add', 'delete'],
    isAtOnce: true,
    isMoving: true,
    faults: ['unavailable', 'cut off'],
  },
  'come and go, and answers are late': {
    what: ['add', 'delete'],
    isMoving: true,
    faults: ['as it was before', 'old total'],
  },
  'stay, and pages come short or of other sizes': {
    what: [],
    faults: ['empty', 'short', 'wrong last page', { perPage: 2 }, { perPage: 7 }],
  },
};

const position = fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 1));

function schedules({ what, faults = [], isAtOnce = false, isMoving = false }: Kind): fc.Arbitrary<Schedule> {
  const event = what.length > 0 && fc.record({ what: fc.constantFrom(...what), at: position });
  const right = fc.constant(undefined);
  const fault = fc.oneof(
    { weight: 4, arbitrary: right },
    { weight: 1, arbitrary: faults.length > 0 ? fc.constantFrom(...faults) : right },
  );
  const step = (events: fc.Arbitrary<Event[]>): fc.Arbitrary<Step> =>
    fc.record({ events, fault, pick: fc.nat({ max: 7 }) });
  const nothing = fc.constant<Event[]>([]);
  const usual = step(event ? fc.oneof(nothing, nothing, fc.tuple(event)) : nothing);
  const sudden = event && isAtOnce ? step(fc.array(event, { minLength: 2, maxLength: 3 })) : usual;
  const some = fc.array(usual, { maxLength: 15 });
  return fc.record({
    records: fc.array(fc.boolean(), { maxLength: 25 }),
    perPage: fc.integer({ min: 1, max: 5 }),
    order: fc.constantFrom<Order[]>(
      'made',
      'made, newest first',
      ...(isMoving ? (['changed', 'changed, newest first'] as const) : []),
    ),
    steps: fc.tuple(some, sudden, some).map(([before, one, after]) => [...before, one, ...after]),
    ms: fc.constantFrom(5, 60, 400, 3000),
    mostAtOnce: fc.constantFrom(0, 0, 4),
    // Only dates of one clock show what comes back.
    skew: what.includes('restore') ? fc.constant(0) : fc.constantFrom(0, 0, 60_000),
  });
}

describe('a list that changes at any speed: no record that existed all the time is missed with success', () => {
  test.each(Object.entries(kinds))('records %s', async (_, kind) => {
    const readings = wholeOrTold();
    await fc.assert(
      fc.asyncProperty(schedules(kind), async (each) => readings.judge(await readBusy(each))),
      { numRuns: 2000 },
    );
    readings.demandMostWhole();
  });
});
