/** `boh RESOURCE import FILE`: a file planned, shown, confirmed and carried out. */
import type { Command } from 'commander';
import { usage } from '../../base/errors.ts';
import { type ImportPlan, planImport } from '../../bulk/plan/plan-import.ts';
import type { Context } from '../../context/context.ts';
import type { Resource } from '../../contract/resource.ts';
import { presented } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { steadyHeap } from '../../output/steady-heap.ts';
import { noteOnChanged } from '../../runs/compare-again.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { secretsFrom } from '../../runs/secrets.ts';
import { knownNames } from '../../tables/columns/columns.ts';
import { headerFor } from '../../tables/columns/header.ts';
import { shapeOf } from '../../tables/failed-rows.ts';
import { openSource } from '../../tables/source.ts';
import { plainCell } from '../../terminal/formats/csv.ts';
import { progress } from '../../terminal/progress.ts';
import { carryOutFile, lockFile, openFile } from './file-run.ts';
import { addImportFlags, type ImportFlags, readImportFlags } from './import-flags.ts';
import { beginLedger } from './ledger.ts';
import { runSession } from './run-session.ts';

export function configureImport(command: Command, resource: Resource, context: Context): void {
  command.argument('[file]', 'the file, or - for standard input').usage('<file> [flags]');
  command.description(
    `Add, change or delete many ${resource.nouns} from a file: CSV, XLSX, NDJSON or JSON by its name, else as -o says.`,
  );
  addImportFlags(command);
  command.addHelpText(
    'after',
    () => `\nExample:\n  boh ${resource.command} import ${resource.name}.csv --dry-run`,
  );
  command.action(presented(context, () => run(command.args, command.opts<ImportFlags>(), resource, context)));
}

async function run(
  [file]: readonly string[],
  flags: ImportFlags,
  resource: Resource,
  context: Context,
): Promise<Result> {
  if (file === undefined) {
    throw usage(`${resource.command} import needs a file, or - for standard input.`, {
      hint: `Its columns are the fields: boh schema ${resource.command}`,
    });
  }
  const options = readImportFlags(flags);
  const source = await openSource(file, context.streams);
  let ledger: Ledger | undefined;
  try {
    const usual = { known: knownNames(resource), usualSheet: resource.command };
    const table = await openFile(source, flags, usual, context);
    ledger = beginLedger({
      command: `${resource.command} import`,
      resource,
      source: source.name ?? null,
      flags,
      isKept: !context.globals.dryRun,
      context,
    });
    ledger.setFact('shape', shapeOf(table));
    if (options.stale === 'overwrite') noteOnChanged(ledger, 'overwrite');
    const session = context.globals.offline ? undefined : await runSession(context, flags);
    const plan = { ledger, resource, called: source.called, table, options, session, plainCell };
    const beforeMatching = () => lockFile(plan, { source, flags, context });
    await planned({ ...plan, beforeMatching }, context);
    const secretsOf = () => secretsFrom(table, headerFor(resource, options, table.columns).columnFor);
    return await carryOutFile({ plan, source, flags, context, options, secretsOf });
  } catch (error) {
    // Nothing was sent yet.
    ledger?.discard();
    await source.close();
    throw error;
  }
}

/** What a plan of so many rows leaves behind is no heap to speak of: to look after it would take longer. */
const fewRows = 20_000;

async function planned(plan: ImportPlan, context: Context): Promise<void> {
  const bar = progress(context.streams, { label: 'Reading rows' });
  const steady = steadyHeap(context);
  let count = 0;
  const onRows = (more: number) => {
    count += more;
    bar.update(count);
    if (count > fewRows) steady(more);
  };
  try {
    await planImport({ ...plan, onRows });
  } finally {
    bar.done();
  }
}
