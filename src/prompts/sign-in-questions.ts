/** Questions of `auth login` and the validation of their answers. */
import { ForeignResponse } from '../auth/callback.ts';
import { Failure } from '../base/errors.ts';
import type { Context } from '../context/context.ts';
import { failedSignInProfile, openSignInAnswers } from '../settings/caches.ts';
import { addProfile, type Config } from '../settings/config.ts';
import { promptsFor } from './terminal/prompts.ts';

/** Asks for the name of a new profile if the active one is for another service than the base URL. */
export async function askProfileName(
  config: Config,
  baseUrl: string | undefined,
  { streams, env }: Context,
): Promise<string> {
  const message = `Profile ${config.active} is for another service. Name of the new profile:`;
  const validate = validateWith((answer) => addProfile(config, answer.trim()));
  const initial = failedSignInProfile(env, baseUrl) ?? '';
  return (await (await promptsFor(streams)).ask({ message, validate, initial })).trim();
}

/** Asks how to sign in. The default is an app if an earlier attempt used one. */
export async function askHowToSignIn(profile: string, { streams, env }: Context): Promise<'token' | 'app'> {
  const { client_id: clientId, authorize_url: authorizeUrl } = openSignInAnswers(env, profile).get();
  return (await promptsFor(streams)).choose({
    message: 'How do you sign in?',
    choices: [
      { value: 'token', label: 'Paste a token, for example from an email' },
      { value: 'app', label: 'With an app, in the browser (client ID and secret)' },
    ],
    initial: (clientId ?? authorizeUrl) === undefined ? 'token' : 'app',
  });
}

/**
 * Returns a validation of answers with a parser. It ignores failures that another answer can't prevent, such as a denial.
 */
export function validateWith(parse: (answer: string) => unknown): (answer: string) => string | undefined {
  return (answer) => {
    try {
      parse(answer);
      return undefined;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const needsOtherAnswer = error.category === 'usage' || error instanceof ForeignResponse;
      return needsOtherAnswer ? error.message : undefined;
    }
  };
}
