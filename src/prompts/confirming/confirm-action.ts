/** One confirmation for everything that asks yes or no: the refusal without a terminal, the question and the cancellation. */
import { Failure, usage } from '../../base/errors.ts';
import { type Hint, hintText, joinHints } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { capitalized } from '../../contract/wording.ts';
import { confirm } from '../terminal/prompts.ts';

/** What is confirmed. */
export interface Confirmation {
  /** An infinitive without "to", such as `delete the mirror shop.sqlite`. */
  what: string;
  /** A sentence about what the action destroys, or how it can be undone. */
  outlook?: Hint | undefined;
}

/** Asks on a terminal before something of this machine is deleted or replaced. Throws unless the answer or `--yes` confirms it. */
export async function confirmAction({ what, outlook }: Confirmation, context: Context): Promise<void> {
  const { globals, streams } = context;
  refuseUnasked({ what, outlook }, context);
  if (globals.yes) return;
  const question = joinHints(' ', `${capitalized(what)}?`, outlook) ?? '';
  await askToContinue(hintText(question, streams.repeated), context, 'Nothing was changed.');
}

/** Throws a usage failure if `--yes` is missing and there is no terminal to ask on. */
export function refuseUnasked({ what, outlook }: Confirmation, { globals, streams }: Context): void {
  if (globals.yes || streams.interactive) return;
  throw usage(`To ${what}, add --yes.`, {
    hint: joinHints(' ', 'No terminal to ask for confirmation.', outlook),
  });
}

/** Asks yes or no on a terminal. Throws if the answer is no; `left` says then what has not happened. */
export async function askToContinue(
  message: string,
  { streams }: Pick<Context, 'streams'>,
  left = 'Nothing was sent.',
): Promise<void> {
  if (!(await confirm(streams, { message }))) throw new Failure('interrupted', `Canceled. ${left}`);
}
