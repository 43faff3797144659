/** Fields that need a scope of their own to be written, and that the token in use hasn’t got. */
import { Failure } from '../base/errors.ts';
import { operation } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import type { Session } from '../session/session.ts';
import type { Transfer } from './transfer.ts';

/** By the names of answers, as far as the token’s scopes are known. Sends nothing. */
export async function deniedFields(
  session: Session,
  resources: readonly Resource[],
): Promise<Transfer['denied']> {
  const denied = new Map<string, Set<string>>();
  for (const resource of resources) {
    for (const verb of ['create', 'update']) {
      const write = operation(resource, verb);
      for (const { name, shown, field } of write?.body ?? []) {
        if (!write || !field.traits.writeScope) continue;
        const failure = await session
          .permit({ operation: write, body: { [name]: null } })
          .catch((error: unknown) => error);
        if (!(failure instanceof Failure) || !failure.details.fields?.[name]) continue;
        denied.set(resource.name, (denied.get(resource.name) ?? new Set()).add(shown));
      }
    }
  }
  return denied;
}
