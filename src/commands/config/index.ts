/** `boh config …`: the settings in effect, and changing those that are kept. */
import { Failure } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { present, presented } from '../../output/present.ts';
import { type Result, told } from '../../output/result.ts';
import type { Config } from '../../settings/config.ts';
import { getSetting, listSettings, setSetting, unsetSetting } from '../../settings/config-values.ts';
import { isSettingName, settingList, settingNames } from '../../settings/setting-list.ts';
import { openStore } from '../../settings/store.ts';
import { Command } from '../command.ts';
import { groupCommand, prepare } from '../prepare.ts';
import { changeKept, loadKept, namedProfile, profileMeant } from './kept-settings.ts';

const about = 'Settings: those in effect, and those that are kept.';

/** Builds the command with those below it. */
export function configCommand(context: Context): Command {
  return groupCommand('config', about, [
    getCommand(context).summary('Print the value of a setting'),
    setCommand(context).summary('Set a value, for a profile or for all'),
    unsetCommand(context).summary('Take a value away'),
    listCommand(context).summary('List all settings with their values and where those come from'),
    pathCommand(context).summary('Print where the settings are kept'),
  ]);
}

const preferences = settingNames.filter((name) => settingList[name].kind === 'preference');
const whose = `Without --profile, ${preferences.join(', ')} are set for all profiles, everything else for the active one.`;

function setCommand(context: Context): Command {
  return prepare(new Command('set'))
    .description(`Set a value. ${whose}`)
    .argument('<setting>', 'such as output; boh config list names them all')
    .argument('<value>')
    .action(
      presented(context, (name: string, value: string) =>
        change(name, context, (config, profile) => setSetting(config, profile, name, value)),
      ),
    );
}

function unsetCommand(context: Context): Command {
  return prepare(new Command('unset'))
    .description(`Take a value away, so that the next source counts again. ${whose}`)
    .argument('<setting>')
    .action(
      presented(context, (name: string) =>
        change(name, context, (config, profile) => unsetSetting(config, profile, name)),
      ),
    );
}

async function change(
  name: string,
  context: Context,
  changed: (config: Config, profile: string | undefined) => Config,
): Promise<Result> {
  let profile: string | undefined;
  const config = await changeKept(context, (before) => {
    profile = profileFor(name, before, context);
    return changed(before, profile);
  });
  return told(inEffect(name, profile, config, context));
}

/** Undefined for all profiles. */
function profileFor(name: string, config: Config, context: Context): string | undefined {
  const isPreference = isSettingName(name) && settingList[name].kind === 'preference';
  return isPreference ? namedProfile(context) : profileMeant(config, context);
}

/** What is in effect now, which can be something else than what was set. */
function inEffect(name: string, profile: string | undefined, config: Config, { env }: Context): string {
  const found = getSetting({ flags: { profile }, environment: env, config }, name);
  const of = profile === undefined ? '' : ` of profile ${profile}`;
  const value = Array.isArray(found?.value) ? found.value.join(' ') : (found?.value ?? 'not set');
  const from = { flag: '', environment: ', from the environment', profile: '', default: ', the default' };
  return `${name}${of} is ${value}${from[found?.source ?? 'profile']}.`;
}

function getCommand(context: Context): Command {
  return prepare(new Command('get'))
    .description('Print the value in effect of a setting; as JSON with --json. Exit 5 where it has none.')
    .argument('<setting>', 'such as base_url; boh config list names them all')
    .action((name: string) => get(name, context));
}

function listCommand(context: Context): Command {
  return prepare(new Command('list'))
    .alias('ls')
    .description('List all settings with the values in effect and where they come from.')
    .action(() => list(context));
}

/** Works with a file that can't be read, to say which one it is. */
function pathCommand(context: Context): Command {
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
      hint: boh.hint`To see what is set, and where: ${boh.account('config list')}`,
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
