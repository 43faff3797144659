/** `boh RESOURCE import FILE`: a file planned, shown, confirmed and carried out. */
import type { Command } from 'commander';
import { knownNames } from '../../bulk/columns/columns.ts';
import type { Ledger } from '../../bulk/ledger/ledger.ts';
import { planImport } from '../../bulk/plan/plan-import.ts';
import { type OpenTable, openTable } from '../../bulk/tables/open-table.ts';
import { openSource, type Source } from '../../bulk/tables/source.ts';
import type { TableForm } from '../../bulk/tables/table.ts';
import type { Resource } from '../../contract/resource.ts';
import { usage } from '../../errors.ts';
import type { Context } from '../../interaction/context.ts';
import { presented } from '../../interaction/output/present.ts';
import type { Result } from '../../interaction/output/result.ts';
import { plainCell } from '../../terminal/formats/csv.ts';
import { note } from '../../terminal/messages.ts';
import { addImportFlags, type ImportFlags, readImportFlags } from './import-flags.ts';
import { beginLedger, carriedOut } from './run.ts';
import { confirmPlan, plannedRows, refuseBadRows, refuseTooMany } from './show-plan.ts';

export function configureImport(command: Command, resource: Resource, context: Context): void {
  command.argument('[file]', 'the file, or - for standard input').usage('<file> [flags]');
  command.description(
    `Add, change or delete many ${resource.nouns} from a file: CSV, NDJSON or JSON by its name, else as -o says.`,
  );
  addImportFlags(command);
  command.addHelpText(
    'after',
    () => `\nExample:\n  boh ${resource.command} import ${resource.name}.csv --dry-run`,
  );
  command.action(presented(context, () => run(command.args, command.opts<ImportFlags>(), resource, context)));
}

async function run(
  args: readonly string[],
  flags: ImportFlags,
  resource: Resource,
  context: Context,
): Promise<Result> {
  const [file] = args;
  if (file === undefined) {
    throw usage(`${resource.command} import needs a file, or - for standard input.`, {
      hint: `Its columns are the fields: boh schema ${resource.command}`,
    });
  }
  const options = readImportFlags(flags);
  const source = await openSource(file, context.streams.stdin);
  const isKept = !context.globals.dryRun;
  let ledger: Ledger | undefined;
  try {
    const table = await openFile(source, flags, resource, context);
    ledger = beginLedger({
      command: `${resource.command} import`,
      resource,
      source: source.name ?? null,
      flags,
      isKept,
      context,
    });
    const session = context.globals.offline ? undefined : await context.session();
    const plan = { ledger, resource, called: source.called, table, options, session, plainCell };
    await planImport(plan);
    return await carryOutPlan(plan, { flags, source, context });
  } catch (error) {
    // Nothing was sent yet.
    ledger?.discard();
    await source.close();
    throw error;
  }
}

type Plan = Parameters<typeof planImport>[0];

async function carryOutPlan(
  plan: Plan,
  { flags, source, context }: { flags: ImportFlags; source: Source; context: Context },
): Promise<Result> {
  const end = async () => {
    plan.ledger.close();
    await source.close();
  };
  const discard = async () => {
    plan.ledger.discard();
    await source.close();
  };
  const bad = refuseBadRows(plan, flags);
  if (bad) return { ...bad, end: () => bad.end().finally(discard) };
  refuseTooMany(plan, flags);
  if (context.globals.dryRun) return plannedRows(plan, flags, context, discard);
  await confirmPlan(plan, context);
  return carriedOut({ ...plan, flags, context, onEnd: end });
}

async function openFile(
  source: Source,
  { encoding, delimiter }: ImportFlags,
  resource: Resource,
  { globals, streams }: Context,
): Promise<OpenTable> {
  const form = formNamed(globals.output);
  const table = await openTable(source, { form, encoding, delimiter, known: knownNames(resource) });
  if (table.encoded.isGuess) {
    note(
      streams,
      `${source.called} is no UTF-8: it is read as ${table.encoded.encoding}. --encoding says otherwise.`,
    );
  }
  return table;
}

function formNamed(output: string | undefined): TableForm | undefined {
  return output === 'csv' || output === 'json' || output === 'ndjson' ? output : undefined;
}
