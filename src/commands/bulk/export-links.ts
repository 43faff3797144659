/** `boh RESOURCE export-links LINK`: writes a row for each link, with its values. */
import { exportLinks, linkColumns, linkWords } from '../../bulk/links/link-rows.ts';
import type { Context } from '../../context/context.ts';
import { operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { planned } from '../../output/planned.ts';
import { present } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
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

/** Gives the command its arguments, flags and action. */
export function configureExportLinks(command: Command, resource: Resource, context: Context): void {
  const list = operation(resource, 'list');
  if (!list) throw new Error(`${resource.name} has no list`);
  const words = linkWords(resource);
  command.argument('[link]', `which links: ${words.join(', ')}`).usage('<link> [flags]');
  command.description(
    `Export the links of ${resource.nouns} to a file that import-links reads, a row for each link.`,
  );
  addExportFlags(command, list, { isOfLinks: true });
  command.examples(
    `boh ${resource.command} export-links ${words[0]} --to ${words[0]}.csv`,
    `boh ${resource.command} export-links ${words[0]} --to ${words[0]}.xlsx --ids`,
  );
  reportingRedactions(command, context);
  command.action(async () => present(context, await run(command, resource, context)));
}

async function run(command: Command, resource: Resource, context: Context): Promise<Result> {
  const list = operation(resource, 'list');
  if (!list) throw new Error(`${resource.name} has no list`);
  const columns = linkColumns(resource, command.args[0]);
  const flags = command.opts<ExportFlags>();
  const form = await formOf(flags, context);
  const query = await readExportQuery(command, list, flags, context);
  const session = await context.session();
  if (context.globals.dryRun) {
    return planned(context, [
      await session.plan({ operation: list, query: { ...query, include: [columns.link.field] } }),
    ]);
  }
  await session.permit({ operation: list });
  const { filters = {} } = await session.resolveFilters(resource, query);
  const text = { ...textOptions(flags, form), sheet: `${resource.command} ${columns.link.suffix}` };
  const exported = exportLinks({ session, resource, columns, filters, isById: flags.ids === true, text });
  return deliver(exported, { to: flags.to, form, one: 'link', several: 'links', context });
}
