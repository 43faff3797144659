/** Rules for timed events that never run, are over, or contradict each other. */

import type { Row } from '../../../account/session/row.ts';
import { daysAfter, isEndBeforeStart } from '../../../api/contract/date-time.ts';
import { toNumber } from '../../../base/number-text.ts';
import { buildWeek, type WeekEvent } from '../../weeks/build-week.ts';
import { parseEvent } from '../../weeks/parse-event.ts';
import type { Rule, RuleContext } from '../rule.ts';

const dayFields = ['is_sat', 'is_sun', 'is_mon', 'is_tue', 'is_wed', 'is_thu', 'is_fri'];
const everyDay = Object.fromEntries(dayFields.map((day) => [day, true]));
const evening = { from_date: '2026-11-01', to_date: '2027-01-31', from_time: 18, to_time: 22, ...everyDay };
const scopeFields = ['products', 'combos', 'branches', 'tags', 'categories', 'price_tag', 'customer_tags'];
const everywhere = Object.fromEntries(scopeFields.map((field) => [field, []]));
const timeFields = [...Object.keys(evening), 'is_active', 'type', 'value'];

/** The effect of each event type on a price or on its products. Different effects of the same kind contradict each other. */
const effects: Readonly<Record<number, readonly [kind: string, effect: string]>> = {
  ...{ 1: ['price', 'fixed'], 2: ['price', 'lower'], 3: ['price', 'lower'], 4: ['price', 'higher'] },
  ...{ 5: ['price', 'higher'], 6: ['availability', 'on'], 7: ['availability', 'off'] },
};

export const timedEventRules: readonly Rule[] = [
  {
    name: 'event-never-runs',
    severity: 'error',
    summary: 'Active timed events that can never run',
    reason: 'The promotion is announced, and the register never applies it.',
    checks: { timed_events: ['name', ...timeFields] },
    checkRecord(row, context) {
      const reason = neverRunsReason(row, context);
      return reason === undefined || isOver(row, context) ? undefined : `The event never runs: it ${reason}.`;
    },
    bad: [{ name: 'Happy Hour', is_active: true, ...evening, from_time: 18, to_time: 18 }],
    good: { to_time: 22 },
  },
  {
    name: 'event-over-still-active',
    severity: 'warning',
    summary: 'Timed events that are over and still active',
    reason: 'They clutter the list, and run again if their end date is changed.',
    checks: { timed_events: ['is_active', 'to_date'] },
    checkRecord: (row, context) =>
      isOver(row, context)
        ? { message: `Ended on ${row.to_date} and is still active.`, fixValues: { is_active: false } }
        : undefined,
    bad: [{ name: 'Summer', is_active: true, to_date: '2026-08-31' }],
    good: { is_active: false },
  },
  {
    name: 'events-contradict',
    severity: 'error',
    summary: 'Timed events that apply opposite changes to the same products at the same time',
    reason:
      'One raises a price that the other lowers, or hides a product that the other offers. Without different priorities, the result is undefined.',
    checks: { timed_events: ['name', 'priority', ...timeFields, ...scopeFields, 'order_types'] },
    *checkAll(context) {
      const { resource, account } = context;
      const activeEvents = account.rows(resource.name).flatMap((row) => {
        const event = weekEvent(row, context);
        return event?.isActive ? [{ row, event }] : [];
      });
      for (const [index, newer] of activeEvents.entries())
        for (const older of activeEvents.slice(0, index)) {
          if (!isOpposite(newer.row, older.row) || !areConcurrent(newer.event, older.event, account.today))
            continue;
          const message = `Contradicts ${older.event.name} (${older.event.id}): ${newer.event.effect} and ${older.event.effect} at the same time.`;
          yield [newer.row, { message, part: older.event.id, fix: ['update', '--priority', 'N'] }];
        }
    },
    bad: [
      { name: 'Happy Hour', type: 3, value: 25, is_active: true, ...evening, ...everywhere },
      { name: 'Evening Surcharge', type: 5, value: 10, is_active: true, ...evening, ...everywhere },
    ],
    good: { from_time: 22, to_time: 24 },
  },
];

function weekEvent(row: Row, { resource }: RuleContext): WeekEvent | undefined {
  const fields = resource.pictures?.week;
  const hasAllDays = fields && dayFields.every((day) => row[day] !== undefined);
  if (!hasAllDays || row.from_time === undefined || row.to_time === undefined) return undefined;
  return parseEvent(row, resource, fields);
}

function neverRunsReason(row: Row, context: RuleContext): string | undefined {
  if (row.is_active !== false && isEndBeforeStart(row.from_date, row.to_date)) return 'ends before it begins';
  const event = weekEvent(row, context);
  const { today } = context.account;
  return event?.isActive ? buildWeek([event], today, today).inactive[0]?.reason : undefined;
}

function isOver({ is_active, to_date: endDate }: Row, { account }: RuleContext): boolean {
  return (
    is_active !== false && is_active !== undefined && typeof endDate === 'string' && endDate < account.today
  );
}

function isOpposite(event: Row, otherEvent: Row): boolean {
  const [a, b] = [event, otherEvent].map(({ type }) => effects[Number(type)]);
  if (!a || !b || a[0] !== b[0] || event.priority !== otherEvent.priority) return false;
  if (a[1] === 'fixed' && b[1] === 'fixed') return toNumber(event.value) !== toNumber(otherEvent.value);
  return a[1] !== b[1] && a[1] !== 'fixed' && b[1] !== 'fixed';
}

/** Returns whether two events certainly run at the same time, today or later. */
function areConcurrent(first: WeekEvent, second: WeekEvent, today: string): boolean {
  const start = [first.fromDate ?? today, second.fromDate ?? today, today].sort().at(-1) ?? today;
  const aWeekLater = daysAfter(start, 7);
  const overlaps = [start, aWeekLater].flatMap((date) => buildWeek([first, second], date, today).overlaps);
  return overlaps.some(({ isCertain }) => isCertain);
}
