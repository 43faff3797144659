/** `boh RESOURCE import FILE` and `import-links LINK FILE`: plan a file, show the plan, ask for confirmation, and send it. */

import { dateOrders } from '../../../api/contract/date-formats.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { type FieldMessages, usage } from '../../../base/errors.ts';
import { boh } from '../../../base/hint.ts';
import { allColumns, linkColumnsOf, linkKindsOf } from '../../../engine/bulk/links/link-rows.ts';
import { planLinks } from '../../../engine/bulk/links/plan-links.ts';
import { findDocumentLines, lineColumnNames } from '../../../engine/bulk/plan/document-lines.ts';
import { secretFieldNames } from '../../../engine/bulk/plan/parse-row.ts';
import { type ImportPlan, planImport } from '../../../engine/bulk/plan/plan-import.ts';
import { recordOnChanged } from '../../../engine/runs/recheck-rows.ts';
import { secretsReader } from '../../../engine/runs/secrets-reader.ts';
import { columnNamesOf } from '../../../engine/tables/columns/columns.ts';
import { matchHeader } from '../../../engine/tables/columns/match-header.ts';
import {
  defaultOptions,
  deletedChoices,
  type ImportOptions,
  importModes,
  listModes,
  staleChoices,
} from '../../../engine/tables/columns/options.ts';
import { synonymsFor } from '../../../engine/tables/columns/synonyms.ts';
import type { Context } from '../../context/context.ts';
import { startRowProgress } from '../../output/heap-limiter.ts';
import type { Result } from '../../output/result.ts';
import { unguardCell } from '../../terminal/formats/csv.ts';
import { note } from '../../terminal/messages.ts';
import type { Command } from '../command.ts';
import { createCommand } from '../declare.ts';
import { parseKey } from '../flags/contract-flags.ts';
import { type FlagsOf, joinAlternatives, repeated, under } from '../flags/flag-table.ts';
import { damageFlag, phoneFlag } from '../flags/shared-flags.ts';
import { type FileFlags, fileFlags, runFile, skipInvalidFlag } from './file-run.ts';
import { mapColumns, readColumnMaps } from './map-columns.ts';
import { openRunSession, planningFlags, runFlagProblems } from './run-flags.ts';

const exactCellsFlag = [
  '--no-guard',
  'keep apostrophes that guard formulas: for CSV that -o csv or an export to standard output wrote',
] as const;

const importFlags = [
  ...under('Rows:', [
    ['--key <fields>', 'the fields that identify an existing record (default: id, else unique fields)'],
    [
      '--mode <mode>',
      `${joinAlternatives(importModes)}; a _command column sets it for each row (default: upsert)`,
      { words: importModes },
    ],
    [
      '--map <column=field>',
      'read a column as a field; COLUMN= ignores it, = columns without a name; or a file written by --save-map (repeatable)',
      repeated,
    ],
    ['--only-mapped', 'ignore the columns that --map does not name'],
    ['--save-map <file>', 'save the mapping of columns to fields in this file, for --map'],
    [
      '--stale <action>',
      'if the record changed after the export: refuse or overwrite (default: refuse)',
      { words: staleChoices },
    ],
    ['--on-deleted <action>', 'if the record is deleted: restore or refuse', { words: deletedChoices }],
    ['--ignore-read-only', "ignore columns that can't be set, and IDs of another account"],
    [
      '--list-mode <mode>',
      `how a list changes the existing list: ${joinAlternatives(listModes)} (default: replace)`,
      { words: listModes },
    ],
    phoneFlag,
    damageFlag,
    exactCellsFlag,
  ]),
  ...under('Safety:', [skipInvalidFlag]),
  ...fileFlags,
  ...under('File:', [
    ['--dates <order>', 'order of day, month and year: ymd, dmy or mdy', { words: dateOrders }],
  ]),
  ...under('Advanced:', [['--null <text>', String.raw`the cell text that clears a field (default: \N)`]]),
  ...planningFlags,
] as const;

