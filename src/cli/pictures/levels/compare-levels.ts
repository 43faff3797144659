/** Compares the last counted quantity of each item with its target levels. All numbers are in storage units. */

import { shortenName } from '../page.ts';

/** The target levels of an item. A level that isn't set is null. */
export interface TargetLevels {
  minimum: number | null;
  par: number | null;
  maximum: number | null;
}

export interface LevelItem extends TargetLevels {
  id: string;
  name: string;
  sku: string | null;
  unit: string | null;
  /** Branches with their own levels. If a branch's level is null, the item's level applies. */
  branches: readonly (TargetLevels & { id: string; name: string })[];
}

/** A line of a completed stock count. */
export interface CountLine {
  item: string;
  branch: { id: string; name: string } | null;
  /** The date as `YYYY-MM-DD`; null if the count has no date. */
  day: string | null;
  quantity: number;
}

/** The result of comparing a counted quantity with the levels. */
export type LevelState = 'short' | 'below par' | 'fine' | 'too much' | 'no levels' | 'not counted';

/** The level of an item in one branch. The branch is null if the item wasn't counted in any branch. */
export interface ItemLevel extends TargetLevels {
  item: LevelItem;
  branch: { id: string; name: string } | null;
  counted: number | null;
  day: string | null;
  state: LevelState;
}

/** Returns the level of each item in each branch, or only in the branch with the ID `branch`. Short items come first. */
export function compareLevels(
  items: readonly LevelItem[],
  counts: readonly CountLine[],
  branch?: string,
): ItemLevel[] {
  const latest = new Map<string, CountLine>();
  for (const count of counts) {
    const key = JSON.stringify([count.item, count.branch?.id ?? null]);
    const previous = latest.get(key);
    if (!previous || (previous.day ?? '') <= (count.day ?? '')) latest.set(key, count);
  }
  const byItem = Map.groupBy(latest.values(), ({ item }) => item);
  return items.flatMap((item) => levelsByBranch(item, byItem.get(item.id) ?? [], branch)).sort(byState);
}

function levelsByBranch(
  item: LevelItem,
  counts: readonly CountLine[],
  branchId: string | undefined,
): ItemLevel[] {
  const branches = new Map<string, ItemLevel['branch']>();
  for (const { branch } of counts) if (branch) branches.set(branch.id, branch);
  for (const { id, name } of item.branches) if (!branches.has(id)) branches.set(id, { id, name });
  const selected = [...branches.values()].filter(
    (branch) => branchId === undefined || branch?.id === branchId,
  );
  const shownBranches = selected.length > 0 ? selected : [null];
  return shownBranches.map((shownBranch) => {
    const branchLevels = item.branches.find(({ id }) => id === shownBranch?.id);
    const levels = {
      minimum: branchLevels?.minimum ?? item.minimum,
      par: branchLevels?.par ?? item.par,
      maximum: branchLevels?.maximum ?? item.maximum,
    };
    const count = counts.find(({ branch }) => branch?.id === shownBranch?.id);
    const quantity = count?.quantity ?? null;
    return {
      item,
      branch: shownBranch,
      ...levels,
      counted: quantity,
      day: count?.day ?? null,
      state: stateOf(quantity, levels),
    };
  });
}

function stateOf(counted: number | null, { minimum, par, maximum }: TargetLevels): LevelState {
  if (counted === null) return 'not counted';
  if (minimum === null && par === null && maximum === null) return 'no levels';
  if (minimum !== null && counted < minimum) return 'short';
  if (maximum !== null && counted > maximum) return 'too much';
  return par !== null && counted < par ? 'below par' : 'fine';
}

const stateOrder: readonly LevelState[] = [
  'short',
  'too much',
  'below par',
  'fine',
  'no levels',
  'not counted',
];

function byState(a: ItemLevel, b: ItemLevel): number {
  return stateOrder.indexOf(a.state) - stateOrder.indexOf(b.state);
}

/** Returns one flat record for each level, for programs. */
export function levelRows(levels: readonly ItemLevel[]): object[] {
  return levels.map(({ item, branch, minimum, par, maximum, counted, day, state }) => ({
    id: item.id,
    sku: item.sku,
    name: item.name,
    branch: branch?.name ?? null,
    unit: item.unit,
    minimum_level: minimum,
    par_level: par,
    maximum_level: maximum,
    counted,
    counted_on: day,
    state,
  }));
}

export function describeLevels(levels: readonly ItemLevel[]): string[] {
  return levels.map(({ item, branch, minimum, par, maximum, counted, day, state }) => {
    const unit = item.unit === null ? '' : ` ${item.unit}`;
    const branchText = branch === null ? '' : ` in ${shortenName(branch.name)}`;
    const countText =
      counted === null ? 'not counted' : `${counted}${unit} counted${day === null ? '' : ` on ${day}`}`;
    const targets = [
      ...(minimum === null ? [] : [`minimum ${minimum}`]),
      ...(par === null ? [] : [`par ${par}`]),
      ...(maximum === null ? [] : [`maximum ${maximum}`]),
    ];
    const levelsText = targets.length === 0 ? 'no levels are set' : targets.join(', ');
    const stateText = ['short', 'too much', 'below par', 'fine'].includes(state) ? `: ${state}` : '';
    return `${shortenName(item.name)}${branchText}${stateText}; ${countText}; ${levelsText}.`;
  });
}
