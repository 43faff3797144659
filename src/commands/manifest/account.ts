/** Which account a plan is for: the service, the profile and the business. */
import { Failure } from '../../errors.ts';
import type { Context } from '../../interaction/context.ts';
import type { PlannedFor } from '../../manifest/apply/saved-plan.ts';
import type { Session } from '../../session/session.ts';
import { placeOf } from '../../settings/settings.ts';

/** The business is null where the token may not ask. */
export async function accountOf(session: Session, context: Context): Promise<PlannedFor> {
  const settings = await context.settings();
  const business = await session.whoami().then(
    ({ businessId }) => businessId ?? null,
    (error: unknown) => {
      const isAnswer =
        error instanceof Failure && ['not_allowed', 'not_found', 'refused'].includes(error.category);
      if (isAnswer) return null;
      throw error;
    },
  );
  return { place: placeOf(settings) + settings.apiPrefix, profile: settings.profile ?? null, business };
}
