/** `boh RESOURCE export`: every row that the filters leave, into a file or to standard output. */
import type { Command } from 'commander';
import { exportRows } from '../../bulk/export/export-rows.ts';
import { operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import type { Context } from '../../interaction/context.ts';
import { planned } from '../../interaction/output/planned.ts';
import { present } from '../../interaction/output/present.ts';
import type { Result } from '../../interaction/output/result.ts';
import { guardedCell, plainCell } from '../../terminal/formats/csv.ts';
import { deliver } from './deliver.ts';
import { addExportFlags, type ExportFlags, formOf, readExportQuery } from './export-flags.ts';

export function configureExport(command: Command, resource: Resource, context: Context): void {
  const list = operation(resource, 'list');
  if (!list) throw new Error(`${resource.name} has no list`);
  command.description(
    `Write all ${resource.nouns}, or those that filters leave, to a file that import reads again: CSV, NDJSON or JSON.`,
  );
  addExportFlags(command, list);
  command.addHelpText(
    'after',
    () => `\nExample:\n  boh ${resource.command} export --to ${resource.name}.csv`,
  );
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
  const exported = exportRows({
    session,
    resource,
    filters,
    sort,
    layout: {
      columns: flags.columns,
      isById: flags.ids === true,
      hasDeleted: filters.is_deleted === 'true',
    },
    text: { form, isForSpreadsheets: flags.spreadsheet === true, guard: guardedCell, plainCell },
  });
  return deliver(exported, { to: flags.to, one: resource.noun, several: resource.nouns, context });
}
