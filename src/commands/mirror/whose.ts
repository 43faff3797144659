/** Whose copy is read: another business may be at the same address, and its answers would be taken for this one’s. */
import type { Context } from '../../interaction/context.ts';
import type { Reader } from '../../mirror/stores/store.ts';
import { type FactReader, readOwner, refuseOther, refuseOtherKnown } from '../../mirror/sync/account.ts';
import { demandOwner } from '../../session/file-owner.ts';
import type { Session } from '../../session/session.ts';
import { warn } from '../../terminal/messages.ts';
import { type AnyAccountFlag, anyAccountHint } from '../flags/any-account.ts';
import { isNamed, type PlaceFlags } from './place.ts';

/** The same for a line that need not be about the account in use: a copy that is named is read, whoever it is of. */
export async function refuseOthersUnlessNamed(
  flags: PlaceFlags,
  reader: FactReader,
  context: Context,
): Promise<void> {
  if (!isNamed(flags, context)) await refuseOthers(reader, context);
}

/**
 * For a command that deletes what the copy holds, before it asks or says anything: throws unless the copy is certainly of
 * the account in use, or the line says `--any-account`. Throws what opening it throws.
 */
export async function demandOwnAt(
  open: () => Promise<Reader>,
  { anyAccount }: AnyAccountFlag,
  context: Context,
): Promise<void> {
  if (anyAccount) return;
  const reader = await open();
  try {
    const owner = await readOwner(await context.settings(), reader);
    if (owner) await demandOwner(await context.session(), owner, fileNamed(reader, context));
  } finally {
    await reader.close();
  }
}

function fileNamed({ called }: FactReader, { env }: Context) {
  return { called, kind: 'mirror', override: anyAccountHint, env };
}

/**
 * Throws where the copy is another account’s. Where neither the profile nor the last sync knows which business the token
 * is of, the service is asked for it, and where that doesn’t say it soon, the person is told whose copy it is.
 */
export async function refuseOthers(reader: FactReader, context: Context): Promise<void> {
  const settings = await context.settings();
  const business = await refuseOtherKnown(settings, reader);
  if (business === undefined || (await isAsked(reader, context))) return;
  warnOfUnknown(business, context);
}

/** The same where the service is asked in any case: a failure to ask is one of the line. */
export async function refuseOthersAsked(
  session: Session,
  reader: FactReader,
  context: Context,
): Promise<void> {
  const business = await refuseOther(session, reader);
  if (business !== undefined) warnOfUnknown(business, context);
}

function warnOfUnknown(business: string, { streams }: Context): void {
  warn(streams, `The copy is of ${business}. Whether the account in use is that one isn’t known.`);
}

/** Whether the service has said whose the token is. */
async function isAsked(reader: FactReader, context: Context): Promise<boolean> {
  const { token } = await context.settings();
  if (token === undefined || context.globals.offline) return false;
  return (await refuseOther(await context.session(), reader, { isInHaste: true })) === undefined;
}
