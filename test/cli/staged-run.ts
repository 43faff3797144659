/** A served sandbox with faults, a CSV file of rows, and a configuration to import them. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { home } from '../harness/home-folder.ts';
import { runLine } from '../harness/run-line.ts';
import { serveBoh } from './served-boh.ts';

/** Creates the sandbox and the file. `rules` are rules of a fault plan, and `rows` is the number of customers in the file. */
export async function stage(rules: readonly string[], rows: number) {
  const config = mkdtempSync(join(home, 'config-'));
  const plan = join(config, 'faults.yaml');
  writeFileSync(plan, `seed: 1\nrules:\n${rules.map((rule) => `  - {${rule}}\n`).join('')}`);
  const served = await serveBoh(['--memory', ...(rules.length > 0 ? ['--faults', plan] : [])]);
  const file = join(config, 'rows.csv');
  const lines = Array.from({ length: rows }, (_, index) => `Stage ${index},99${index}`);
  writeFileSync(file, `name,phone\n${lines.join('\n')}\n`);
  const env = { BOH_CONFIG_DIR: config, BOH_BASE_URL: served.base_url, BOH_TOKEN: served.token };
  const boh = (...line: string[]) => runLine(line, { env });
  const json = async (...line: string[]) => JSON.parse((await boh(...line, '--json')).stdout);
  const names = async () =>
    (await json('customers', 'list', '--name', 'Stage')).map(({ name }: { name: string }) => name);
  return { served, file, env, boh, json, names, config };
}

/** Returns the sorted names of all rows, each once. */
export const allNames = (rows: number) => Array.from({ length: rows }, (_, index) => `Stage ${index}`).sort();
