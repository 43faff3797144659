/** Parses the size of a pack, such as `12 x 1 kg`, to compare it with the units that a link stores. */
import { foldText } from '../../base/fold-text.ts';
import { toAsciiDigits } from '../../contract/ascii-digits.ts';

/** The units of each dimension, with their sizes. Names are folded. */
const units: readonly Readonly<Record<string, number>>[] = [
  {
    ...{ g: 1, gr: 1, gm: 1, gms: 1, gram: 1, grams: 1, gramm: 1, غ: 1, جم: 1, غرام: 1, جرام: 1 },
    ...{ kg: 1000, kgs: 1000, kilo: 1000, kilos: 1000, kilogram: 1000, كجم: 1000, كغ: 1000, كيلو: 1000 },
    ...{ oz: 28.349523125, lb: 453.59237, lbs: 453.59237 },
  },
  {
    ...{ ml: 1, cl: 10, dl: 100, مل: 1 },
    ...{
      l: 1000,
      lt: 1000,
      ltr: 1000,
      liter: 1000,
      litre: 1000,
      liters: 1000,
      litres: 1000,
      لتر: 1000,
      ل: 1000,
    },
  },
  {
    ...{ pc: 1, pcs: 1, piece: 1, pieces: 1, each: 1, ea: 1, unit: 1, units: 1, stk: 1, stuck: 1, adet: 1 },
    ...{ حبه: 1, قطعه: 1, dozen: 12, dz: 12 },
  },
];

/** An amount in the base unit of its dimension. */
interface Amount {
  dimension: number;
  size: number;
}

/** Returns the number of storage units in a pack; undefined if the text names no size that can be compared. */
export function storageUnitsIn(pack: string, storageUnit: string): number | undefined {
  const [total, storage] = [amountIn(pack), amountOf(1, storageUnit)];
  return total && storage && total.dimension === storage.dimension ? total.size / storage.size : undefined;
}

/** Returns whether two texts name the same unit: equal but for case and plural, or two names of one unit. */
export function isSameUnit(a: string, b: string): boolean {
  const [first, second] = [a, b].map((text) => foldText(text.trim()).replace(/(?<=..)s$|\.$/, ''));
  const [firstAmount, secondAmount] = [amountOf(1, a), amountOf(1, b)];
  if (first === second) return true;
  return (
    firstAmount?.dimension === secondAmount?.dimension &&
    firstAmount?.size === secondAmount?.size &&
    !!firstAmount
  );
}

/** Matches `12 x 1 kg`, `6×500ml` and `25 kg`, also within other text: `Bag 25 kg`. */
const packPattern = /(?:(\d+)\s*[x×*]\s*)?(?:(\d+)\s*[x×*]\s*)?(\d+(?:[.,]\d+)?)\s*(\p{L}+)/iu;

function amountIn(text: string): Amount | undefined {
  const [, outer = '1', inner = '1', number = '', unit = ''] = packPattern.exec(toAsciiDigits(text)) ?? [];
  return amountOf(Number(outer) * Number(inner) * Number(number.replace(',', '.')), unit);
}

function amountOf(count: number, unit: string): Amount | undefined {
  const name = foldText(unit.trim().replace(/\.$/, ''));
  const dimension = units.findIndex((sizes) => Object.hasOwn(sizes, name));
  const size = units[dimension]?.[name];
  return size === undefined || !(count > 0) ? undefined : { dimension, size: count * size };
}
