/** `boh views save NAME RESOURCE [flags of its list]`. */
import { Command } from 'commander';
import type { Resource } from '../../contract/resource.ts';
import { usage } from '../../errors.ts';
import type { Context } from '../../interaction/context.ts';
import { readQuery } from '../../interaction/input/list-query.ts';
import { presented } from '../../interaction/output/present.ts';
import { type Result, told } from '../../interaction/output/result.ts';
import { readView } from '../../interaction/output/view.ts';
import { putView, viewsIn } from '../../settings/change-views.ts';
import { openStore } from '../../settings/store.ts';
import { isViewName } from '../../settings/views.ts';
import { givenValues } from '../flags/field-flags.ts';
import { readLine } from '../line/read-line.ts';
import { prepare } from '../prepare.ts';
import { addListFlags } from '../verbs/list.ts';
import type { ListCommandFlags } from '../verbs/run-list.ts';
import { flagsGiven, lineOf, listOf } from './saved-flags.ts';

/** `words` follow `views` on the line: the second of its operands says whose flags there are. */
export function saveCommand(context: Context, words: readonly string[]): Command {
  const { operands } = readLine(words);
  const resource = context.api?.resourceCalled(operands[1] ?? '');
  const command = prepare(new Command('save'))
    .description('Keep the filters, columns and other flags of a list under a name, in the profile in use.')
    .argument('<name>', 'what to call it')
    .argument('<resource>', 'whose list it is')
    .argument('[list]', 'the word may stand there, as on the line itself');
  if (resource?.list) addListFlags(command, listOf(resource), { withView: false });
  command.addHelpText(
    'after',
    () =>
      '\nExample:\n  boh views save low-stock inventory-items --category-id @Dry --columns name,par_level',
  );
  return command.action(
    presented(context, (name: string, word: string, verb: string | undefined) =>
      save({ name, word, verb }, command, context),
    ),
  );
}

async function save(
  { name, word, verb }: { name: string; word: string; verb: string | undefined },
  command: Command,
  context: Context,
): Promise<Result> {
  const { api, env, globals } = context;
  if (globals.dryRun) throw usage('Nothing is sent to save a view: leave out --dry-run.');
  if (!isViewName(name)) {
    throw usage(
      'The name of a view is made of letters, digits, "-", "_" and ".", and begins with a letter or digit.',
    );
  }
  const resource = api.resourceCalled(word);
  if (!resource) {
    const { didYouMean } = await import('../../suggest.ts');
    throw usage(
      `There is no resource "${word}".${didYouMean(
        word,
        api.resources.map((it) => it.command),
      )}`,
    );
  }
  listOf(resource);
  if (verb !== undefined && verb !== 'list' && verb !== 'ls')
    throw usage(`Views are of lists, not of ${verb}.`);
  const flags = flagsGiven(command);
  if (Object.keys(flags).length === 0)
    throw usage('The view has no flags: it would be the list as it is.', {
      hint: `Which it can have: boh ${resource.command} list --help`,
    });
  await refuseWrong(command, resource, context);
  const { profile } = await context.settings();
  const store = openStore(env);
  await store.update((config) => {
    if (Object.hasOwn(viewsIn(config, profile), name) && !globals.yes) {
      throw usage(`There is a view "${name}" already.`, { hint: 'To put this one in its place, add --yes.' });
    }
    return putView(config, profile, name, { resource: resource.name, flags });
  });
  return told(`View "${name}" saved: ${lineOf({ resource: resource.name, flags }, api.resources)}`);
}

/** What could never be listed is no view. */
async function refuseWrong(command: Command, resource: Resource, context: Context): Promise<void> {
  const flags = command.opts<ListCommandFlags>();
  const filters = givenValues(
    command,
    resource.filters.map(({ name }) => name),
  );
  await readQuery(resource, { ...flags, filters }, context.now(), context.globals.unchecked ?? false);
  const { columns, query } = flags;
  await readView(context, resource, {
    ...(columns !== undefined && { columns }),
    ...(query !== undefined && { query }),
  });
}
