/** Returns the prompts for a terminal. */
import { usage } from '../../../base/errors.ts';
import type { Streams } from '../../terminal/streams.ts';
import type { Prompts } from './questions.ts';

/**
 * Returns the prompts for these streams: one line of text each if the terminal can't move its cursor (TERM=dumb). They are
 * loaded here because they load slowly. Throws a usage failure if there is no terminal to ask on.
 */
export async function promptsFor(streams: Streams): Promise<Prompts> {
  if (!streams.interactive) {
    throw usage("A value is missing, and boh can't prompt for it: no terminal, CI is set, or --no-input.", {
      hint: 'Pass all values as flags. To list them: --help',
    });
  }
  const { FullPrompts, PlainPrompts } = await import('./full-prompts.ts');
  return streams.cursor ? new FullPrompts(streams) : new PlainPrompts(streams);
}
