/** `boh views …`: saves, lists, shows and deletes views, which are named flags of a list. */
import { usage } from '../../base/errors.ts';
import { boh, formatHint } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import type { Resource } from '../../contract/resource.ts';
import { createAction } from '../../output/present.ts';
import { messageResult, type Result } from '../../output/result.ts';
import { parseView } from '../../output/view.ts';
import { putView, requireView, viewsOf } from '../../settings/config.ts';
import { openStore } from '../../settings/store.ts';
import { isViewName } from '../../settings/views.ts';
import { Command } from '../command.ts';
import { resolveResource } from '../flags/resource-flag.ts';
import { parseCommandLine } from '../line/command-line.ts';
import { groupCommand, prepare } from '../prepare.ts';
import { addListFlags, type ListCommandFlags, parseListFlags } from '../verbs/list.ts';
import { commandLineOf, flagsOnCommandLine, listOf, readSavedViews } from './saved-view.ts';

const about = 'Save the filters and columns of a list as a view. To use it: boh RESOURCE list --view NAME.';

/** Returns the command `boh views` with its subcommands. `words` are the arguments that follow `views`. */
export function viewsCommand(context: Context, words: readonly string[]): Command {
  return groupCommand('views', about, [
    saveCommand(context, words).summary('Save the flags of a list as a view'),
    listCommand(context).summary('List the saved views'),
    showCommand(context).summary('Show the command line of a view'),
    deleteCommand(context).summary('Delete a view'),
  ]);
}

/** Returns the command `boh views save`, with the flags of the list of the resource that its second operand names. */
function saveCommand(context: Context, words: readonly string[]): Command {
  const { operands } = parseCommandLine(words);
  const resource = context.api?.findResource(operands[1] ?? '');
  const command = prepare(new Command('save'))
    .description('Save the filters, columns and other flags of a list as a view, in the profile in use.')
    .argument('<name>', 'the name of the view')
    .argument('<resource>', 'the resource to list')
    .argument('[list]', 'always "list"; may be omitted');
  if (resource?.list) addListFlags(command, listOf(resource), { withView: false });
  command.examples('boh views save low-stock inventory-items --category-id @Dry --columns name,par_level');
  return command.action(
    createAction(context, (name: string, resourceName: string, verb: string | undefined) =>
      saveView({ name, resourceName, verb }, command, context),
    ),
  );
}

async function saveView(
  { name, resourceName, verb }: { name: string; resourceName: string; verb: string | undefined },
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
  const flags = flagsOnCommandLine(command);
  if (Object.keys(flags).length === 0)
    throw usage('Missing the flags to save in the view.', {
      hint: boh.help(`${resource.command} list`),
    });
  await checkFlags(command, resource, context);
  const { profile } = await context.settings();
  const store = openStore(env);
  await store.update((config) => {
    if (Object.hasOwn(viewsOf(config, profile), name) && !globals.yes) {
      throw usage(`View "${name}" already exists.`, { hint: 'To replace it, add --yes.' });
    }
    return putView(config, profile, name, { resource: resource.name, flags });
  });
  const commandLine = commandLineOf({ resource: resource.name, flags }, api.resources);
  return messageResult(boh.hint`View "${name}" saved: ${commandLine}`);
}

/** Throws if the list would reject the flags. */
async function checkFlags(command: Command, resource: Resource, context: Context): Promise<void> {
  const flags = command.opts<ListCommandFlags>();
  await parseListFlags(command, resource, context);
  const { columns, query } = flags;
  await parseView(context, resource, {
    ...(columns !== undefined && { columns }),
    ...(query !== undefined && { query }),
  });
}

function listCommand(context: Context): Command {
  return prepare(new Command('list'))
    .description('List the saved views of the profile in use.')
    .action(createAction(context, () => listViews(context)));
}

function showCommand(context: Context): Command {
  return prepare(new Command('show'))
    .description('Show the command line of a view.')
    .argument('<view>', 'the name of the view')
    .action(createAction(context, (name: string) => showView(name, context)));
}

function deleteCommand(context: Context): Command {
  return prepare(new Command('delete'))
    .description('Delete a view.')
    .argument('<view>', 'the name of the view')
    .action(createAction(context, (name: string) => deleteView(name, context)));
}

async function listViews(context: Context): Promise<Result> {
  const views = await readSavedViews(context);
  return {
    kind: 'data',
    data: Object.entries(views).map(([name, view]) => ({
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
  };
}

async function showView(name: string, context: Context): Promise<Result> {
  const view = requireView(await readSavedViews(context), name);
  const commandLine = formatHint(commandLineOf(view, context.api.resources));
  return { kind: 'data', data: { name, ...view, line: commandLine }, text: commandLine };
}

async function deleteView(name: string, { env, settings }: Context): Promise<Result> {
  const { profile } = await settings();
  await openStore(env).update((config) => {
    requireView(viewsOf(config, profile), name);
    return putView(config, profile, name, undefined);
  });
  return messageResult(`View "${name}" deleted.`);
}
