/** Asks for confirmation of actions. Without a terminal, `--yes` is required. */
import { Failure, usage } from '../../base/errors.ts';
import { formatHint, type Hint, joinHints } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { capitalize } from '../../contract/wording.ts';
import { promptsFor } from '../terminal/prompts.ts';

/** An action to confirm. */
export interface Confirmation {
  /** An infinitive without "to", such as `delete the mirror shop.sqlite`. */
  action: string;
  /** A sentence about the data that the action deletes, or about how to undo it. */
  consequence?: Hint | undefined;
}

/** Asks before local data is deleted or replaced. Throws unless the answer or `--yes` confirms it. */
export async function confirmAction({ action, consequence }: Confirmation, context: Context): Promise<void> {
  const { globals, streams } = context;
  requireYes({ action, consequence }, context);
  if (globals.yes) return;
  const question = joinHints(' ', `${capitalize(action)}?`, consequence) ?? '';
  await askToContinue(formatHint(question, streams.repeatedFlags), context, 'Nothing was changed.');
}

/** Throws a usage failure if `--yes` is missing and there is no terminal for the question. */
export function requireYes({ action, consequence }: Confirmation, { globals, streams }: Context): void {
  if (globals.yes || streams.interactive) return;
  throw usage(`To ${action}, add --yes.`, {
    hint: joinHints(' ', "boh can't ask for confirmation without a terminal.", consequence),
  });
}

/** Asks yes or no on a terminal. Throws if the answer is no. `outcome` completes the message: "Canceled. Nothing was sent." */
export async function askToContinue(
  message: string,
  { streams }: Pick<Context, 'streams'>,
  outcome = 'Nothing was sent.',
): Promise<void> {
  const prompts = await promptsFor(streams);
  if (!(await prompts.confirm({ message }))) throw new Failure('interrupted', `Canceled. ${outcome}`);
}
