/** Asks for confirmation of actions and of writes to protected profiles, and shows what can't be undone. */

import type { Call } from '../../account/client/request.ts';
import type { PlannedWrite } from '../../account/session/observed-writes.ts';
import type { Protection } from '../../account/settings/protection.ts';
import { endpointName, type Settings } from '../../account/settings/settings.ts';
import { irreversibleEffectsOn } from '../../api/contract/irreversible.ts';
import { capitalize } from '../../api/contract/wording.ts';
import { Failure, usage } from '../../base/errors.ts';
import { formatHint, type Hint, joinHints } from '../../base/hint.ts';
import type { Context } from '../context/context.ts';
import { formatCommandLine } from '../input/command-line.ts';
import { note, report } from '../terminal/messages.ts';
import { promptsFor } from './terminal/prompts.ts';

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

/** Shows the profile and, if it is protected, asks for the name of its business. Throws if the user doesn't confirm. */
export async function approveWrites(context: Context, settings: Settings, call?: Call): Promise<void> {
  const { streams } = context;
  const { profile, businessName, colour, protection } = settings;
  if (profile !== undefined) {
    const account = [businessName, endpointName(settings)].filter(Boolean).join(', ');
    note(streams, `Writing to ${profile}: ${account}.`, colour);
  }
  if (protection) await confirmProtected(context, protection, settings, call);
}

/** Returns whether a write asks for the name of the business. `--yes` without `--profile` doesn't skip the question. */
export function asksForName({ globals, streams }: Context, { protection }: Settings): boolean {
  return protection !== undefined && streams.interactive && !isConfirmed(globals, protection);
}

/** Returns whether the flags confirm writes: a script has to name the protected profile. */
function isConfirmed({ yes, profile }: Context['globals'], protection: Protection): boolean {
  return yes === true && profile === protection.profile;
}

async function confirmProtected(
  { globals, streams }: Context,
  protection: Protection,
  settings: Settings,
  call: Call | undefined,
): Promise<void> {
  const { profile, businessName } = protection;
  if (isConfirmed(globals, protection)) return;
  const subject =
    settings.profile === profile
      ? `Profile ${profile} is protected`
      : `${endpointName(settings)} is protected by profile ${profile}`;
  if (!streams.interactive) {
    throw usage(`${subject}, and there is no terminal to ask for confirmation.`, {
      hint: `To write anyway, add --yes --profile ${profile}.`,
    });
  }
  const name = businessName ?? profile;
  const nameKind = businessName === undefined ? 'the profile' : 'the business';
  if (call?.ids?.length || call?.body) {
    const commandLine = formatCommandLine(globals, call.operation, call.ids ?? [], call.body);
    report(streams, 'Command:');
    report(streams, `  ${commandLine}`);
  }
  await (await promptsFor(streams)).ask({
    message: `${settings.profile === profile ? 'This profile is protected' : subject}. To continue, type the name of ${nameKind}, ${name}:`,
    validate: (answer) =>
      isSameName(answer, name) ? undefined : `That isn't ${name}. Press Ctrl-C to cancel.`,
  });
}

/** Compares names in Unicode normal form: accents can be typed in more than one way. */
function isSameName(answer: string, name: string): boolean {
  return answer.trim().normalize() === name.trim().normalize();
}

const unknownChange = "This request can't be undone: its changes are unknown.";

/** Shows the reasons why writes can't be undone. */
export function noteIrreversible(writes: readonly PlannedWrite[], context: Context): void {
  const reasons = writes.flatMap(({ operation, body = {}, recordBefore }) =>
    operation ? irreversibleEffectsOn(operation, body, recordBefore) : [unknownChange],
  );
  noteOnce(reasons, context);
}

/** Shows each reason once per command. */
export function noteOnce(reasons: readonly string[], { streams, recordedWrites }: Context): void {
  if (streams.quiet) return;
  for (const reason of reasons) {
    if (!recordedWrites.irreversible.has(reason)) note(streams, reason);
    recordedWrites.irreversible.add(reason);
  }
}
