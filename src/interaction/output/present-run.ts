/** A run over many rows, shown while it goes on: a line for each to programs, to people those that failed and the end. */
import type { Format } from '../../terminal/formats/format.ts';
import { ndjson } from '../../terminal/formats/ndjson.ts';
import { table } from '../../terminal/formats/table.ts';
import { note } from '../../terminal/messages.ts';
import { write } from '../../terminal/streams.ts';
import type { Context } from '../context.ts';
import { formatOnLine } from './chosen-format.ts';
import type { RunResult, RunRow } from './result.ts';
import { unreported } from './unreported.ts';

const columns = ['line', 'key', 'action', 'id', 'outcome', 'error'].map((name) => ({ name }));

/** The run goes on where its rows can’t be written any more: it was asked for whole. */
export async function showRun(context: Context, { rows, end, isReading }: RunResult): Promise<void> {
  const { streams } = context;
  const format = await formatFor(context);
  let unwritten: unknown;
  let count = 0;
  if (format.isForPeople) {
    for await (const { line, key, outcome, error } of rows) {
      if (outcome === 'done' || outcome === 'not_sent') continue;
      note(streams, `${line === null ? (key ?? '') : `line ${line}`}: ${outcome}: ${error?.message ?? ''}`);
    }
  } else {
    const writer = await format.open({ terminal: streams.isTerminal.out, columns });
    const shown = format.name === 'id' ? done(rows) : counted(rows, () => count++);
    for await (const text of writer.many(shown)) {
      if (unwritten && isReading) break;
      if (unwritten) continue;
      await write(streams.stdout, text).catch((error: unknown) => {
        unwritten = error;
      });
    }
  }
  const { failure, remarks = [] } = await end();
  for (const remark of remarks) note(streams, remark);
  if (failure) throw failure;
  if (unwritten) throw isReading ? unwritten : unreported({ message: `${count} rows are done.` }, unwritten);
}

/** As the line says; else a line of JSON for each row, whatever other results are shown in. */
async function formatFor(context: Context): Promise<Format> {
  const { streams } = context;
  return (await formatOnLine(context)) ?? (streams.isTerminal.out ? table : ndjson);
}

async function* counted(rows: AsyncIterable<RunRow>, count: () => void): AsyncGenerator<RunRow> {
  for await (const row of rows) {
    count();
    yield row;
  }
}

/** Ids are for the next command, which has no use for what failed. */
async function* done(rows: AsyncIterable<RunRow>): AsyncGenerator<RunRow> {
  for await (const row of rows) if (row.outcome === 'done') yield row;
}
