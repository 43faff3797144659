/** Runs commands that send the rows of a file, and defines their flags. */

import type { Resource } from '../../../api/contract/resource.ts';
import { usage } from '../../../base/errors.ts';
import { formatCount } from '../../../base/shown-items.ts';
import type { ImportPlan } from '../../../engine/bulk/plan/plan-import.ts';
import { fingerprintOfFile, recordSecretsFile } from '../../../engine/bulk/plan/reread-secrets.ts';
import { checkFailedFile, saveFailedRows } from '../../../engine/runs/end-run.ts';
import type { Ledger } from '../../../engine/runs/ledger/ledger.ts';
import {
  findEarlierRun,
  fingerprintOfRows,
  recordRowsIdentity,
} from '../../../engine/runs/ledger/same-rows.ts';
import type { PlanWords } from '../../../engine/runs/ledger/saved-plan.ts';
import type { ReadSecrets } from '../../../engine/runs/secrets-reader.ts';
import { labelInSentence } from '../../../engine/tables/check-file.ts';
import { decimalSeparators } from '../../../engine/tables/columns/numbers.ts';
import type { ImportOptions } from '../../../engine/tables/columns/options.ts';
import { delimiterNames, quoteNames } from '../../../engine/tables/csv-dialect.ts';
import { storedFormatOf } from '../../../engine/tables/failed-rows.ts';
import { formatRow, type NumberedRow } from '../../../engine/tables/find-header.ts';
import { type InputFile, openInputFile } from '../../../engine/tables/input-file.ts';
import { type OpenTable, openTable, type TableOptions } from '../../../engine/tables/open-table.ts';
import type { EncodingSample } from '../../../engine/tables/possible-encodings.ts';
import type { TableFormat } from '../../../engine/tables/table.ts';
import type { Context } from '../../context/context.ts';
import type { Result } from '../../output/result.ts';
import { promptsFor } from '../../prompts/terminal/prompts.ts';
import { BackRequested } from '../../prompts/terminal/questions.ts';
import { note } from '../../terminal/messages.ts';
import { type FlagsOf, under } from '../flags/flag-table.ts';
import { resumeInLedgerFile } from '../runs.ts';
import { lockLedger, openNewLedger } from './ledger.ts';
import { type PlannedRun, runPlan } from './run.ts';
import { exitCodeFlag, failedFlag, type RunFlags } from './run-flags.ts';
import { refuseInvalidRows } from './show-plan.ts';

export const skipInvalidFlag = ['--skip-invalid', 'skip invalid rows and send the others'] as const;

/** The flags of commands that read a file of rows. `planningFlags` are those of the run. */
/** The formats of files, as `--input-format` names them. */
const inputFormats = ['csv', 'ndjson', 'json'] as const satisfies readonly TableFormat[];

export const fileFlags = [
  ...under('Safety:', [failedFlag, exitCodeFlag]),
  ...under('File:', [
    [
      '--sheet <name>',
      'the sheet to read from a workbook (default: the sheet named after the resource, else the first)',
    ],
    ['--header-row <number>', 'the row with the names of the columns (default: the first that fits)'],
    ['--skip-rows <number>', 'ignore this many rows at the beginning'],
    ['--all-rows', 'read headings, notes and totals as records, too'],
    ['--decimal <separator>', 'decimal separator: point or comma', { words: decimalSeparators }],
  ]),
  ...under('Advanced:', [
    [
      '--input-format <format>',
      "format of the file, if its content and name don't show it: csv, ndjson or json",
      { words: inputFormats },
    ],
    ['--encoding <name>', 'encoding of a file that is not UTF-8'],
    [
      '--delimiter <character>',
      'column separator: comma, semicolon, tab or pipe',
      { suggestions: delimiterNames },
    ],
    ['--quote <kind>', 'quote character: double or single (default: double)', { suggestions: quoteNames }],
  ]),
] as const;

/** The flags of commands that read a file of rows, not yet validated. */
export type FileFlags = RunFlags & FlagsOf<readonly [...typeof fileFlags, typeof skipInvalidFlag]>;

/** A file whose rows a command sends. */
interface FileRun
  extends Pick<TableOptions, 'headerNames' | 'defaultSheet' | 'isIgnored' | 'mapEncoding' | 'requiredNames'> {
  /** The path, or - for standard input. */
  file: string;
  command: string;
  resource: Resource;
  flags: FileFlags;
  /** The normalized names of columns in `--map`. */
  mapNames?: readonly string[] | undefined;
  /** Whether a row with one cell may be a complete record, so that every row is read. */
  readsAllRows?: boolean | undefined;
}

