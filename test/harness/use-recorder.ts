/** Runs command lines against a recorder for the tests of one file. Call `useRecorder` once at the top of the file. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type RecordedRequest, type Recorder, startRecorder } from './recorder.ts';
import { type BohResult, runBoh } from './run-boh.ts';

export interface RecordedBoh {
  /** Runs a command line. Pass an array if an argument contains spaces. */
  boh(
    line: string | readonly string[],
    options?: { env?: Record<string, string>; stdin?: string },
  ): Promise<BohResult>;
  /** A folder for settings and files of the tests. */
  folder(): string;
  baseUrl(): string;
  /** Returns the requests since the last call. */
  requests(): RecordedRequest[];
  /** Returns the requests since the last call as `GET /tags`. */
  targets(): string[];
  /** Returns the values in the bodies of the requests since the last call. */
  bodies(): unknown[];
}

export function useRecorder(): RecordedBoh {
  let service: Recorder;
  let folder: string;
  const boh: RecordedBoh['boh'] = (line, { env = {}, stdin = '' } = {}) =>
    runBoh(typeof line === 'string' ? line.split(' ') : line, {
      env: { BOH_TOKEN: 'a-token', BOH_BASE_URL: service.baseUrl, BOH_CONFIG_DIR: folder, ...env },
      stdin,
    });
  beforeAll(async () => {
    service = await startRecorder();
    folder = mkdtempSync(join(tmpdir(), 'boh-recorded-'));
    // The first write with a token also requests its account.
    await boh('tags create --name First --type 1');
    service.takeRequests();
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    await service.close();
  });
  return {
    boh,
    folder: () => folder,
    baseUrl: () => service.baseUrl,
    requests: () => service.takeRequests(),
    targets: () => service.takeRequests().map(({ method, target }) => `${method} ${target}`),
    bodies: () => service.takeRequests().map(({ body }) => JSON.parse(body) as unknown),
  };
}
