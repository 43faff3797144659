/** Whom a token belongs to and what it allows, in the service's words. */
import { isRow, type Row } from '../../client/shape.ts';
import { operation } from '../../contract/operation.ts';
import { whoami } from '../../resources/whoami.ts';
import type { Profile } from '../../settings/config.ts';
import type { ScopedClient } from '../guards/within-scopes.ts';

/** Absent is what the service does not say. */
export interface Who {
  userName?: string;
  businessId?: string;
  businessName?: string;
  scopes?: string[];
}

/** Asks `whoami`, which also lets the guards know the scopes for ten minutes. */
export async function askWho(client: ScopedClient): Promise<Who> {
  const get = operation(whoami, 'get');
  if (!get) throw new Error('whoami has no get');
  const { record } = await client.get({ operation: get });
  return readWho(record);
}

/** "You are Sara Al-Amin, for Fresh Farms, with 2 scopes: general.read, users.read." */
export function introduction({ userName, businessName, scopes }: Who): string {
  const who = userName ?? 'someone whom the service does not name';
  const whose = businessName === undefined ? '' : `, for ${businessName}`;
  const number = scopes?.length === 1 ? 'one scope' : `${scopes?.length} scopes`;
  return `You are ${who}${whose}${scopes ? `, with ${number}: ${scopes.join(', ')}` : ''}.`;
}

/** As a profile keeps it. */
export function whoFields(
  who: Who = {},
): Pick<Profile, 'user_name' | 'business_id' | 'business_name' | 'token_scopes'> {
  return {
    ...(who.userName !== undefined && { user_name: who.userName }),
    ...(who.businessId !== undefined && { business_id: who.businessId }),
    ...(who.businessName !== undefined && { business_name: who.businessName }),
    ...(who.scopes !== undefined && { token_scopes: who.scopes }),
  };
}

function readWho({ user, business, scopes }: Row): Who {
  const [userName, businessName] = [textIn(user, 'name'), textIn(business, 'name')];
  const businessId = textIn(business, 'id');
  return {
    ...(userName !== undefined && { userName }),
    ...(businessId !== undefined && { businessId }),
    ...(businessName !== undefined && { businessName }),
    ...(isTexts(scopes) && { scopes }),
  };
}

function textIn(value: unknown, name: 'id' | 'name'): string | undefined {
  const text = isRow(value) ? value[name] : undefined;
  return typeof text === 'string' && text !== '' ? text : undefined;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
