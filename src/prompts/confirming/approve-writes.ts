/** What is said before the first write: the profile, what can't be undone, and the confirmation of a protected profile. */
import { usage } from '../../base/errors.ts';
import type { Call } from '../../client/request.ts';
import type { Context } from '../../context/context.ts';
import { lastingFor } from '../../contract/lasting.ts';
import { commandLine } from '../../input/command-line.ts';
import type { PlannedWrite } from '../../session/observed-writes.ts';
import type { Protection } from '../../settings/protection.ts';
import { endpointName, type Settings } from '../../settings/settings.ts';
import { note, tell } from '../../terminal/messages.ts';
import { ask } from '../terminal/prompts.ts';

/** Names the profile, and asks for its business if it is protected. Throws if that isn't confirmed. */
export async function approveWrites(context: Context, settings: Settings, call?: Call): Promise<void> {
  const { streams } = context;
  const { profile, businessName, colour, protection } = settings;
  if (profile !== undefined) {
    const whose = [businessName, endpointName(settings)].filter(Boolean).join(', ');
    note(streams, `Writing to ${profile}: ${whose}.`, colour);
  }
  if (protection) await confirm(context, protection, settings, call);
}

/** Returns whether the name of the business will be asked for. `--yes` without `--profile` isn't enough to skip it. */
export function asksForName({ globals, streams }: Context, { protection }: Settings): boolean {
  return protection !== undefined && streams.interactive && !isConfirmed(globals, protection);
}

/** A script that writes to a protected account has to name the profile. */
function isConfirmed({ yes, profile }: Context['globals'], protection: Protection): boolean {
  return yes === true && profile === protection.profile;
}

async function confirm(
  { globals, streams }: Context,
  protection: Protection,
  settings: Settings,
  call: Call | undefined,
): Promise<void> {
  const { profile, businessName } = protection;
  if (isConfirmed(globals, protection)) return;
  const what =
    settings.profile === profile
      ? `Profile ${profile} is protected`
      : `What you write to, ${endpointName(settings)}, is protected by profile ${profile}`;
  if (!streams.interactive) {
    throw usage(`${what}, and there is no terminal to confirm this on.`, {
      hint: `To write to it all the same, add --yes --profile ${profile}.`,
    });
  }
  const name = businessName ?? profile;
  const whose = businessName === undefined ? 'the profile' : 'the business';
  if (call?.ids?.length || call?.body) {
    const line = commandLine(globals, call.operation, call.ids ?? [], call.body);
    tell(streams, 'This is about to be written:');
    tell(streams, `  ${line}`);
  }
  await ask(streams, {
    message: `${settings.profile === profile ? 'This profile is protected' : what}. To go on, type the name of ${whose}, ${name}:`,
    validate: (answer) => (isSame(answer, name) ? undefined : `That is not ${name}. Ctrl-C ends this.`),
  });
}

/** Accents can be typed in more than one way. */
function isSame(answer: string, name: string): boolean {
  return answer.trim().normalize() === name.trim().normalize();
}

const notKnown = 'boh doesn’t know what this request changes, so that it can’t be undone.';

/** Says why writes can't be undone. */
export function tellLasting(writes: readonly PlannedWrite[], context: Context): void {
  const reasons = writes.flatMap(({ operation, body = {}, known }) =>
    operation ? lastingFor(operation, body, known) : [notKnown],
  );
  tellReasons(reasons, context);
}

/** Says each reason once in a command. */
export function tellReasons(reasons: readonly string[], { streams, kept }: Context): void {
  if (streams.quiet) return;
  for (const reason of reasons) {
    if (!kept.lasting.has(reason)) note(streams, reason);
    kept.lasting.add(reason);
  }
}
