/** Where whole runs of boh are measured: a local service, and a folder that holds all that they keep. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reportUse, usedBy } from '../bench/used.ts';
import { startService } from './service.ts';

export interface Place {
  folder: string;
  /** The environment of the runs, without the user's variables. */
  env: Record<string, string>;
  /** Runs words of Node to their end; throws where they fail. */
  run(words: readonly string[]): Run;
  /** The same of another program, of which no more is known than how long it takes; undefined where there is none. */
  runOther(program: string, words: readonly string[]): Run | undefined;
  leave(): void;
}

export interface Run {
  /** In milliseconds. */
  time: number;
  /** Of the processor, in all threads; in milliseconds. */
  work: number;
  /** Written to stdout. */
  bytes: number;
}

export async function startPlace(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'boh-start-'));
  const service = await startService();
  const report = join(folder, 'used.json');
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    BOH_CONFIG_DIR: folder,
    BOH_BASE_URL: service.baseUrl,
    BOH_TOKEN: 'a-token-to-measure-with',
    XDG_CACHE_HOME: join(folder, 'cache'),
    // A completion gives up early on a machine that is busy, which would look quick.
    BOH_COMPLETION_PATIENCE: '10000',
  };
  return {
    folder,
    env,
    run(words) {
      const started = performance.now();
      const { status, stdout, stderr } = spawnSync(process.execPath, ['--require', reportUse, ...words], {
        env: { ...env, REPORT: report },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const time = performance.now() - started;
      if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}: ${stderr}`);
      return { time, work: usedBy(report).seconds * 1000, bytes: stdout.length };
    },
    runOther(program, words) {
      const started = performance.now();
      const { error, status, stdout } = spawnSync(program, words, {
        env,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const time = performance.now() - started;
      if (error) return undefined;
      if (status !== 0) throw new Error(`${program} ${words.join(' ')} ended with ${status}`);
      return { time, work: Number.NaN, bytes: stdout.length };
    },
    leave() {
      service.stop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
