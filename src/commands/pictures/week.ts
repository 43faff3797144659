/** `boh timed-events week`: draws a week of timed events, with conflicts and events that never run. */
import { Option } from 'commander';
import { usage } from '../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import { isDate } from '../../contract/date-time.ts';
import type { Resource } from '../../contract/resource.ts';
import type { DisplayOptions } from '../../output/result.ts';
import { letterLabel } from '../../pictures/labels.ts';
import { buildWeek, formatHour, type Week } from '../../pictures/week/build-week.ts';
import {
  dayName,
  describeWeek,
  formatDateRange,
  runRows,
  weekData,
  weekNotes,
} from '../../pictures/week/describe-week.ts';
import { drawWeek, eventsOfWeek, renderWeekHtml } from '../../pictures/week/draw-week.ts';
import { parseEvent } from '../../pictures/week/parse-event.ts';
import type { Command } from '../command.ts';
import {
  addPictureAction,
  type FilterFlags,
  formatSentences,
  formatTable,
  type Picture,
  type PictureFlags,
  readAllRecords,
} from './picture.ts';

interface Flags extends PictureFlags {
  date?: string;
}

/** Adds the flags and the action of `week` to the command. */
export function configureWeek(command: Command, resource: Resource, context: Context): void {
  command.description(
    `Show a week of ${resource.nouns} hour by hour, with overlaps and events that never run.`,
  );
  command.addOption(new Option('--date <date>', 'the week of this day (default: today)'));
  addPictureAction<Flags>({
    ...{
      command,
      context,
      filteredResource: resource,
      example: `boh ${resource.command} week --date 2026-12-31`,
    },
    draw: (flags, filterFlags) => draw(resource, flags.date, filterFlags, context),
  });
}

async function draw(
  resource: Resource,
  day: string | undefined,
  filterFlags: FilterFlags,
  context: Context,
): Promise<Picture> {
  const { week: fields } = resource.pictures ?? {};
  if (!fields) throw new Error(`${resource.name} has no week`);
  const today = context.now().toISOString().slice(0, 10);
  const date = day ?? today;
  if (!isDate(date)) throw usage('--date takes a date, for example 2026-12-31.');
  const rows = await readAllRecords(context, resource, {
    ...filterFlags,
    optional: [...fields.sharedScope, ...fields.appliesTo],
  });
  const week: Week = buildWeek(
    rows.map((row) => parseEvent(row, resource, fields)),
    date,
    today,
  );
  return {
    title: `Week of ${week.dates[0]} to ${week.dates.at(-1)}`,
    data: weekData(week),
    rows: runRows(week.runs),
    key: 'id',
    sentences: describeWeek(week),
    drawLines: (display: DisplayOptions) => [
      ...drawWeek(week, display),
      ...formatLegend(week, weekNotes(week), display),
    ],
    drawHtml: () => renderWeekHtml(week),
  };
}

function formatLegend(week: Week, notes: readonly string[], display: DisplayOptions): string[] {
  const rows = eventsOfWeek(week).map(({ name, effect, from, to, days, fromDate, toDate }, index) => ({
    letter: letterLabel(index),
    name,
    effect,
    hours: `${formatHour(from ?? 0)}–${formatHour(to ?? 0)}`,
    days: days.length === 7 ? 'every day' : days.map((day) => dayName(day).slice(0, 3)).join(' '),
    dates: formatDateRange(fromDate, toDate),
  }));
  const columns = [
    { name: 'letter', header: '', isIndivisible: true },
    { name: 'name', minWidth: 16 },
    { name: 'effect', rank: 1 },
    { name: 'hours', isIndivisible: true },
    { name: 'days', rank: 2, minWidth: 11 },
    { name: 'dates', rank: 3, isIndivisible: true },
  ];
  const table = rows.length === 0 ? [] : ['', ...formatTable(display, columns, rows), ''];
  return [...table, ...formatSentences(notes, display)];
}
