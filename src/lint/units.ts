/** Plausible conversion factors between units of mass, volume and number. */
import { findUnit } from '../base/units.ts';

/** A milliliter of food weighs from 0.1 to 3 grams. */
const gramsPerMilliliter = [0.1, 3] as const;

/** Returns the plausible range of `small` units in one `large` unit; undefined for units without a size (boxes). */
export function plausibleFactorRange(large: unknown, small: unknown): readonly [number, number] | undefined {
  const [largeUnit, smallUnit] = [large, small].map((name) => findUnit(String(name)));
  if (!largeUnit || !smallUnit) return undefined;
  const ratio = largeUnit.size / smallUnit.size;
  if (largeUnit.measures === smallUnit.measures) return [ratio * 0.99, ratio * 1.01];
  const [min, max] = gramsPerMilliliter;
  if (largeUnit.measures === 'volume' && smallUnit.measures === 'mass') return [ratio * min, ratio * max];
  return largeUnit.measures === 'mass' && smallUnit.measures === 'volume'
    ? [ratio / max, ratio / min]
    : undefined;
}
