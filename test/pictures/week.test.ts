import { describe, expect, it } from 'vitest';
import { weekdays } from '../../src/api/contract/pictures.ts';
import { describeWeek } from '../../src/cli/pictures/week/describe-week.ts';
import { drawWeek, renderWeekHtml } from '../../src/cli/pictures/week/draw-week.ts';
import { buildWeek, dayOf, type WeekEvent } from '../../src/engine/weeks/build-week.ts';
import { fc } from '../harness/fast-check.ts';
import { runs } from './rings.ts';

const today = '2026-11-22';

const event = (id: string, values: Partial<WeekEvent> = {}): WeekEvent => ({
  id,
  name: id,
  effect: 'fixed price 1',
  isActive: true,
  days: weekdays,
  from: 9,
  to: 12,
  fromDate: '2026-01-01',
  toDate: '2026-12-31',
  scopeIds: {},
  targetIds: {},
  ...values,
});
const week = (...events: WeekEvent[]) => buildWeek(events, today, today);

describe('buildWeek', () => {
  it('the week starts on Saturday, as in the API', () => {
    expect(dayOf('2026-11-21')).toBe('sat');
    expect(dayOf('2026-11-22')).toBe('sun');
    expect(week().dates).toEqual([21, 22, 23, 24, 25, 26, 27].map((day) => `2026-11-${day}`));
  });

  it('contains the runs of an event on its days, within its dates', () => {
    const { runs: eventRuns } = week(event('a', { days: ['sat', 'fri'], fromDate: '2026-11-22' }));
    expect(eventRuns.map(({ date, from, to }) => [date, from, to])).toEqual([['2026-11-27', 9, 12]]);
  });

  it('splits a run past midnight, also one from the day before the week', () => {
    const { runs: eventRuns } = week(event('a', { days: ['fri'], from: 22, to: 2 }));
    expect(eventRuns.map(({ date, from, to }) => [date, from, to])).toEqual([
      ['2026-11-21', 0, 2],
      ['2026-11-27', 22, 24],
    ]);
  });
});

describe('buildWeek: inactive events', () => {
  it.each([
    [{ isActive: false }, 'is not active'],
    [{ days: [] }, 'has no days of the week'],
    [{ from: null }, 'has no hours'],
    [{ from: 9, to: 9 }, 'begins and ends at 9:00'],
    [{ fromDate: '2026-12-01', toDate: '2026-11-30' }, 'ends before it begins'],
    [{ toDate: '2026-11-21' }, 'ended on 2026-11-21'],
    [{ days: ['fri'], toDate: '2026-11-24' }, 'has no days left before it ends'],
  ] as [Partial<WeekEvent>, string][])('an event with %j: %s', (values, reason) => {
    expect(week(event('a', values)).inactive).toMatchObject([{ reason }]);
  });

  it('does not list an event that ends today or starts later', () => {
    expect(week(event('a', { toDate: today })).inactive).toEqual([]);
    const later = week(event('b', { fromDate: '2026-12-20' }));
    expect(later.inactive).toEqual([]);
    expect(later.otherDates.map(({ id }) => id)).toEqual(['b']);
  });
});

describe('buildWeek: overlaps', () => {
  it('overlap in the hours that both have', () => {
    const { overlaps } = week(event('a'), event('b', { days: ['mon'], from: 11, to: 14 }));
    expect(overlaps).toMatchObject([{ times: [{ day: 'mon', from: 11, to: 12 }], isCertain: true }]);
  });

  it('do not overlap if one follows the other', () => {
    expect(week(event('a'), event('b', { from: 12, to: 14 })).overlaps).toEqual([]);
  });

  it('overlap only in the same branch; an empty list means all branches', () => {
    const inBranch = (...ids: string[]) => ({ scopeIds: { branches: ids } });
    expect(week(event('a', inBranch('1')), event('b', inBranch('2'))).overlaps).toEqual([]);
    expect(week(event('a', inBranch('1')), event('b', inBranch('1', '2'))).overlaps).toHaveLength(1);
    expect(week(event('a', inBranch('1')), event('b', inBranch())).overlaps).toHaveLength(1);
  });

  it('do not overlap for different products; for a category and a product it is unknown', () => {
    const withTargets = (field: string, ...ids: string[]) => ({ targetIds: { [field]: ids } });
    expect(
      week(event('a', withTargets('products', '1')), event('b', withTargets('products', '2'))).overlaps,
    ).toEqual([]);
    const [unknown] = week(
      event('a', withTargets('products', '1')),
      event('b', withTargets('categories', '2')),
    ).overlaps;
    expect(unknown?.isCertain).toBe(false);
  });

  const eventValues = fc.record({
    from: fc.integer({ min: 0, max: 24 }),
    to: fc.integer({ min: 0, max: 24 }),
    days: fc.subarray([...weekdays]),
    scopeIds: fc.record({ branches: fc.subarray(['1', '2', '3']) }),
    targetIds: fc.record({ products: fc.subarray(['1', '2']), tags: fc.subarray(['1', '2']) }),
  });

  it('overlap in either order, in exactly the hours in which both run', () => {
    fc.assert(
      fc.property(eventValues, eventValues, (firstValues, secondValues) => {
        const [a, b] = [event('a', firstValues), event('b', secondValues)];
        const weekOfBoth = week(a, b);
        const hours = ({ overlaps }: typeof weekOfBoth) =>
          overlaps.flatMap(({ times }) => times.map(({ date, from, to }) => `${date} ${from}-${to}`)).sort();
        expect(hours(week(b, a))).toEqual(hours(weekOfBoth));
        const runsOf = (id: string) => week(id === 'a' ? a : b).runs;
        const sharedHours = weekOfBoth.dates.flatMap((date) =>
          Array.from({ length: 24 }, (_, hour) => ({ date, hour })).filter(({ hour }) =>
            ['a', 'b'].every((id) =>
              runsOf(id).some((run) => run.date === date && run.from <= hour && run.to > hour),
            ),
          ),
        );
        const overlapHours = weekOfBoth.overlaps
          .flatMap(({ times }) => times)
          .reduce((sum, { from, to }) => sum + to - from, 0);
        if (weekOfBoth.overlaps.length > 0) expect(overlapHours).toBe(sharedHours.length);
      }),
      runs,
    );
  });
});

describe('the drawing of a week', () => {
  const weekWithOverlap = week(event('a'), event('<b>', { from: 11, to: 13 }));

  it('shows the letters of both events that overlap, and stays within its width', () => {
    for (const width of [40, 80, 120, 200]) {
      const lines = drawWeek(weekWithOverlap, { width, color: false });
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(width);
      expect(lines.find((line) => line.includes('11:00'))).toMatch(/AB\s+AB/);
    }
  });

  it('describeWeek: describes everything that the drawing shows', () => {
    const [saturday, , , , , , , overlapSentence] = describeWeek(weekWithOverlap);
    expect(saturday).toBe(
      'Saturday 21 November: 9:00 to 12:00 a (fixed price 1); 11:00 to 13:00 <b> (fixed price 1).',
    );
    expect(overlapSentence).toBe('a and <b> run at the same time: 11:00 to 12:00 on every day.');
  });

  it('renderWeekHtml: marks overlaps and escapes names', () => {
    expect(renderWeekHtml(weekWithOverlap)).toContain('<td class="twice">a<br>&#60;b&#62;</td>');
  });
});
