/** Applies a mirror's exclusions: a field stays excluded in later syncs, and its existing values are deleted. */
import type { Api } from '../../contract/api.ts';
import { type Mirrored, mirroredResources } from '../schema/derive.ts';
import { type Excluded, excludedNames, readExcluded } from '../schema/excluded.ts';
import type { Change, Store } from '../stores/store.ts';
import { keepFact, readFact } from './states.ts';
import { clearHistory } from './sync-history.ts';

const fact = 'excluded';

/** Adds `names` to the mirror's exclusions. Returns the resources as this mirror stores them, and all exclusions. */
export async function applyExclusions(
  api: Api,
  store: Store,
  names: readonly string[],
): Promise<{ resources: Mirrored[]; names: string[]; excluded: Excluded }> {
  const before = await readExcludedNames(store);
  const excluded: Excluded = readExcluded(api, [...before, ...names]);
  const all = excludedNames(excluded);
  const resources = mirroredResources(api, excluded);
  if (all.some((name) => !before.includes(name))) {
    const changes = [...resources.flatMap(clearExcluded), ...clearHistory()];
    await store.scrub([keepFact(fact, JSON.stringify(all)), ...changes]);
  }
  return { resources, names: all, excluded };
}

/** Returns the names of the fields that a mirror excludes. */
export async function readExcludedNames(store: Pick<Store, 'read'>): Promise<string[]> {
  return JSON.parse((await readFact(store, fact)) ?? '[]');
}

function clearExcluded({ main, hidden, children }: Mirrored): Change[] {
  const own: Change[] = hidden.length > 0 ? [{ kind: 'blank', table: main, columns: hidden }] : [];
  return [
    ...own,
    ...children.flatMap(({ table, hidden: hiddenColumns }): Change[] => {
      if (hiddenColumns === 'all') return [{ kind: 'clear', table }];
      return hiddenColumns.length > 0 ? [{ kind: 'blank', table, columns: hiddenColumns }] : [];
    }),
  ];
}