/** A file of rows that is open for planning. */
interface OpenFile {
  /** The name of the file in messages: "The file prices.csv". */
  label: string;
  table: OpenTable;
  createLedger(): Promise<Ledger>;
  /** Locks resources, by default the one of the file, before planning: a plan doesn't see what another run writes later. */
  lock(plan: LockedPlan, resources?: readonly Resource[]): Promise<void>;
}

type LockedPlan = Pick<PlannedFile['plan'], 'ledger' | 'session'>;

/** Opens a file, calls `planRows` to plan its rows in a ledger, and executes the plan. If planning fails, nothing is sent. */
export async function runFile(
  { file, command, resource, flags, ...defaults }: FileRun,
  context: Context,
  planRows: (open: OpenFile) => Promise<Omit<PlannedFile, 'source' | 'table' | 'flags' | 'context'>>,
): Promise<Result> {
  const source = await openInputFile(file, context.streams);
  let ledger: Ledger | undefined;
  try {
    if (flags.ledger) {
      const mark = async () => fingerprintOfRows(command, await fingerprintOfFile(source));
      const resumed = await resumeInLedgerFile(
        { command, source: source.name ?? null, mark },
        flags,
        context,
      );
      if (resumed) {
        await source.close();
        return resumed;
      }
    }
    for (;;) {
      const table = await openTableInFile(source, flags, defaults, context);
      const open = {
        label: source.label,
        table,
        createLedger: async () => {
          const isKept = !context.globals.dryRun;
          ledger = await openNewLedger({
            command,
            resource,
            source: source.name ?? null,
            flags,
            isKept,
            context,
          });
          ledger.setProperty('shape', storedFormatOf(table));
          return ledger;
        },
        lock: (plan: LockedPlan, resources = [resource]) =>
          lockResources(plan, resources, { source, flags, context }),
      };
      // Going back from the questions about columns leads to the choice of the header.
      const plan = await planRows(open).catch((error: unknown) => {
        if (!(error instanceof BackRequested)) throw error;
      });
      if (plan) return await runPlannedFile({ ...plan, source, table, flags, context });
    }
  } catch (error) {
    ledger?.discard();
    await source.close();
    throw error;
  }
}

/** Opens the table in a file. Throws a `usage` failure if the file of `--failed` can't be written. */
async function openTableInFile(
  source: InputFile,
  { inputFormat, encoding, delimiter, quote, sheet, failed, ...rows }: FileFlags,
  { mapNames = [], readsAllRows, ...defaults }: Omit<FileRun, 'file' | 'command' | 'resource' | 'flags'>,
  context: Context,
): Promise<OpenTable> {
  const { globals, streams } = context;
  const asks = streams.interactive && !globals.yes;
  const table = await openTable(source, {
    ...{ format: inputFormat, encoding, delimiter, quote, sheet, hasFlags: true, ...defaults },
    chooseEncoding: asks ? encodingChooser(source, context) : undefined,
    chooseHeader: asks ? headerChooser(source, context) : undefined,
    headerNames: new Set([...defaults.headerNames, ...mapNames]),
    headerRow: parseRowCount('header-row', rows.headerRow),
    skipsSideRows: !(readsAllRows || rows.allRows),
    skipRows: parseRowCount('skip-rows', rows.skipRows),
  });
  await checkFailedFile(failed, { format: table.format, source: source.path });
  for (const tableNote of table.notes ?? []) note(streams, tableNote);
  return table;
}

function parseRowCount(flag: string, text: string | undefined): number | undefined {
  if (text === undefined || /^[1-9]\d{0,6}$/.test(text)) return text === undefined ? undefined : Number(text);
  throw usage(`--${flag} must be a whole number from 1, such as 3.`);
}

/** Reports that the same file was imported before: rows without an ID and a key are created again. */
async function reportEarlierImport(
  { ledger, label, session }: PlannedFile['plan'],
  { streams }: Context,
): Promise<void> {
  if (!session) return;
  const earlierRun = findEarlierRun(ledger, await session.folder());
  if (!earlierRun) return;
  const { id, added } = earlierRun;
  const records = `${formatCount(added)} ${added === 1 ? 'record' : 'records'}`;
  note(
    streams,
    `${label} was already imported: run ${id} created ${records}. Rows without an ID or a key are created again; --key finds existing records.`,
  );
}

