/** `boh timed-events week`: draws a week of timed events, with conflicts and events that never run. */
import { Option } from 'commander';
import { usage } from '../../base/errors.ts';
import type { Row } from '../../client/shape.ts';
import type { Context } from '../../context/context.ts';
import { isDate } from '../../contract/moment.ts';
import { type Pictures, weekdays } from '../../contract/picture.ts';
import type { Resource } from '../../contract/resource.ts';
import { wordOf } from '../../contract/text.ts';
import type { Page } from '../../output/result.ts';
import { letterFor } from '../../pictures/labels.ts';
import { drawWeek, htmlWeek, shownEvents } from '../../pictures/week/draw-week.ts';
import { hourWords, type Week, type WeekEvent, weekOf } from '../../pictures/week/week-of.ts';
import {
  dateWords,
  dayName,
  remarkWords,
  runRows,
  weekFacts,
  weekWords,
} from '../../pictures/week/week-words.ts';
import { renderTable } from '../../terminal/table.ts';
import type { Command } from '../command.ts';
import {
  addPicture,
  givenFilters,
  type Picture,
  type PictureFlags,
  readRecords,
  sentences,
} from './picture.ts';

interface Flags extends PictureFlags {
  date?: string;
}

type Fields = NonNullable<Pictures['week']>;

/** Gives the command its flags and its action. */
export function configureWeek(command: Command, resource: Resource, context: Context): void {
  command.description(
    `Show a week of ${resource.nouns} hour by hour, with those that run at the same time and those that never run.`,
  );
  command.addOption(new Option('--date <date>', 'the week of this day (default: today)'));
  addPicture<Flags>({
    ...{ command, context, listed: resource, example: `boh ${resource.command} week --date 2026-12-31` },
    draw: (flags) => draw(command, resource, flags, context),
  });
}

async function draw(command: Command, resource: Resource, flags: Flags, context: Context): Promise<Picture> {
  const { week: fields } = resource.pictures ?? {};
  if (!fields) throw new Error(`${resource.name} has no week`);
  const today = context.now().toISOString().slice(0, 10);
  const date = flags.date ?? today;
  if (!isDate(date)) throw usage('--date takes a date, for example 2026-12-31.');
  const rows = await readRecords(context, resource, {
    filters: givenFilters(command, resource),
    filter: flags.filter,
    optional: [...fields.within, ...fields.on],
  });
  const week: Week = weekOf(
    rows.map((row) => eventOf(row, resource, fields)),
    date,
    today,
  );
  return {
    title: `Week of ${week.dates[0]} to ${week.dates.at(-1)}`,
    facts: weekFacts(week),
    rows: runRows(week.runs),
    key: 'id',
    words: weekWords(week),
    drawn: (page: Page) =>
      [...drawWeek(week, page), ...legendOf(week, remarkWords(week), page)]
        .map((line) => `${line}\n`)
        .join(''),
    page: () => htmlWeek(week),
  };
}

function eventOf(row: Row, { title, fields: all }: Resource, fields: Fields): WeekEvent {
  const effect = all[fields.effect];
  const word = effect ? wordOf(effect, row[fields.effect]) : undefined;
  // The limits of the value say which effects use it.
  const hasValue = all[fields.value]?.traits.limits?.some(
    ({ where, is }) => where === fields.effect && word !== undefined && is.includes(word),
  );
  const lists = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, idsIn(row[name])]));
  return {
    id: String(row.id),
    name: String(row[title ?? 'id'] ?? row.id),
    effect: [word ?? row[fields.effect], ...(hasValue ? [row[fields.value]] : [])]
      .filter((it) => it != null)
      .join(' '),
    isActive: row[fields.isActive] !== false,
    days: weekdays.filter((day) => row[fields.days[day]] === true),
    from: hourOf(row[fields.fromTime]),
    to: hourOf(row[fields.toTime]),
    fromDate: dateOf(row[fields.fromDate]),
    toDate: dateOf(row[fields.toDate]),
    within: lists(fields.within),
    on: lists(fields.on),
  };
}

/** Returns a time in hours; the API document has 9, "9" and "09:30" ("Timed Event"). Null if it can't be read. */
function hourOf(value: unknown): number | null {
  const [, hours, minutes = '0'] = /^(\d{1,2})(?::(\d{2})(?::\d{2})?)?$/.exec(String(value)) ?? [];
  const hour = Number(hours) + Number(minutes) / 60;
  return hour <= 24 ? hour : null;
}

function dateOf(value: unknown): string | null {
  return typeof value === 'string' && isDate(value) ? value : null;
}

/** Returns the IDs in a list of records, or its numbers, such as order types. */
function idsIn(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value.map((it) => String(typeof it === 'object' && it !== null ? it.id : it));
}

function legendOf(week: Week, remarks: readonly string[], page: Page): string[] {
  const rows = shownEvents(week).map(({ name, effect, from, to, days, fromDate, toDate }, index) => ({
    letter: letterFor(index),
    name,
    effect,
    hours: `${hourWords(from ?? 0)}–${hourWords(to ?? 0)}`,
    days: days.length === 7 ? 'every day' : days.map((day) => dayName(day).slice(0, 3)).join(' '),
    dates: dateWords(fromDate, toDate),
  }));
  const columns = [
    { name: 'letter', header: '', whole: true },
    { name: 'name', least: 16 },
    { name: 'effect', rank: 1 },
    { name: 'hours', whole: true },
    { name: 'days', rank: 2, least: 11 },
    { name: 'dates', rank: 3, whole: true },
  ];
  const { text } = renderTable(columns, rows, { ...page, isolate: page.isWindow && page.unicode });
  const table = rows.length === 0 ? [] : ['', ...text.trimEnd().split('\n'), ''];
  return [...table, ...sentences(remarks, page)];
}
