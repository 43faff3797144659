/** Implements `list --watch`: reads a list repeatedly and shows changes. */

import { type Clock, systemClock } from '../../account/client/retry.ts';
import type { Row } from '../../account/client/shape.ts';
import type { ListCall, ListRange } from '../../account/session/list.ts';
import type { Session } from '../../account/session/session.ts';
import { formatTimestamp, parseFilterTime } from '../../api/contract/date-time.ts';
import { changedAfterFilter } from '../../api/contract/filter.ts';
import { formatDuration } from '../../base/duration.ts';
import { Failure, usage } from '../../base/errors.ts';
import type { Context } from '../context/context.ts';
import { cleanLine } from '../terminal/clean.ts';
import { ctrlZ, handleSuspension, readKeys } from '../terminal/keys.ts';
import { warn } from '../terminal/messages.ts';
import { type Streams, write } from '../terminal/streams.ts';
import { truncate } from '../terminal/width.ts';
import { toPresentableRecord } from './present-records.ts';
import { renderRecordTable } from './records-for-people.ts';
import type { LiveEvent, Result } from './result.ts';
import type { View } from './view.ts';
import { formatFooter } from './wording.ts';

const defaultSeconds = 5;
/** Some services allow only 30 requests per minute (docs/reference/deployments.md: "Responses"). */
const minSeconds = 2;
const maxSeconds = 86_400;

/** Watches a list until it is interrupted or `--limit` changes were shown. `every` is the number of seconds from the command line, or true for the default. */
export async function watchList(
  options: Omit<WatchOptions, 'everyMs' | 'clock'>,
  every: string | true,
  clock: WatchOptions['clock'] = systemClock,
): Promise<Result> {
  const { view, context } = options;
  const watch = { ...options, clock, everyMs: parseSeconds(every) * 1000 };
  if (!view.raw && !view.select) {
    if (view.format.name === 'ndjson') return { kind: 'live', events: watchChanges(watch) };
    if (view.format.isForPeople && context.streams.isTerminal.out) {
      await watchTable(watch);
      return { kind: 'nothing' };
    }
  }
  throw usage('--watch needs a terminal for its table, or -o ndjson for one line per changed record.');
}

function parseSeconds(every: string | true): number {
  const seconds = every === true ? defaultSeconds : Number(every);
  if (seconds >= minSeconds && seconds <= maxSeconds) return seconds;
  throw usage(`--watch takes a number of seconds from ${minSeconds} to ${maxSeconds}.`);
}

/** Options for a watch. Tests use their own clock. */
export interface WatchOptions {
  context: Context;
  session: Pick<Session, 'list'>;
  call: ListCall;
  view: View;
  range: ListRange;
  everyMs: number;
  clock: Pick<Clock, 'now' | 'sleep'>;
}

/** The maximum pause before the next request to a service that can't be reached. */
const maxPauseMs = 5 * 60_000;

/** The longest pause that a service can ask for. Longer ones may be mistakes. */
const maxRetryAfterMs = 3_600_000;

/** The rows with their footer, or the message of a failed read. */
type WatchedRows = { rows: Row[]; footer: string } | { rows?: undefined; message: string };

/**
 * Reads the list until the signal aborts. The first read must succeed; after that it waits for a service that can't be
 * reached. A list of many pages is read less often, because it uses more of the allowed requests.
 */
async function* readRepeatedly(
  watch: WatchOptions,
  createCall: () => ListCall,
  range: ListRange,
): AsyncGenerator<WatchedRows> {
  const { session, clock, context, everyMs, call } = watch;
  let hasSucceeded = false;
  let failureCount = 0;
  for (;;) {
    let pauseMs = everyMs;
    const list = session.list(createCall(), range);
    try {
      const rows = await Array.fromAsync(list.rows());
      hasSucceeded = true;
      failureCount = 0;
      yield { rows, footer: formatFooter(call.operation.resource, list.summary(), call.query.page) };
    } catch (error) {
      if (!hasSucceeded || !isTemporary(error)) throw error;
      // Waits at least as long as the service's Retry-After, and longer after each failure.
      const retryAfterMs = (error.details.retryAfterSeconds ?? 0) * 1000;
      pauseMs = Math.max(
        Math.min(retryAfterMs, maxRetryAfterMs),
        Math.min(everyMs * 2 ** failureCount++, Math.max(everyMs, maxPauseMs)),
      );
      const isCut = retryAfterMs > pauseMs;
      yield { message: isCut ? `${error.message} Next try in ${formatDuration(pauseMs)}.` : error.message };
    }
    await clock.sleep(Math.max(pauseMs, list.summary().pages * minSeconds * 1000), context.signal);
  }
}