async function lockResources(
  { ledger, session }: LockedPlan,
  resources: readonly Resource[],
  { source, flags, context }: Pick<PlannedFile, 'source' | 'flags' | 'context'>,
): Promise<void> {
  if (!session || context.globals.dryRun) return;
  const command = String(ledger.property('command'));
  const rowsFingerprint = fingerprintOfRows(command, await fingerprintOfFile(source));
  recordRowsIdentity(ledger, { mark: rowsFingerprint, isFound: false });
  const names = resources.map(({ name }) => name);
  const lock = { account: session, resources: names, flags, command, rows: rowsFingerprint };
  await lockLedger(ledger, lock, context);
}

/** A file whose rows are planned in a ledger. */
interface PlannedFile {
  plan: Pick<ImportPlan, 'ledger' | 'label' | 'session'> & { resource: Resource };
  source: InputFile;
  table: OpenTable;
  flags: FileFlags;
  context: Context;
  /** The options of the import, if rows can contain secrets. */
  options?: ImportOptions;
  /** Returns the secrets of a row. Called when rows are about to be sent. */
  secretsOf?(): ReadSecrets;
  /** Words that differ from those of an import. With `excluded`, invalid rows are left out. */
  words?: Partial<PlanWords>;
  showPreview?: PlannedRun['showPreview'];
}

/** Sends the rows of a planned file and closes the source. If it throws, nothing was sent, and the caller closes the source. */
async function runPlannedFile(file: PlannedFile): Promise<Result> {
  const { plan, source, flags, context, secretsOf, showPreview } = file;
  const words: PlanWords = { ...plan, ...file.words };
  const { ledger, session } = plan;
  const close = () => source.close();
  await source.refuseChanged();
  const refusalResult = words.excluded === undefined ? refuseInvalidRows(ledger, words, flags) : undefined;
  if (refusalResult) {
    const saveRowsAndEnd = async () => {
      const notes = await saveFailedRows(ledger, flags);
      return { ...(await refusalResult.end()), notes };
    };
    const discard = async () => {
      ledger.discard();
      await close();
    };
    return { ...refusalResult, end: () => saveRowsAndEnd().finally(discard) };
  }
  if (!context.globals.dryRun) await recordFile(file);
  return runPlan(
    { ledger, session, flags, words, secretsOf, close, ...(showPreview && { showPreview }) },
    context,
  );
}

/** Records the file of the rows in the ledger, to recognize a second import of it, and to read its secrets again. */
async function recordFile({ plan, source, table, flags, context, options }: PlannedFile): Promise<void> {
  const { ledger } = plan;
  const isFound = !ledger.createsUnmatchedRows();
  const fingerprint = await fingerprintOfFile(source);
  recordRowsIdentity(ledger, { mark: fingerprintOfRows(ledger.property('command'), fingerprint), isFound });
  if (options) {
    const { inputFormat: format, delimiter, quote, sheet } = flags;
    const encoding = table.encoded?.encoding;
    const reading = { format, encoding, delimiter, quote, sheet, headerRow: table.headerRow };
    recordSecretsFile(ledger, source, fingerprint, { reading, columns: table.columns, options });
  }
  if (!isFound) await reportEarlierImport(plan, context);
}

/** Returns a function that asks for the encoding of a file, with some of its lines in each encoding. */
function encodingChooser({ label }: InputFile, { streams }: Context) {
  return async (samples: readonly EncodingSample[]): Promise<string> => {
    const entries = samples.map(({ encoding, lines }) => ({
      value: encoding,
      label: `${encoding}: ${lines}`,
    }));
    const message = `${label} is not UTF-8. Which text is right?`;
    const encoding = await (await promptsFor(streams)).pick({ message, entries });
    note(
      streams,
      `To read it without this question: --encoding ${encoding}. --save-map also saves the encoding.`,
    );
    return encoding;
  };
}

/** Returns a function that asks which of the first rows of a file is its header. */
function headerChooser({ label }: InputFile, { streams }: Context) {
  return async (rows: readonly NumberedRow[]): Promise<number> => {
    const entries = rows.map((row) => ({ value: row.row, label: `${row.row}: ${formatRow(row)}` }));
    const message = `No row of ${labelInSentence(label)} has known column names. Which row is its header?`;
    const headerRow = await (await promptsFor(streams)).pick({ message, entries });
    note(streams, `To read it without this question: --header-row ${headerRow}`);
    return headerRow;
  };
}
