import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { killAfter } from '../harness/kill-after.ts';
import { randomNumbers } from '../harness/random-numbers.ts';
import { repetitions, repetitionsTimeoutMs, reportTried } from '../harness/repetitions.ts';
import { serveSandbox } from '../harness/served-sandbox.ts';

/** Delays responses, or drops them after the service has committed: the moments that a kill should hit. */
const faults = `
seed: 5
rules:
  - {route: "PUT /**", fault: latency, milliseconds: [0, 15]}
  - {route: "PUT /**", fault: reset, after_commit: true, probability: 0.02}
  - {route: "PUT /**", fault: status, status: 502, after_commit: true, probability: 0.01}
  - {route: "PUT /**", fault: reset, probability: 0.01}
`;

const count = 200;
const header =
  'sku,name,storage_unit,ingredient_unit,storage_to_ingredient_factor,costing_method,cost,category';
const priceRows = (factor: number) =>
  Array.from(
    { length: count },
    (_, index) => `KP-${index},Item ${index},kg,g,1000,fixed cost,${(index + 1) * factor},Vegetables`,
  );
const sums = { right: (count * (count + 1)) / 2, wrong: (count * (count + 1) * 100) / 2 };

test(
  'undo killed repeatedly: restores every price, each once',
  async () => {
    const kills = repetitions(3, 204);
    const draw = randomNumbers(11);
    const { config, env, boh, json, row } = await serveSandbox({ faults });
    const sum = () => row("SELECT sum(cost) AS sum FROM inventory_items WHERE sku LIKE 'KP-%'").sum;
    for (const factor of [1, 100]) {
      writeFileSync(join(config, 'prices.csv'), [header, ...priceRows(factor)].join('\n'));
      const line = ['inventory-items', 'import', join(config, 'prices.csv'), '--key', 'sku', '--yes'];
      await runToEnd(line, boh, json);
    }
    expect(sum()).toBe(sums.wrong);
    let killCount = 0;
    // Each round undoes the previous run, so the prices alternate between right and wrong.
    for (let round = 0; killCount < kills; round++) {
      const [{ id: lastRun }] = await json('runs', 'list');
      let line = ['undo', lastRun, '--yes'];
      for (let isFinished = false; !isFinished; ) {
        if (killCount < kills && (await killAfter(400 + draw() * 1200, line, env))) killCount++;
        else isFinished = (await boh(...line)).exitCode === 0;
        const run = (await json('runs', 'list')).find(({ source }: { source: string }) => source === lastRun);
        if (run?.state === 'unfinished') line = ['runs', 'resume', run.id];
        isFinished ||= run?.state === 'finished';
      }
      expect(sum()).toBe(round % 2 === 0 ? sums.right : sums.wrong);
      const [newestEntry] = await json('history', '--limit', '1');
      expect(newestEntry.undoes).toBe(lastRun);
    }
    expect(await json('history', 'verify')).toMatchObject({ intact: true });
    reportTried({ tried: `${killCount} kills`, seed: 11 });
  },
  repetitionsTimeoutMs,
);

type RunBoh = (...line: string[]) => Promise<{ exitCode: number | null }>;

/** Runs a command, and resumes the run until it is finished: a faulty service may interrupt it. */
async function runToEnd(
  line: readonly string[],
  boh: RunBoh,
  json: (...line: string[]) => Promise<{ id: string; state: string }[]>,
): Promise<void> {
  await boh(...line);
  for (;;) {
    const [run] = await json('runs', 'list');
    if (!run || run.state === 'finished') return;
    await boh('runs', 'resume', run.id);
  }
}
