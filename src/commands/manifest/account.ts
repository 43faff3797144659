/** Which account a plan is for: the service, the profile and the business. */
import type { Context } from '../../interaction/context.ts';
import type { PlannedFor } from '../../manifest/apply/saved-plan.ts';
import { accountIfTold } from '../../session/account.ts';
import type { Session } from '../../session/session.ts';
import { placeOf } from '../../settings/settings.ts';

/** The business is null where the token may not ask. */
export async function accountOf(session: Session, context: Context): Promise<PlannedFor> {
  const settings = await context.settings();
  const { businessId = null } = await accountIfTold(session);
  return {
    place: placeOf(settings) + settings.apiPrefix,
    profile: settings.profile ?? null,
    business: businessId,
  };
}
