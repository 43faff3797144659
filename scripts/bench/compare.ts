/**
 * Programs that read whole lists of customers, measured beside a bare undici loop over the same pages in the same run.
 * The service runs in a process of its own on this machine; each time is the best of several runs, each share the
 * middle one of the rounds: of the speed, and of the rows for each second of the processor, which tells more where
 * others use the machine too.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../root.ts';
import { best, share, type Times } from './pairs.ts';
import { reportUse, type Used, usedBy } from './used.ts';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** The words of a line of boh by what it is called; `{folder}` is a place for files. */
export type Lines = Readonly<Record<string, readonly string[]>>;

interface Measured {
  seconds: number;
  used: Used;
}

/** Prints what it finds. `sizes` are rows of the list. */
export async function compareWithLoop(lines: Lines, sizes: readonly number[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'boh-bench-'));
  const programs: Record<string, readonly string[]> = { 'bare undici loop': [here('bare-loop.mjs')] };
  for (const [name, words] of Object.entries(lines)) {
    programs[name] = [join(root, 'bin/boh.js'), ...words.map((word) => word.replace('{folder}', folder))];
  }
  for (const rows of sizes) await compareAt(rows, programs, folder);
  rmSync(folder, { recursive: true });
}

async function compareAt(
  rows: number,
  programs: Readonly<Record<string, readonly string[]>>,
  folder: string,
): Promise<void> {
  const server = spawn(process.execPath, [here('list-server.ts'), String(rows)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [address] = await once(server.stdout, 'data');
  const baseUrl = String(address).trim();
  const runs = rows > 200_000 ? 1 : 5;
  const times: Times = {};
  const work: Times = {};
  const peaks: Record<string, number> = {};
  // In turn, so that whatever else this machine does weighs on all of them alike.
  for (let run = 0; run < runs; run++) {
    for (const [name, words] of Object.entries(programs)) {
      const { seconds, used } = await measure(words, baseUrl, folder);
      times[name] = [...(times[name] ?? []), seconds];
      work[name] = [...(work[name] ?? []), used.seconds];
      peaks[name] = Math.max(used.peak, peaks[name] ?? 0);
    }
  }
  server.kill();
  process.stdout.write(`${rows.toLocaleString('en')} rows\n`);
  for (const [name, peak] of Object.entries(peaks)) {
    const seconds = best(times[name]);
    const [speed, thrift] = [times, work].map((each) =>
      Math.round(share(each, 'bare undici loop', name) * 100),
    );
    process.stdout.write(
      `  ${name.padEnd(20)} ${seconds.toFixed(2).padStart(7)} s  ${String(Math.round(rows / seconds)).padStart(7)} rows/s  ${String(Math.round(peak)).padStart(4)} MB  ${speed} % of the loop, ${thrift} % by processor time\n`,
    );
  }
}

async function measure(words: readonly string[], baseUrl: string, folder: string): Promise<Measured> {
  const report = join(folder, 'peak');
  const started = performance.now();
  const child = spawn(process.execPath, ['--require', reportUse, ...words], {
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
  const seconds = (performance.now() - started) / 1000;
  const file = words[words.indexOf('--to') + 1];
  if (words.includes('--to') && file) bytes = statSync(file).size;
  if (exitCode !== 0 || bytes === 0) throw new Error(`${words.join(' ')} ended with ${exitCode}`);
  return { seconds, used: usedBy(report) };
}
