/** `boh RESOURCE list --mirror`: reads a list from the mirror, with a note on its age. */

import type { ListQuery } from '../../../account/client/request.ts';
import { type ListRange, type Lists, readList } from '../../../account/session/list.ts';
import { lookUpIn } from '../../../account/session/lookup.ts';
import { lookupsInFilters, replaceFilterLookups } from '../../../account/session/map-ids.ts';
import { Spellings } from '../../../account/session/spellings.ts';
import type { Operation } from '../../../api/contract/operation.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { formatDuration } from '../../../base/duration.ts';
import { Failure, usage } from '../../../base/errors.ts';
import { boh } from '../../../base/hint.ts';
import { mirrorPages, requireSyncedState } from '../../../engine/mirror/list.ts';
import { type MirroredResource, mirroredResource } from '../../../engine/mirror/schema/derive.ts';
import { parseExcluded } from '../../../engine/mirror/schema/excluded.ts';
import type { State } from '../../../engine/mirror/schema/state.ts';
import { ageInSeconds } from '../../../engine/mirror/status.ts';
import { openReader } from '../../../engine/mirror/stores/open.ts';
import { readExcludedNames } from '../../../engine/mirror/sync/exclusions.ts';
import type { Context } from '../../context/context.ts';
import type { RowsResult } from '../../output/result.ts';
import { note, warn } from '../../terminal/messages.ts';
import type { AnyAccountFlag } from '../flags/shared-flags.ts';
import { requireMirrorOwner, targetOf } from './target.ts';

/** Returns the list from the mirror. Throws a usage failure for flags that only the service supports. */
export async function listFromMirror(
  operation: Operation,
  query: ListQuery,
  { flags, range }: { flags: AnyAccountFlag; range: ListRange },
  context: Context,
): Promise<RowsResult> {
  const { resource } = operation;
  const { include = [], page } = query;
  if (include.length > 0 || page !== undefined) {
    throw usage("--mirror can't be used with --include or --page.", {
      hint: boh.hint`In the mirror, related records have their own tables: ${boh.mirror('mirror query', 'select …')}`,
    });
  }
  const reader = await openReader(await targetOf({}, context));
  let mirrored: MirroredResource;
  let state: State;
  let resolvedQuery: ListQuery;
  try {
    await requireMirrorOwner(reader, flags, context, { isOnlyRead: true });
    mirrored = mirroredResource(resource, parseExcluded(context.api, await readExcludedNames(reader)));
    state = await requireSyncedState(reader, mirrored);
    resolvedQuery = await resolveNames({ resource, query }, context);
  } catch (error) {
    await reader.close();
    throw error;
  }
  const age = ageInSeconds(state.syncedAt, context.now()) ?? 0;
  note(context.streams, `From the mirror ${reader.label}, synced ${formatDuration(age * 1000)} ago.`);
  if (state.lastError !== undefined)
    warn(context.streams, `The last sync of ${resource.nouns} failed: ${state.lastError}`);
  const { filters = {}, sort = [] } = resolvedQuery;
  async function* pages() {
    try {
      yield* mirrorPages(reader, mirrored, { filters, sort });
    } finally {
      await reader.close();
    }
  }
  return {
    ...{ kind: 'rows' as const, resource, query: resolvedQuery },
    list: readList({ pages }, { operation, query: resolvedQuery }, range),
  };
}

/** Returns the query with IDs instead of names. Finds names in the mirror, or in the account if the API has no list. */
async function resolveNames(
  { resource, query }: { resource: Resource; query: ListQuery },
  context: Context,
): Promise<ListQuery> {
  const lookups = lookupsInFilters(resource, query);
  if (lookups.size === 0) return query;
  const ids = new Map<string, string | Failure>();
  const spellings = new Spellings((message) => note(context.streams, message));
  for (const [target, names] of lookups) {
    const targetResource = context.api.resource(target);
    const results = targetResource?.list
      ? await lookUpIn(mirrorLists(context), targetResource, [...names], { spellings })
      : await (await context.session()).names.find(target, [...names]);
    for (const [name, id] of results) ids.set(`${target} ${name}`, id);
  }
  spellings.end();
  return replaceFilterLookups(resource, query, (target, name) => {
    const id = ids.get(`${target} ${name}`);
    if (typeof id === 'string') return id;
    throw id ?? new Failure('not_found', `No ${context.api.nounOf(target)} matches ${name}.`);
  });
}

/** Returns an interface that reads lists from the mirror. Each list is read from a separate snapshot. */
function mirrorLists(context: Context): Lists {
  return {
    list: (call, range) => {
      const { filters = {}, sort = [] } = call.query ?? {};
      async function* pages() {
        const reader = await openReader(await targetOf({}, context));
        try {
          const excludedFields = parseExcluded(context.api, await readExcludedNames(reader));
          const mirrored = mirroredResource(call.operation.resource, excludedFields);
          await requireSyncedState(reader, mirrored);
          yield* mirrorPages(reader, mirrored, { filters, sort });
        } finally {
          await reader.close();
        }
      }
      return readList({ pages }, call, range);
    },
    get: () => {
      throw new Error('A lookup in the mirror reads lists only.');
    },
  };
}
