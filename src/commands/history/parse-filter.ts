/** Defines and parses the flags and arguments that select entries of the history. */

import { Option } from 'commander';
import type { Context } from '../../context/context.ts';
import { parseFilterTime } from '../../contract/date-time.ts';
import type { EntryFilter } from '../../history/journal/reading.ts';
import type { Command } from '../command.ts';
import { refuseFlags, resolveResource } from '../flags/shared-flags.ts';

/** The flags that select entries, not yet validated. */
export interface EntryFilterFlags {
  since?: string;
  run?: string;
  field?: string;
  by?: string;
}

/** Adds the flags that select entries. */
export function addFilterOptions(command: Command): void {
  command.group(
    'Entries:',
    new Option('--since <time>', 'only writes since this time: 7d, 12h, 2026-11-20, 2026-11-20T08:00Z'),
    new Option('--by <user>', 'only writes of this user (name or ID) or profile'),
    new Option('--field <name>', 'only writes to this field'),
    new Option('--run <run>', 'only writes of this run'),
  );
}

/** Returns the filter from arguments and flags. Throws a usage failure with all problems. */
export async function parseEntryFilter(
  [resourceName, id]: readonly (string | undefined)[],
  { since, run, field, by }: EntryFilterFlags,
  context: Context,
): Promise<EntryFilter> {
  const sinceTime = since === undefined ? undefined : parseFilterTime(since, context.now());
  if (since !== undefined && !sinceTime)
    refuseFlags({ since: ['--since must be an age (7d, 12h), a day, or an ISO 8601 time with a zone'] });
  const resource = resourceName === undefined ? undefined : resolveResource(resourceName, context.api);
  const isName = id?.startsWith('@') === true;
  return {
    resource: resource?.name,
    id:
      resource && id !== undefined && isName
        ? await (await context.session()).names.idOf(resource.name, id)
        : id,
    since: sinceTime?.getTime(),
    run,
    field: field && toFieldName(field),
    by,
  };
}

/** Returns the API's name of a field, which flags spell with hyphens. */
function toFieldName(text: string): string {
  return text.replaceAll('-', '_');
}
