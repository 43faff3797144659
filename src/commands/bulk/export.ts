/** `boh RESOURCE export` and `export-links`: write records, or a row for each link, to a file or to standard output. */

import { resolve } from 'node:path';
import { usage } from '../../base/errors.ts';
import { exportRows } from '../../bulk/export/export-rows.ts';
import { advanceWatermark, filtersSince, readWatermark } from '../../bulk/export/watermark.ts';
import { exportLinks, linkColumnsOf, linkKindsOf } from '../../bulk/links/link-rows.ts';
import type { Context } from '../../context/context.ts';
import { requireOperation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { dryRunResult } from '../../output/dry-run.ts';
import { present } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { ownerFrom, requireOwner } from '../../session/file-owner.ts';
import { canListDeleted } from '../../session/list-with-deleted.ts';
import type { Session } from '../../session/session.ts';
import type { Command } from '../command.ts';
import { withRedactionReport } from '../prepare.ts';
import {
  addExportFlags,
  type ExportFlags,
  formatOf,
  parseExportQuery,
  textOptions,
  writeExport,
} from './export-file.ts';

/** Adds the flags and the action of `export` to the command. */
export function configureExport(command: Command, resource: Resource, context: Context): void {
  command
    .withDryRun()
    .description(
      `Export all ${resource.nouns}, or those that match filters, to a CSV, XLSX, NDJSON or JSON file that import reads.`,
    );
  addExportOptions(command, `${resource.command} export`, resource.name, { resource, isOfLinks: false });
  command.action(async () => present(context, await exportRecords(command, resource, context)));
  withRedactionReport(command, context);
}

/** Adds the arguments, flags and action of `export-links` to the command. */
export function configureExportLinks(command: Command, resource: Resource, context: Context): void {
  const linkNames = linkKindsOf(resource);
  command
    .withDryRun()
    .argument('[link]', `which links: ${linkNames.join(', ')}`)
    .usage('<link> [flags]');
  command.description(
    `Export the links of ${resource.nouns} to a file that import-links reads, a row for each link.`,
  );
  const [linkName = ''] = linkNames;
  addExportOptions(command, `${resource.command} export-links ${linkName}`, linkName, {
    resource,
    isOfLinks: true,
  });
  command.action(async () => present(context, await exportLinksOf(command, resource, context)));
  withRedactionReport(command, context);
}

/** Adds the flags of an export, and examples that write to a file of this name. */
function addExportOptions(
  command: Command,
  commandPath: string,
  baseName: string,
  { resource, isOfLinks }: { resource: Resource; isOfLinks: boolean },
): void {
  addExportFlags(command, requireOperation(resource, 'list'), { isOfLinks });
  command.examples(
    `boh ${commandPath} --to ${baseName}.csv`,
    `boh ${commandPath} --to ${baseName}.xlsx --ids`,
  );
}

async function exportLinksOf(command: Command, resource: Resource, context: Context): Promise<Result> {
  const list = requireOperation(resource, 'list');
  const columns = linkColumnsOf(resource, command.args[0]);
  const flags = command.opts<ExportFlags>();
  const format = await formatOf(flags, context);
  const query = await parseExportQuery(command, list, flags, context);
  const session = await context.session();
  if (context.globals.dryRun) {
    const call = { operation: list, query: { ...query, include: [columns.link.field] } };
    return dryRunResult(context, [await session.plan(call)]);
  }
  await session.permissions.checkPermission({ operation: list });
  const { filters = {} } = await session.names.resolveFilters(resource, query);
  const text = { ...textOptions(flags, format), sheet: `${resource.command} ${columns.link.suffix}` };
  const exportResult = exportLinks({ session, resource, columns, filters, isById: flags.ids === true, text });
  return writeExport(exportResult, { to: flags.to, format, noun: 'link', nouns: 'links', context });
}

async function exportRecords(command: Command, resource: Resource, context: Context): Promise<Result> {
  const list = requireOperation(resource, 'list');
  const flags = command.opts<ExportFlags>();
  const format = await formatOf(flags, context);
  const query = await parseExportQuery(command, list, flags, context);
  const session = await context.session();
  if (context.globals.dryRun) return dryRunResult(context, [await session.plan({ operation: list, query })]);
  await session.permissions.checkPermission({ operation: list });
  const { filters = {}, sort } = await session.names.resolveFilters(resource, query);
  const since = await readSince({ flags, resource, filters, session, env: context.env });
  const exportResult = exportRows({
    session,
    resource,
    filters: { ...filters, ...since?.filters },
    since: since?.until,
    withDeleted: since
      ? since.until !== undefined && canListDeleted(resource)
      : filters.is_deleted === 'true',
    sort,
    layout: {
      columns: flags.columns,
      isById: flags.ids === true,
      hasDeleted: since ? canListDeleted(resource) : filters.is_deleted === 'true',
    },
    text: { ...textOptions(flags, format), sheet: resource.command },
  });
  const result = await writeExport(exportResult, {
    to: flags.to,
    format,
    noun: resource.noun,
    nouns: resource.nouns,
    context,
  });
  // The file is complete now. If the process ends before this line, the next export writes these rows again.
  await since?.advance(exportResult.summary().completeUntil);
  return result;
}

/** The options of `--since`. */
interface SinceOptions {
  flags: ExportFlags;
  resource: Resource;
  filters: Readonly<Record<string, string>>;
  session: Session;
  env: Context['env'];
}

async function readSince({ flags, resource, filters, session, env }: SinceOptions) {
  const { since: file, to, anyAccount } = flags;
  if (file === undefined) {
    if (anyAccount) throw usage('--any-account can only be used with --since.');
    return undefined;
  }
  if (to === undefined)
    throw usage('--since needs --to: the watermark is updated after the file is complete.');
  if (resolve(file) === resolve(to)) throw usage('--since and --to name the same file.');
  const conflicts = ['updated_after', 'is_deleted'].filter((name) => Object.hasOwn(filters, name));
  if (conflicts.length > 0)
    throw usage(
      `--since can't be combined with the filters ${conflicts.join(' and ')}, which it sets itself.`,
    );
  const subject = { resource: resource.name, filters };
  const storedWatermark = await readWatermark(file, subject);
  const owner = ownerFrom(storedWatermark ?? {});
  const { account, match } = await requireOwner(session, owner, {
    label: file,
    kind: 'watermark',
    override: `Use a separate file for each account. To use it anyway: --any-account`,
    env,
    isOverridden: anyAccount,
  });
  // The watermark of another account isn't valid for records of this account.
  const watermark = match === 'other' ? undefined : storedWatermark;
  return {
    until: watermark?.until,
    filters: filtersSince(resource, watermark?.until),
    advance: (completeUntil: string | undefined) =>
      advanceWatermark(file, { ...subject, account }, watermark, completeUntil),
  };
}
