/** Writes the resource usage of a program at exit, for `usage.ts`. It is preloaded, and is CommonJS because that loads fastest. */
const { existsSync, readFileSync, writeFileSync } = require('node:fs');

const { REPORT } = process.env;
process.on('exit', () => {
  if (REPORT) writeFileSync(REPORT, JSON.stringify({ ...process.resourceUsage(), maxRSS: peakKb() }));
});

/** Returns the peak memory in KB. On Linux, `maxRSS` includes the memory of the parent process, but VmHWM doesn't. */
function peakKb() {
  const status = '/proc/self/status';
  const [, vmHwm] = (existsSync(status) && /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(status, 'utf8'))) || [];
  return vmHwm === undefined ? process.resourceUsage().maxRSS : Number(vmHwm);
}
