/** The journal of the account in use, opened to be read. */
import { existsSync } from 'node:fs';
import { Failure } from '../../errors.ts';
import { type AccountInUse, accountsInUse } from '../../history/journal/accounts.ts';
import { Journal } from '../../history/journal/journal.ts';
import { journalFile } from '../../history/journal/place.ts';
import type { Context } from '../../interaction/context.ts';
import { placeOf } from '../../settings/settings.ts';
import { whoamiKey } from '../../settings/whoami-cache.ts';

export interface OpenHistory {
  journal: Journal;
  /** Those whose writes are meant; undefined for all. */
  accounts: readonly number[] | undefined;
}

/** All of the file, whoever’s writes they are; undefined where nothing was ever written there. */
export async function openJournal(context: Context): Promise<Journal | undefined> {
  const settings = await context.settings();
  const file = journalFile(context.env, placeOf(settings) + settings.apiPrefix);
  return existsSync(file) ? new Journal(file) : undefined;
}

/** Undefined where nothing was ever written there. */
export async function openHistory(context: Context): Promise<OpenHistory | undefined> {
  const settings = await context.settings();
  const place = placeOf(settings) + settings.apiPrefix;
  const journal = await openJournal(context);
  if (!journal) return undefined;
  const { sandbox, token, businessId } = settings;
  const inUse: AccountInUse = {
    key: whoamiKey(place, token),
    business: businessId,
    ask: () => businessOf(context),
  };
  // A sandbox is one business, whoever signs in to it.
  const accounts = sandbox === undefined ? await accountsInUse(journal, inUse) : undefined;
  return { journal, accounts };
}

async function businessOf(context: Context): Promise<string | undefined> {
  try {
    return (await (await context.session()).whoami()).businessId;
  } catch (error) {
    if (error instanceof Failure && error.category !== 'interrupted') return undefined;
    throw error;
  }
}
