/** What is asked before anything of a sandbox goes for good: on a terminal a question, elsewhere --yes. */
import { capital } from '../../contract/capital.ts';
import { Failure, usage } from '../../errors.ts';
import type { Context } from '../../interaction/context.ts';

export interface Change {
  /** As it follows "To": `delete the snapshot "monday"`. */
  what: string;
  /** A sentence without its end. */
  loss: string;
}

/** Throws where the answer is no, and where there is nobody to ask. */
export async function confirmChange({ streams, globals }: Context, { what, loss }: Change): Promise<void> {
  if (globals.yes) return;
  if (!streams.interactive) {
    throw usage(`To ${what}, add --yes: ${loss}.`, { hint: 'There is no terminal to ask on.' });
  }
  const { confirm } = await import('../../terminal/prompts.ts');
  const message = `${capital(what)}? ${capital(loss)}.`;
  if (!(await confirm(streams, { message }))) throw new Failure('interrupted', 'Nothing was done.');
}
