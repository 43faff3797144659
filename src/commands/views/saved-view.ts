/** Saves the flags of a list as a view, and applies them to another command line. */
import type { Option } from 'commander';
import { usage } from '../../base/errors.ts';
import { boh, type CommandLine } from '../../base/hint.ts';
import { orDidYouMean } from '../../base/suggest.ts';
import type { Context } from '../../context/context.ts';
import { operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { requireView, viewsOf } from '../../settings/config.ts';
import { openStore } from '../../settings/store.ts';
import type { SavedFlags, SavedView, SavedViews } from '../../settings/views.ts';
import type { Command } from '../command.ts';

/** Flags that a view doesn't save: they don't change which records and columns the list shows. */
const unsavedFlags = ['--view', '--watch'];

/** Returns the flags of the command line, by long name. */
export function flagsOnCommandLine(command: Command): SavedFlags {
  return Object.fromEntries(
    command.options.flatMap((option) => {
      const { long } = option;
      const attribute = option.attributeName();
      const isFromCommandLine = command.getOptionValueSource(attribute) === 'cli';
      if (!long || !isFromCommandLine || unsavedFlags.includes(long)) return [];
      return [[long, command.getOptionValue(attribute)]];
    }),
  );
}

/** Applies a saved view to the command of a list. Throws a usage failure if the view doesn't exist. */
export async function useView(
  name: string,
  command: Command,
  resource: Resource,
  context: Context,
): Promise<void> {
  applyView(command, resource, name, requireView(await readSavedViews(context), name));
}

/** Returns the views of the profile in use, or those saved without a profile. */
export async function readSavedViews({ env, settings }: Context): Promise<SavedViews> {
  const { profile } = await settings();
  return viewsOf((await openStore(env).read()).config, profile);
}

/**
 * Sets the flags of the view that the command line doesn't have; repeatable flags are added. Throws a usage failure if the
 * view is for another resource or has a flag that no longer exists: without a filter, the list would have other records.
 */
function applyView(
  command: Command,
  resource: Resource,
  name: string,
  { resource: viewResource, flags }: SavedView,
): void {
  if (viewResource !== resource.name)
    throw usage(`The view "${name}" is for ${viewResource.replaceAll('_', '-')}, not ${resource.command}.`);
  const options = new Map(command.options.map((option) => [option.long ?? '', option]));
  const missingFlags = Object.keys(flags).filter((flag) => !options.has(flag));
  if (missingFlags.length > 0) {
    const allowedFlags = [...options.keys()];
    const suggestions = missingFlags.map((flag) => `${flag}${orDidYouMean(flag, allowedFlags)}`);
    throw usage(
      `The view "${name}" uses flags that ${resource.command} list no longer has: ${suggestions.join(', ')}.`,
      {
        hint: boh.hint`To save it again: ${boh.account('views save', name, resource.command)} …; to delete it: ${boh.account('views delete', name)}`,
      },
    );
  }
  for (const [flag, value] of Object.entries(flags))
    setUnlessOnCommandLine(command, options.get(flag), value);
}

function setUnlessOnCommandLine(
  command: Command,
  option: Option | undefined,
  value: SavedFlags[string],
): void {
  if (!option) return;
  const attribute = option.attributeName();
  const isFromCommandLine = command.getOptionValueSource(attribute) === 'cli';
  if (!isFromCommandLine) command.setOptionValueWithSource(attribute, value, 'config');
  else if (Array.isArray(value)) {
    const commandLineValue: unknown = command.getOptionValue(attribute);
    command.setOptionValueWithSource(
      attribute,
      [...value, ...(Array.isArray(commandLineValue) ? commandLineValue : [])],
      'cli',
    );
  }
}

/** Returns the command line that has the same result as the view. */
export function commandLineOf({ resource, flags }: SavedView, resources: readonly Resource[]): CommandLine {
  const command = resources.find(({ name }) => name === resource)?.command ?? resource;
  const words = Object.entries(flags).flatMap(([flag, value]) => {
    if (value === true) return [flag];
    if (value === false) return [`${flag}=false`];
    return [value].flat().flatMap((text) => [flag, String(text)]);
  });
  return { command: `${command} list`, args: words, flags: 'account' };
}

/** Returns the list operation of a resource. Throws a usage failure if the resource doesn't have one. */
export function listOf(resource: Resource) {
  const list = operation(resource, 'list');
  if (!list) throw usage(`${resource.command} has no list to save as a view.`);
  return list;
}
