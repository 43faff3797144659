/** `boh config get`, `list` and `path`: settings as they are, secrets never among them. */
import { Command } from 'commander';
import { Failure } from '../../errors.ts';
import type { Context } from '../../interaction/context.ts';
import { present, presented } from '../../interaction/output/present.ts';
import { getSetting, listSettings } from '../../settings/config-values.ts';
import { openStore } from '../../settings/store.ts';
import { prepare } from '../prepare.ts';
import { loadKept } from './kept-settings.ts';

export function getCommand(context: Context): Command {
  return prepare(new Command('get'))
    .description('Print the value in effect of a setting; as JSON with --json. Exit 5 where it has none.')
    .argument('<setting>', 'such as base_url; boh config list names them all')
    .action((name: string) => get(name, context));
}

export function listCommand(context: Context): Command {
  return prepare(new Command('list'))
    .alias('ls')
    .description('List all settings with the values in effect and where they come from.')
    .action(() => list(context));
}

/** Works with a file that can't be read, to say which one it is. */
export function pathCommand(context: Context): Command {
  return prepare(new Command('path'))
    .description('Print the path of the file that holds the settings and tokens.')
    .action(
      presented(context, () => {
        const { path } = openStore(context.env);
        return { kind: 'text', text: `${path}\n`, value: path };
      }),
    );
}

/** A bare value, as scripts want it, unless a format is asked for on this very line. */
async function get(name: string, given: Context): Promise<void> {
  const { config, context } = await loadKept(given);
  const { env: environment, globals: flags } = context;
  const found = getSetting({ flags, environment, config, newProfile: true }, name);
  if (found?.value === undefined) {
    throw new Failure('not_found', `${name} is not set.`, {
      hint: 'See what is set, and where: boh config list',
    });
  }
  const text = Array.isArray(found.value) ? found.value.join(' ') : String(found.value);
  await present(context, { kind: 'text', text: `${text}\n`, value: found.value });
}

async function list(given: Context): Promise<void> {
  const { config, context } = await loadKept(given);
  const { env: environment, globals: flags } = context;
  const rows = listSettings({ flags, environment, config, newProfile: true }).map(
    ({ name, value = null, source = null, summary }) => ({ name, value, source, summary }),
  );
  const columns = [{ name: 'name', whole: true }, { name: 'value' }, { name: 'source' }, { name: 'summary' }];
  await present(context, { kind: 'facts', facts: rows, columns, key: 'name' });
}
