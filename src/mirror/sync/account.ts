/**
 * Checks that a mirror belongs to the account in use. Otherwise records of two accounts would be mixed, and records
 * of one account would count as deleted.
 */
import type { Environment } from '../../base/environment.ts';
import { boh } from '../../base/hint.ts';
import {
  type AccountInUse,
  type FileOwner,
  ownerFailure,
  requireOwner,
  serviceName,
} from '../../session/file-owner.ts';
import type { Session } from '../../session/session.ts';
import type { Reader, Store } from '../stores/store.ts';
import { metadataChange, readMetadata } from './states.ts';

type Settings = Session['settings'];

/** The part of a reader that reads a mirror's metadata. */
export type MetadataReader = Pick<Reader, 'read' | 'label'>;

/** The metadata of a mirror about its account; empty if the mirror is new. */
interface AccountMetadata {
  /** The URL or sandbox, followed by the ID of the business if the service reported it. */
  account?: string | undefined;
  /** The name of the business, or the URL or sandbox if the name is unknown. */
  business?: string | undefined;
  /** A hash that identifies the token of the last sync. */
  key?: string | undefined;
}

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
  const { settings } = session;
  const storedMetadata = await readAccountMetadata(store);
  const owner = parseOwner(storedMetadata, settings);
  const { label } = store;
  const { account, match } = await requireOwner(session, owner, {
    label,
    kind,
    override: overrideHint,
    env,
    isOverridden: isAny,
  });
  if (owner && match === 'other')
    throw ownerFailure(match, owner, account, { label, kind, override: separateMirrorHint });
  const metadata = metadataFor(account, storedMetadata, settings);
  const changedNames = metadataNames.filter(
    (name) => metadata[name] !== undefined && metadata[name] !== storedMetadata[name],
  );
  if (changedNames.length > 0)
    await store.write(changedNames.map((name) => metadataChange(metadataKeys[name], metadata[name] ?? '')));
}

const kind = 'mirror';

const separateMirrorHint = boh.hint`Use a separate mirror for each account: ${boh.account('mirror sync', '--to', 'sqlite:FILE')}, or BOH_MIRROR. To start over: ${boh.mirror('mirror reset', '--any-account')}`;

const overrideHint = [separateMirrorHint, '. If it belongs to the account in use: --any-account'];

/** Returns the account that a mirror belongs to; undefined if it is new. */
export async function readOwner(settings: Settings, reader: MetadataReader): Promise<FileOwner | undefined> {
  return parseOwner(await readAccountMetadata(reader), settings);
}

function parseOwner(
  { account, business: name, key }: AccountMetadata,
  settings: Settings,
): FileOwner | undefined {
  if (account === undefined) return undefined;
  const [storedName, service] = [storedServiceName(settings), serviceName(settings)];
  if (account === storedName) return { service, key };
  if (account.startsWith(`${storedName} `))
    return { service, business: { id: account.slice(storedName.length + 1), name }, key };
  const [, otherService = account, id] = /^(https?:\S+) (.+)$/s.exec(account) ?? [];
  return { service: otherService, key, ...(id !== undefined && { business: { id, name } }) };
}

/** Returns the URL or sandbox in the format that mirrors store. */
function storedServiceName({ baseUrl = '', sandbox, apiPrefix }: Settings): string {
  return sandbox === undefined ? baseUrl + apiPrefix : `sandbox ${sandbox}`;
}

const metadataKeys = { account: 'account', business: 'business', key: 'account_key' } as const;

const metadataNames = Object.keys(metadataKeys) as (keyof typeof metadataKeys)[];

async function readAccountMetadata(reader: MetadataReader): Promise<AccountMetadata> {
  const entries = metadataNames.map(async (name) => [name, await readMetadata(reader, metadataKeys[name])]);
  return Object.fromEntries(await Promise.all(entries));
}

/** Returns the metadata to store. A stored business is kept if the service doesn't report one. */
function metadataFor(
  { key, business }: AccountInUse,
  storedMetadata: AccountMetadata,
  settings: Settings,
): AccountMetadata {
  const service = storedServiceName(settings);
  const { account = service, business: name = service } = storedMetadata;
  if (!business) return { account, business: name, key };
  return { account: `${service} ${business.id}`, business: business.name ?? service, key };
}
