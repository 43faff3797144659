/** Describes a week in words and as data: everything that the grid shows. */

import type { Weekday } from '../../contract/picture.ts';
import { shortName } from '../labels.ts';
import { type EventOverlap, hourWords, type Run, type Week, type WeekEvent } from './week-of.ts';

const dayNames: Readonly<Record<Weekday, string>> = {
  sat: 'Saturday',
  sun: 'Sunday',
  mon: 'Monday',
  tue: 'Tuesday',
  wed: 'Wednesday',
  thu: 'Thursday',
  fri: 'Friday',
};

/** Returns the English name of a weekday. */
export function dayName(day: Weekday): string {
  return dayNames[day];
}

/** Returns the week as sentences: one for each day, then the notes. */
export function weekWords(week: Week): string[] {
  return [...week.dates.map((date) => dayWords(date, week)), ...weekNotes(week)];
}

/** Returns notes on the events that overlap and those that don't run. */
export function weekNotes({ events, runs, overlaps, inactive, otherDates }: Week): string[] {
  if (events.length === 0) return ['No timed events.'];
  return [
    ...(runs.length === 0 ? ['Nothing runs this week.'] : []),
    ...overlaps.map(overlapWords),
    ...(runs.length > 0 && overlaps.length === 0 ? ['No events overlap for the same things.'] : []),
    ...otherDates.map(
      ({ name, fromDate, toDate }) =>
        `${shortName(name)} doesn't run this week: ${dateWords(fromDate, toDate)}.`,
    ),
    ...inactive.map(({ event, reason }) => `${shortName(event.name)} never runs: it ${reason}.`),
  ];
}

function dayWords(date: string, { runs }: Week): string {
  const on = runs.filter((run) => run.date === date);
  const [first] = on;
  const day = new Date(date).toLocaleDateString('en-GB', {
    timeZone: 'UTC',
    weekday: 'long',
    day: 'numeric',
    month: 'long',
  });
  const what = first
    ? on
        .map(
          ({ event, from, to }) =>
            `${hourWords(from)} to ${hourWords(to)} ${shortName(event.name)} (${event.effect})`,
        )
        .join('; ')
    : 'nothing';
  return `${day}: ${what}.`;
}

function overlapWords({ events: [one, other], times, isCertain }: EventOverlap): string {
  const when = Map.groupBy(times, ({ from, to }) => `${hourWords(from)} to ${hourWords(to)}`);
  const hours = [...when].map(([span, on]) => `${span} on ${daysWords(on.map(({ day }) => day))}`).join('; ');
  const doubt = isCertain ? '' : '; whether for the same products is unknown';
  return `${shortName(one.name)} and ${shortName(other.name)} run at the same time: ${hours}${doubt}.`;
}

function daysWords(days: readonly Weekday[]): string {
  return days.length === 7 ? 'every day' : days.map(dayName).join(', ');
}

/** Returns a range of dates in words; null means that it is open at this end. */
export function dateWords(from: string | null, to: string | null): string {
  if (from !== null && to !== null) return `${from} to ${to}`;
  if (from !== null) return `from ${from}`;
  return to === null ? 'always' : `until ${to}`;
}

/** Returns the week as one object, for programs. */
export function weekFacts({ dates, runs, overlaps, inactive, otherDates }: Week): object {
  return {
    from: dates[0],
    to: dates.at(-1),
    runs: runRows(runs),
    overlaps: overlaps.map(({ events, times, isCertain }) => ({
      events: events.map(named),
      times,
      for_the_same: isCertain ? true : null,
    })),
    not_this_week: otherDates.map(named),
    never: inactive.map(({ event, reason }) => ({ ...named(event), reason })),
  };
}

/** Returns one flat record for each run, for programs. */
export function runRows(runs: readonly Run[]): object[] {
  return runs.map(({ event, ...when }) => ({ ...named(event), ...when, effect: event.effect }));
}

function named({ id, name }: WeekEvent): { id: string; name: string } {
  return { id, name };
}
