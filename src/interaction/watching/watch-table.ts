/** `list --watch` on a terminal: the table drawn again, with marks on the rows that changed. */
import type { Row } from '../../client/shape.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { openScreen } from '../../terminal/screen.ts';
import { truncate } from '../../terminal/width.ts';
import { recordTable } from '../output/records-for-people.ts';
import { readings, type Watch } from './readings.ts';

/** How long a row stays marked: for someone who looks up from other work. */
const markedMs = 15_000;

export async function watchTable(watch: Watch): Promise<void> {
  const { context, view, call, reach, clock, everyMs } = watch;
  const { streams } = context;
  const marks = changeMarks(clock);
  const screen = openScreen(streams);
  let rows: readonly Row[] = [];
  let state = '';
  try {
    for await (const reading of readings(watch, () => call, reach)) {
      if (reading.rows) {
        rows = reading.rows;
        marks.compare(rows);
      }
      state = reading.rows ? reading.footer : reading.problem;
      const { text } = recordTable(view, rows, streams, marks.isMarked);
      const at = new Date(clock.now()).toTimeString().slice(0, 8);
      const status = `${at}  Every ${everyMs / 1000} s, Ctrl-C ends. ${state}`;
      const line = truncate(cleanLine(status), streams.columns, streams.unicode ? '…' : '...');
      await screen.draw(text.trimEnd().split('\n'), line);
    }
  } finally {
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