function isTemporary(error: unknown): error is Failure {
  return error instanceof Failure && (error.category === 'unavailable' || error.category === 'rate_limited');
}

/** The maximum time in milliseconds that the service's clock may be behind without missing a change. */
const maxClockLagMs = 15 * 60_000;

/** The time in milliseconds before the newest change that is read again. `updated_at` has whole seconds, and a later change in the same second must not be missed. */
const overlapMs = 2_000;

/**
 * Yields each record that changes, for `-o ndjson`. It requests records updated since the newest known change. Earlier
 * changes are only shown with `--updated-after`. If a list has no such filter, all of it is read each time.
 */
async function* watchChanges(watch: WatchOptions): AsyncGenerator<LiveEvent> {
  const { context, view, call, range, clock } = watch;
  const { filters = {} } = call.query;
  const changed = changedAfterFilter(call.operation.resource.filters);
  const requestedSince = changed && filters[changed.name];
  let since = requestedSince ?? formatTimestamp(new Date(clock.now() - maxClockLagMs));
  let versions = requestedSince === undefined ? undefined : new Map<string, string>();
  let printedCount = 0;

  const createCall = () =>
    changed ? { ...call, query: { ...call.query, filters: { ...filters, [changed.name]: since } } } : call;
  for await (const reading of readRepeatedly(watch, createCall, { isFirstPageOnly: false })) {
    if (!reading.rows) {
      warn(context.streams, reading.message);
      continue;
    }
    const previous = versions;
    versions = new Map(reading.rows.map((row) => [String(row.id), JSON.stringify(row)]));
    for (const row of reading.rows) {
      if (!previous || previous.get(String(row.id)) === versions.get(String(row.id))) continue;
      yield { data: toPresentableRecord(view, row), line: '' };
      if (++printedCount === range.limit) return;
    }
    since = timeAfterNewest(reading.rows, since);
  }
}

/** Returns the time from which the next read starts: shortly before the newest change, but never before `since`, because the list may be empty now. */
function timeAfterNewest(rows: readonly Row[], since: string): string {
  const newest =
    rows
      .map(({ updated_at: at }) => (typeof at === 'string' ? at : ''))
      .sort()
      .at(-1) ?? '';
  const moment = parseFilterTime(newest, new Date(0));
  const readFrom = moment ? formatTimestamp(new Date(moment.getTime() - overlapMs)) : '';
  return readFrom > since ? readFrom : since;
}

/** The time in milliseconds for which a changed row stays highlighted: long enough for users who do other work. */
const highlightMs = 15_000;

