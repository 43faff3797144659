/** `boh RESOURCE import FILE`: plans a file, shows the plan, asks for confirmation, and sends it. */
import { Option } from 'commander';
import { type FieldMessages, usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { findDocumentLines, lineColumnNames } from '../../bulk/plan/document-lines.ts';
import { secretFieldNames } from '../../bulk/plan/parse-row.ts';
import { type ImportPlan, planImport } from '../../bulk/plan/plan-import.ts';
import type { Context } from '../../context/context.ts';
import { splitList } from '../../contract/comma-list.ts';
import { dateOrders } from '../../contract/date-formats.ts';
import type { Resource } from '../../contract/resource.ts';
import { createHeapLimiter } from '../../output/heap-limiter.ts';
import { createAction } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { recordOnChanged } from '../../runs/recheck-rows.ts';
import { secretsReader } from '../../runs/secrets-reader.ts';
import { columnNamesOf } from '../../tables/columns/columns.ts';
import { matchHeader } from '../../tables/columns/match-header.ts';
import { decimalSeparators } from '../../tables/columns/numbers.ts';
import {
  defaultOptions,
  deletedChoices,
  type ImportMode,
  type ImportOptions,
  importModes,
  type ListMode,
  listModes,
  staleChoices,
} from '../../tables/columns/options.ts';
import { synonymsFor } from '../../tables/columns/synonyms.ts';
import { unescapeFormula } from '../../terminal/formats/csv.ts';
import { note } from '../../terminal/messages.ts';
import { startProgress } from '../../terminal/progress.ts';
import type { Command } from '../command.ts';
import {
  ChoiceOption,
  damageOption,
  joinAlternatives,
  type PhoneFlags,
  parseChoice,
  phoneOption,
  refuseFlags,
  repeatable,
} from '../flags/shared-flags.ts';
import { addFileFlags, type FileFlags, runFile } from './file-run.ts';
import { mapColumns, readColumnMaps } from './map-columns.ts';
import { addPlanningFlags } from './run-flags.ts';
import { checkRunFlags, openRunSession } from './run-session.ts';

/** Adds the arguments, flags and action of `import` to the command. */
export function configureImport(command: Command, resource: Resource, context: Context): void {
  command.withDryRun().argument('[file]', 'the file, or - for standard input').usage('<file> [flags]');
  command.description(
    `Create, update or delete ${resource.nouns} from a CSV, XLSX, NDJSON or JSON file. All changes are shown first.`,
  );
  addImportFlags(command);
  command.examples(
    `boh ${resource.command} import ${resource.name}.csv --dry-run`,
    `boh ${resource.command} import ${resource.name}.csv --skip-invalid --failed failed.csv`,
  );
  command.action(
    createAction(context, () => runImport(command.args, command.opts<ImportFlags>(), resource, context)),
  );
}

/** Plans the rows of a file, shows the plan, and sends it after confirmation. With `--out`, saves the plan. */
export async function runImport(
  [file]: readonly string[],
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
      const ledger = createLedger();
      if (options.stale === 'overwrite') recordOnChanged(ledger, 'overwrite');
      const session = context.globals.offline ? undefined : await openRunSession(context, flags);
      const plan = { ledger, resource, label, table, options, session, unescapeFormula };
      const beforeMatching = () => lock(plan);
      const onNote = (text: string) => note(context.streams, text);
      await planWithProgress({ ...plan, beforeMatching, onNote }, context);
      const secretsOf = () => secretsReader(table, matchHeader(resource, options, table.columns).columnFor);
      return { plan, options, secretsOf };
    },
  );
}

async function planWithProgress(plan: ImportPlan, context: Context): Promise<void> {
  const bar = startProgress(context.streams, { label: 'Reading rows' });
  const limitHeap = createHeapLimiter(context);
  let count = 0;
  const onRows = (newRows: number) => {
    count += newRows;
    bar.update(count);
    limitHeap(newRows);
  };
  try {
    await planImport({ ...plan, onRows });
  } finally {
    bar.done();
  }
}

