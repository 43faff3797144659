/** `boh views list`, `show NAME` and `delete NAME`. */
import { Command } from 'commander';
import { usage } from '../../errors.ts';
import type { Context } from '../../interaction/context.ts';
import { presented } from '../../interaction/output/present.ts';
import { type Result, told } from '../../interaction/output/result.ts';
import { putView, viewNamed, viewsIn } from '../../settings/change-views.ts';
import { openStore } from '../../settings/store.ts';
import type { SavedViews } from '../../settings/views.ts';
import { prepare } from '../prepare.ts';
import { lineOf } from './saved-flags.ts';

export function listCommand(context: Context): Command {
  return prepare(new Command('list'))
    .description('List the saved views of the profile in use.')
    .action(presented(context, () => list(context)));
}

export function showCommand(context: Context): Command {
  return prepare(new Command('show'))
    .description('Show the line that a view stands for.')
    .argument('<view>', 'its name')
    .action(presented(context, (name: string) => show(name, context)));
}

export function deleteCommand(context: Context): Command {
  return prepare(new Command('delete'))
    .description('Forget a view.')
    .argument('<view>', 'its name')
    .action(presented(context, (name: string) => remove(name, context)));
}

/** Those of the profile in use, or of lines that use none. */
export async function savedViews({ env, settings }: Context): Promise<SavedViews> {
  const { profile } = await settings();
  return viewsIn((await openStore(env).read()).config, profile);
}

async function list(context: Context): Promise<Result> {
  const views = await savedViews(context);
  return {
    kind: 'facts',
    facts: Object.entries(views).map(([name, view]) => ({
      name,
      ...view,
      line: lineOf(view, context.api.resources),
    })),
    columns: [{ name: 'name', whole: true }, { name: 'line' }],
    key: 'name',
    ifNone: 'There is no view yet. Save one: boh views save NAME RESOURCE --columns name',
  };
}

async function show(name: string, context: Context): Promise<Result> {
  const view = viewNamed(await savedViews(context), name);
  const line = lineOf(view, context.api.resources);
  return { kind: 'facts', facts: { name, ...view, line }, text: line };
}

async function remove(name: string, { env, settings, globals }: Context): Promise<Result> {
  if (globals.dryRun) throw usage('Nothing is sent to forget a view: leave out --dry-run.');
  const { profile } = await settings();
  await openStore(env).update((config) => {
    viewNamed(viewsIn(config, profile), name);
    return putView(config, profile, name, undefined);
  });
  return told(`View "${name}" deleted.`);
}