/** Redraws the table and highlights rows that changed, until it is interrupted or the user presses `q`. */
async function watchTable(watch: WatchOptions): Promise<void> {
  const { context, view, call, range, clock, everyMs } = watch;
  const { streams } = context;
  const changes = trackChanges(clock);
  const screen = openScreen(streams);
  const quit = Promise.withResolvers<'quit'>();
  let rows: readonly Row[] = [];
  let state: string | undefined;
  const draw = async () => {
    if (state === undefined) return;
    const { text, headerLines } = renderRecordTable(view, rows, streams, changes.isHighlighted);
    const lines = text.trimEnd().split('\n');
    const maxRows = Math.max(0, screen.maxLines() - headerLines);
    const cutNote = maxRows < rows.length ? `${maxRows} of ${rows.length} rows shown. ` : '';
    const time = new Date(clock.now()).toTimeString().slice(0, 8);
    const stopKeys = streams.isTerminal.in ? 'q or Ctrl-C to stop' : 'Ctrl-C to stop';
    const status = `${time}  ${cutNote}Every ${everyMs / 1000} s, ${stopKeys}. ${state}`;
    const line = truncate(cleanLine(status), streams.columns('out'), streams.unicode ? '…' : '...');
    await screen.draw(lines, line);
  };
  // A failure to write ends the watch at the next reading.
  const redraw = () => draw().catch(() => {});
  const { suspend, release } = handleSuspension(streams, () => screen.close().catch(() => {}), redraw);
  const onKey = (key: string) => (key === ctrlZ ? suspend() : key === 'q' && quit.resolve('quit'));
  const releaseKeys = readKeys(streams, onKey);
  streams.stdout.on('resize', redraw);
  const iterator = readRepeatedly(watch, () => call, range);
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), quit.promise]);
      if (next === 'quit' || next.done) return;
      const reading = next.value;
      if (reading.rows) {
        rows = reading.rows;
        changes.compare(rows);
      }
      state = reading.rows ? reading.footer : reading.message;
      await draw();
    }
  } finally {
    streams.stdout.off('resize', redraw);
    release();
    releaseKeys();
    await screen.close();
  }
}

/** Tracks which rows are new or changed, and for how long they are highlighted. Rows of the first reading aren't highlighted. */
function trackChanges(clock: WatchOptions['clock']): {
  compare(rows: readonly Row[]): void;
  isHighlighted(row: Row): boolean;
} {
  let versions: Map<string, string> | undefined;
  const changedAt = new Map<string, number>();
  return {
    compare(rows) {
      const previous = versions;
      versions = new Map(rows.map((row) => [String(row.id), JSON.stringify(row)]));
      for (const [id, text] of versions) {
        if (previous && previous.get(id) !== text) changedAt.set(id, clock.now());
      }
    },
    isHighlighted: ({ id }) => clock.now() - (changedAt.get(String(id)) ?? -Infinity) < highlightMs,
  };
}

export interface Screen {
  /** Returns how many lines of `body` fit. */
  maxLines(): number;
  /** Replaces the shown lines. Lines at the end of `body` that don't fit are omitted. */
  draw(body: readonly string[], status: string): Promise<void>;
  /** Closes the screen until the next draw. Call it in a `finally`, as the cursor would stay hidden. */
  close(): Promise<void>;
}

/** Opens a screen. On a terminal that can't move its cursor, the lines are written again whenever they change. */
export function openScreen(streams: Streams): Screen {
  return streams.cursor ? fullScreen(streams) : plainScreen(streams);
}

// Control sequences of ECMA-48 and xterm: the alternate buffer, the hidden cursor, and the top left corner.
const enterScreen = '\x1b[?1049h\x1b[?25l';
const leaveScreen = '\x1b[?25h\x1b[?1049l';
const moveToTopLeft = '\x1b[H';
const clearToEndOfLine = '\x1b[K';
const clearToEnd = '\x1b[J';

function fullScreen(streams: Streams): Screen {
  let isOpen = false;
  const maxLines = () => Math.max(1, streams.rows('out') - 2);
  return {
    maxLines,
    async draw(body, status) {
      const lines = [...body.slice(0, maxLines()), '', status];
      const text = lines.map((line) => line + clearToEndOfLine).join('\r\n') + clearToEnd;
      const start = isOpen ? moveToTopLeft : enterScreen + moveToTopLeft;
      isOpen = true;
      await write(streams.stdout, start + text);
    },
    async close() {
      const wasOpen = isOpen;
      isOpen = false;
      if (wasOpen) await write(streams.stdout, leaveScreen);
    },
  };
}

function plainScreen({ stdout }: Streams): Screen {
  let lastText = '';
  return {
    maxLines: () => Number.POSITIVE_INFINITY,
    async draw(body, status) {
      const text = body.join('\n');
      if (text !== lastText) await write(stdout, `${text}\n${status}\n\n`);
      lastText = text;
    },
    async close() {},
  };
}
