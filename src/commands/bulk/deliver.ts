/** What is exported, into the file that was named or to standard output, with what people may want to know of it. */
import type { Exported, ExportFacts } from '../../bulk/export/export-rows.ts';
import type { Context } from '../../context/context.ts';
import type { Resource } from '../../contract/resource.ts';
import type { Result } from '../../output/result.ts';
import { steadyHeap } from '../../output/steady-heap.ts';
import type { TableForm } from '../../tables/table.ts';
import { writeWhole } from '../../tables/whole-file.ts';
import { note } from '../../terminal/messages.ts';
import { numeral } from '../../terminal/numeral.ts';
import { progress } from '../../terminal/progress.ts';

export interface Delivery {
  /** Standard output where it is left out. */
  to: string | undefined;
  form: TableForm;
  /** What a row is called, and several. */
  one: string;
  several: string;
  context: Context;
}

export async function deliver(
  exported: Exported,
  { to, form, one, several, context }: Delivery,
): Promise<Result> {
  const texts = watched(exported, several, context);
  if (to === undefined) return { kind: 'texts', texts, end: () => tellMissing(exported.facts(), context) };
  await writeWhole(to, form === 'xlsx' ? await packed(texts) : texts);
  const { rows } = exported.facts();
  tellMissing(exported.facts(), context);
  return {
    kind: 'nothing',
    remarks: [`${numeral(rows)} ${rows === 1 ? one : several} in ${to}.`],
  };
}

/** A sheet for each, whole or not at all. */
export async function deliverBook(
  exports: readonly { resource: Resource; exported: Exported }[],
  { to, context }: Pick<Delivery, 'to' | 'context'> & { to: string },
): Promise<Result> {
  async function* texts() {
    for (const { resource, exported } of exports) yield* watched(exported, resource.nouns, context);
  }
  await writeWhole(to, await packed(texts()));
  for (const { exported } of exports) tellMissing(exported.facts(), context);
  const sheets = exports.map(({ resource: { command }, exported }) => {
    return `${command} ${numeral(exported.facts().rows)}`;
  });
  const count = sheets.length === 1 ? 'A sheet' : `${sheets.length} sheets`;
  return { kind: 'nothing', remarks: [`${count} in ${to}: ${sheets.join(', ')}.`] };
}

async function packed(texts: AsyncIterable<string>): Promise<AsyncIterable<Buffer>> {
  const { bookBytes } = await import('../../tables/workbook/book-bytes.ts');
  return bookBytes(texts);
}

async function* watched(
  { texts, facts }: Exported,
  several: string,
  context: Context,
): AsyncGenerator<string> {
  const keepSteady = steadyHeap(context);
  const shown = progress(context.streams, { label: `Reading ${several}` });
  let before = 0;
  try {
    for await (const text of texts) {
      const { rows } = facts();
      keepSteady(rows - before);
      before = rows;
      shown.update(rows);
      yield text;
    }
  } finally {
    shown.done();
  }
}

/** What isn’t there is left alone by an import; people should know all the same. */
function tellMissing({ missing }: ExportFacts, { streams }: Context): void {
  if (missing.length === 0) return;
  const what = missing.length === 1 ? 'the column is' : 'the columns are';
  note(streams, `The service shows nothing of ${missing.join(', ')}: ${what} left out.`);
}
