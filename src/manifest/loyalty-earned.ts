/** What customers have earned or used: the records of loyalty that an account holds. */
import { operation } from '../contract/operation.ts';
import type { Session } from '../session/session.ts';

export interface LoyaltyRecord {
  /** As the command line calls the resource. */
  resource: string;
  id: string;
}

/** Of an account that began with none, all that came of the changes to it. */
export async function loyaltyEarned({ api, list: read }: Session): Promise<LoyaltyRecord[]> {
  const found: LoyaltyRecord[] = [];
  for (const resource of api.collections.filter(({ group }) => group === 'loyalty')) {
    const list = operation(resource, 'list');
    if (!list) continue;
    for await (const { id } of read({ operation: list, query: {} }, { isWanted: true }).rows())
      found.push({ resource: resource.command, id: String(id) });
  }
  return found;
}
