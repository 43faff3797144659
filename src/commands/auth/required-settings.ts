/** Completes the settings of a sign-in: prompts for missing ones on a terminal, and reports them all at once elsewhere. */

import { type Failure, usage } from '../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import { deployments } from '../../deployments/index.ts';
import { promptsFor } from '../../prompts/terminal/prompts.ts';
import { openSignInAnswers } from '../../settings/caches.ts';
import type { Flags } from '../../settings/layers.ts';
import { parseClientSecret } from '../../settings/secret.ts';
import { type SettingName, settingDefinitions } from '../../settings/setting-definitions.ts';
import { note } from '../../terminal/messages.ts';
import { readServerMetadata, validateWith } from './sign-in.ts';
import { type SignInTarget, serviceSettings } from './target.ts';

interface RequiredSetting {
  /** The flag or environment variable that sets it. */
  source: string;
  isMissing(target: SignInTarget): boolean;
  ask(target: SignInTarget, context: Context): Promise<SignInTarget>;
  /** Whether it is only prompted for on a terminal, and may be missing elsewhere. */
  isOptional?: true;
}

const baseUrlSetting = requiredSetting('base_url', {
  question: 'Base URL of the service, for example https://api.example.com:',
  source: '--base-url or BOH_BASE_URL',
});

const requiredSettings = {
  base_url: { ...baseUrlSetting, ask: askService },
  authorize_url: requiredSetting('authorize_url', {
    question: 'Authorization URL:',
    source: '--authorize-url',
  }),
  client_id: requiredSetting('client_id', {
    question: 'Client ID of your app:',
    source: '--client-id or BOH_CLIENT_ID',
  }),
  scopes: {
    ...requiredSetting('scopes', {
      question: 'Scopes to request (Enter for the registered scopes of the app):',
      repeatQuestion: 'Scopes to request:',
      source: '--scopes',
    }),
    isOptional: true,
  },
  client_secret: {
    source: 'BOH_CLIENT_SECRET or --client-secret-file',
    isMissing: ({ newSecret, settings }) => (newSecret ?? settings.clientSecret) === undefined,
    ask: async (target, { streams }) => {
      const message = 'Client secret:';
      const prompts = await promptsFor(streams);
      const answer = await prompts.askHidden({ message, validate: validateWith(parseClientSecret) });
      return { ...target, newSecret: parseClientSecret(answer) };
    },
  },
} satisfies Record<string, RequiredSetting>;

/** Returns the target with all required settings. Throws one usage failure that lists all missing settings. */
export async function completeTarget(
  target: SignInTarget,
  names: readonly (keyof typeof requiredSettings)[],
  context: Context,
): Promise<SignInTarget> {
  const { interactive } = context.streams;
  let completedTarget = target;
  const missingNames = () =>
    names.filter((name) => {
      const setting: RequiredSetting = requiredSettings[name];
      return setting.isMissing(completedTarget) && (interactive || !setting.isOptional);
    });
  for (const name of names) {
    if (name === 'authorize_url' && (interactive || missingNames().join() === name))
      completedTarget = await withServerMetadata(completedTarget, context);
    if (interactive && missingNames().includes(name))
      completedTarget = await requiredSettings[name].ask(completedTarget, context);
    if (interactive && name === 'base_url') completedTarget = withEarlierFlags(completedTarget, context);
    keepFlags(completedTarget, context);
  }
  if (!interactive && missingNames().length > 0) throw missingSettings(missingNames());
  return completedTarget;
}

/** Stores the answers and flags immediately, so that the next attempt suggests them if this one fails or is interrupted. */
function keepFlags({ profile, settings, valuesToStore }: SignInTarget, { env }: Context): void {
  const names = serviceSettings.filter((name) => settings.source[name] === 'flag');
  if (settings.sandbox !== undefined || names.length === 0) return;
  openSignInAnswers(env, profile).put(
    Object.fromEntries(names.map((name) => [name, String(valuesToStore[name])])),
  );
}

