/** `boh config …`: shows the settings in effect, and changes stored settings. */
import { Failure } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { createAction, present } from '../../output/present.ts';
import { messageResult, type Result } from '../../output/result.ts';
import type { Config } from '../../settings/config.ts';
import { getSetting, listSettings, setSetting, unsetSetting } from '../../settings/config-values.ts';
import { isSettingName, settingDefinitions, settingNames } from '../../settings/setting-definitions.ts';
import { openStore } from '../../settings/store.ts';
import { Command } from '../command.ts';
import { groupCommand, prepare } from '../prepare.ts';
import {
  changeStoredSettings,
  loadStoredSettings,
  namedProfile,
  profileToChange,
} from './stored-settings.ts';

const about = 'Show and change settings.';

/** Returns the command `boh config` with its subcommands. */
export function configCommand(context: Context): Command {
  return groupCommand('config', about, [
    getCommand(context).summary('Print the value of a setting'),
    setCommand(context).summary('Change a setting of one profile or of all'),
    unsetCommand(context).summary('Remove the value of a setting'),
    listCommand(context).summary('List all settings with their values and sources'),
    pathCommand(context).summary('Print the path of the settings file'),
  ]);
}

const preferences = settingNames.filter((name) => settingDefinitions[name].kind === 'preference');
const scopeNote = `Without --profile, these settings apply to all profiles: ${preferences.join(', ')}. All others apply to the active profile.`;

function setCommand(context: Context): Command {
  return prepare(new Command('set'))
    .description(`Change a setting. ${scopeNote}`)
    .argument('<setting>', 'for example output; to list all: boh config list')
    .argument('<value>', 'the new value')
    .examples('boh config set output json', 'boh config set base_url https://api.example.com --profile shop')
    .action(
      createAction(context, (name: string, value: string) =>
        changeSetting(name, context, (config, profile) => setSetting(config, profile, name, value)),
      ),
    );
}

function unsetCommand(context: Context): Command {
  return prepare(new Command('unset'))
    .description(`Unset a setting, so that its default applies. ${scopeNote}`)
    .argument('<setting>', 'for example output; to list all: boh config list')
    .examples('boh config unset output')
    .action(
      createAction(context, (name: string) =>
        changeSetting(name, context, (config, profile) => unsetSetting(config, profile, name)),
      ),
    );
}

async function changeSetting(
  name: string,
  context: Context,
  update: (config: Config, profile: string | undefined) => Config,
): Promise<Result> {
  let profile: string | undefined;
  const config = await changeStoredSettings(context, (storedConfig) => {
    profile = profileFor(name, storedConfig, context);
    return update(storedConfig, profile);
  });
  return messageResult(describeValue(name, profile, config, context));
}

/** Returns the profile that a change is for; undefined for all profiles. */
function profileFor(name: string, config: Config, context: Context): string | undefined {
  const isPreference = isSettingName(name) && settingDefinitions[name].kind === 'preference';
  return isPreference ? namedProfile(context) : profileToChange(config, context);
}

/** Returns a message with the value in effect, which can differ from the stored value. */
function describeValue(name: string, profile: string | undefined, config: Config, { env }: Context): string {
  const setting = getSetting({ flags: { profile }, environment: env, config }, name);
  const profileText = profile === undefined ? '' : ` of profile ${profile}`;
  const value = Array.isArray(setting?.value) ? setting.value.join(' ') : (setting?.value ?? 'not set');
  const sourceTexts = {
    flag: '',
    environment: ', from the environment',
    profile: '',
    preset: ', from the preset',
    default: ', the default',
  };
  return `${name}${profileText} is ${value}${sourceTexts[setting?.source ?? 'profile']}.`;
}

function getCommand(context: Context): Command {
  return prepare(new Command('get'))
    .description('Print the value of a setting in effect. Exits with 5 if it is not set.')
    .argument('<setting>', 'for example base_url; to list all: boh config list')
    .examples('boh config get base_url')
    .action((name: string) => printSetting(name, context));
}

function listCommand(context: Context): Command {
  return prepare(new Command('list'))
    .alias('ls')
    .description('List all settings with the values in effect and their sources.')
    .action(() => printSettings(context));
}

/** Returns the command `boh config path`, which also works if the file can't be read. */
function pathCommand(context: Context): Command {
  return prepare(new Command('path'))
    .description('Print the path of the file that stores the settings and tokens.')
    .action(
      createAction(context, () => {
        const { path } = openStore(context.env);
        return { kind: 'text', text: `${path}\n`, value: path };
      }),
    );
}

/** Prints the value of a setting as text, or in the format of `-o`. */
async function printSetting(name: string, baseContext: Context): Promise<void> {
  const { config, context } = await loadStoredSettings(baseContext);
  const { env: environment, globals: flags } = context;
  const setting = getSetting({ flags, environment, config, newProfile: true }, name);
  if (setting?.value === undefined) {
    throw new Failure('not_found', `${name} is not set.`, {
      hint: boh.hint`To list all settings: ${boh.account('config list')}`,
    });
  }
  const text = Array.isArray(setting.value) ? setting.value.join(' ') : String(setting.value);
  await present(context, { kind: 'text', text: `${text}\n`, value: setting.value });
}

async function printSettings(baseContext: Context): Promise<void> {
  const { config, context } = await loadStoredSettings(baseContext);
  const { env: environment, globals: flags } = context;
  const rows = listSettings({ flags, environment, config, newProfile: true }).map(
    ({ name, value = null, source = null, summary }) => ({ name, value, source, summary }),
  );
  const columns = [
    { name: 'name', isIndivisible: true },
    { name: 'value' },
    { name: 'source' },
    { name: 'summary' },
  ];
  await present(context, { kind: 'data', data: rows, columns, idField: 'name' });
}
