/** `boh config …`: shows the settings in effect, and changes stored settings. */

import type { Config } from '../../account/settings/config.ts';
import { getSetting, listSettings, setSetting, unsetSetting } from '../../account/settings/config-values.ts';
import { environmentValue } from '../../account/settings/resolve.ts';
import {
  isSettingName,
  settingDefinitions,
  settingNames,
} from '../../account/settings/setting-definitions.ts';
import { type LoadedSettings, loadSettings, openStore } from '../../account/settings/store.ts';
import { Failure } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Context } from '../context/context.ts';
import { present } from '../output/present.ts';
import { messageResult, type Result } from '../output/result.ts';
import { warn } from '../terminal/messages.ts';
import type { Command } from './command.ts';
import { createCommand, groupCommand } from './declare.ts';

/** Returns the command `boh config` with its subcommands. */
export function configCommand(context: Context): Command {
  return groupCommand('config', 'Show and change settings.', [
    createCommand(context, {
      name: 'get',
      summary: 'Print the value of a setting',
      about: 'Print the value of a setting in effect. Exits with 5 if it is not set.',
      args: [['<setting>', 'for example base_url; to list all: boh config list']],
      examples: ['boh config get base_url'],
      // Prints text, or the format of `-o`.
      run: async ([name]) => {
        const stored = await loadStoredSettings(context);
        const setting = getSetting({ ...inputOf(context, stored), newProfile: true }, name);
        if (setting?.value === undefined) {
          throw new Failure('not_found', `${name} is not set.`, {
            hint: boh.hint`To list all settings: ${boh.account('config list')}`,
          });
        }
        const text = Array.isArray(setting.value) ? setting.value.join(' ') : String(setting.value);
        await present(stored.context, { kind: 'text', text: `${text}\n`, value: setting.value });
      },
    }),
    createCommand(context, {
      name: 'set',
      summary: 'Change a setting of one profile or of all',
      about: `Change a setting. ${scopeNote}`,
      args: [settingArgument, ['<value>', 'the new value']],
      examples: [
        'boh config set output json',
        'boh config set base_url https://api.example.com --profile shop',
      ],
      run: ([name, value]) =>
        changeSetting(name, context, (config, profile) => setSetting(config, profile, name, value)),
    }),
    createCommand(context, {
      name: 'unset',
      summary: 'Remove the value of a setting',
      about: `Unset a setting, so that its default applies. ${scopeNote}`,
      args: [settingArgument],
      examples: ['boh config unset output'],
      run: ([name]) => changeSetting(name, context, (config, profile) => unsetSetting(config, profile, name)),
    }),
    createCommand(context, {
      name: 'list',
      alias: 'ls',
      summary: 'List all settings with their values and sources',
      about: 'List all settings with the values in effect and their sources.',
      run: async () => {
        const stored = await loadStoredSettings(context);
        const data = listSettings({ ...inputOf(context, stored), newProfile: true }).map(
          ({ name, value = null, source = null, summary }) => ({ name, value, source, summary }),
        );
        const columns = [
          { name: 'name', isIndivisible: true },
          { name: 'value' },
          { name: 'source' },
          { name: 'summary' },
        ];
        await present(stored.context, { kind: 'data', data, columns, idField: 'name' });
      },
    }),
    createCommand(context, {
      name: 'path',
      summary: 'Print the path of the settings file',
      about: 'Print the path of the file that stores the settings and tokens.',
      run: () => {
        const { path } = openStore(context.env);
        return { kind: 'text', text: `${path}\n`, value: path };
      },
    }),
  ]);
}

const preferences = settingNames.filter((name) => settingDefinitions[name].kind === 'preference');
const scopeNote = `Without --profile, these settings apply to all profiles: ${preferences.join(', ')}. All others apply to the active profile.`;

const settingArgument = ['<setting>', 'for example output; to list all: boh config list'] as const;

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

function inputOf({ env, globals }: Context, { config }: LoadedSettings) {
  return { flags: globals, environment: env, config };
}

/**
 * Returns the settings in effect and their sources. Accepts a profile that doesn't exist, because these commands can
 * create it. The returned context uses these settings, for example for the output format.
 */
export async function loadStoredSettings(context: Context): Promise<LoadedSettings & { context: Context }> {
  const loadedSettings = await loadSettings(context.globals, context.env, { newProfile: true });
  for (const message of loadedSettings.notes) warn(context.streams, message);
  return { ...loadedSettings, context: { ...context, settings: async () => loadedSettings.settings } };
}

/** Changes the stored settings and returns the new settings. If `change` throws, they stay unchanged. */
export async function changeStoredSettings(
  { env, streams }: Context,
  change: (config: Config) => Config,
): Promise<Config> {
  const { config, notes } = await openStore(env).update(change);
  for (const message of notes) warn(streams, message);
  return config;
}

/** Returns the profile to change: the named profile, even if it doesn't exist, or else the active profile. */
export function profileToChange({ active }: Config, { globals, env }: Context): string | undefined {
  return namedProfile({ globals, env }) ?? active;
}

/** Returns the profile that `--profile` or BOH_PROFILE names. */
export function namedProfile({ globals, env }: Pick<Context, 'globals' | 'env'>): string | undefined {
  return globals.profile ?? environmentValue(env, 'BOH_PROFILE');
}
