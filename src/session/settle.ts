/** Look-ups that lead to no single record, settled by whoever can say what was meant. */
import { Failure } from '../base/errors.ts';
import type { Resource } from '../contract/resource.ts';
import { type LookupOptions, together } from './look-up.ts';

/** A look-up that leads to no single record. */
export interface Unsettled {
  resource: Resource;
  /** `@huda`, as it was typed. */
  text: string;
  deleted: boolean;
  /** Whether there are records that it may mean. */
  isNear: boolean;
}

/** What is chosen takes the place of a failure; those that are left are thrown as one. */
export async function settle(
  resource: Resource,
  found: ReadonlyMap<string, string | Failure>,
  { deleted = false }: LookupOptions,
  choose: (wanted: Unsettled) => Promise<string | undefined>,
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  const failures: Failure[] = [];
  for (const [text, id] of found) {
    if (!(id instanceof Failure)) {
      ids.set(text, id);
      continue;
    }
    const { lookup } = id.details;
    const chosen = lookup && (await choose({ resource, text, deleted, isNear: lookup.isNear }));
    if (chosen === undefined) failures.push(id);
    else ids.set(text, chosen);
  }
  if (failures.length > 0) throw together(resource, failures);
  return ids;
}
