/** What a sign-in can't do without: asked for on a terminal where it is missing, else named all at once. */

import { type Failure, usage } from '../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import { problemIn } from '../../prompts/sign-in-questions.ts';
import { ask, askHidden } from '../../prompts/terminal/prompts.ts';
import { openSignInAnswers } from '../../settings/caches.ts';
import type { Flags } from '../../settings/layers.ts';
import { readClientSecret } from '../../settings/secret.ts';
import { type SettingName, settingList } from '../../settings/setting-list.ts';
import type { SignInTarget } from './target.ts';

interface Need {
  /** How to give it without being asked. */
  way: string;
  isMissing(target: SignInTarget): boolean;
  ask(target: SignInTarget, context: Context): Promise<SignInTarget>;
  /** Asked for, but not missed where nobody can be asked. */
  isOptional?: true;
}

const needs = {
  base_url: setting('base_url', {
    flag: 'baseUrl',
    question: 'The address of the service, such as https://api.example.com:',
    way: '--base-url, or BOH_BASE_URL',
  }),
  authorize_url: setting('authorize_url', {
    flag: 'authorizeUrl',
    question: 'The address of the page on which apps are approved:',
    way: '--authorize-url',
  }),
  client_id: setting('client_id', {
    flag: 'clientId',
    question: 'The client id of your app:',
    way: '--client-id, or BOH_CLIENT_ID',
  }),
  scopes: {
    ...setting('scopes', {
      flag: 'scopes',
      question: 'The scopes to ask for, or Enter for those that the app is registered with:',
      again: 'The scopes to ask for:',
      way: '--scopes',
    }),
    isOptional: true,
  },
  client_secret: {
    way: 'BOH_CLIENT_SECRET, or --client-secret-file',
    isMissing: ({ newSecret, settings }) => (newSecret ?? settings.clientSecret) === undefined,
    ask: async (target, { streams }) => {
      const message = 'Its client secret:';
      const answer = await askHidden(streams, { message, validate: problemIn(readClientSecret) });
      return { ...target, newSecret: readClientSecret(answer) };
    },
  },
} satisfies Record<string, Need>;

/** The target with all that it needs. Throws one usage failure for everything that is missing. */
export async function completeTarget(
  target: SignInTarget,
  names: readonly (keyof typeof needs)[],
  context: Context,
): Promise<SignInTarget> {
  const missing = names.filter((name) => needs[name].isMissing(target));
  if (!context.streams.interactive) {
    const fields = missing.filter((name) => !('isOptional' in needs[name]));
    if (fields.length > 0) throw lacking(fields);
    return target;
  }
  let complete = target;
  for (const name of missing) complete = await needs[name].ask(complete, context);
  return complete;
}

function setting(
  name: SettingName,
  // `again` is asked where Enter stands for an earlier answer.
  {
    flag,
    question,
    way,
    again = question,
  }: { flag: keyof Flags; question: string; way: string; again?: string },
): Need {
  return {
    way,
    isMissing: ({ settings: { source, sandbox } }) =>
      sandbox === undefined && (source[name] === undefined || source[name] === 'default'),
    ask: async (target, { streams, env }) => {
      const answers = openSignInAnswers(env, target.profile);
      const initial = answers.get()[name];
      const answer = await ask(streams, {
        message: initial ? again : question,
        validate: problemIn(settingList[name].read),
        ...(initial && { initial }),
      });
      // At once, so that it outlasts whatever ends this sign-in.
      answers.put(name, answer);
      return { ...target.withFlags({ [flag]: answer }), newSecret: target.newSecret };
    },
  };
}

function lacking(names: readonly (keyof typeof needs)[]): Failure {
  const fields = Object.fromEntries(names.map((name) => [name, [`give it with ${needs[name].way}`]]));
  return usage('boh can’t sign in yet: something is missing, and there is no terminal to ask on.', {
    fields,
  });
}
