/**
 * Checks that a mirror belongs to the account in use. Otherwise records of two accounts would be mixed, and records
 * of one account would count as deleted.
 */

import type { AccountIdentity } from '../../../account/session/account.ts';
import {
  ownerFailure,
  ownerFieldNames,
  ownerFields,
  ownerFrom,
  requireOwner,
} from '../../../account/session/file-owner.ts';
import type { Session } from '../../../account/session/session.ts';
import type { Environment } from '../../../base/environment.ts';
import { boh } from '../../../base/hint.ts';
import type { Reader, Store } from '../stores/store.ts';
import { metadataChange, readMetadata } from './states.ts';

/** The part of a reader that reads a mirror's metadata. */
export type MetadataReader = Pick<Reader, 'read' | 'label'>;

/**
 * Throws unless the mirror's metadata or the command line (`isAny`) confirms that it belongs to the account. A new mirror is
 * assigned to the account. Records mixed by mistake can't be separated, so the mirror of another account is never
 * synced.
 */
export async function requireMirrorAccount(
  session: Session,
  store: Store,
  { env, isAny }: { env: Environment; isAny?: boolean | undefined },
): Promise<void> {
  const owner = await readOwner(store);
  const { label } = store;
  const { account, match } = await requireOwner(session, owner, {
    label,
    kind,
    override: overrideHint,
    env,
    isOverridden: isAny,
  });
  if (owner && match === 'other')
    throw await ownerFailure(match, owner, account, { label, kind, override: separateMirrorHint, env });
  const stored = owner && ownerFields(owner);
  const fields = ownerFields(account);
  // A stored business is kept if the service doesn't report one.
  const changes = ownerFieldNames.flatMap((name) => {
    const value = fields[name];
    return value === null || value === stored?.[name] ? [] : [metadataChange(name, value)];
  });
  if (changes.length > 0) await store.write(changes);
}

const kind = 'mirror';

const separateMirrorHint = boh.hint`Use a separate mirror for each account: ${boh.account('mirror sync', '--to', 'sqlite:FILE')}, or BOH_MIRROR. To start over: ${boh.mirror('mirror reset', '--any-account')}`;

const overrideHint = [separateMirrorHint, '. If it belongs to the account in use: --any-account'];

/** Returns the account that a mirror belongs to; undefined if it is new. */
export async function readOwner(reader: MetadataReader): Promise<AccountIdentity | undefined> {
  const read = async (name: string) => [name, await readMetadata(reader, name)];
  return ownerFrom(Object.fromEntries(await Promise.all(ownerFieldNames.map(read))));
}
