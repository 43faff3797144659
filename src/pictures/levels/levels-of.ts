/** Compares the last counted quantity of each item with its target levels. All numbers are in storage units. */

import { shortName } from '../labels.ts';

/** The target levels of an item; null if one isn't set. */
export interface Levels {
  minimum: number | null;
  par: number | null;
  maximum: number | null;
}

/** An inventory item with its levels. */
export interface LevelItem extends Levels {
  id: string;
  name: string;
  sku: string | null;
  unit: string | null;
  /** Branches with their own levels. A level that is null there is the item's. */
  branches: readonly (Levels & { id: string; name: string })[];
}

/** One line of a completed stock count. */
export interface Counted {
  item: string;
  branch: { id: string; name: string } | null;
  /** `YYYY-MM-DD`; null if the count has no date. */
  day: string | null;
  quantity: number;
}

/** The result of comparing a counted quantity with the levels. */
export type State = 'short' | 'below par' | 'fine' | 'too much' | 'no levels' | 'not counted';

/** The level of an item in one branch. The branch is null if the item was counted nowhere. */
export interface Level extends Levels {
  item: LevelItem;
  branch: { id: string; name: string } | null;
  counted: number | null;
  day: string | null;
  state: State;
}

/** Returns the level of each item in each branch, or only in the branch with the id `branch`. Short items come first. */
export function levelsOf(items: readonly LevelItem[], counts: readonly Counted[], branch?: string): Level[] {
  const latest = new Map<string, Counted>();
  for (const count of counts) {
    const key = JSON.stringify([count.item, count.branch?.id ?? null]);
    const before = latest.get(key);
    if (!before || (before.day ?? '') <= (count.day ?? '')) latest.set(key, count);
  }
  const byItem = Map.groupBy(latest.values(), ({ item }) => item);
  return items.flatMap((item) => levelsByBranch(item, byItem.get(item.id) ?? [], branch)).sort(byState);
}

function levelsByBranch(item: LevelItem, counted: readonly Counted[], only: string | undefined): Level[] {
  const branches = new Map<string, Level['branch']>();
  for (const { branch } of counted) if (branch) branches.set(branch.id, branch);
  for (const { id, name } of item.branches) if (!branches.has(id)) branches.set(id, { id, name });
  const selected = [...branches.values()].filter((branch) => only === undefined || branch?.id === only);
  const rows = selected.length > 0 ? selected : [null];
  return rows.map((row) => {
    const own = item.branches.find(({ id }) => id === row?.id);
    const levels = {
      minimum: own?.minimum ?? item.minimum,
      par: own?.par ?? item.par,
      maximum: own?.maximum ?? item.maximum,
    };
    const count = counted.find(({ branch }) => branch?.id === row?.id);
    const quantity = count?.quantity ?? null;
    return {
      item,
      branch: row,
      ...levels,
      counted: quantity,
      day: count?.day ?? null,
      state: stateOf(quantity, levels),
    };
  });
}

function stateOf(counted: number | null, { minimum, par, maximum }: Levels): State {
  if (counted === null) return 'not counted';
  if (minimum === null && par === null && maximum === null) return 'no levels';
  if (minimum !== null && counted < minimum) return 'short';
  if (maximum !== null && counted > maximum) return 'too much';
  return par !== null && counted < par ? 'below par' : 'fine';
}

const order: readonly State[] = ['short', 'too much', 'below par', 'fine', 'no levels', 'not counted'];

function byState(one: Level, other: Level): number {
  return order.indexOf(one.state) - order.indexOf(other.state);
}

/** Returns one flat record for each level, for programs. */
export function levelRows(levels: readonly Level[]): object[] {
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

/** Returns one sentence for each level. */
export function levelWords(levels: readonly Level[]): string[] {
  return levels.map(({ item, branch, minimum, par, maximum, counted, day, state }) => {
    const unit = item.unit === null ? '' : ` ${item.unit}`;
    const where = branch === null ? '' : ` in ${shortName(branch.name)}`;
    const found =
      counted === null ? 'not counted' : `${counted}${unit} counted${day === null ? '' : ` on ${day}`}`;
    const targets = [
      ...(minimum === null ? [] : [`minimum ${minimum}`]),
      ...(par === null ? [] : [`par ${par}`]),
      ...(maximum === null ? [] : [`maximum ${maximum}`]),
    ];
    const levelsText = targets.length === 0 ? 'no levels are set' : targets.join(', ');
    const verdict = ['short', 'too much', 'below par', 'fine'].includes(state) ? `: ${state}` : '';
    return `${shortName(item.name)}${where}${verdict}; ${found}; ${levelsText}.`;
  });
}
