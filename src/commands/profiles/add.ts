/** `boh profiles add`: a profile by its settings alone, for someone else to sign in to, or for a token in BOH_TOKEN. */
import { Command, Option } from 'commander';
import { Failure, type FieldMessages, violations } from '../../errors.ts';
import type { Context } from '../../interaction/context.ts';
import type { Globals } from '../../interaction/globals.ts';
import { presented } from '../../interaction/output/present.ts';
import { type Result, told } from '../../interaction/output/result.ts';
import type { Config } from '../../settings/config.ts';
import { setSetting } from '../../settings/config-values.ts';
import { addProfile } from '../../settings/profiles.ts';
import { type SettingName, settingList, settingNames } from '../../settings/setting-list.ts';
import { changeKept } from '../config/kept-settings.ts';
import { prepare } from '../prepare.ts';

/** Flags that stand anywhere on a line; here they say what the profile is to have. */
const fromGlobals: Partial<
  Record<SettingName, (globals: Globals, env: Context['env']) => string | undefined>
> = {
  base_url: ({ baseUrl }) => baseUrl,
  api_prefix: ({ apiPrefix }) => apiPrefix,
  sandbox: ({ sandbox }, { BOH_SANDBOX }) => (sandbox ? BOH_SANDBOX || 'default' : undefined),
  output: ({ output }) => output,
  quiet: ({ quiet }) => (quiet ? 'true' : undefined),
  timeout: ({ timeout }) => timeout,
};

export function addCommand(context: Context): Command {
  const command = prepare(new Command('add'))
    .description(
      'Make a profile without signing in. --base-url, --api-prefix, --sandbox, --output, --quiet and --timeout ' +
        'say what it is to have, as the flags below do.',
    )
    .argument('<name>');
  for (const name of settingNames.filter((setting) => !(setting in fromGlobals))) {
    const value = name === 'protected' ? '' : ' <value>';
    command.addOption(new Option(`--${flagOf(name)}${value}`, settingList[name].summary));
  }
  return command
    .addHelpText('after', '\nExample:\n  boh profiles add rehearsal --sandbox --colour green')
    .action(presented(context, (name: string) => add(name, command, context)));
}

async function add(name: string, command: Command, context: Context): Promise<Result> {
  const values = settingNames.flatMap((setting) => {
    const text = textOf(setting, command, context);
    return text === undefined ? [] : [[setting, text] as const];
  });
  const { active } = await changeKept(context, (before) =>
    withSettings(addProfile(before, name), name, values),
  );
  const use = active === name ? 'It is the active one.' : `To use it: boh profiles use ${name}`;
  return told(`Profile ${name} is made. ${use}`);
}

/** All that is wrong with the values is told at once. */
function withSettings(
  empty: Config,
  profile: string,
  values: readonly (readonly [SettingName, string])[],
): Config {
  const fields: FieldMessages = {};
  let config = empty;
  for (const [setting, text] of values) {
    try {
      config = setSetting(config, profile, setting, text);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      fields[setting] = [error.message.replace(`${setting}: `, '')];
    }
  }
  if (Object.keys(fields).length > 0) throw violations(`The profile ${profile}`, fields);
  return config;
}

function textOf(setting: SettingName, command: Command, { globals, env }: Context): string | undefined {
  const global = fromGlobals[setting];
  if (global) return global(globals, env);
  const option = command.options.find(({ long }) => long === `--${flagOf(setting)}`);
  const value: unknown = option && command.getOptionValue(option.attributeName());
  return value === undefined ? undefined : String(value);
}

function flagOf(setting: SettingName): string {
  return setting.replaceAll(/[_.]/g, '-');
}
