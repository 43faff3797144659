/** Questions of `auth login` and the validation of their answers. */
import { Failure } from '../base/errors.ts';
import type { Context } from '../context/context.ts';
import { addProfile, type Config } from '../settings/config.ts';
import { ask } from './terminal/prompts.ts';

/** Asks for the name of a new profile if the active one is for another service. */
export async function askProfileName(config: Config, { streams }: Context): Promise<string> {
  const message = `Profile ${config.active} is for another service. Name of the new profile:`;
  const validate = validateWith((answer) => addProfile(config, answer.trim()));
  return (await ask(streams, { message, validate })).trim();
}

/** Returns a validation of answers with a parser that throws usage failures. It ignores failures of other categories. */
export function validateWith(parse: (answer: string) => unknown): (answer: string) => string | undefined {
  return (answer) => {
    try {
      parse(answer);
      return undefined;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return error.category === 'usage' ? error.message : undefined;
    }
  };
}
