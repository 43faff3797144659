/** `boh RESOURCE list --mirror`: reads a list from the mirror, with a note on its age. */
import { spanInWords } from '../../base/duration.ts';
import { usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { ListQuery } from '../../client/request.ts';
import type { Context } from '../../context/context.ts';
import type { Operation } from '../../contract/operation.ts';
import { mirrorPages, stateForList } from '../../mirror/list.ts';
import { type Mirrored, mirroredResource, mirroredResources } from '../../mirror/schema/derive.ts';
import { readExcluded } from '../../mirror/schema/excluded.ts';
import type { State } from '../../mirror/schema/state.ts';
import { ageOf } from '../../mirror/status.ts';
import { openReader } from '../../mirror/stores/open.ts';
import { readExcludedNames } from '../../mirror/sync/exclusions.ts';
import type { Result } from '../../output/result.ts';
import { type Reach, readList } from '../../session/list.ts';
import { namedFilters } from '../../session/names.ts';
import { note, warn } from '../../terminal/messages.ts';
import type { AnyAccountFlag } from '../flags/shared-flags.ts';
import { requireOwnToRead, targetOf } from './target.ts';

/** Returns the list from the mirror. Throws a usage failure for flags that only the service supports. */
export async function listFromMirror(
  operation: Operation,
  query: ListQuery,
  { flags, reach }: { flags: AnyAccountFlag; reach: Reach },
  context: Context,
): Promise<Result> {
  const { resource } = operation;
  const { include = [], page, filters = {}, sort = [] } = query;
  if (include.length > 0 || page !== undefined) {
    throw usage("--mirror can't be used with --include or --page.", {
      hint: boh.hint`In the mirror, related records have their own tables: ${boh.mirror('mirror query', 'select …')}`,
    });
  }
  const names = namedFilters(resource, query);
  if (names.length > 0) {
    throw usage(
      `--mirror takes IDs, not names: ${names.map((name) => `${name} ${filters[name]}`).join(', ')}.`,
    );
  }
  const reader = await openReader(await targetOf({}, context), mirroredResources(context.api));
  let mirrored: Mirrored;
  let state: State;
  try {
    await requireOwnToRead(reader, flags, context);
    mirrored = mirroredResource(resource, readExcluded(context.api, await readExcludedNames(reader)));
    state = await stateForList(reader, mirrored);
  } catch (error) {
    await reader.close();
    throw error;
  }
  const age = ageOf(state.syncedAt, context.now()) ?? 0;
  note(context.streams, `From the mirror ${reader.called}, synced ${spanInWords(age * 1000)} ago.`);
  if (state.lastError !== undefined)
    warn(context.streams, `The last sync of ${resource.nouns} failed: ${state.lastError}`);
  async function* pages() {
    try {
      yield* mirrorPages(reader, mirrored, { filters, sort });
    } finally {
      await reader.close();
    }
  }
  return { kind: 'rows', resource, query, list: readList({ pages }, { operation, query }, reach) };
}
