/**
 * Measures time and memory of an export, and compares it with a bare undici loop over the same pages.
 * `npm run bench:export -- [ROWS ...]` (default: 1,000, 100,000 and 1,000,000 rows).
 */
import { compareWithLoop } from './compare.ts';

const sizes = process.argv.slice(2).map(Number);
const commandLines = {
  'boh export --to .csv': ['customers', 'export', '--to', '{folder}/customers.csv'],
  'boh export --to .ndjson': ['customers', 'export', '--to', '{folder}/customers.ndjson'],
  'boh export --ids': ['customers', 'export', '--ids', '--to', '{folder}/customers-ids.csv'],
};
await compareWithLoop(commandLines, sizes.length > 0 ? sizes : [1_000, 100_000, 1_000_000]);
