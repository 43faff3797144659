/** Said before the first write: which profile it goes to. A protected one asks for the name of the business, and shows what for. */
import type { Call } from '../../client/request.ts';
import { usage } from '../../errors.ts';
import type { Protection } from '../../settings/protection.ts';
import { placeOf, type Settings } from '../../settings/settings.ts';
import { note, tell } from '../../terminal/messages.ts';
import type { Context } from '../context.ts';

/** Throws where the profile is protected and nobody confirms. Without a profile in use there is nothing to tell. */
export async function approveWrites(context: Context, settings: Settings, call?: Call): Promise<void> {
  const { streams } = context;
  const { profile, businessName, colour, protection } = settings;
  if (profile !== undefined) {
    const whose = [businessName, placeOf(settings)].filter(Boolean).join(', ');
    note(streams, `Writing to ${profile}: ${whose}.`, colour);
  }
  if (protection) await confirm(context, protection, settings, call);
}

/** Whether somebody will be asked for a name: what is to be written is shown before. `--yes` alone is not enough. */
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
      : `What you write to, ${placeOf(settings)}, is protected by profile ${profile}`;
  if (!streams.interactive) {
    throw usage(`${what}, and there is no terminal to confirm this on.`, {
      hint: `To write to it all the same, add --yes --profile ${profile}.`,
    });
  }
  const name = businessName ?? profile;
  const whose = businessName === undefined ? 'the profile' : 'the business';
  if (call?.ids?.length || call?.body) {
    const { commandLine } = await import('../input/command-line.ts');
    const line = commandLine(globals, call.operation, call.ids ?? [], call.body);
    tell(streams, 'This is about to be written:');
    tell(streams, `  ${line}`);
  }
  const { ask } = await import('../../terminal/prompts.ts');
  await ask(streams, {
    message: `${settings.profile === profile ? 'This profile is protected' : what}. To go on, type the name of ${whose}, ${name}:`,
    validate: (answer) => (isSame(answer, name) ? undefined : `That is not ${name}. Ctrl-C ends this.`),
  });
}

/** Accents can be typed in more than one way. */
function isSame(answer: string, name: string): boolean {
  return answer.trim().normalize() === name.trim().normalize();
}
