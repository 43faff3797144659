/** `boh RESOURCE export`: every row that the filters leave, into a file or to standard output. */
import { resolve } from 'node:path';
import { usage } from '../../base/errors.ts';
import { exportRows } from '../../bulk/export/export-rows.ts';
import type { Context } from '../../context/context.ts';
import { operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { planned } from '../../output/planned.ts';
import { present } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { demandOwner } from '../../session/file-owner.ts';
import type { Session } from '../../session/session.ts';
import type { Command } from '../command.ts';
import { reportingRedactions } from '../prepare.ts';
import {
  addExportFlags,
  deliver,
  type ExportFlags,
  formOf,
  readExportQuery,
  textOptions,
} from './export-file.ts';

export function configureExport(command: Command, resource: Resource, context: Context): void {
  const list = operation(resource, 'list');
  if (!list) throw new Error(`${resource.name} has no list`);
  command.description(
    `Write all ${resource.nouns}, or those that filters leave, to a file that import reads again: CSV, XLSX, NDJSON or JSON.`,
  );
  addExportFlags(command, list);
  command.examples(`boh ${resource.command} export --to ${resource.name}.csv`);
  reportingRedactions(command, context);
  command.action(async () => present(context, await run(command, resource, context)));
}

async function run(command: Command, resource: Resource, context: Context): Promise<Result> {
  const list = operation(resource, 'list');
  if (!list) throw new Error(`${resource.name} has no list`);
  const flags = command.opts<ExportFlags>();
  const form = await formOf(flags, context);
  const query = await readExportQuery(command, list, flags, context);
  const session = await context.session();
  if (context.globals.dryRun) return planned(context, [await session.plan({ operation: list, query })]);
  await session.permit({ operation: list });
  const { filters = {}, sort } = await session.resolveFilters(resource, query);
  const since = await sinceOf({ flags, resource, filters, session, env: context.env });
  const exported = exportRows({
    session,
    resource,
    filters: { ...filters, ...since?.filters },
    since: since?.until,
    withDeleted: since ? since.until !== undefined && showsDeleted(resource) : filters.is_deleted === 'true',
    sort,
    layout: {
      columns: flags.columns,
      isById: flags.ids === true,
      hasDeleted: since ? showsDeleted(resource) : filters.is_deleted === 'true',
    },
    text: { ...textOptions(flags, form), sheet: resource.command },
  });
  const result = await deliver(exported, {
    to: flags.to,
    form,
    one: resource.noun,
    several: resource.nouns,
    context,
  });
  // The file is in its place: a run that ends before this has written these rows again next time, and lost none.
  await since?.move(exported.facts().seenUntil);
  return result;
}

interface Since {
  flags: ExportFlags;
  resource: Resource;
  filters: Readonly<Record<string, string>>;
  session: Session;
  env: Context['env'];
}

async function sinceOf({ flags, resource, filters, session, env }: Since) {
  const { since: file, to, anyAccount: isAny } = flags;
  if (file === undefined) {
    if (isAny) throw usage('--any-account goes with --since: only its file belongs to an account.');
    return undefined;
  }
  if (to === undefined)
    throw usage('--since goes with --to: only a file that is in its place moves the watermark.');
  if (resolve(file) === resolve(to)) throw usage('--since and --to name the same file.');
  const both = ['updated_after', 'is_deleted'].filter((name) => Object.hasOwn(filters, name));
  if (both.length > 0) throw usage(`--since sets ${both.join(' and ')} itself: leave that out.`);
  const { filtersSince, moveWatermark, ownerOfWatermark, readWatermark } = await import(
    '../../bulk/export/watermark.ts'
  );
  const about = { resource: resource.name, filters };
  const found = await readWatermark(file, about);
  const owner = found && ownerOfWatermark(found);
  const { account, match } = await demandOwner(session, owner, {
    called: file,
    kind: 'watermark',
    override: `Name a file of its own for each account. To do it all the same: --any-account`,
    env,
    isAny,
  });
  // How far another account’s export had come says nothing of this one’s records.
  const before = match === 'other' ? undefined : found;
  return {
    until: before?.until,
    filters: filtersSince(resource, before?.until),
    move: (seen: string | undefined) => moveWatermark(file, { ...about, account }, before, seen),
  };
}

function showsDeleted({ filters }: Resource): boolean {
  return filters.some(({ name }) => name === 'is_deleted');
}
