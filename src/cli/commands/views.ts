/** `boh views …`: saves, lists, shows and deletes views, which are named flags of a list. */

import { isViewName, putView, requireView, viewsOf } from '../../account/settings/config.ts';
import { openStore } from '../../account/settings/store.ts';
import { usage } from '../../base/errors.ts';
import { boh, formatHint } from '../../base/hint.ts';
import type { Context } from '../context/context.ts';
import { messageResult, type Result } from '../output/result.ts';
import { parseView } from '../output/view.ts';
import type { Command } from './command.ts';
import { createCommand, groupCommand } from './declare.ts';
import { resolveResource } from './flags/shared-flags.ts';
import { parseCommandLine } from './line/command-line.ts';
import {
  commandLineOf,
  flagsOnCommandLine,
  type ListCommandFlags,
  listFlags,
  listOf,
  parseListFlags,
  readSavedViews,
} from './verbs/read.ts';

/** Returns the command `boh views` with its subcommands. `words` are the arguments that follow `views`. */
export function viewsCommand(context: Context, words: readonly string[]): Command {
  return groupCommand(
    'views',
    'Save the filters and columns of a list as a view. To use it: boh RESOURCE list --view NAME.',
    [
      saveCommand(context, words),
      createCommand(context, {
        name: 'list',
        summary: 'List the saved views',
        about: 'List the saved views of the profile in use.',
        run: async () => ({
          kind: 'data',
          data: Object.entries(await readSavedViews(context)).map(([name, view]) => ({
            name,
            ...view,
            line: formatHint(commandLineOf(view, context.api.resources)),
          })),
          columns: [
            { name: 'name', isIndivisible: true },
            { name: 'line', header: 'command' },
          ],
          idField: 'name',
          emptyNote: boh.hint`No views yet. To save one: ${boh.account('views save', 'NAME', 'suppliers', '--columns', 'name')}`,
        }),
      }),
      createCommand(context, {
        name: 'show',
        about: 'Show the command line of a view.',
        args: [['<view>', 'the name of the view']],
        run: async ([name]) => {
          const view = requireView(await readSavedViews(context), name);
          const commandLine = formatHint(commandLineOf(view, context.api.resources));
          return { kind: 'data', data: { name, ...view, line: commandLine }, text: commandLine };
        },
      }),
      createCommand(context, {
        name: 'delete',
        about: 'Delete a view.',
        args: [['<view>', 'the name of the view']],
        run: async ([name]) => {
          const { profile } = await context.settings();
          await openStore(context.env).update((config) => {
            requireView(viewsOf(config, profile), name);
            return putView(config, profile, name, undefined);
          });
          return messageResult(`View "${name}" deleted.`);
        },
      }),
    ],
  );
}

/** Returns the command `boh views save`, with the flags of the list of the resource that its second operand names. */
function saveCommand(context: Context, words: readonly string[]): Command {
  const { operands } = parseCommandLine(words);
  const resource = context.api?.findResource(operands[1] ?? '');
  return createCommand(context, {
    name: 'save',
    summary: 'Save the flags of a list as a view',
    about: 'Save the filters, columns and other flags of a list as a view, in the profile in use.',
    args: [
      ['<name>', 'the name of the view'],
      ['<resource>', 'the resource to list'],
      ['[list]', 'always "list"; may be omitted'],
    ],
    flags: resource?.list ? listFlags(resource, { withView: false }) : [],
    examples: ['boh views save low-stock inventory-items --category-id @Dry --columns name,par_level'],
    run: (names, flags, command) => saveView(names, flags, command, context),
  });
}

async function saveView(
  [name, resourceName, verb]: readonly [string, string, string | undefined],
  flags: ListCommandFlags,
  command: Command,
  context: Context,
): Promise<Result> {
  const { api, env, globals } = context;
  if (!isViewName(name)) {
    throw usage(
      'The name of a view contains only letters, digits, "-", "_" and ".", and starts with a letter or digit.',
    );
  }
  const resource = resolveResource(resourceName, api);
  listOf(resource);
  if (verb !== undefined && verb !== 'list' && verb !== 'ls')
    throw usage(`A view saves a list, not ${verb}.`);
  const savedFlags = flagsOnCommandLine(command);
  if (Object.keys(savedFlags).length === 0)
    throw usage('Missing the flags to save in the view.', {
      hint: boh.help(`${resource.command} list`),
    });
  // The list must not reject the flags.
  await parseListFlags(flags, resource, context);
  await parseView(context, resource, flags);
  const { profile } = await context.settings();
  const store = openStore(env);
  await store.update((config) => {
    if (Object.hasOwn(viewsOf(config, profile), name) && !globals.yes) {
      throw usage(`View "${name}" already exists.`, { hint: 'To replace it, add --yes.' });
    }
    return putView(config, profile, name, { resource: resource.name, flags: savedFlags });
  });
  const commandLine = commandLineOf({ resource: resource.name, flags: savedFlags }, api.resources);
  return messageResult(boh.hint`View "${name}" saved: ${commandLine}`);
}
