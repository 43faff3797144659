/** `boh export`: writes resources to a workbook with a sheet for each, or to a folder with a file for each. */
import { extname, join } from 'node:path';
import { isRefusedList } from '../../../account/session/list.ts';
import { isIncomplete } from '../../../account/session/missing-fields.ts';
import type { Session } from '../../../account/session/session.ts';
import { operation } from '../../../api/contract/operation.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { Failure, usage } from '../../../base/errors.ts';
import { boh, type Hint } from '../../../base/hint.ts';
import { exportRows } from '../../../engine/bulk/export/export-rows.ts';
import { exportLinks, separateLinks } from '../../../engine/bulk/links/link-rows.ts';
import { createResultFolder } from '../../../engine/tables/result-folder.ts';
import type { TableFormat } from '../../../engine/tables/table.ts';
import type { Context } from '../../context/context.ts';
import { present } from '../../output/present.ts';
import { dryRunResult, type Result } from '../../output/result.ts';
import type { Command } from '../command.ts';
import { createCommand } from '../declare.ts';
import type { FlagsOf } from '../flags/flag-table.ts';
import { listableResources, resolveResources, resourceFlag } from '../flags/shared-flags.ts';
import {
  formatOf,
  idsFlag,
  noGuardFlag,
  spreadsheetFlag,
  type TableExport,
  textOptions,
  type WorkbookTarget,
  writeExport,
  writeWorkbook,
} from './export.ts';

const exportAllFlags = [
  ['--to <path>', 'the workbook or folder to write'],
  resourceFlag(),
  idsFlag,
  spreadsheetFlag,
  noGuardFlag,
] as const;

type ExportAllFlags = FlagsOf<typeof exportAllFlags>;

export function exportAllCommand(context: Context): Command {
  return createCommand(context, {
    name: 'export',
    about:
      'Export all records for editing: to a workbook (XLSX) with a sheet for each resource, or to a folder with a file for ' +
      'each. To import all of them: boh import. To import one: boh RESOURCE import.\n\nTo keep a complete copy that can be restored: ' +
      'boh backup. To keep records as files that boh apply reads: boh pull.',
    flags: exportAllFlags,
    examples: ['boh export --to book.xlsx', 'boh export --to all/ -o ndjson'],
    dryRun: true,
    reportsRedactions: true,
    run: (_, flags) => run(flags, context),
  });
}

async function run(flags: ExportAllFlags, context: Context): Promise<Result> {
  const { to } = flags;
  if (to === undefined) {
    throw usage('Choose a workbook or a folder, such as --to book.xlsx or --to all/.', {
      hint: boh.hint`To write one resource to standard output: ${boh.account('customers export')}`,
    });
  }
  const format = await chooseFormat(to, flags, context);
  const { api } = context;
  const resources = resolveResources(flags.resource, '--resource', api) ?? listableResources(api).allowed;
  const session = await context.session();
  if (context.globals.dryRun) {
    const calls = resources.flatMap((resource) => operation(resource, 'list') ?? []);
    return dryRunResult(
      context,
      await Promise.all(calls.map((list) => session.plan({ operation: list, query: {} }))),
      { isList: true },
    );
  }
  await checkPermissions(session, resources);
  const exports = resources.flatMap((resource) => [
    exportOf(resource, session, flags, format),
    ...linkExports(resource, session, flags, format),
  ]);
  const refused = new Map<TableExport, Failure>();
  const onRefused = (tableExport: TableExport, failure: Failure) => {
    refused.set(tableExport, failure);
    if (refused.size === exports.length) throw failure;
  };
  const result =
    format === 'xlsx'
      ? await writeWorkbook(exports, { to, context, onRefused })
      : await writeFolder(exports, { to, format, context, onRefused });
  if (refused.size === 0) return result;
  await present(context, result);
  throw incompleteFailure(to, refused);
}

function incompleteFailure(to: string, refused: ReadonlyMap<TableExport, Failure>): Failure {
  const reasons = [...refused].map(([{ title }, { message }]) => [title, [message]] as [string, string[]]);
  const names = reasons.map(([title]) => title).join(', ');
  return new Failure('partial', `The export to ${to} is incomplete: ${names}.`, {
    fields: Object.fromEntries(reasons),
    hint: 'The others are complete. To choose them: --resource',
  });
}

