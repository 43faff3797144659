/**
 * Compares programs that read whole lists of customers with a bare undici loop over the same pages. The server runs in
 * a separate process on this machine. Times are the best of several rounds. Percentages are medians of the speed and
 * of the rows per CPU second, which depends less on other load on the machine.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../root.ts';
import { best, relativeSpeed, type Times } from './times.ts';
import { readUsage, type Usage, usagePreload } from './usage.ts';

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** The arguments of boh by a label. `{folder}` is replaced by a temporary folder. */
export type CommandLines = Readonly<Record<string, readonly string[]>>;

interface Measurement {
  seconds: number;
  usage: Usage;
}

/** Prints a comparison for each size, which is the number of rows of the list. */
export async function compareWithLoop(commandLines: CommandLines, sizes: readonly number[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'boh-bench-'));
  const programs: Record<string, readonly string[]> = { 'bare undici loop': [pathOf('bare-loop.mjs')] };
  for (const [name, args] of Object.entries(commandLines)) {
    programs[name] = [join(root, 'bin/boh.js'), ...args.map((arg) => arg.replace('{folder}', folder))];
  }
  for (const rows of sizes) await compareAt(rows, programs, folder);
  rmSync(folder, { recursive: true });
}

async function compareAt(
  rows: number,
  programs: Readonly<Record<string, readonly string[]>>,
  folder: string,
): Promise<void> {
  const server = spawn(process.execPath, [pathOf('list-server.ts'), String(rows)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(server.stdout, 'data');
  const baseUrl = String(line).trim();
  const roundCount = rows > 200_000 ? 1 : 5;
  const times: Times = {};
  const cpuTimes: Times = {};
  const peaksMb: Record<string, number> = {};
  // The programs take turns, so that other load on the machine affects all programs.
  for (let round = 0; round < roundCount; round++) {
    for (const [name, args] of Object.entries(programs)) {
      const { seconds, usage } = await measure(args, baseUrl, folder);
      times[name] = [...(times[name] ?? []), seconds];
      cpuTimes[name] = [...(cpuTimes[name] ?? []), usage.cpuSeconds];
      peaksMb[name] = Math.max(usage.peakMb, peaksMb[name] ?? 0);
    }
  }
  server.kill();
  process.stdout.write(`${rows.toLocaleString('en')} rows\n`);
  for (const [name, peak] of Object.entries(peaksMb)) {
    const seconds = best(times[name]);
    const [speed, cpuSpeed] = [times, cpuTimes].map((timesByName) =>
      Math.round(relativeSpeed(timesByName, 'bare undici loop', name) * 100),
    );
    process.stdout.write(
      `  ${name.padEnd(20)} ${seconds.toFixed(2).padStart(7)} s  ${String(Math.round(rows / seconds)).padStart(7)} rows/s  ${String(Math.round(peak)).padStart(4)} MB  ${speed} % of the loop's speed, ${cpuSpeed} % by CPU time\n`,
    );
  }
}

async function measure(args: readonly string[], baseUrl: string, folder: string): Promise<Measurement> {
  const report = join(folder, 'usage.json');
  const startMs = performance.now();
  const child = spawn(process.execPath, ['--require', usagePreload, ...args], {
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      BOH_TOKEN: 'a-token-of-the-bench',
      BOH_BASE_URL: baseUrl,
      REPORT: report,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let bytes = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  const [exitCode] = await once(child, 'close');
  const seconds = (performance.now() - startMs) / 1000;
  const file = args[args.indexOf('--to') + 1];
  if (args.includes('--to') && file) bytes = statSync(file).size;
  if (exitCode !== 0 || bytes === 0)
    throw new Error(`${args.join(' ')} exited with ${exitCode} and wrote ${bytes} bytes`);
  return { seconds, usage: readUsage(report) };
}
