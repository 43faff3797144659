/** Which entries a line asks for: its resource, its id and its flags, all that is wrong told at once. */
import { Option } from 'commander';
import { type FieldMessages, usage, violations } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { readMoment } from '../../contract/moment.ts';
import type { Resource } from '../../contract/resource.ts';
import type { EntryFilter } from '../../history/journal/reading.ts';
import { type AnyAccountFlag, anyAccountOption } from '../flags/any-account.ts';

/** As typed. */
export interface FilterFlags extends AnyAccountFlag {
  since?: string;
  run?: string;
  field?: string;
  by?: string;
}

export function filterOptions(): Option[] {
  return [
    new Option('--since <moment>', 'from then on: 7d, 12h, 2026-11-20, 2026-11-20T08:00Z'),
    new Option('--run <run>', 'what one command or run wrote, by its id'),
    new Option('--field <name>', 'writes to this field'),
    new Option('--by <who>', 'a user, by name or id, or a profile'),
    anyAccountOption(),
  ];
}

export async function readFilter(
  [word, id]: readonly (string | undefined)[],
  { since, run, field, by }: FilterFlags,
  context: Context,
): Promise<EntryFilter> {
  const wrong: FieldMessages = Object.create(null);
  const moment = since === undefined ? undefined : readMoment(since, context.now());
  if (since !== undefined && !moment)
    wrong.since = ['--since must be how long ago (7d, 12h), a day, or an ISO 8601 moment with its zone'];
  if (Object.keys(wrong).length > 0) throw violations('The command line', wrong);
  const resource = word === undefined ? undefined : await resourceNamed(word, context);
  const isName = id?.startsWith('@') === true;
  return {
    resource: resource?.name,
    id: resource && id !== undefined && isName ? await (await context.session()).idOf(resource.name, id) : id,
    since: moment?.getTime(),
    run,
    field: field && fieldName(field),
    by,
  };
}

async function resourceNamed(word: string, { api }: Context): Promise<Resource> {
  const found = api.findResource(word);
  if (found) return found;
  const { didYouMean } = await import('../../base/suggest.ts');
  const known = api.collections.map(({ command }) => command);
  throw usage(`There is no resource "${word}".${didYouMean(word, known)}`, {
    hint: boh.hint`To see them: ${boh.plain('resources')}`,
  });
}

/** As a flag spells it, or as the API does. */
function fieldName(text: string): string {
  return text.replaceAll('-', '_');
}
