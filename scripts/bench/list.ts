/**
 * How long a whole list takes and how much memory, beside a bare undici loop over the same pages in the same run.
 * `npm run bench:list -- [ROWS ...]`, 100,000 and 1,000,000 rows unless told otherwise.
 */
import { compareWithLoop } from './compare.ts';

const sizes = process.argv.slice(2).map(Number);
const lines = {
  'boh list -o ndjson': ['customers', 'list', '-o', 'ndjson'],
  'boh list -o json': ['customers', 'list', '-o', 'json'],
  'boh list -o csv': ['customers', 'list', '-o', 'csv'],
};
await compareWithLoop(lines, sizes.length > 0 ? sizes : [100_000, 1_000_000]);
