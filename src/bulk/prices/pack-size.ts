/** Parses the size of a pack, such as `12 x 1 kg`, to compare it with the units that a link stores. */
import { findUnit, foldUnit, type Unit } from '../../base/units.ts';
import { toAsciiDigits } from '../../contract/ascii-digits.ts';

/** Matches `12 x 1 kg`, `6×500ml` and `25 kg`, also within other text: `Bag 25 kg`. */
const packPattern = /(?:(\d+)\s*[x×*]\s*)?(?:(\d+)\s*[x×*]\s*)?(\d+(?:[.,]\d+)?)\s*(\p{L}+)/iu;

/** Returns the number of storage units in a pack; undefined if the text names no size that can be compared. */
export function storageUnitsIn(pack: string, storageUnit: string): number | undefined {
  const [, outer = '1', inner = '1', number = '', unit = ''] = packPattern.exec(toAsciiDigits(pack)) ?? [];
  const [packed, stored] = [findPackUnit(unit), findPackUnit(storageUnit)];
  const count = Number(outer) * Number(inner) * Number(number.replace(',', '.'));
  return count > 0 && packed && stored && packed.measures === stored.measures
    ? (count * packed.size) / stored.size
    : undefined;
}

/** Returns whether two texts name the same unit: equal but for case and plural, or two names of one unit. */
export function isSameUnit(a: string, b: string): boolean {
  const unit = findPackUnit(a);
  return foldUnit(a) === foldUnit(b) || (unit !== undefined && unit === findPackUnit(b));
}

/** Returns the unit with a name. In packs, a "unit" is a piece. */
function findPackUnit(name: string): Unit | undefined {
  return findUnit(foldUnit(name) === 'unit' ? 'piece' : name);
}
