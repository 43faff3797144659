/** `boh profiles …`: manages profiles, each with the settings of one business and environment. */

import {
  addProfile,
  type Config,
  type Profile,
  removeProfile,
  renameProfile,
  requireProfile,
  useProfile,
} from '../../account/settings/config.ts';
import { setSetting } from '../../account/settings/config-values.ts';
import { environmentValue } from '../../account/settings/resolve.ts';
import {
  type SettingName,
  settingDefinitions,
  settingNames,
} from '../../account/settings/setting-definitions.ts';
import { flagName } from '../../api/contract/value-text.ts';
import { findDeployment } from '../../api/deployments/index.ts';
import { Failure, type FieldMessages, usage, violations } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Context, Globals } from '../context/context.ts';
import { present } from '../output/present.ts';
import { messageResult, type Result } from '../output/result.ts';
import { confirmAction } from '../prompts/confirm.ts';
import { promptsFor } from '../prompts/terminal/prompts.ts';
import { warn } from '../terminal/messages.ts';
import type { ShownRow } from '../terminal/value-at.ts';
import type { Command } from './command.ts';
import { changeStoredSettings, loadStoredSettings } from './config.ts';
import { createCommand, groupCommand } from './declare.ts';
import { flagValues } from './flags/contract-flags.ts';
import type { Flag } from './flags/flag-table.ts';

/** Returns the command `boh profiles` with its subcommands. */
export function profilesCommand(context: Context): Command {
  return groupCommand(
    'profiles',
    'Manage profiles: each has the settings and the token of one business and environment.',
    [
      createCommand(context, {
        name: 'list',
        alias: 'ls',
        about: 'List all profiles.',
        run: async () => {
          const { config, context: storedContext } = await loadStoredSettings(context);
          const data = Object.entries(config.profiles).map(([name, profile]) => rowOf(name, profile, config));
          const notes =
            data.length === 0 ? [boh.hint`No profiles yet. To create one: ${boh.profile('auth login')}`] : [];
          await present(storedContext, { kind: 'data', data, columns, idField: 'name', notes });
        },
      }),
      createCommand(context, {
        name: 'show',
        summary: 'Show the settings of a profile',
        about: 'Show the settings of a profile, and the account of its token.',
        args: [['[profile]', 'the name of a profile (default: the profile in use)']],
        run: ([name]) => show(name, context),
      }),
      createCommand(context, {
        name: 'use',
        summary: 'Change the active profile',
        about: 'Change the active profile, which commands use without --profile.',
        args: [['[profile]', 'the name of a profile; omit to be prompted']],
        examples: ['boh profiles use shop'],
        run: ([name]) => use(name, context),
      }),
      createCommand(context, {
        name: 'add',
        summary: 'Create a profile without signing in',
        about:
          'Create a profile with these settings, without signing in. The global flags --base-url, ' +
          '--api-prefix, --sandbox, --output, --quiet and --timeout are also saved.',
        args: [['<name>', 'the name of the new profile']],
        flags: settingFlags(),
        examples: ['boh profiles add rehearsal --sandbox --colour green'],
        run: ([name], flags) => add(name, flags, context),
      }),
      createCommand(context, {
        name: 'rename',
        summary: 'Rename a profile',
        about: 'Rename a profile. It keeps its token, and stays active.',
        args: [profileArgument, ['<new-name>', 'its new name']],
        examples: ['boh profiles rename default shop'],
        run: async ([from, to]) => {
          await changeStoredSettings(context, (config) => renameProfile(config, from, to));
          return messageResult(`Profile ${from} renamed to ${to}.`);
        },
      }),
      createCommand(context, {
        name: 'remove',
        summary: 'Remove a profile and its token',
        about:
          'Remove a profile, its settings and its token. Asks for confirmation if it has a token. The service still accepts the token.',
        args: [profileArgument],
        examples: ['boh profiles remove old-shop'],
        run: ([name]) => remove(name, context),
      }),
    ],
  );
}

const profileArgument = ['<profile>', 'the name of a profile'] as const;

const columns = [
  { name: 'active', show: (value: unknown) => (value === true ? '*' : '') },
  { name: 'name', isIndivisible: true },
  { name: 'place', header: 'service', value: serviceOf },
  { name: 'business' },
  { name: 'signed_in' },
  { name: 'protected' },
];

function serviceOf({ base_url: baseUrl, sandbox }: ShownRow): unknown {
  return sandbox === null ? baseUrl : `sandbox ${sandbox}`;
}

function rowOf(name: string, profile: Profile, { active }: Config) {
  return {
    name,
    active: name === active,
    base_url: profile.base_url ?? null,
    sandbox: profile.sandbox ?? null,
    business: profile.business_name ?? null,
    user: profile.user_name ?? null,
    signed_in: profile.token !== undefined,
    protected: profile.protected ?? false,
    colour: profile.colour ?? null,
  };
}

