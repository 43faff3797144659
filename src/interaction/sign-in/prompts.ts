/** Questions of a sign-in whose answers are judged by readers that throw. */
import { Failure } from '../../errors.ts';
import type { Config } from '../../settings/config.ts';
import { addProfile } from '../../settings/profiles.ts';
import type { Context } from '../context.ts';

/** The name of one more profile, asked for where the one in use is for another service. */
export async function askProfileName(config: Config, { streams }: Context): Promise<string> {
  const { ask } = await import('../../terminal/prompts.ts');
  const message = `Profile ${config.active} is for another service. A name for the new profile:`;
  const validate = problemIn((answer) => addProfile(config, answer.trim()));
  return (await ask(streams, { message, validate })).trim();
}

/** What is wrong with an answer, or nothing; what isn't the answer's own fault is left for the reader to throw. */
export function problemIn(read: (answer: string) => unknown): (answer: string) => string | undefined {
  return (answer) => {
    try {
      read(answer);
      return undefined;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return error.category === 'usage' ? error.message : undefined;
    }
  };
}
