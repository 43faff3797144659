/** Two accounts at services with the same facts, and boh with a profile for each: `main` with records, and `new`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { systemClock } from '../../../src/account/client/retry.ts';
import { type BohResult, runBoh } from '../run-boh.ts';
import type { Facts } from './facts.ts';
import { OtherService } from './service.ts';

export interface OtherAccounts {
  folder: string;
  main: OtherService;
  /** An account that contains only its owner. */
  empty: OtherService;
  /** Runs a command line; words are separated by spaces. `FOLDER` is the folder of the test. */
  boh(line: string, env?: Record<string, string>): Promise<BohResult>;
  // biome-ignore lint/suspicious/noExplicitAny: responses of every shape
  json(line: string): Promise<any>;
  close(): Promise<void>;
}

export interface OtherAccountsOptions {
  seed?: number;
  size?: number;
}

/** Opens the accounts. The caller closes them. */
export async function openOtherAccounts(
  facts: Partial<Facts>,
  { seed = 1, size = 6 }: OtherAccountsOptions = {},
): Promise<OtherAccounts> {
  const folder = mkdtempSync(join(tmpdir(), 'boh-other-'));
  const steps: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 })];
  // The service asks for pauses that no test waits for.
  vi.spyOn(systemClock, 'sleep').mockResolvedValue(undefined);
  const main = new OtherService({ facts, seed, size, name: 'main' });
  const empty = new OtherService({ facts, name: 'new' });
  const boh = (line: string, env: Record<string, string> = {}, stdin = '') =>
    runBoh(
      line.split(' ').map((word) => word.replaceAll('FOLDER', folder)),
      { env: { BOH_CONFIG_DIR: join(folder, 'config'), BOH_HISTORY_BEFORE: 'on', ...env }, stdin },
    );
  for (const [profile, service] of Object.entries({ main, new: empty })) {
    const { baseUrl, close: stop } = await service.listen();
    steps.push(stop);
    const result = await boh(
      `auth login --with-token --base-url ${baseUrl} --profile ${profile}${main.facts.whoami === 200 ? '' : ' --unchecked'}`,
      {},
      service.token,
    );
    if (result.exitCode !== 0) throw new Error(result.stderr);
    await boh(`config set wire.put ${main.facts.put} --profile ${profile}`);
  }
  const settings = {
    'wire.redeem_method': main.facts.redeem,
    'wire.deleted_filter': main.facts.deletedFilter,
  };
  void settings;
  return {
    folder,
    main,
    empty,
    boh,
    json: async (line) => {
      const result = await boh(`${line} --json`);
      if (result.exitCode !== 0) throw new Error(`${line}: ${result.stderr}`);
      return JSON.parse(result.stdout);
    },
    close: async () => {
      for (const step of steps) await step();
    },
  };
}
