/** Loaded before a program: writes down, at its end, what it took, for `used.ts`. Its kind of module costs the least. */
const { writeFileSync } = require('node:fs');

const { REPORT } = process.env;
process.on('exit', () => {
  if (REPORT) writeFileSync(REPORT, JSON.stringify(process.resourceUsage()));
});
