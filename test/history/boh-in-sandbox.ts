/** Runs command lines with a separate sandbox and history for each test. */
import { mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { putDemoBusiness } from '../harness/demo-business.ts';
import { home } from '../harness/own-home.ts';
import { type Ran, runBoh } from '../harness/run-boh.ts';

export interface Place {
  config: string;
  /** The folder of journals. */
  history: string;
  boh(...line: string[]): Promise<Ran>;
  /** Runs a command line without `--sandbox`. */
  plain(env: Record<string, string>, ...line: string[]): Promise<Ran>;
  /** Does the same as `boh`, with additional environment variables. */
  bohWith(env: Record<string, string>, ...line: string[]): Promise<Ran>;
  /** Returns the printed JSON; the exit code must be 0. */
  // biome-ignore lint/suspicious/noExplicitAny: tests check its content
  json(...line: string[]): Promise<any>;
}

export function newPlace(): Place {
  const config = mkdtempSync(join(home, 'config-'));
  putDemoBusiness(config);
  const plain: Place['plain'] = (env, ...line) =>
    runBoh(line, { env: { BOH_CONFIG_DIR: config, BOH_HISTORY_BEFORE: 'on', ...env } });
  const bohWith: Place['bohWith'] = (env, ...line) => plain(env, '--sandbox', ...line);
  const boh: Place['boh'] = (...line) => bohWith({}, ...line);
  return {
    config,
    history: join(config, 'history'),
    boh,
    plain,
    bohWith,
    json: async (...line) => {
      const ran = await boh(...line, '-o', 'json');
      if (ran.exitCode !== 0) throw new Error(`${line.join(' ')}: ${ran.stderr}`);
      return JSON.parse(ran.stdout);
    },
  };
}

/** Returns the journal file. */
export function journalOf(place: Place): DatabaseSync {
  const [name = ''] = readdirSync(place.history).filter((file) => file.endsWith('.sqlite'));
  return new DatabaseSync(join(place.history, name));
}

/** Makes three updates of one supplier and reads them, so that they are in the tables. */
export async function written(): Promise<Place> {
  const place = newPlace();
  for (const phone of ['1', '2', '3']) await place.boh('suppliers', 'update', 'supplier-1', '--phone', phone);
  await place.boh('history');
  return place;
}
