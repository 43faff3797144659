/** A file of rows: the flags that say how it is written, its rows opened, and what was planned of them carried out. */
import { Option } from 'commander';
import type { ImportPlan } from '../../bulk/plan/plan-import.ts';
import { markOfFile, noteSecretsIn } from '../../bulk/plan/secrets-again.ts';
import type { Context } from '../../context/context.ts';
import type { Resource } from '../../contract/resource.ts';
import type { Result } from '../../output/result.ts';
import { addedBefore, markOfRows, noteRows } from '../../runs/ledger/same-rows.ts';
import type { SecretsOf } from '../../runs/secrets.ts';
import { accountInUse } from '../../session/file-owner.ts';
import type { ImportOptions } from '../../tables/columns/options.ts';
import { type OpenTable, openTable } from '../../tables/open-table.ts';
import type { Source } from '../../tables/source.ts';
import type { TableForm } from '../../tables/table.ts';
import { note } from '../../terminal/messages.ts';
import { numeral } from '../../terminal/numeral.ts';
import type { Command } from '../command.ts';
import { checkFailed, keepFailed } from './end-run.ts';
import { lockRun } from './lock-run.ts';
import type { RunFlags } from './run-flags.ts';
import { runPlan } from './run-plan.ts';
import { refuseBadRows } from './show-plan.ts';

/** The flags of commands over a file of rows, as typed. */
export interface FileFlags extends RunFlags {
  encoding?: string;
  delimiter?: string;
  quote?: string;
  sheet?: string;
  decimal?: string;
  skipInvalid?: boolean;
  maxChanges?: string;
  exitCode?: boolean;
}

/** Adds the flags that say how a file is written, and what happens to its invalid rows; not those of the run. */
export function addFileFlags(command: Command): void {
  const options = {
    'The file:': [
      new Option('--encoding <name>', 'what it is written in, where it isn’t UTF-8'),
      new Option('--delimiter <character>', 'what separates its cells: comma, semicolon, tab, pipe'),
      new Option('--quote <kind>', 'what encloses its cells: double or single quotes (default: double)'),
      new Option('--sheet <name>', 'the sheet of a workbook; else the one named so, or the first'),
      new Option('--decimal <mark>', 'what stands before a fraction: point or comma'),
    ],
    'Safety:': [
      new Option('--skip-invalid', 'leave out bad rows, and send the others'),
      new Option('--failed <file>', 'write the rows that failed there, with the reason'),
      new Option('--max-changes <number>', 'send nothing if more rows than this would change; N or N%'),
      new Option('--exit-code', 'with --dry-run: end with 10 where something would change'),
    ],
  };
  for (const [heading, group] of Object.entries(options))
    for (const option of group) command.addOption(option.helpGroup(heading));
}

/** `known`: names of columns, by which a header is told from a row; `usualSheet`: the sheet of a workbook where none is named. */
export async function openFile(
  source: Source,
  { encoding, delimiter, quote, sheet, failed }: FileFlags,
  { known, usualSheet }: { known: ReadonlySet<string>; usualSheet: string },
  { globals, streams }: Context,
): Promise<OpenTable> {
  const form = formNamed(globals.output);
  const reading = { form, encoding, delimiter, quote, sheet, hasFlags: true };
  const table = await openTable(source, { ...reading, usualSheet, known });
  await checkFailed(failed, { form: table.form, source: source.path });
  for (const remark of table.remarks ?? []) note(streams, remark);
  return table;
}

/** Rows without an id and a key are added each time: whoever imports a file once more should know what it comes to. */
async function tellAddedBefore(
  { ledger, called, session }: PlannedFile['plan'],
  { env, streams }: Context,
): Promise<void> {
  if (!session) return;
  const before = addedBefore(ledger, { env, account: await accountInUse(session) });
  if (!before) return;
  const { id, added } = before;
  const what = `${numeral(added)} ${added === 1 ? 'record' : 'records'}`;
  note(
    streams,
    `${called} was imported before (run ${id}), which added ${what}. Rows without an id or a key are added once more; --key finds those that are there.`,
  );
}

/** What another run writes meanwhile would not be seen by a plan that was made before: it is made after this. */
export async function lockFile(
  { ledger, resource, session }: Pick<PlannedFile['plan'], 'ledger' | 'resource' | 'session'>,
  { source, flags, context }: Pick<PlannedFile, 'source' | 'flags' | 'context'>,
): Promise<void> {
  if (!session || context.globals.dryRun) return;
  const command = String(ledger.fact('command'));
  const rows = markOfRows(command, await markOfFile(source));
  noteRows(ledger, { mark: rows, isFound: false });
  ledger.lockedBy(
    await lockRun(
      { account: () => accountInUse(session), resources: [resource.name], flags, command, rows },
      context,
    ),
  );
}

export interface PlannedFile {
  plan: Pick<ImportPlan, 'ledger' | 'called' | 'session'> & { resource: Resource };
  source: Source;
  flags: FileFlags;
  context: Context;
  /** Where rows may hold secrets. */
  options?: ImportOptions;
  /** Asked for once rows are about to be sent. */
  secretsOf?(): SecretsOf;
}

/** Closes the source once all is done; where it throws, nothing was sent, and that is left to the caller. */
export async function carryOutFile(file: PlannedFile): Promise<Result> {
  const { plan, source, flags, context, secretsOf } = file;
  const { ledger, session } = plan;
  const close = () => source.close();
  await source.refuseChanged();
  const bad = refuseBadRows(ledger, plan, flags);
  if (bad) {
    const end = async () => {
      const remarks = await keepFailed(ledger, flags);
      return { ...(await bad.end()), remarks };
    };
    const discard = async () => {
      ledger.discard();
      await close();
    };
    return { ...bad, end: () => end().finally(discard) };
  }
  if (!context.globals.dryRun) await noteFile(file);
  return runPlan({ ledger, session, flags, words: plan, secretsOf, close }, context);
}

/** Notes in the ledger which file the rows are from, so that the file is known when it is imported again or its secrets are read again. */
async function noteFile({ plan, source, flags, context, options }: PlannedFile): Promise<void> {
  const { ledger } = plan;
  const isFound = !ledger.addsUnmatched();
  const mark = await markOfFile(source);
  noteRows(ledger, { mark: markOfRows(ledger.fact('command'), mark), isFound });
  if (options) {
    const { encoding, delimiter, quote, sheet } = flags;
    const reading = { form: formNamed(context.globals.output), encoding, delimiter, quote, sheet };
    noteSecretsIn(ledger, source, mark, { reading, options });
  }
  if (!isFound) await tellAddedBefore(plan, context);
}

function formNamed(output: string | undefined): TableForm | undefined {
  return output === 'csv' || output === 'json' || output === 'ndjson' ? output : undefined;
}