/**
 * Returns the target with the flags of the last attempt, if it failed, that no question asks for. Deletes the answers of
 * an attempt for another service.
 */
function withEarlierFlags(target: SignInTarget, { env, streams }: Context): SignInTarget {
  const answers = openSignInAnswers(env, target.profile);
  const earlier = answers.get();
  if (earlier.base_url !== target.settings.baseUrl) answers.forget();
  const names = serviceSettings.filter(
    (name) => !(name in requiredSettings) && answers.get()[name] !== undefined && isUnset(name, target),
  );
  if (names.length === 0) return target;
  note(streams, `From the last attempt: ${names.map((name) => `${name} ${earlier[name]}`).join(', ')}.`);
  return withFlags(target, Object.fromEntries(names.map((name) => [flagKey(name), earlier[name]])));
}

/** Returns the target with the URLs that the service publishes (RFC 8414), if it publishes any. */
async function withServerMetadata(target: SignInTarget, context: Context): Promise<SignInTarget> {
  if (!isUnset('authorize_url', target)) return target;
  const { authorizeUrl, tokenUrl } = await readServerMetadata(target.settings, context);
  if (authorizeUrl === undefined) return target;
  const isTokenUrlNew = isUnset('token_url', target) && tokenUrl !== target.settings.tokenUrl;
  const flags = { authorizeUrl, ...(isTokenUrlNew && { tokenUrl }) };
  note(context.streams, `URLs that the service publishes: ${Object.values(flags).join(', ')}.`);
  return withFlags(target, flags);
}

/** Asks for the service: one of a preset, or the base URL of another one. */
async function askService(target: SignInTarget, context: Context): Promise<SignInTarget> {
  if (target.settings.like !== undefined) return baseUrlSetting.ask(target, context);
  const presets = deployments.flatMap(({ name: like, title, summary, addresses }) =>
    addresses.map(({ name, base_url: baseUrl }) => ({
      value: { like, baseUrl } as Flags,
      label: `${title}, ${name}`,
      description: summary,
    })),
  );
  const other = { value: {} as Flags, label: 'Another service' };
  const { base_url: earlierUrl } = openSignInAnswers(context.env, target.profile).get();
  const initial =
    presets.find(({ value }) => value.baseUrl === earlierUrl) ?? (earlierUrl ? other : presets[0]);
  const service = await (await promptsFor(context.streams)).choose({
    message: 'Which service do you use?',
    choices: [...presets, other],
    initial: initial?.value,
  });
  return service === other.value ? baseUrlSetting.ask(target, context) : withFlags(target, service);
}

function withFlags(target: SignInTarget, flags: Flags): SignInTarget {
  return { ...target.withFlags(flags), newSecret: target.newSecret };
}

function isUnset(name: SettingName, { settings: { source } }: SignInTarget): boolean {
  return source[name] === undefined || source[name] === 'default';
}

/** Returns the name of a setting's flag as commander spells it: `oauthClientAuth`. */
function flagKey(name: SettingName): string {
  return name.replaceAll(/[_.]([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function requiredSetting(
  name: SettingName,
  // `repeatQuestion` is asked if there is an earlier answer, which Enter repeats.
  {
    question,
    source,
    repeatQuestion = question,
  }: { question: string; source: string; repeatQuestion?: string },
): RequiredSetting {
  return {
    source,
    isMissing: (target) => target.settings.sandbox === undefined && isUnset(name, target),
    ask: async (target, { streams, env }) => {
      const initial = openSignInAnswers(env, target.profile).get()[name];
      const answer = await (await promptsFor(streams)).ask({
        message: initial ? repeatQuestion : question,
        validate: validateWith(settingDefinitions[name].parse),
        ...(initial && { initial }),
      });
      return withFlags(target, { [flagKey(name)]: answer });
    },
  };
}

function missingSettings(names: readonly (keyof typeof requiredSettings)[]): Failure {
  const fields = Object.fromEntries(
    names.map((name) => [name, [`set it with ${requiredSettings[name].source}`]]),
  );
  return usage('Missing settings, and no terminal to prompt for them.', { fields });
}
