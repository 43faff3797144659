/** What a mirror is told to leave out stays left out, whatever later syncs say; what it holds of that already goes. */
import type { Api } from '../../contract/api.ts';
import { type Mirrored, mirrored } from '../schema/derive.ts';
import { type Excluded, excludedNames, readExcluded } from '../schema/excluded.ts';
import type { Change, Store } from '../stores/store.ts';
import { keepFact, readFact } from './states.ts';
import { emptiedHistory } from './sync-history.ts';

const fact = 'excluded';

/** The resources as this mirror holds them, and all that is left out by name. `names` are added to those of before. */
export async function leaveOut(
  api: Api,
  store: Store,
  names: readonly string[],
): Promise<{ resources: Mirrored[]; names: string[]; excluded: Excluded }> {
  const before = await readLeftOut(store);
  const excluded: Excluded = readExcluded(api, [...before, ...names]);
  const all = excludedNames(excluded);
  const resources = mirrored(api, excluded);
  if (all.some((name) => !before.includes(name))) {
    const changes = [...resources.flatMap(emptied), ...emptiedHistory()];
    await store.scrub([keepFact(fact, JSON.stringify(all)), ...changes]);
  }
  return { resources, names: all, excluded };
}

export async function readLeftOut(store: Pick<Store, 'read'>): Promise<string[]> {
  return JSON.parse((await readFact(store, fact)) ?? '[]');
}

function emptied({ main, hidden, children }: Mirrored): Change[] {
  const own: Change[] = hidden.length > 0 ? [{ kind: 'blank', table: main, columns: hidden }] : [];
  return [
    ...own,
    ...children.flatMap(({ table, hidden: left }): Change[] => {
      if (left === 'all') return [{ kind: 'clear', table }];
      return left.length > 0 ? [{ kind: 'blank', table, columns: left }] : [];
    }),
  ];
}
