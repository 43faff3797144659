/** Rules for timed events: those that never run, are over, or contradict each other. */
import { numberIn } from '../../base/number-text.ts';
import { daysAfter, isEndBeforeStart } from '../../contract/moment.ts';
import { eventOf } from '../../pictures/week/event-of.ts';
import { type WeekEvent, weekOf } from '../../pictures/week/week-of.ts';
import type { Row } from '../../session/row.ts';
import type { Rule, RulePlace } from '../rule.ts';

const days = ['is_sat', 'is_sun', 'is_mon', 'is_tue', 'is_wed', 'is_thu', 'is_fri'];
const week = Object.fromEntries(days.map((day) => [day, true]));
const evening = { from_date: '2026-11-01', to_date: '2027-01-31', from_time: 18, to_time: 22, ...week };
const places = ['products', 'combos', 'branches', 'tags', 'categories', 'price_tag', 'customer_tags'];
const everywhere = Object.fromEntries(places.map((field) => [field, []]));
const hours = [...Object.keys(evening), 'is_active', 'type', 'value'];

/** What an event does to a price or to its products; two different effects of one kind contradict each other. */
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
    on: { timed_events: ['name', ...hours] },
    each(row, place) {
      const reason = neverOf(row, place);
      return reason === undefined || isOver(row, place) ? undefined : `It never runs: it ${reason}.`;
    },
    bad: [{ name: 'Happy Hour', is_active: true, ...evening, from_time: 18, to_time: 18 }],
    good: { to_time: 22 },
  },
  {
    name: 'event-over-still-active',
    severity: 'warning',
    summary: 'Timed events that are over and still active',
    reason: 'They clutter the list, and run again if their end date is changed.',
    on: { timed_events: ['is_active', 'to_date'] },
    each: (row, place) =>
      isOver(row, place)
        ? { message: `Ended on ${row.to_date} and is still active.`, set: { is_active: false } }
        : undefined,
    bad: [{ name: 'Summer', is_active: true, to_date: '2026-08-31' }],
    good: { is_active: false },
  },
  {
    name: 'events-contradict',
    severity: 'error',
    summary: 'Timed events that apply opposite changes to the same things at the same hour',
    reason:
      'One raises the price that the other lowers, or hides what the other offers: the result is undefined. Give them different priorities.',
    on: { timed_events: ['name', 'priority', ...hours, ...places, 'order_types'] },
    *all(place) {
      const { resource, account } = place;
      const all = account.rows(resource.name).flatMap((row) => {
        const event = weekEvent(row, place);
        return event?.isActive ? [{ row, event }] : [];
      });
      for (const [at, one] of all.entries())
        for (const other of all.slice(0, at)) {
          if (!isOpposite(one.row, other.row) || !meet(one.event, other.event, account.today)) continue;
          const message = `Contradicts ${other.event.name} (${other.event.id}): ${one.event.effect} and ${other.event.effect} at the same hours.`;
          yield [one.row, { message, part: other.event.id, fix: ['update', '--priority', 'N'] }];
        }
    },
    bad: [
      { name: 'Happy Hour', type: 3, value: 25, is_active: true, ...evening, ...everywhere },
      { name: 'Evening Surcharge', type: 5, value: 10, is_active: true, ...evening, ...everywhere },
    ],
    good: { from_time: 22, to_time: 24 },
  },
];

function weekEvent(row: Row, { resource }: RulePlace): WeekEvent | undefined {
  const fields = resource.pictures?.week;
  const isKnown = fields && days.every((day) => row[day] !== undefined);
  return isKnown && row.from_time !== undefined && row.to_time !== undefined
    ? eventOf(row, resource, fields)
    : undefined;
}

function neverOf(row: Row, place: RulePlace): string | undefined {
  if (row.is_active !== false && isEndBeforeStart(row.from_date, row.to_date)) return 'ends before it begins';
  const event = weekEvent(row, place);
  const { today } = place.account;
  return event?.isActive ? weekOf([event], today, today).inactive[0]?.reason : undefined;
}

function isOver({ is_active, to_date: last }: Row, { account }: RulePlace): boolean {
  return is_active !== false && is_active !== undefined && typeof last === 'string' && last < account.today;
}

function isOpposite(one: Row, other: Row): boolean {
  const [a, b] = [one, other].map(({ type }) => effects[Number(type)]);
  if (!a || !b || a[0] !== b[0] || one.priority !== other.priority) return false;
  if (a[1] === 'fixed' && b[1] === 'fixed') return numberIn(one.value) !== numberIn(other.value);
  return a[1] !== b[1] && a[1] !== 'fixed' && b[1] !== 'fixed';
}

/** Returns whether two events certainly run at the same time, from today on. */
function meet(one: WeekEvent, other: WeekEvent, today: string): boolean {
  const start = [one.fromDate ?? today, other.fromDate ?? today, today].sort().at(-1) ?? today;
  const next = daysAfter(start, 7);
  return [start, next].some((date) =>
    weekOf([one, other], date, today).overlaps.some(({ isCertain }) => isCertain),
  );
}