/** Extensions of files that export can't write. Folders may have other extensions, such as `export.2026-11`. */
const unsupportedExtensions = [
  ...['.xls', '.xlsm', '.ods', '.numbers', '.pdf', '.doc', '.docx', '.txt', '.md', '.html', '.yaml', '.yml'],
  ...['.zip', '.gz', '.tar', '.db', '.sqlite', '.sql'],
];

/** Returns the format of the files. `to` is a folder, unless it ends with .xlsx. */
async function chooseFormat(
  to: string,
  { spreadsheet, guard }: ExportAllFlags,
  context: Context,
): Promise<TableFormat> {
  const extension = extname(to).toLowerCase();
  const hint = 'Choose a workbook (--to book.xlsx), or a folder and a format (--to all/ -o csv).';
  if (['.csv', '.tsv', '.json', '.ndjson', '.jsonl'].includes(extension))
    throw usage(`A ${extension} file contains one resource, and export writes several.`, { hint });
  if (unsupportedExtensions.includes(extension))
    throw usage(`export can't write a ${extension} file.`, { hint });
  const isWorkbook = extension === '.xlsx';
  return formatOf(
    { ...(isWorkbook && { to }), ...(spreadsheet && { spreadsheet }), ...(guard === false && { guard }) },
    context,
  );
}

/** Throws before anything is read if the token lacks a scope: an incomplete export could be mistaken for a complete one. */
async function checkPermissions(session: Session, resources: readonly Resource[]): Promise<void> {
  const deniedResources: Resource[] = [];
  let firstFailure: Failure | undefined;
  for (const resource of resources) {
    const list = operation(resource, 'list');
    try {
      if (list) await session.permissions.checkPermission({ operation: list });
    } catch (error) {
      if (!(error instanceof Failure) || error.category !== 'not_allowed') throw error;
      deniedResources.push(resource);
      firstFailure ??= error;
    }
  }
  if (!firstFailure) return;
  const allowedCommands = resources
    .filter((resource) => !deniedResources.includes(resource))
    .map(({ command }) => command);
  const names = deniedResources.map(({ command }) => command).join(', ');
  throw new Failure('not_allowed', `The token isn't allowed to list ${names}. Nothing was written.`, {
    ...firstFailure.details,
    hint:
      allowedCommands.length > 0
        ? `To export the others: --resource ${allowedCommands.join(',')}`
        : 'Sign in with more scopes.',
  });
}

function exportOf(
  resource: Resource,
  session: Session,
  flags: ExportAllFlags,
  format: TableFormat,
): TableExport {
  const exportResult = exportRows({
    session,
    resource,
    filters: {},
    layout: { isById: flags.ids === true, hasDeleted: false },
    text: { ...textOptions(flags, format), sheet: resource.command },
  });
  return { title: resource.command, noun: resource.noun, nouns: resource.nouns, exportResult };
}

function linkExports(
  resource: Resource,
  session: Session,
  flags: ExportAllFlags,
  format: TableFormat,
): TableExport[] {
  return separateLinks(resource).map((columns) => {
    const title = `${resource.command} ${columns.link.suffix}`;
    const text = { ...textOptions(flags, format), sheet: title };
    const request = { session, resource, columns, filters: {}, isById: flags.ids === true, text };
    const [noun, nouns] = [`link of ${resource.nouns}`, `links of ${resource.nouns}`];
    return { title, noun, nouns, exportResult: exportLinks({ ...request, isOptional: true }) };
  });
}

async function writeFolder(
  exports: readonly TableExport[],
  { to: folder, format, context, onRefused }: WorkbookTarget & { format: TableFormat },
): Promise<Result> {
  createResultFolder(folder);
  const notes: Hint[] = [];
  for (const tableExport of exports) {
    const { title, noun, nouns, exportResult } = tableExport;
    const to = join(folder, `${title.replaceAll(' ', '-')}.${format}`);
    try {
      const result = await writeExport(exportResult, { to, format, noun, nouns, context });
      notes.push(...('notes' in result ? (result.notes ?? []) : []));
    } catch (error) {
      if (!isRefusedList(error) && !isIncomplete(error)) throw error;
      onRefused(tableExport, error);
    }
  }
  return { kind: 'nothing', notes };
}
