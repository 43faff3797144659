/** What was last counted of each item, against what there should be. All numbers in storage units. */

import { shortName } from '../labels.ts';
export interface Levels {
  minimum: number | null;
  par: number | null;
  maximum: number | null;
}

export interface LevelItem extends Levels {
  id: string;
  name: string;
  sku: string | null;
  unit: string | null;
  /** Branches with levels of their own: what is null there is as for the item. */
  branches: readonly (Levels & { id: string; name: string })[];
}

/** A line of a count that is done. */
export interface Counted {
  item: string;
  branch: { id: string; name: string } | null;
  /** `YYYY-MM-DD`; null where the document has none. */
  day: string | null;
  quantity: number;
}

export type State = 'short' | 'below par' | 'fine' | 'too much' | 'no levels' | 'not counted';

/** An item in one branch; in none where it was counted nowhere. */
export interface Level extends Levels {
  item: LevelItem;
  branch: { id: string; name: string } | null;
  counted: number | null;
  day: string | null;
  state: State;
}

/** `branch` is the id of one, where only that is wanted. Those in need come first. */
export function levelsOf(items: readonly LevelItem[], counts: readonly Counted[], branch?: string): Level[] {
  const latest = new Map<string, Counted>();
  for (const count of counts) {
    const key = JSON.stringify([count.item, count.branch?.id ?? null]);
    const before = latest.get(key);
    if (!before || (before.day ?? '') <= (count.day ?? '')) latest.set(key, count);
  }
  const byItem = Map.groupBy(latest.values(), ({ item }) => item);
  return items.flatMap((item) => placesOf(item, byItem.get(item.id) ?? [], branch)).sort(byState);
}

function placesOf(item: LevelItem, counted: readonly Counted[], only: string | undefined): Level[] {
  const places = new Map<string, Level['branch']>();
  for (const { branch } of counted) if (branch) places.set(branch.id, branch);
  for (const { id, name } of item.branches) if (!places.has(id)) places.set(id, { id, name });
  const wanted = [...places.values()].filter((place) => only === undefined || place?.id === only);
  const rows = wanted.length > 0 ? wanted : [null];
  return rows.map((place) => {
    const own = item.branches.find(({ id }) => id === place?.id);
    const levels = {
      minimum: own?.minimum ?? item.minimum,
      par: own?.par ?? item.par,
      maximum: own?.maximum ?? item.maximum,
    };
    const count = counted.find(({ branch }) => branch?.id === place?.id);
    const quantity = count?.quantity ?? null;
    return {
      item,
      branch: place,
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

/** For programs. */
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

export function levelWords(levels: readonly Level[]): string[] {
  return levels.map(({ item, branch, minimum, par, maximum, counted, day, state }) => {
    const unit = item.unit === null ? '' : ` ${item.unit}`;
    const where = branch === null ? '' : ` in ${shortName(branch.name)}`;
    const found =
      counted === null ? 'not counted' : `${counted}${unit} counted${day === null ? '' : ` on ${day}`}`;
    const should = [
      ...(minimum === null ? [] : [`minimum ${minimum}`]),
      ...(par === null ? [] : [`par ${par}`]),
      ...(maximum === null ? [] : [`maximum ${maximum}`]),
    ];
    const against = should.length === 0 ? 'no levels are set' : should.join(', ');
    const verdict = ['short', 'too much', 'below par', 'fine'].includes(state) ? `: ${state}` : '';
    return `${shortName(item.name)}${where}${verdict}; ${found}; ${against}.`;
  });
}
