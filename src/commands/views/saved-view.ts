/** The flags of a list as a view keeps them, and put back on another line. */
import type { Option } from 'commander';
import { usage } from '../../base/errors.ts';
import { boh, quote } from '../../base/hint.ts';
import { orMeant } from '../../base/suggest.ts';
import type { Context } from '../../context/context.ts';
import { operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { viewNamed, viewsIn } from '../../settings/config.ts';
import { openStore } from '../../settings/store.ts';
import type { SavedFlags, SavedView, SavedViews } from '../../settings/views.ts';
import type { Command } from '../command.ts';

/** What a view is called by, and what no view holds: it is about how a line runs, not about what it shows. */
const ownFlags = ['--view', '--watch'];

/** The flags that were given on the line, by long name. */
export function flagsGiven(command: Command): SavedFlags {
  return Object.fromEntries(
    command.options.flatMap((option) => {
      const { long } = option;
      const attribute = option.attributeName();
      const isGiven = command.getOptionValueSource(attribute) === 'cli';
      if (!long || !isGiven || ownFlags.includes(long)) return [];
      return [[long, command.getOptionValue(attribute)]];
    }),
  );
}

/** Sets the flags of a saved view on the line of a list. Throws a usage failure where there is no such view. */
export async function takeView(
  name: string,
  command: Command,
  resource: Resource,
  context: Context,
): Promise<void> {
  applyView(command, resource, name, viewNamed(await savedViews(context), name));
}

/** Returns the views of the profile in use, or those for lines that use none. */
export async function savedViews({ env, settings }: Context): Promise<SavedViews> {
  const { profile } = await settings();
  return viewsIn((await openStore(env).read()).config, profile);
}

/**
 * Sets what the view says on a line that doesn’t say it itself; filters of the form KEY=VALUE come beside those of the
 * line. Throws a usage failure where the view is for another resource, or names a flag that is gone: without a filter
 * the list would be another one.
 */
function applyView(
  command: Command,
  resource: Resource,
  name: string,
  { resource: own, flags }: SavedView,
): void {
  if (own !== resource.name)
    throw usage(`The view "${name}" is for ${own.replaceAll('_', '-')}, not ${resource.command}.`);
  const options = new Map(command.options.map((option) => [option.long ?? '', option]));
  const gone = Object.keys(flags).filter((flag) => !options.has(flag));
  if (gone.length > 0) {
    const known = [...options.keys()];
    const guesses = gone.map((flag) => `${flag}${orMeant(flag, known)}`);
    throw usage(
      `The view "${name}" uses what ${resource.command} list no longer has: ${guesses.join(', ')}.`,
      {
        hint: boh.hint`To save it again: ${boh.plain('views save', name, resource.command)} …; to delete it: ${boh.plain('views delete', name)}`,
      },
    );
  }
  for (const [flag, value] of Object.entries(flags)) setUnlessGiven(command, options.get(flag), value);
}

function setUnlessGiven(command: Command, option: Option | undefined, value: SavedFlags[string]): void {
  if (!option) return;
  const attribute = option.attributeName();
  const isGiven = command.getOptionValueSource(attribute) === 'cli';
  if (!isGiven) command.setOptionValueWithSource(attribute, value, 'config');
  else if (Array.isArray(value)) {
    const typed: unknown = command.getOptionValue(attribute);
    command.setOptionValueWithSource(attribute, [...value, ...(Array.isArray(typed) ? typed : [])], 'cli');
  }
}

/** The line that a view stands for. */
export function lineOf({ resource, flags }: SavedView, resources: readonly Resource[]): string {
  const command = resources.find(({ name }) => name === resource)?.command ?? resource;
  const words = Object.entries(flags).flatMap(([flag, value]) => {
    if (value === true) return [flag];
    if (value === false) return [`${flag}=false`];
    return [value].flat().flatMap((text) => [flag, quote(String(text))]);
  });
  return ['boh', command, 'list', ...words].join(' ');
}

/** Views are of lists. */
export function listOf(resource: Resource) {
  const list = operation(resource, 'list');
  if (!list) throw usage(`${resource.command} has no list to make a view of.`);
  return list;
}
