/** Parses the record of a timed event. */
import { isDate } from '../../api/contract/date-time.ts';
import { type Pictures, weekdays } from '../../api/contract/pictures.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { wordOf } from '../../api/contract/value-text.ts';
import type { WeekEvent } from './build-week.ts';

type Fields = NonNullable<Pictures['week']>;
type Row = Readonly<Record<string, unknown>>;

export function parseEvent(row: Row, { title, fields: resourceFields }: Resource, fields: Fields): WeekEvent {
  const effectField = resourceFields[fields.effect];
  const word = effectField ? wordOf(effectField, row[fields.effect]) : undefined;
  // The limits of the value field list the effects that use it.
  const hasValue = resourceFields[fields.value]?.traits.limits?.some(
    ({ where, words }) => where === fields.effect && word !== undefined && words.includes(word),
  );
  const idLists = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, idsIn(row[name])]));
  return {
    id: String(row.id),
    name: String(row[title ?? 'id'] ?? row.id),
    effect: [word ?? row[fields.effect], ...(hasValue ? [row[fields.value]] : [])]
      .filter((part) => part != null)
      .join(' '),
    isActive: row[fields.isActive] !== false,
    days: weekdays.filter((day) => row[fields.days[day]] === true),
    from: parseHour(row[fields.fromTime]),
    to: parseHour(row[fields.toTime]),
    fromDate: parseDate(row[fields.fromDate]),
    toDate: parseDate(row[fields.toDate]),
    scopeIds: idLists(fields.sharedScope),
    targetIds: idLists(fields.appliesTo),
  };
}

/** Returns a time in hours, or null if it can't be read. The API document has 9, "9" and "09:30" ("Timed Event"). */
function parseHour(value: unknown): number | null {
  const [, hours, minutes = '0'] = /^(\d{1,2})(?::(\d{2})(?::\d{2})?)?$/.exec(String(value)) ?? [];
  const hour = Number(hours) + Number(minutes) / 60;
  return hour <= 24 ? hour : null;
}

function parseDate(value: unknown): string | null {
  return typeof value === 'string' && isDate(value) ? value : null;
}

/** Returns the IDs in a list of records, or the values of a list of numbers, such as order types. */
function idsIn(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value.map((item) => String(typeof item === 'object' && item !== null ? item.id : item));
}
