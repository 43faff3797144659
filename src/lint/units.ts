/** Units of mass, volume and number as people write them, and plausible conversion factors between them. */
import { foldText } from '../base/fold-text.ts';

/** The size of each unit in grams, milliliters or pieces. */
const sizes = {
  mass: { mg: 0.001, 'g gr gram جرام': 1, 'kg kilo كجم كيلو': 1000, oz: 28.35, lb: 453.6, ton: 1_000_000 },
  volume: { 'ml مل': 1, cl: 10, 'l lt ltr liter litre لتر': 1000 },
  number: { 'pc pcs piece pieces ea each حبة': 1, 'dozen doz': 12 },
};

const units = new Map(
  Object.entries(sizes).flatMap(([quantity, sizesByNames]) =>
    Object.entries(sizesByNames).flatMap(([names, size]) =>
      names.split(' ').map((name) => [foldText(name), { measures: quantity, size }] as const),
    ),
  ),
);

/** A milliliter of food weighs from 0.1 to 3 grams. */
const gramsPerMilliliter = [0.1, 3] as const;

/** Returns the plausible range of `small` units in one `large` unit; undefined for units without a size (boxes). */
export function plausibleFactorRange(large: unknown, small: unknown): readonly [number, number] | undefined {
  const [largeUnit, smallUnit] = [large, small].map((name) => units.get(foldText(String(name).trim())));
  if (!largeUnit || !smallUnit) return undefined;
  const ratio = largeUnit.size / smallUnit.size;
  if (largeUnit.measures === smallUnit.measures) return [ratio * 0.99, ratio * 1.01];
  const [min, max] = gramsPerMilliliter;
  if (largeUnit.measures === 'volume' && smallUnit.measures === 'mass') return [ratio * min, ratio * max];
  return largeUnit.measures === 'mass' && smallUnit.measures === 'volume'
    ? [ratio / max, ratio / min]
    : undefined;
}
