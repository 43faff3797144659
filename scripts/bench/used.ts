/** What a program took of the machine, as `report-use.cjs` wrote it down at the program's end. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface Used {
  /** Of the processor's time, by the program and by the system for it. */
  seconds: number;
  /** The most memory that it held, in MB. */
  peak: number;
}

/** To be required before the program, with the file for the report in REPORT. */
export const reportUse = fileURLToPath(new URL('report-use.cjs', import.meta.url));

export function usedBy(report: string): Used {
  const usage: NodeJS.ResourceUsage = JSON.parse(readFileSync(report, 'utf8'));
  const { userCPUTime, systemCPUTime, maxRSS } = usage;
  return { seconds: (userCPUTime + systemCPUTime) / 1_000_000, peak: maxRSS / 1024 };
}
