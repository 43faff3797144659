/** Applies a mirror's exclusions: a field stays excluded in later syncs, and its existing values are deleted. */
import type { Api } from '../../../api/contract/api.ts';
import { type MirroredResource, mirroredResources } from '../schema/derive.ts';
import { type ExcludedFields, excludedNames, parseExcluded } from '../schema/excluded.ts';
import type { Store, StoreChange } from '../stores/store.ts';
import { clearVersions } from './change-log.ts';
import { metadataChange, readMetadata, readStates } from './states.ts';
import { clearHistory } from './sync-history.ts';

const metadataKey = 'excluded';

/** Adds `names` to the mirror's exclusions. Returns the resources with these exclusions, and all exclusions. */
export async function applyExclusions(
  api: Api,
  store: Store,
  names: readonly string[],
): Promise<{ resources: MirroredResource[]; names: string[]; excluded: ExcludedFields }> {
  const earlierNames = await readExcludedNames(store);
  const excluded: ExcludedFields = parseExcluded(api, [...earlierNames, ...names]);
  const allNames = excludedNames(excluded);
  const resources = mirroredResources(api, excluded);
  if (allNames.some((name) => !earlierNames.includes(name))) {
    const changed = new Set(
      [...excluded.keys()].filter((name) => hasNewExclusion(name, allNames, earlierNames)),
    );
    const versions = clearVersions([...(await readStates(store)).values()], changed);
    const changes = [...resources.flatMap(clearExcluded), ...versions, ...clearHistory()];
    await store.scrub([metadataChange(metadataKey, JSON.stringify(allNames)), ...changes]);
  }
  return { resources, names: allNames, excluded };
}

function hasNewExclusion(
  resource: string,
  names: readonly string[],
  earlierNames: readonly string[],
): boolean {
  return names.some((name) => name.startsWith(`${resource}.`) && !earlierNames.includes(name));
}

/** Returns the names of the fields that a mirror excludes. */
export async function readExcludedNames(store: Pick<Store, 'read'>): Promise<string[]> {
  return JSON.parse((await readMetadata(store, metadataKey)) ?? '[]');
}

function clearExcluded({ main, hidden, children }: MirroredResource): StoreChange[] {
  const mainChanges: StoreChange[] =
    hidden.length > 0 ? [{ kind: 'blank', table: main, columns: hidden }] : [];
  return [
    ...mainChanges,
    ...children.flatMap(({ table, hidden: hiddenColumns }): StoreChange[] => {
      if (hiddenColumns === 'all') return [{ kind: 'clear', table }];
      return hiddenColumns.length > 0 ? [{ kind: 'blank', table, columns: hiddenColumns }] : [];
    }),
  ];
}
