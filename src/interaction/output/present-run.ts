/** A run over many rows, shown while it goes on: a line for each to programs, to people those that failed and the end. */
import { brokenAt } from '../../terminal/broken-lines.ts';
import type { Format } from '../../terminal/formats/format.ts';
import { ndjson } from '../../terminal/formats/ndjson.ts';
import { table } from '../../terminal/formats/table.ts';
import { note } from '../../terminal/messages.ts';
import { writeAll } from '../../terminal/streams.ts';
import type { Context } from '../context.ts';
import { formatOnLine } from './chosen-format.ts';
import type { RunResult, RunRow } from './result.ts';
import { tellRemarks } from './tell-remarks.ts';
import { unreported } from './unreported.ts';

const columns = ['line', 'key', 'action', 'id', 'outcome', 'error'].map((name) => ({ name }));

/** The run goes on where its rows can’t be written any more: it was asked for whole. */
export async function showRun(
  context: Context,
  { rows, lines, end, isReading, isPlan = false, hasResources }: RunResult,
): Promise<void> {
  const { streams } = context;
  const format = await formatFor(context);
  let unwritten: unknown;
  let count = 0;
  if (format.isForPeople && lines) {
    await writeAll(streams, fitted(lines(streams.isTerminal.out), streams)).catch((error: unknown) => {
      unwritten = error;
    });
  } else if (format.isForPeople) {
    for await (const { resource, line, key, outcome, error } of rows) {
      if (outcome === 'done' || (outcome === 'not_sent' && !error)) continue;
      const place = line === null ? [resource, key].filter(Boolean).join(' ') : `line ${line}`;
      note(streams, `${place}: ${outcome}: ${error?.message ?? ''}`);
    }
  } else {
    const writer = await format.open({
      terminal: streams.isTerminal.out,
      columns: hasResources ? [{ name: 'resource' }, ...columns] : columns,
    });
    const walk = rows[Symbol.asyncIterator]();
    const shown = format.name === 'id' ? withIds(walk, isPlan) : counted(walk, () => count++);
    await writeAll(streams, writer.many(shown)).catch((error: unknown) => {
      unwritten = error;
    });
    while (unwritten && !isReading && !(await walk.next()).done) count++;
  }
  const { failure, remarks } = await end();
  await tellRemarks(context, remarks);
  if (failure) throw failure;
  if (unwritten) throw isReading ? unwritten : unreported({ message: `${count} rows are done.` }, unwritten);
}

function* fitted(lines: Iterable<string>, { isTerminal, columns }: Context['streams']): Generator<string> {
  for (const line of lines) yield `${isTerminal.out ? brokenAt(line, columns) : line}\n`;
}

/** As the line says; else a line of JSON for each row, whatever other results are shown in. */
async function formatFor(context: Context): Promise<Format> {
  const { streams } = context;
  return (await formatOnLine(context)) ?? (streams.isTerminal.out ? table : ndjson);
}

/** Without an end of its own: who stops reading here doesn’t stop the run. */
async function* counted(rows: AsyncIterator<RunRow>, count: () => void): AsyncGenerator<RunRow> {
  for (let next = await rows.next(); !next.done; next = await rows.next()) {
    count();
    yield next.value;
  }
}

/** Ids are for the next command, which has no use for what failed, nor for what a plan leaves as it is. */
async function* withIds(rows: AsyncIterator<RunRow>, isPlan: boolean): AsyncGenerator<RunRow> {
  for (let next = await rows.next(); !next.done; next = await rows.next()) {
    const { outcome, id } = next.value;
    if (isPlan ? outcome === 'not_sent' && id !== null : outcome === 'done') yield next.value;
  }
}
