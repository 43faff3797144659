/** Whether a copy is the account's own: another business may be at the same address, and its records would be taken for this one's. */
import type { Context } from '../../interaction/context.ts';
import type { Reader } from '../../mirror/stores/store.ts';
import { type FactReader, readOwner } from '../../mirror/sync/account.ts';
import { demandOwner, demandOwnerToRead, ownerName } from '../../session/file-owner.ts';
import type { Session } from '../../session/session.ts';
import { warn } from '../../terminal/messages.ts';
import type { AnyAccountFlag } from '../flags/any-account.ts';
import { isNamed, type PlaceFlags } from './place.ts';

const kind = 'mirror';

/** For a line that need not be about the account in use: a copy that is named is read, whichever account it is of. */
export async function demandOwnUnlessNamed(
  reader: FactReader,
  flags: PlaceFlags & AnyAccountFlag,
  context: Context,
): Promise<void> {
  if (!isNamed(flags, context)) await demandOwnToRead(reader, flags, context);
}

/**
 * For a command that deletes what the copy holds, before it asks or says anything: throws unless the copy is certainly of
 * the account in use, or the line says `--any-account`. Throws what opening it throws.
 */
export async function demandOwnAt(
  open: () => Promise<Reader>,
  flags: AnyAccountFlag,
  context: Context,
): Promise<void> {
  if (flags.anyAccount) return;
  const reader = await open();
  try {
    await demandOwnAsked(await context.session(), reader, flags, context);
  } finally {
    await reader.close();
  }
}

/** The same where the service is asked in any case: a failure to ask is one of the line. */
export async function demandOwnAsked(
  session: Session,
  reader: FactReader,
  { anyAccount: isAny }: AnyAccountFlag,
  { env }: Context,
): Promise<void> {
  const owner = await readOwner(session.settings, reader);
  if (owner) await demandOwner(session, owner, { called: reader.called, kind, env, isAny });
}

/** The same for a command that only reads the copy; where there is no token, it says whose copy it is. */
export async function demandOwnToRead(
  reader: FactReader,
  { anyAccount: isAny }: AnyAccountFlag,
  context: Context,
): Promise<void> {
  const owner = await readOwner(await context.settings(), reader);
  const match = owner && (await demandOwnerToRead(owner, { called: reader.called, kind, isAny }, context));
  if (!match || match === 'own' || isAny) return;
  warn(
    context.streams,
    `The copy is of ${ownerName(owner)}. Whether the account in use is that one isn’t known.`,
  );
}
