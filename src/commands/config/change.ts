/** `boh config set` and `unset`: of the profile in use, or of all profiles where a setting is a preference. */
import { Command } from 'commander';
import type { Context } from '../../interaction/context.ts';
import { presented } from '../../interaction/output/present.ts';
import { type Result, told } from '../../interaction/output/result.ts';
import type { Config } from '../../settings/config.ts';
import { getSetting, setSetting, unsetSetting } from '../../settings/config-values.ts';
import { isSettingName, settingList, settingNames } from '../../settings/setting-list.ts';
import { prepare } from '../prepare.ts';
import { changeKept, namedProfile, profileMeant } from './kept-settings.ts';

const preferences = settingNames.filter((name) => settingList[name].kind === 'preference');
const whose = `Without --profile, ${preferences.join(', ')} are set for all profiles, everything else for the active one.`;

export function setCommand(context: Context): Command {
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

export function unsetCommand(context: Context): Command {
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
