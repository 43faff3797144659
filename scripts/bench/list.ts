/**
 * Measures time and memory of a whole list, and compares it with a bare undici loop over the same pages.
 * `npm run bench:list -- [ROWS ...]` (default: 100,000 and 1,000,000 rows).
 */
import { compareWithLoop } from './compare.ts';

const sizes = process.argv.slice(2).map(Number);
const commandLines = {
  'boh list -o ndjson': ['customers', 'list', '-o', 'ndjson'],
  'boh list -o json': ['customers', 'list', '-o', 'json'],
  'boh list -o csv': ['customers', 'list', '-o', 'csv'],
};
await compareWithLoop(commandLines, sizes.length > 0 ? sizes : [100_000, 1_000_000]);
