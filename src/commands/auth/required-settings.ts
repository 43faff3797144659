/** Completes the settings of a sign-in: prompts for missing ones on a terminal, and reports them all at once elsewhere. */

import { type Failure, usage } from '../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import { validateWith } from '../../prompts/sign-in-questions.ts';
import { ask, askHidden } from '../../prompts/terminal/prompts.ts';
import { openSignInAnswers } from '../../settings/caches.ts';
import type { Flags } from '../../settings/layers.ts';
import { parseClientSecret } from '../../settings/secret.ts';
import { type SettingName, settingDefinitions } from '../../settings/setting-definitions.ts';
import type { SignInTarget } from './target.ts';

interface RequiredSetting {
  /** The flag or environment variable that sets it. */
  source: string;
  isMissing(target: SignInTarget): boolean;
  ask(target: SignInTarget, context: Context): Promise<SignInTarget>;
  /** Whether it is only prompted for on a terminal, and may be missing elsewhere. */
  isOptional?: true;
}

const requiredSettings = {
  base_url: requiredSetting('base_url', {
    flag: 'baseUrl',
    question: 'Base URL of the service, for example https://api.example.com:',
    source: '--base-url or BOH_BASE_URL',
  }),
  authorize_url: requiredSetting('authorize_url', {
    flag: 'authorizeUrl',
    question: 'Authorization URL:',
    source: '--authorize-url',
  }),
  client_id: requiredSetting('client_id', {
    flag: 'clientId',
    question: 'Client ID of your app:',
    source: '--client-id or BOH_CLIENT_ID',
  }),
  scopes: {
    ...requiredSetting('scopes', {
      flag: 'scopes',
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
      const answer = await askHidden(streams, { message, validate: validateWith(parseClientSecret) });
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
  const missingNames = names.filter((name) => requiredSettings[name].isMissing(target));
  if (!context.streams.interactive) {
    const fields = missingNames.filter((name) => !('isOptional' in requiredSettings[name]));
    if (fields.length > 0) throw missingSettings(fields);
    return target;
  }
  let completedTarget = target;
  for (const name of missingNames)
    completedTarget = await requiredSettings[name].ask(completedTarget, context);
  return completedTarget;
}

function requiredSetting(
  name: SettingName,
  // `repeatQuestion` is asked if there is an earlier answer, which Enter repeats.
  {
    flag,
    question,
    source: origin,
    repeatQuestion = question,
  }: { flag: keyof Flags; question: string; source: string; repeatQuestion?: string },
): RequiredSetting {
  return {
    source: origin,
    isMissing: ({ settings: { source, sandbox } }) =>
      sandbox === undefined && (source[name] === undefined || source[name] === 'default'),
    ask: async (target, { streams, env }) => {
      const answers = openSignInAnswers(env, target.profile);
      const initial = answers.get()[name];
      const answer = await ask(streams, {
        message: initial ? repeatQuestion : question,
        validate: validateWith(settingDefinitions[name].parse),
        ...(initial && { initial }),
      });
      // The answer is stored immediately, so that an interrupted sign-in doesn't lose it.
      answers.put(name, answer);
      return { ...target.withFlags({ [flag]: answer }), newSecret: target.newSecret };
    },
  };
}

function missingSettings(names: readonly (keyof typeof requiredSettings)[]): Failure {
  const fields = Object.fromEntries(
    names.map((name) => [name, [`set it with ${requiredSettings[name].source}`]]),
  );
  return usage('Missing settings, and no terminal to prompt for them.', { fields });
}
