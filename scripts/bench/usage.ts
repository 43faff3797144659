/** Reads the resource usage of a program, which `report-usage.cjs` writes when the program exits. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The resource usage of a program. */
export interface Usage {
  /** User and system CPU time of all threads. */
  cpuSeconds: number;
  /** The peak memory in MB. */
  peakMb: number;
}

/** The module to preload with `--require`. The environment variable REPORT is the file to write. */
export const usagePreload = fileURLToPath(new URL('report-usage.cjs', import.meta.url));

/** Reads the file that was written for a program. */
export function readUsage(report: string): Usage {
  const usage: NodeJS.ResourceUsage = JSON.parse(readFileSync(report, 'utf8'));
  const { userCPUTime, systemCPUTime, maxRSS } = usage;
  return { cpuSeconds: (userCPUTime + systemCPUTime) / 1_000_000, peakMb: maxRSS / 1024 };
}
