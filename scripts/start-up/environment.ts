/** Creates the environment for measuring runs of boh: a local server, and a folder for their files. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readUsage, usagePreload } from '../bench/usage.ts';
import { startService } from './service.ts';

/** A running environment. */
export interface MeasureEnvironment {
  folder: string;
  /** The environment variables of the runs, without those of the user. */
  env: Record<string, string>;
  /** Runs Node with arguments. Throws if it fails. */
  run(args: readonly string[]): Run;
  /** Runs another program, without its CPU time. Returns undefined if it isn't installed. */
  runOther(program: string, args: readonly string[]): Run | undefined;
  stop(): void;
}

/** The measurements of a run. */
export interface Run {
  ms: number;
  /** The CPU time of all threads in milliseconds. */
  cpuMs: number;
  /** The size of stdout. */
  bytes: number;
}

/** Starts the local server and creates the folder. */
export async function startEnvironment(): Promise<MeasureEnvironment> {
  const folder = mkdtempSync(join(tmpdir(), 'boh-start-'));
  const service = await startService();
  const report = join(folder, 'usage.json');
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    BOH_CONFIG_DIR: folder,
    BOH_BASE_URL: service.baseUrl,
    BOH_TOKEN: 'a-token-to-measure-with',
    XDG_CACHE_HOME: join(folder, 'cache'),
    // Completion times out early on a busy machine, which would look fast.
    BOH_COMPLETION_PATIENCE: '10000',
  };
  return {
    folder,
    env,
    run(args) {
      const startMs = performance.now();
      const { status, stdout, stderr } = spawnSync(process.execPath, ['--require', usagePreload, ...args], {
        env: { ...env, REPORT: report },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const ms = performance.now() - startMs;
      if (status !== 0) throw new Error(`${args.join(' ')} exited with ${status}: ${stderr}`);
      return { ms, cpuMs: readUsage(report).cpuSeconds * 1000, bytes: stdout.length };
    },
    runOther(program, args) {
      const startMs = performance.now();
      const { error, status, stdout } = spawnSync(program, args, {
        env,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const ms = performance.now() - startMs;
      if (error) return undefined;
      if (status !== 0) throw new Error(`${program} ${args.join(' ')} exited with ${status}`);
      return { ms, cpuMs: Number.NaN, bytes: stdout.length };
    },
    stop() {
      service.stop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
