/** Describes a week in sentences and as data, with the same content as the grid. */

import type { Weekday } from '../../../api/contract/pictures.ts';
import {
  type EventOverlap,
  type EventRun,
  formatHour,
  type Week,
  type WeekEvent,
} from '../../../engine/weeks/build-week.ts';
import { shortenName } from '../page.ts';

const dayNames: Readonly<Record<Weekday, string>> = {
  sat: 'Saturday',
  sun: 'Sunday',
  mon: 'Monday',
  tue: 'Tuesday',
  wed: 'Wednesday',
  thu: 'Thursday',
  fri: 'Friday',
};

export function dayName(day: Weekday): string {
  return dayNames[day];
}

/** Returns sentences that describe the week: one for each day, then the notes. */
export function describeWeek(week: Week): string[] {
  return [...week.dates.map((date) => describeDay(date, week)), ...weekNotes(week)];
}

export function weekNotes({ events, runs, overlaps, inactive, otherDates }: Week): string[] {
  if (events.length === 0) return ['No timed events.'];
  return [
    ...(runs.length === 0 ? ['Nothing runs this week.'] : []),
    ...overlaps.map(describeOverlap),
    ...(runs.length > 0 && overlaps.length === 0 ? ['No events overlap for the same things.'] : []),
    ...otherDates.map(
      ({ name, fromDate, toDate }) =>
        `${shortenName(name)} doesn't run this week: ${formatDateRange(fromDate, toDate)}.`,
    ),
    ...inactive.map(({ event, reason }) => `${shortenName(event.name)} never runs: it ${reason}.`),
  ];
}

function describeDay(date: string, { runs }: Week): string {
  const dayRuns = runs.filter((run) => run.date === date);
  const [first] = dayRuns;
  const day = new Date(date).toLocaleDateString('en-GB', {
    timeZone: 'UTC',
    weekday: 'long',
    day: 'numeric',
    month: 'long',
  });
  const events = first
    ? dayRuns
        .map(
          ({ event, from, to }) =>
            `${formatHour(from)} to ${formatHour(to)} ${shortenName(event.name)} (${event.effect})`,
        )
        .join('; ')
    : 'nothing';
  return `${day}: ${events}.`;
}

function describeOverlap({ events: [a, b], times, isCertain }: EventOverlap): string {
  const timesBySpan = Map.groupBy(times, ({ from, to }) => `${formatHour(from)} to ${formatHour(to)}`);
  const hours = [...timesBySpan]
    .map(([span, spanTimes]) => `${span} on ${formatDays(spanTimes.map(({ day }) => day))}`)
    .join('; ');
  const uncertainty = isCertain ? '' : '; they may apply to the same products';
  return `${shortenName(a.name)} and ${shortenName(b.name)} run at the same time: ${hours}${uncertainty}.`;
}

function formatDays(days: readonly Weekday[]): string {
  return days.length === 7 ? 'every day' : days.map(dayName).join(', ');
}

/** Formats a range of dates: "2026-01-01 to 2026-01-31". Null means that the range has no start or no end. */
export function formatDateRange(from: string | null, to: string | null): string {
  if (from !== null && to !== null) return `${from} to ${to}`;
  if (from !== null) return `from ${from}`;
  return to === null ? 'always' : `until ${to}`;
}

export function weekData({ dates, runs, overlaps, inactive, otherDates }: Week): object {
  return {
    from: dates[0],
    to: dates.at(-1),
    runs: runRows(runs),
    overlaps: overlaps.map(({ events, times, isCertain }) => ({
      events: events.map(idAndName),
      times,
      for_the_same: isCertain ? true : null,
    })),
    not_this_week: otherDates.map(idAndName),
    never: inactive.map(({ event, reason }) => ({ ...idAndName(event), reason })),
  };
}

/** Returns one flat record for each run, for programs. */
export function runRows(runs: readonly EventRun[]): object[] {
  return runs.map(({ event, ...time }) => ({ ...idAndName(event), ...time, effect: event.effect }));
}

function idAndName({ id, name }: WeekEvent): { id: string; name: string } {
  return { id, name };
}
