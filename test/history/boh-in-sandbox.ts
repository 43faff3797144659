/** Command lines against a sandbox and a history of the test’s own. */
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
  /** Without `--sandbox`. */
  plain(env: Record<string, string>, ...line: string[]): Promise<Ran>;
  /** The same as `boh`, with an environment besides. */
  bohWith(env: Record<string, string>, ...line: string[]): Promise<Ran>;
  /** What it printed, which has to be JSON and its exit code 0. */
  // biome-ignore lint/suspicious/noExplicitAny: what is in it is what a test looks at
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

/** The file itself. */
export function journalOf(place: Place): DatabaseSync {
  const [name = ''] = readdirSync(place.history).filter((file) => file.endsWith('.sqlite'));
  return new DatabaseSync(join(place.history, name));
}

/** Three updates of one supplier, which somebody has asked about: they are in their tables. */
export async function written(): Promise<Place> {
  const place = newPlace();
  for (const phone of ['1', '2', '3']) await place.boh('suppliers', 'update', 'supplier-1', '--phone', phone);
  await place.boh('history');
  return place;
}