/** The flags of an import, not yet validated. */
export interface ImportFlags extends FileFlags, PhoneFlags {
  mode?: string;
  key?: string;
  map?: string[];
  onlyMapped?: boolean;
  saveMap?: string;
  ignoreReadOnly?: boolean;
  stale?: string;
  null?: string;
  listMode?: string;
  onDeleted?: string;
  acceptDamage?: boolean;
  dates?: string;
}

function addImportFlags(command: Command): void {
  command.group(
    'Rows:',
    new Option(
      '--key <fields>',
      'the fields that identify an existing record (default: id, else unique fields)',
    ),
    new ChoiceOption(
      '--mode <mode>',
      `${joinAlternatives(importModes)}; a _command column sets it for each row (default: upsert)`,
      importModes,
    ),
    repeatable(
      '--map <column=field>',
      'read a column as a field; COLUMN= ignores it, = columns without a name; or a file written by --save-map (repeatable)',
    ),
    new Option('--only-mapped', 'ignore the columns that --map does not name'),
    new Option('--save-map <file>', 'save the mapping of columns to fields in this file, for --map'),
    new ChoiceOption(
      '--stale <action>',
      'if the record changed after the export: refuse or overwrite (default: refuse)',
      staleChoices,
    ),
    new ChoiceOption('--on-deleted <action>', 'if the record is deleted: restore or refuse', deletedChoices),
    new Option('--ignore-read-only', "ignore columns that can't be set, and IDs of another account"),
    new ChoiceOption(
      '--list-mode <mode>',
      `how a list changes the existing list: ${joinAlternatives(listModes)} (default: replace)`,
      listModes,
    ),
    phoneOption(),
    damageOption(),
  );
  addFileFlags(command);
  command.group(
    'File:',
    new ChoiceOption('--dates <order>', 'order of day, month and year: ymd, dmy or mdy', dateOrders),
  );
  command.group(
    'Advanced:',
    new Option('--null <text>', String.raw`the cell text that clears a field (default: \N)`),
  );
  addPlanningFlags(command);
}

/** Parses the flags of an import. Throws one `usage` failure with all problems. */
export function parseImportFlags(flags: ImportFlags): ImportOptions {
  checkRunFlags(flags);
  const messages: FieldMessages = Object.create(null);
  const map = new Map<string, string>();
  for (const pair of flags.map ?? []) {
    // A value without an equals sign is a file, which is read together with the columns.
    if (!pair.includes('=')) continue;
    const equalsIndex = pair.lastIndexOf('=');
    if (equalsIndex < 1 && pair !== '=')
      messages.map = [...(messages.map ?? []), `Expected COLUMN=FIELD, not "${pair}"`];
    else map.set(pair.slice(0, equalsIndex), pair.slice(equalsIndex + 1));
  }
  if (flags.onlyMapped && flags.map === undefined)
    messages['only-mapped'] = ['Add --map for each column to read'];
  if (flags.saveMap?.includes('='))
    messages['save-map'] = ['Expected a path without an equals sign: --map would read it as COLUMN=FIELD'];
  const options: ImportOptions = {
    mode: parseChoice<ImportMode>('mode', flags.mode, importModes, messages) ?? defaultOptions.mode,
    key: flags.key === undefined ? undefined : splitList(flags.key).map((name) => name.replaceAll('-', '_')),
    map,
    isOnlyMapped: flags.onlyMapped,
    isReadOnlyIgnored: flags.ignoreReadOnly === true,
    stale: parseChoice('stale', flags.stale, staleChoices, messages) ?? defaultOptions.stale,
    normalizesPhones: flags.normalizePhones,
    acceptsDamage: flags.acceptDamage,
    nullText: flags.null ?? defaultOptions.nullText,
    listMode:
      parseChoice<ListMode>('list-mode', flags.listMode, listModes, messages) ?? defaultOptions.listMode,
    onDeleted: parseChoice('on-deleted', flags.onDeleted, deletedChoices, messages),
    decimal: parseChoice('decimal', flags.decimal, decimalSeparators, messages),
    dates: parseChoice('dates', flags.dates, dateOrders, messages),
  };
  refuseFlags(messages);
  return options;
}