async function show(profileName: string | undefined, callerContext: Context): Promise<void> {
  const { config, settings, context } = await loadStoredSettings(callerContext);
  const name = profileName ?? settings.profile;
  if (name === undefined) {
    throw usage('No profile is in use.', {
      hint: boh.hint`Specify a profile: ${boh.plain('profiles show', 'NAME')}. To list all: ${boh.plain('profiles list')}`,
    });
  }
  const profile = requireProfile(config, name);
  const details = {
    name,
    active: name === config.active,
    ...Object.fromEntries(settingNames.flatMap((key) => (key in profile ? [[key, profile[key]]] : []))),
    has_client_secret: profile.client_secret !== undefined,
    signed_in: profile.token !== undefined,
    user: profile.user_name ?? null,
    business: profile.business_name ?? null,
    token_scopes: profile.token_scopes ?? null,
  };
  await present(context, { kind: 'data', data: details });
}

async function use(profileName: string | undefined, context: Context): Promise<Result> {
  const { config } = await loadStoredSettings(context);
  const name = profileName ?? (await chooseProfile(config, context));
  await changeStoredSettings(context, (config) => useProfile(config, name));
  const environmentProfile = environmentValue(context.env, 'BOH_PROFILE');
  if (environmentProfile !== undefined && environmentProfile !== name) {
    warn(context.streams, `BOH_PROFILE is set to ${environmentProfile}, and overrides the active profile.`);
  }
  return messageResult(`Profile ${name} is now active.`);
}

async function chooseProfile({ profiles, active }: Config, { streams }: Context): Promise<string> {
  const names = Object.keys(profiles);
  if (names.length === 0)
    throw usage('No profiles yet.', { hint: boh.hint`To create one: ${boh.profile('auth login')}` });
  if (!streams.interactive)
    throw usage('Missing the name of the profile.', { hint: boh.plain('profiles use', 'NAME') });
  const choices = names.map((value) => ({ value, label: value }));
  return (await promptsFor(streams)).choose({
    message: 'Which profile?',
    choices,
    ...(active !== undefined && { initial: active }),
  });
}

async function remove(name: string, context: Context): Promise<Result> {
  const { config } = await loadStoredSettings(context);
  const { token, business_name: business } = requireProfile(config, name);
  const signInText = `signed in${business === undefined ? '' : ` to ${business}`}`;
  if (token !== undefined) await confirmAction({ action: `remove profile ${name}, ${signInText}` }, context);
  const newConfig = await changeStoredSettings(context, (config) => removeProfile(config, name));
  const needsActive = config.active === name && Object.keys(newConfig.profiles).length > 0;
  const activeNotes = needsActive
    ? [boh.hint`No profile is active now. To choose one: ${boh.plain('profiles use', 'NAME')}`]
    : [];
  return messageResult(`Profile ${name} removed.`, ...activeNotes);
}

/** The settings of a new profile that global flags set. */
const globalSettings: Partial<
  Record<SettingName, (globals: Globals, env: Context['env']) => string | undefined>
> = {
  base_url: ({ baseUrl }) => baseUrl,
  api_prefix: ({ apiPrefix }) => apiPrefix,
  sandbox: ({ sandbox }, { BOH_SANDBOX }) => (sandbox ? BOH_SANDBOX || 'default' : undefined),
  output: ({ output }) => output,
  quiet: ({ quiet }) => (quiet ? 'true' : undefined),
  timeout: ({ timeout }) => timeout,
};

function settingFlags(): Flag[] {
  const names = settingNames.filter((name) => !(name in globalSettings));
  return names.map((name) => [
    `--${flagName(name)}${name === 'protected' ? '' : ' <value>'}`,
    settingDefinitions[name].summary,
  ]);
}

async function add(name: string, flags: object, context: Context): Promise<Result> {
  const texts = settingNames.map((setting) => [setting, flagTextOf(setting, flags, context)] as const);
  const { base_url: baseUrl, sandbox, like } = Object.fromEntries(texts);
  // The address of a preset is stored, because it decides which account a token is for.
  const hasAddress = baseUrl ?? sandbox ?? context.env.BOH_BASE_URL;
  const address = hasAddress ? undefined : findDeployment(like)?.addresses[0]?.base_url;
  const values = [...texts, ['base_url', address] as const].flatMap(([setting, text]) =>
    text === undefined ? [] : [[setting, text] as const],
  );
  const { active } = await changeStoredSettings(context, (config) =>
    addSettings(addProfile(config, name), name, values),
  );
  const useNote = active === name ? 'It is active.' : boh.hint`To use it: ${boh.plain('profiles use', name)}`;
  return messageResult([`Profile ${name} created. `, useNote]);
}

/** Returns the configuration with these settings. Throws one failure with all invalid values. */
function addSettings(
  initialConfig: Config,
  profile: string,
  values: readonly (readonly [SettingName, string])[],
): Config {
  const fields: FieldMessages = {};
  let config = initialConfig;
  for (const [setting, text] of values) {
    try {
      config = setSetting(config, profile, setting, text);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      fields[setting] = [error.message.replace(`${setting}: `, '')];
    }
  }
  if (Object.keys(fields).length > 0) throw violations(`settings of profile ${profile}`, fields);
  return config;
}

function flagTextOf(setting: SettingName, flags: object, { globals, env }: Context): string | undefined {
  const globalSetting = globalSettings[setting];
  if (globalSetting) return globalSetting(globals, env);
  return flagValues(flags, [setting])[0]?.values[0];
}
