/** A served sandbox with faults, a CSV file of rows, and a configuration to import them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveSandbox } from '../harness/served-sandbox.ts';

/** Creates the sandbox and the file. `rules` are rules of a fault plan, and `rows` is the number of customers in the file. */
export async function stage(rules: readonly string[], rows: number) {
  const faults = `seed: 1\nrules:\n${rules.map((rule) => `  - {${rule}}\n`).join('')}`;
  const served = await serveSandbox(rules.length > 0 ? { faults } : {});
  const { json, config } = served;
  const file = join(config, 'rows.csv');
  const lines = Array.from({ length: rows }, (_, index) => `Stage ${index},99${index}`);
  writeFileSync(file, `name,phone\n${lines.join('\n')}\n`);
  const names = async (): Promise<string[]> =>
    (await json('customers', 'list', '--name', 'Stage')).map(({ name }: { name: string }) => name);
  return { ...served, file, names };
}

/** Returns the sorted names of all rows, each once. */
export const allNames = (rows: number) => Array.from({ length: rows }, (_, index) => `Stage ${index}`).sort();
