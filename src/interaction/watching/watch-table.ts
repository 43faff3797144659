/** `list --watch` on a terminal: the table drawn again, with marks on the rows that changed. */
import type { Row } from '../../client/shape.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { readKeys } from '../../terminal/keys.ts';
import { openScreen } from '../../terminal/screen.ts';
import { truncate } from '../../terminal/width.ts';
import { recordTable } from '../output/records-for-people.ts';
import { readings, type Watch } from './readings.ts';

/** How long a row stays marked: for someone who looks up from other work. */
const markedMs = 15_000;

/** Ends with an interruption, or when somebody types `q`. */
export async function watchTable(watch: Watch): Promise<void> {
  const { context, view, call, reach, clock, everyMs } = watch;
  const { streams } = context;
  const marks = changeMarks(clock);
  const screen = openScreen(streams);
  const left = Promise.withResolvers<'left'>();
  const release = readKeys(streams, (key) => key === 'q' && left.resolve('left'));
  let rows: readonly Row[] = [];
  let state = '';
  const walk = readings(watch, () => call, reach);
  try {
    for (;;) {
      const next = await Promise.race([walk.next(), left.promise]);
      if (next === 'left' || next.done) return;
      const reading = next.value;
      if (reading.rows) {
        rows = reading.rows;
        marks.compare(rows);
      }
      state = reading.rows ? reading.footer : reading.problem;
      const { text, headerLines } = recordTable(view, rows, streams, marks.isMarked);
      const lines = text.trimEnd().split('\n');
      const room = Math.max(0, screen.room() - headerLines);
      const fit = room < rows.length ? `${room} of ${rows.length} rows fit this window. ` : '';
      const at = new Date(clock.now()).toTimeString().slice(0, 8);
      const how = streams.isTerminal.in ? 'q or Ctrl-C ends' : 'Ctrl-C ends';
      const status = `${at}  ${fit}Every ${everyMs / 1000} s, ${how}. ${state}`;
      const line = truncate(cleanLine(status), streams.columns, streams.unicode ? '…' : '...');
      await screen.draw(lines, line);
    }
  } finally {
    release();
    await screen.close();
  }
}

/** Remembers which rows were new or different, and for how long they are marked. The first rows are neither. */
function changeMarks(clock: Watch['clock']): {
  compare(rows: readonly Row[]): void;
  isMarked(row: Row): boolean;
} {
  let known: Map<string, string> | undefined;
  const changedAt = new Map<string, number>();
  return {
    compare(rows) {
      const before = known;
      known = new Map(rows.map((row) => [String(row.id), JSON.stringify(row)]));
      for (const [id, text] of known) {
        if (before && before.get(id) !== text) changedAt.set(id, clock.now());
      }
    },
    isMarked: ({ id }) => clock.now() - (changedAt.get(String(id)) ?? -Infinity) < markedMs,
  };
}
