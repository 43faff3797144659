/** Runs command lines against a recorder, which is there for the tests of one file. Call it once, at the top of that file. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type Recorded, type Recorder, startRecorder } from './recorder.ts';
import { type Ran, runBoh } from './run-boh.ts';

export interface RecordedBoh {
  /** Runs a line; words with spaces in them are given as an array. */
  boh(
    line: string | readonly string[],
    given?: { env?: Record<string, string>; stdin?: string },
  ): Promise<Ran>;
  /** A folder for settings and files of the tests. */
  folder(): string;
  baseUrl(): string;
  /** What has come since it was last asked for. */
  requests(): Recorded[];
  /** The same, as `GET /tags`. */
  targets(): string[];
  /** The same, as the values that stood in the bodies. */
  bodies(): unknown[];
}

export function recorded(): RecordedBoh {
  let service: Recorder;
  let folder: string;
  beforeAll(async () => {
    service = await startRecorder();
    folder = mkdtempSync(join(tmpdir(), 'boh-recorded-'));
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    await service.close();
  });
  return {
    boh: (line, { env = {}, stdin = '' } = {}) =>
      runBoh(typeof line === 'string' ? line.split(' ') : line, {
        env: { BOH_TOKEN: 'a-token', BOH_BASE_URL: service.baseUrl, BOH_CONFIG_DIR: folder, ...env },
        stdin,
      }),
    folder: () => folder,
    baseUrl: () => service.baseUrl,
    requests: () => service.take(),
    targets: () => service.take().map(({ method, target }) => `${method} ${target}`),
    bodies: () => service.take().map(({ body }) => JSON.parse(body) as unknown),
  };
}
