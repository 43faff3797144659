/** The cells of a record, read in the order in which it shows its fields, and what else it shows as JSON. */
import type { Api } from '../../contract/api.ts';
import { maskOfAll } from '../../contract/secret-mask.ts';
import { misfit } from './cell.ts';
import type { Part } from './parts.ts';
import type { Cell } from './table.ts';

type Row = Record<string, unknown>;

/** Names in records, by what is odd about them. */
export interface Met {
  /** Nothing stands for them. */
  unknown: Set<string>;
  /** There is a column or a table, and some value that is none for it. */
  unfit: Set<string>;
}

export function newMet(): Met {
  return { unknown: new Set(), unfit: new Set() };
}

/** What a name in a record stands for. */
interface Slot {
  name: string;
  isKnown: boolean;
  /** A column whose cell is the value under this name and nothing else. */
  single?: { at: number; convert: NonNullable<Part['convert']> } | undefined;
  /** Others that the name has to do with. */
  read: readonly { at: number; part: Part }[];
}

/**
 * A cell for each of the parts, and behind them what the record shows beyond those and beyond `known` names, with what
 * fitted nowhere: as JSON, null where there is nothing. What fits no column goes into `misfits`, where what fits no table
 * may be already; the names of both are added to what was `met`.
 */
export function cellReader(
  parts: readonly Part[],
  known: ReadonlySet<string>,
  api: Api,
  met: Met = newMet(),
): (record: Row, misfits: Row) => Cell[] {
  // A service may show what it should not: no secret gets into a copy.
  const covered = maskOfAll(api);
  const empty: Cell[] = Array.from({ length: parts.length + 1 }, () => null);
  const slots = new Map(
    [...known, ...parts.flatMap(({ names }) => names)].map((name) => [name, slotOf(name, parts)]),
  );
  // Records of a list show the same names in the same order: a name is looked for only where another was before.
  const inOrder: Slot[] = [];
  return (record, misfits) => {
    const cells = empty.slice();
    let unknown: Row | undefined;
    let place = 0;
    for (const name in record) {
      let slot = inOrder[place];
      if (slot?.name !== name) {
        slot = slots.get(name) ?? { name, isKnown: false, read: [] };
        inOrder[place] = slot;
      }
      place++;
      const { single } = slot;
      if (single) {
        const cell = single.convert(record[name]);
        if (cell === misfit) misfits[name] = record[name];
        else cells[single.at] = cell;
      } else if (!slot.isKnown) {
        unknown ??= {};
        if (name === prototype) keepAsField(unknown, name, record[name]);
        else unknown[name] = record[name];
      } else {
        for (const { at, part } of slot.read) cells[at] = part.read(record, misfits);
      }
    }
    for (const name in misfits) met.unfit.add(name);
    for (const name in unknown) met.unknown.add(name);
    const others = unknown ? { ...misfits, ...unknown } : misfits;
    for (const _ in others) {
      cells[parts.length] = JSON.stringify(covered(others));
      break;
    }
    return cells;
  };
}

/** A field may be called so. Objects without a prototype would take any name, and far longer with each record. */
const prototype = '__proto__';

function keepAsField(row: Row, name: string, value: unknown): void {
  Object.defineProperty(row, name, { value, enumerable: true, configurable: true, writable: true });
}

function slotOf(name: string, parts: readonly Part[]): Slot {
  const read = [...parts.entries()]
    .filter(([, part]) => !part.isHidden && part.names.includes(name))
    .map(([at, part]) => ({ at, part }));
  const [only] = read;
  const convert = read.length === 1 ? only?.part.convert : undefined;
  const single = only && convert ? { at: only.at, convert } : undefined;
  return { name, isKnown: true, single, read };
}
