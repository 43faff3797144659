/** Loaded before a program: writes down, at its end, what it took, for `used.ts`. Its kind of module costs the least. */
const { existsSync, readFileSync, writeFileSync } = require('node:fs');

const { REPORT } = process.env;
process.on('exit', () => {
  if (REPORT) writeFileSync(REPORT, JSON.stringify({ ...process.resourceUsage(), maxRSS: peak() }));
});

/** In KB. Linux counts in `maxRSS` what whoever started the program held, too; what is its own it tells apart. */
function peak() {
  const status = '/proc/self/status';
  const [, own] = (existsSync(status) && /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(status, 'utf8'))) || [];
  return own === undefined ? process.resourceUsage().maxRSS : Number(own);
}
