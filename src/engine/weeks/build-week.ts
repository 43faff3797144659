/** Builds a week of timed events: the runs of each event, overlaps, and events that never run. */
import { daysAfter, isEndBeforeStart } from '../../api/contract/date-time.ts';
import { type Weekday, weekdays } from '../../api/contract/pictures.ts';

/** A timed event. Hours are from 0 to 24, dates are `YYYY-MM-DD`. */
export interface WeekEvent {
  id: string;
  name: string;
  /** The effect as text, for example "price reduction by percentage 25". */
  effect: string;
  isActive: boolean;
  days: readonly Weekday[];
  from: number | null;
  to: number | null;
  fromDate: string | null;
  toDate: string | null;
  /** The IDs that limit where the event applies, by field. Two events overlap only if they share an ID in each field. An empty list means all. */
  scopeIds: Readonly<Record<string, readonly string[]>>;
  /** The IDs of the records that the event applies to, by field. */
  targetIds: Readonly<Record<string, readonly string[]>>;
}

/** One run of an event. A run past midnight is split into two. */
export interface EventRun {
  event: WeekEvent;
  /** The date as `YYYY-MM-DD`. */
  date: string;
  day: Weekday;
  from: number;
  to: number;
}

/** Two events that run at the same time. */
export interface EventOverlap {
  events: readonly [WeekEvent, WeekEvent];
  times: readonly Omit<EventRun, 'event'>[];
  /** Whether both apply to the same things. False if that isn't known. */
  isCertain: boolean;
}

export interface Week {
  /** The days, from Saturday. */
  dates: readonly string[];
  events: readonly WeekEvent[];
  runs: readonly EventRun[];
  overlaps: readonly EventOverlap[];
  /** The events that never run from today on, with the reason. */
  inactive: readonly { event: WeekEvent; reason: string }[];
  /** The events that run only in other weeks. */
  otherDates: readonly WeekEvent[];
}

/** Returns the week that contains `date`; `today` decides which events have ended. Both are `YYYY-MM-DD`. */
export function buildWeek(events: readonly WeekEvent[], date: string, today: string): Week {
  const first = daysAfter(date, -weekdays.indexOf(dayOf(date)));
  const dates = weekdays.map((_, index) => daysAfter(first, index));
  const inactive = events.flatMap((event) => {
    const reason = findInactiveReason(event, today);
    return reason === undefined ? [] : [{ event, reason }];
  });
  const active = events.filter((event) => !inactive.some((entry) => entry.event === event));
  const runs = active.flatMap((event) => runsOf(event, dates)).sort(compareRuns);
  return {
    dates,
    events,
    runs,
    overlaps: active.flatMap((a, index) => active.slice(index + 1).flatMap((b) => overlapsOf(a, b, runs))),
    inactive,
    otherDates: active.filter((event) => !runs.some((run) => run.event === event)),
  };
}

/** Returns the weekday of a date, in UTC. */
export function dayOf(date: string): Weekday {
  // Date counts from Sunday, the API from Saturday.
  return weekdays[(new Date(date).getUTCDay() + 1) % 7] as Weekday;
}

function runsOf(event: WeekEvent, dates: readonly string[]): EventRun[] {
  const { from, to } = event;
  if (from === null || to === null) return [];
  const isOvernight = to < from;
  // A run that began on the day before the week may continue on its first day.
  const startDates = [daysAfter(dates[0] ?? '', -1), ...dates].filter((date) => startsOn(event, date));
  return startDates.flatMap((date) => {
    const firstDay = { event, date, day: dayOf(date), from, to: isOvernight ? 24 : to };
    const next = daysAfter(date, 1);
    const secondDay = isOvernight && to > 0 ? [{ event, date: next, day: dayOf(next), from: 0, to }] : [];
    return [firstDay, ...secondDay].filter((run) => dates.includes(run.date));
  });
}

function startsOn({ days, fromDate, toDate }: WeekEvent, date: string): boolean {
  return days.includes(dayOf(date)) && (fromDate ?? date) <= date && date <= (toDate ?? date);
}

function findInactiveReason(event: WeekEvent, today: string): string | undefined {
  const { isActive, days, from, to, fromDate, toDate } = event;
  if (!isActive) return 'is not active';
  if (days.length === 0) return 'has no days of the week';
  if (from === null || to === null) return 'has no hours';
  if (from === to) return `begins and ends at ${formatHour(from)}`;
  if (isEndBeforeStart(fromDate, toDate)) return 'ends before it begins';
  if (toDate !== null && toDate < today) return `ended on ${toDate}`;
  const start = fromDate !== null && fromDate > today ? fromDate : today;
  const nextDates = weekdays.map((_, index) => daysAfter(start, index));
  return nextDates.some((date) => startsOn(event, date)) ? undefined : 'has no days left before it ends';
}

function overlapsOf(a: WeekEvent, b: WeekEvent, runs: readonly EventRun[]): EventOverlap[] {
  if (!haveSharedScope(a, b)) return [];
  const targets = compareTargets(a, b);
  if (targets === 'none') return [];
  const times = runs.flatMap((run) =>
    run.event !== a
      ? []
      : runs.flatMap((otherRun) => {
          const from = Math.max(run.from, otherRun.from);
          const to = Math.min(run.to, otherRun.to);
          return otherRun.event === b && otherRun.date === run.date && from < to
            ? [{ date: run.date, day: run.day, from, to }]
            : [];
        }),
  );
  return times.length === 0 ? [] : [{ events: [a, b], times, isCertain: targets === 'some' }];
}

function haveSharedScope(a: WeekEvent, b: WeekEvent): boolean {
  return Object.entries(a.scopeIds).every(([field, ids]) => {
    const otherIds = b.scopeIds[field] ?? [];
    return ids.length === 0 || otherIds.length === 0 || ids.some((id) => otherIds.includes(id));
  });
}

/** Returns whether two events apply to the same things. It is unknown if one lists products and the other a tag or a category, which may contain them. */
function compareTargets(a: WeekEvent, b: WeekEvent): 'some' | 'none' | 'unknown' {
  const [targets, otherTargets] = [a, b].map(({ targetIds }) =>
    Object.entries(targetIds).filter(([, ids]) => ids.length > 0),
  );
  if (!targets?.length || !otherTargets?.length) return 'some';
  const haveSameTarget = targets.some(([field, ids]) =>
    (b.targetIds[field] ?? []).some((id) => ids.includes(id)),
  );
  if (haveSameTarget) return 'some';
  const [field] = targets[0] ?? [];
  const isOneKind = [...targets, ...otherTargets].every(([otherField]) => otherField === field);
  return isOneKind && field === 'products' ? 'none' : 'unknown';
}

function compareRuns(a: EventRun, b: EventRun): number {
  return a.date < b.date ? -1 : a.date > b.date ? 1 : a.from - b.from || a.to - b.to;
}

/** Formats an hour: 9:00, 16:30 or 24:00. */
export function formatHour(hour: number): string {
  const minutes = Math.round(hour * 60);
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
}
