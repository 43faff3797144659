/** Units of mass, volume and number as people write them, with their sizes. */
import { foldText } from './fold-text.ts';

/** A unit with a size. Names of the same unit share one object. */
export interface Unit {
  measures: string;
  /** The size in grams, milliliters or pieces. */
  size: number;
}

/** The sizes by the names of each unit, in the singular. */
const sizes = {
  mass: {
    mg: 0.001,
    'g gr gm gram gramm غ جم غرام جرام': 1,
    'kg kilo kilogram كجم كغ كيلو': 1000,
    oz: 28.349523125,
    lb: 453.59237,
    ton: 1_000_000,
  },
  volume: { 'ml مل': 1, cl: 10, dl: 100, 'l lt ltr liter litre لتر ل': 1000 },
  number: { 'pc piece each ea stk stuck adet حبة قطعة': 1, 'dozen doz dz': 12 },
};

const units = new Map(
  Object.entries(sizes).flatMap(([measures, sizesByNames]) =>
    Object.entries(sizesByNames).flatMap(([names, size]) => {
      const unit: Unit = { measures, size };
      return names.split(' ').map((name) => [foldText(name), unit] as const);
    }),
  ),
);

/** Returns the unit with a name; undefined for units without a size, such as boxes. */
export function findUnit(name: string): Unit | undefined {
  return units.get(foldUnit(name));
}

/** Returns the name of a unit in the singular, folded and without a final dot, for comparisons. */
export function foldUnit(name: string): string {
  return foldText(name.trim())
    .replace(/\.$/, '')
    .replace(/(?<=..)s$/, '');
}
