/** The name of one more profile, asked for where the one in use is for another service. */
import type { Config } from '../../settings/config.ts';
import { addProfile } from '../../settings/profiles.ts';
import type { Context } from '../context.ts';
import { problemIn } from './problem-in.ts';

export async function askProfileName(config: Config, { streams }: Context): Promise<string> {
  const { ask } = await import('../../terminal/prompts.ts');
  const message = `Profile ${config.active} is for another service. A name for the new profile:`;
  const validate = problemIn((answer) => addProfile(config, answer.trim()));
  return (await ask(streams, { message, validate })).trim();
}