/** Returns how an apostrophe that guards a formula is removed from a cell. */
function cellUnguard({ guard }: { guard?: boolean }): (cell: string) => string {
  return guard === false ? (cell) => cell : unguardCell;
}

/** The flags of an import, not yet validated. */
export type ImportFlags = FileFlags & FlagsOf<typeof importFlags>;

export function importCommand(resource: Resource, context: Context): Command {
  const command = `boh ${resource.command} import ${resource.name}.csv`;
  return createCommand(context, {
    name: 'import',
    about: `Create, update or delete ${resource.nouns} from a CSV, XLSX, NDJSON or JSON file. All changes are shown first.`,
    args: [['[file]', 'the file, or - for standard input']],
    usage: '<file> [flags]',
    flags: importFlags,
    examples: [`${command} --dry-run`, `${command} --skip-invalid --failed failed.csv`],
    dryRun: true,
    check: importProblems,
    run: ([file], flags) => runImport(file, flags, resource, context),
  });
}

/** Plans the rows of a file, shows the plan, and sends it after confirmation. With `--out`, saves the plan. */
export async function runImport(
  file: string | undefined,
  flags: ImportFlags,
  resource: Resource,
  context: Context,
): Promise<Result> {
  if (file === undefined) {
    throw usage(`${resource.command} import needs a file, or - for standard input.`, {
      hint: boh.hint`Columns are named after fields. To list the fields: ${boh.plain('schema', resource.command)}`,
    });
  }
  const importOptions = parseImportFlags(flags);
  const command = `${resource.command} import`;
  const columnNames = new Set([
    ...columnNamesOf(resource),
    ...synonymsFor(resource, lineColumnNames(resource)),
  ]);
  const { fileMap, ...mapOptions } = readColumnMaps(flags, importOptions.map);
  const defaults = { headerNames: columnNames, defaultSheet: resource.command, ...mapOptions };
  // To delete a record, its key is enough; an empty cell may have a meaning; notes show secrets; taxes look like totals.
  const { mode, nullText } = importOptions;
  const isTax = Object.values(resource.fields).some(
    ({ traits }) => traits.unit === 'percent' && traits.required,
  );
  const readsAllRows = mode === 'delete' || nullText === '' || secretFieldNames(resource).size > 0 || isTax;
  return runFile(
    { file, command, resource, flags, readsAllRows, ...defaults },
    context,
    async ({ label, table, createLedger, lock }) => {
      const { saveMap } = flags;
      const options = await mapColumns(
        { resource, table, label, options: importOptions, fileMap, saveMap },
        context,
      );
      const documentLines = findDocumentLines(resource, table, options);
      if (documentLines && documentLines.ignored.length > 0) {
        const columns = documentLines.ignored.join(', ');
        note(
          context.streams,
          `${label}: columns ignored, because they describe the ${documentLines.field}: ${columns}.`,
        );
      }
      const ledger = await createLedger();
      if (options.stale === 'overwrite') recordOnChanged(ledger, 'overwrite');
      const session = context.globals.offline ? undefined : await openRunSession(context, flags);
      const plan = { ledger, resource, label, table, options, session, unguardCell: cellUnguard(flags) };
      const beforeMatching = () => lock(plan);
      const onNote = (text: string) => note(context.streams, text);
      await planWithProgress({ ...plan, beforeMatching, onNote }, context);
      const secretsOf = () => secretsReader(table, matchHeader(resource, options, table.columns).columnFor);
      return { plan, options, secretsOf };
    },
  );
}

async function planWithProgress(plan: ImportPlan, context: Context): Promise<void> {
  const progress = startRowProgress(context);
  progress.startPart('Reading rows');
  await planImport({ ...plan, onRows: progress.add }).finally(progress.done);
}

