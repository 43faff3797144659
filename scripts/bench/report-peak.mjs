/** Loaded before a program: writes down, at its end, how many KB of memory it held at most. */
import { writeFileSync } from 'node:fs';

const { REPORT } = process.env;
process.on('exit', () => {
  if (REPORT) writeFileSync(REPORT, String(process.resourceUsage().maxRSS));
});
