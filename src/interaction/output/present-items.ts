/** A run over several records, shown item by item while it goes on; it ends with one failure where any item has failed. */
import { type Failure, type FailureRecord, failureRecord } from '../../errors.ts';
import { note, reportFailure, withShortTexts } from '../../terminal/messages.ts';
import { write } from '../../terminal/streams.ts';
import type { Context } from '../context.ts';
import { failureInPlace } from '../where.ts';
import { chosenFormat } from './chosen-format.ts';
import { endsRun, failureOfRun, type Item } from './items.ts';
import type { ItemsResult } from './result.ts';
import { unreported } from './unreported.ts';

const columns = ['id', 'action', 'outcome', 'error'].map((name) => ({ name }));

/**
 * People get a remark for each; programs an item each, as in docs/scripting.md. The run goes on where its items can’t
 * be written any more: it was asked for whole.
 */
export async function showItems(context: Context, { items, next }: ItemsResult): Promise<void> {
  const { streams } = context;
  const format = await chosenFormat(context, 'anyone');
  const all: Item[] = [];
  async function* told() {
    for await (const item of items) {
      all.push(item);
      tell(context, item);
      yield item;
    }
  }
  let unwritten: unknown;
  if (format.isForPeople) await Array.fromAsync(told());
  else {
    const writer = await format.open({ terminal: streams.isTerminal.out, columns });
    const shown = format.name === 'id' ? done(told()) : told();
    for await (const text of writer.many(records(context, shown))) {
      if (unwritten) continue;
      await write(streams.stdout, text).catch((error: unknown) => {
        unwritten = error;
      });
    }
  }
  for (const remark of (await next?.()) ?? []) note(streams, remark);
  if (context.kept.count > 0) (await import('./tell-undo.ts')).tellUndo(context);
  const failure = failureOfRun(all);
  if (failure) throw failure;
  if (unwritten) throw unreported({ message: doneInAll(all) }, unwritten);
}

function doneInAll(items: readonly Item[]): string {
  return `The ${items.length} are done: ${items.map(({ id }) => id).join(', ')}.`;
}

async function* records(context: Context, items: AsyncIterable<Item>) {
  for await (const { id, action, outcome, failure } of items)
    yield { id, action, outcome, error: failure ? errorOf(failure, context) : null };
}

/** The item itself says what became of it. */
function errorOf(failure: Failure, context: Context): Omit<FailureRecord, 'outcome'> {
  const { outcome, ...record } = failureRecord(withShortTexts(failureInPlace(failure, context)));
  return record;
}

/** Ids are for the next command, which has no use for what failed. */
async function* done(items: AsyncIterable<Item>): AsyncGenerator<Item> {
  for await (const item of items) if (item.outcome === 'done') yield item;
}

function tell(context: Context, item: Item): void {
  if (item.outcome === 'done') note(context.streams, item.message);
  // What ends the run is told at its end.
  else if (item.failure && !endsRun(item.failure))
    reportFailure(failureInPlace(item.failure, context), context.streams);
}
