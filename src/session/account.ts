/** Who a token belongs to and what it allows, from the one answer that says so. Document: "Whoami object". */
import { Failure } from '../base/errors.ts';
import { isRow, isTexts, type Row } from '../client/shape.ts';
import type { Operation } from '../contract/operation.ts';
import { flagName } from '../contract/text.ts';
import { placeOf, type Settings } from '../settings/settings.ts';
import { whoamiKey } from '../settings/whoami-cache.ts';

/** Absent is what the service does not say. */
export interface Account {
  userId?: string;
  userName?: string;
  businessId?: string;
  businessName?: string;
  /** True where the service says that the business is blocked. */
  isBlocked?: boolean;
  scopes?: readonly string[];
}

export function readAccount({ user, business, scopes }: Row): Account {
  const [person, company] = [isRow(user) ? user : {}, isRow(business) ? business : {}];
  return {
    ...text('userId', person.id),
    ...text('userName', person.name),
    ...text('businessId', company.id),
    ...text('businessName', company.name),
    ...(company.is_blocked === true && { isBlocked: true }),
    ...(isTexts(scopes) && { scopes }),
  };
}

/** Stands for the token in use at its address, and gives nothing away about it. */
export function accountKeyOf(settings: Settings): string {
  return whoamiKey(placeOf(settings) + settings.apiPrefix, settings.token);
}

export interface Asking {
  /** In milliseconds: where nothing has come by then, however often it was tried, it is `unavailable`. */
  within: number;
}

/** What the service tells of the account; nothing where the token may not ask. Whoever asks pays a request at most. */
export async function accountIfTold(
  session: { whoami(how?: Asking): Promise<Account> },
  how?: Asking,
): Promise<Account> {
  try {
    return await session.whoami(how);
  } catch (error) {
    const isAnswer =
      error instanceof Failure && ['not_allowed', 'not_found', 'refused'].includes(error.category);
    if (isAnswer) return {};
    throw error;
  }
}

/** The user that stands for a field that was left out. Throws where the service doesn’t say who it is. */
export function signedInUser({ userId }: Account, { body }: Operation): string {
  if (userId !== undefined) return userId;
  const own = body.find(({ field }) => field.traits.defaultsToSignedInUser)?.name ?? '';
  throw new Failure('unavailable', 'The service doesn’t say who is signed in.', {
    hint: `Name the user: --${flagName(own)} ID`,
  });
}

/** Ids are numbers at some services: they tell businesses apart all the same. */
function text<Name extends string>(name: Name, value: unknown): Partial<Record<Name, string>> {
  const said = typeof value === 'number' ? String(value) : value;
  return typeof said === 'string' && said !== '' ? ({ [name]: said } as Record<Name, string>) : {};
}
