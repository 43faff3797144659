/** A header that is not the first row: tables that people read begin with a title. */
import { usage } from '../../errors.ts';
import { plainName } from '../columns/columns.ts';

/** A row further down is hardly a header. */
const looked = 20;

export interface Below {
  line: number;
  /** The ways in which it may be divided into cells. */
  readings: readonly (readonly string[])[];
}

/**
 * Throws a usage failure that names the line of the header, where `names` has no column and one of the next rows has
 * several. `known` are names of columns, plainly written.
 */
export async function refuseTitle(
  called: string,
  names: readonly string[],
  known: ReadonlySet<string>,
  below: AsyncIterable<Below>,
): Promise<void> {
  const isKnown = (name: string) => known.has(plainName(name));
  if (names.some(isKnown)) return;
  let count = 0;
  for await (const { line, readings } of below) {
    if (readings.some((cells) => seemsHeader(cells, isKnown))) {
      throw usage(`${called} begins with a title: its header seems to be in line ${line}.`, {
        hint: 'Delete what stands above it, so that the names of the columns come first.',
      });
    }
    if (++count >= looked) return;
  }
}

function seemsHeader(cells: readonly string[], isKnown: (name: string) => boolean): boolean {
  const filled = cells.filter((cell) => cell.trim() !== '');
  const recognised = filled.filter(isKnown).length;
  return recognised >= 2 && recognised * 2 >= filled.length;
}