export function importProblems(flags: ImportFlags): FieldMessages {
  const problems = runFlagProblems(flags);
  const invalidPairs = (flags.map ?? []).filter((pair) => pair.lastIndexOf('=') === 0 && pair !== '=');
  if (invalidPairs.length > 0)
    problems.map = invalidPairs.map((pair) => `Expected COLUMN=FIELD, not "${pair}"`);
  if (flags.onlyMapped && flags.map === undefined)
    problems['only-mapped'] = ['Add --map for each column to read'];
  if (flags.saveMap?.includes('='))
    problems['save-map'] = ['Expected a path without an equals sign: --map would read it as COLUMN=FIELD'];
  return problems;
}

export function parseImportFlags(flags: ImportFlags): ImportOptions {
  // A value of --map without an equals sign is a file, which is read together with the columns.
  const pairs = (flags.map ?? []).filter((pair) => pair.includes('='));
  return {
    mode: flags.mode ?? defaultOptions.mode,
    key: flags.key === undefined ? undefined : parseKey(flags.key),
    map: new Map(
      pairs.map((pair) => [pair.slice(0, pair.lastIndexOf('=')), pair.slice(pair.lastIndexOf('=') + 1)]),
    ),
    isOnlyMapped: flags.onlyMapped,
    isReadOnlyIgnored: flags.ignoreReadOnly === true,
    stale: flags.stale ?? defaultOptions.stale,
    normalizesPhones: flags.normalizePhones,
    acceptsDamage: flags.acceptDamage,
    nullText: flags.null ?? defaultOptions.nullText,
    listMode: flags.listMode ?? defaultOptions.listMode,
    onDeleted: flags.onDeleted,
    decimal: flags.decimal,
    dates: flags.dates,
  };
}

const linkFlags = [
  ...under('Rows:', [damageFlag, exactCellsFlag]),
  ...under('Safety:', [skipInvalidFlag]),
  ...fileFlags,
  ...planningFlags,
] as const;

export function importLinksCommand(resource: Resource, context: Context): Command {
  const linkNames = linkKindsOf(resource);
  const [link] = linkNames;
  const command = `boh ${resource.command} import-links ${link} ${link}.csv`;
  return createCommand(context, {
    name: 'import-links',
    about: `Add, change or remove links of ${resource.nouns} from a file, a row for each link. Empty cells change nothing; "delete" in a _command column removes the link.`,
    args: [
      ['[link]', `which links: ${linkNames.join(', ')}`],
      ['[file]', 'the file, or - for standard input'],
    ],
    usage: '<link> <file> [flags]',
    flags: linkFlags,
    examples: [`${command} --dry-run`, `${command} --skip-invalid --failed failed.csv`],
    dryRun: true,
    check: runFlagProblems,
    run: ([linkName, file], flags) => run(linkName, file, flags, { resource, context }),
  });
}

async function run(
  linkName: string | undefined,
  file: string | undefined,
  flags: FlagsOf<typeof linkFlags>,
  { resource, context }: { resource: Resource; context: Context },
): Promise<Result> {
  const columns = linkColumnsOf(resource, linkName);
  const names = allColumns(columns).map(({ name }) => name);
  if (file === undefined) {
    throw usage(`${resource.command} import-links ${linkName} needs a file, or - for standard input.`, {
      hint: `Its columns: ${names.join(', ')}.`,
    });
  }
  if (context.globals.offline) throw usage('import-links reads existing links, and --offline forbids that.');
  const command = `${resource.command} import-links ${linkName}`;
  const defaults = { headerNames: new Set(names), defaultSheet: `${resource.command} ${linkName}` };
  return runFile({ file, command, resource, flags, ...defaults }, context, async (openFile) => {
    const ledger = await openFile.createLedger();
    const session = await openRunSession(context, flags);
    const { nullText } = defaultOptions;
    const { decimal, acceptDamage: acceptsDamage } = flags;
    const reading = { decimal, nullText, unguardCell: cellUnguard(flags), acceptsDamage };
    const plan = { ...openFile, ledger, resource, columns, session, ...reading };
    await planLinks({ ...plan, beforeMatching: () => openFile.lock(plan) });
    return { plan };
  });
}
