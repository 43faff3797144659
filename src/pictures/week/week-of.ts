/** What runs in a week: every event on its days and hours, which of them meet, and which never run at all. */
import { type Weekday, weekdays } from '../../contract/picture.ts';

/** What a record says; hours from 0 to 24, dates `YYYY-MM-DD`. */
export interface WeekEvent {
  id: string;
  name: string;
  /** In words: “price reduction by percentage 25”. */
  effect: string;
  isActive: boolean;
  days: readonly Weekday[];
  from: number | null;
  to: number | null;
  fromDate: string | null;
  toDate: string | null;
  /** Ids by field: two events can only meet where they share one of each; empty means all. */
  within: Readonly<Record<string, readonly string[]>>;
  /** Ids by field of what they apply to, all kinds together. */
  on: Readonly<Record<string, readonly string[]>>;
}

/** Once in the week. One that runs past midnight is two of them. */
export interface Run {
  event: WeekEvent;
  /** `YYYY-MM-DD` */
  date: string;
  day: Weekday;
  from: number;
  to: number;
}

export interface Meeting {
  events: readonly [WeekEvent, WeekEvent];
  times: readonly Omit<Run, 'event'>[];
  /** Whether both surely apply to the same things, or it can’t be told from the records. */
  isSure: boolean;
}

export interface Week {
  /** Its days in order, the first being Saturday. */
  dates: readonly string[];
  events: readonly WeekEvent[];
  runs: readonly Run[];
  meetings: readonly Meeting[];
  /** Those that never run, from today on, and why. */
  never: readonly { event: WeekEvent; reason: string }[];
  /** Those that run, and not in this week. */
  elsewhen: readonly WeekEvent[];
}

const dayMs = 86_400_000;

/** The week that holds `date`; `today` decides what is over. Both `YYYY-MM-DD`. */
export function weekOf(events: readonly WeekEvent[], date: string, today: string): Week {
  const first = Date.parse(date) - weekdays.indexOf(dayOf(date)) * dayMs;
  const dates = weekdays.map((_, index) => new Date(first + index * dayMs).toISOString().slice(0, 10));
  const never = events.flatMap((event) => {
    const reason = reasonForNever(event, today);
    return reason === undefined ? [] : [{ event, reason }];
  });
  const able = events.filter((event) => !never.some((it) => it.event === event));
  const runs = able.flatMap((event) => runsOf(event, dates)).sort(inOrder);
  return {
    dates,
    events,
    runs,
    meetings: able.flatMap((one, index) =>
      able.slice(index + 1).flatMap((other) => meetingOf(one, other, runs)),
    ),
    never,
    elsewhen: able.filter((event) => !runs.some((run) => run.event === event)),
  };
}

/** Of a date, in UTC. */
export function dayOf(date: string): Weekday {
  // Date counts from Sunday, the document from Saturday.
  return weekdays[(new Date(date).getUTCDay() + 1) % 7] as Weekday;
}

function runsOf(event: WeekEvent, dates: readonly string[]): Run[] {
  const { from, to } = event;
  if (from === null || to === null) return [];
  const isOvernight = to < from;
  // What began on the day before the week may still run on its first.
  const begins = [dayBefore(dates[0] ?? ''), ...dates].filter((date) => beginsOn(event, date));
  return begins.flatMap((date) => {
    const own = { event, date, day: dayOf(date), from, to: isOvernight ? 24 : to };
    const next = new Date(Date.parse(date) + dayMs).toISOString().slice(0, 10);
    const rest = isOvernight && to > 0 ? [{ event, date: next, day: dayOf(next), from: 0, to }] : [];
    return [own, ...rest].filter((run) => dates.includes(run.date));
  });
}

function dayBefore(date: string): string {
  return new Date(Date.parse(date) - dayMs).toISOString().slice(0, 10);
}

function beginsOn({ days, fromDate, toDate }: WeekEvent, date: string): boolean {
  return days.includes(dayOf(date)) && (fromDate ?? date) <= date && date <= (toDate ?? date);
}

function reasonForNever(event: WeekEvent, today: string): string | undefined {
  const { isActive, days, from, to, fromDate, toDate } = event;
  if (!isActive) return 'is not active';
  if (days.length === 0) return 'is on no day of the week';
  if (from === null || to === null) return 'has no hours';
  if (from === to) return `begins and ends at ${hourWords(from)}`;
  if (fromDate !== null && toDate !== null && toDate < fromDate) return 'ends before it begins';
  if (toDate !== null && toDate < today) return `was over on ${toDate}`;
  const start = fromDate !== null && fromDate > today ? fromDate : today;
  const soon = weekdays.map((_, index) =>
    new Date(Date.parse(start) + index * dayMs).toISOString().slice(0, 10),
  );
  return soon.some((date) => beginsOn(event, date)) ? undefined : 'has none of its days left before it ends';
}

function meetingOf(one: WeekEvent, other: WeekEvent, runs: readonly Run[]): Meeting[] {
  if (!sharesEach(one, other)) return [];
  const common = inCommon(one, other);
  if (common === 'nothing') return [];
  const times = runs.flatMap((run) =>
    run.event !== one
      ? []
      : runs.flatMap((it) => {
          const from = Math.max(run.from, it.from);
          const to = Math.min(run.to, it.to);
          return it.event === other && it.date === run.date && from < to
            ? [{ date: run.date, day: run.day, from, to }]
            : [];
        }),
  );
  return times.length === 0 ? [] : [{ events: [one, other], times, isSure: common === 'something' }];
}

function sharesEach(one: WeekEvent, other: WeekEvent): boolean {
  return Object.entries(one.within).every(([field, ids]) => {
    const others = other.within[field] ?? [];
    return ids.length === 0 || others.length === 0 || ids.some((id) => others.includes(id));
  });
}

/** A tag or a category may hold a product that another event names: only lists of one kind can be told apart. */
function inCommon(one: WeekEvent, other: WeekEvent): 'something' | 'nothing' | 'unknown' {
  const [mine, theirs] = [one, other].map(({ on }) => Object.entries(on).filter(([, ids]) => ids.length > 0));
  if (!mine?.length || !theirs?.length) return 'something';
  const sameField = mine.some(([field, ids]) => (other.on[field] ?? []).some((id) => ids.includes(id)));
  if (sameField) return 'something';
  const [field] = mine[0] ?? [];
  const isOneKind = [...mine, ...theirs].every(([it]) => it === field);
  return isOneKind && field === 'products' ? 'nothing' : 'unknown';
}

function inOrder(one: Run, other: Run): number {
  return one.date < other.date ? -1 : one.date > other.date ? 1 : one.from - other.from || one.to - other.to;
}

/** 9:00, 16:30, 24:00. */
export function hourWords(hour: number): string {
  const minutes = Math.round(hour * 60);
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
}
