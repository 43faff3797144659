/** Kills the begin and the return of change sets: no write is sent twice, and all values are restored at the end. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { killAfter } from '../harness/kill-after.ts';
import { randomNumbers } from '../harness/random-numbers.ts';
import { repetitions, repetitionsTimeoutMs, reportTried } from '../harness/repetitions.ts';
import { serveSandbox } from '../harness/served-sandbox.ts';

/** Delays responses, or drops them after the service has committed: the moments that a kill should hit. */
const faults = `
seed: 7
rules:
  - {route: "PUT /**", fault: latency, milliseconds: [0, 15]}
  - {route: "POST /**", fault: latency, milliseconds: [0, 15]}
  - {route: "POST /**", fault: reset, after_commit: true, probability: 0.02}
  - {route: "PUT /**", fault: reset, after_commit: true, probability: 0.02}
  - {route: "PUT /**", fault: reset, probability: 0.01}
`;

/** Limits the kills of each step, so that a soak has many begins and returns. */
const killsPerStep = 6;

const count = 80;
const header =
  'sku,name,storage_unit,ingredient_unit,storage_to_ingredient_factor,costing_method,cost,category';
const items = (prefix: string, factor: number) =>
  Array.from(
    { length: count },
    (_, index) =>
      `${prefix}-${index},${prefix} ${index},kg,g,1000,fixed cost,${(index + 1) * factor},Vegetables`,
  );
const sums = { before: (count * (count + 1)) / 2, during: (count * (count + 1) * 3) / 2 };

test(
  'change run killed repeatedly: begins and returns each set once',
  async () => {
    const kills = repetitions(4, 300);
    const draw = randomNumbers(13);
    const { config, env, boh, json, row } = await serveSandbox({ faults });
    const readState = () => {
      const { sum, created } = row(
        `SELECT sum(cost) FILTER (WHERE sku LIKE 'OLD-%') AS sum, count(*) FILTER (WHERE sku LIKE 'NEW-%') AS created
         FROM inventory_items WHERE deleted_at IS NULL`,
      );
      return [sum, created];
    };
    const file = join(config, 'items.csv');
    writeFileSync(file, [header, ...items('OLD', 1)].join('\n'));
    await boh('inventory-items', 'import', file, '--key', 'sku', '--yes');
    for (let isFinished = false; !isFinished; ) {
      const [run] = await json('runs', 'list');
      isFinished = run.state === 'finished';
      if (!isFinished) await boh('runs', 'resume', run.id);
    }
    let killCount = 0;
    const runUntil = async (name: string, state: string) => {
      for (let stepKills = 0; ; ) {
        // A killed run waits 3 s for its last requests when it is resumed. Some kills must come after that wait.
        const shouldKill = killCount < kills && stepKills < killsPerStep;
        if (shouldKill && (await killAfter(400 + draw() ** 2 * 6000, ['change', 'run'], env))) {
          killCount++;
          stepKills++;
        } else await boh('change', 'run');
        const changeSet = (await json('change', 'list')).find(
          (listed: { name: string }) => listed.name === name,
        );
        if (changeSet.state === state) return changeSet;
      }
    };
    const currentSecond = () => new Date().toISOString().slice(0, 19).replace('T', ' ');
    const zone = ['--timezone', 'UTC', '--yes'];
    for (let round = 0; killCount < kills; round++) {
      const [name, prefix] = [`round ${round}`, `NEW-${round}`];
      writeFileSync(file, [header, ...items('OLD', 3), ...items(prefix, 1)].join('\n'));
      const source = ['--import', file, '--key', 'sku', 'inventory-items', '--at', currentSecond()];
      const createResult = await boh('change', 'create', name, ...source, '--until', '2999-01-01', ...zone);
      expect(createResult.exitCode, createResult.stderr).toBe(0);
      await runUntil(name, 'active');
      expect(readState()).toEqual([sums.during, count]);
      await sleep(1100);
      const editResult = await boh('change', 'edit', name, '--until', currentSecond(), ...zone);
      expect(editResult.exitCode, editResult.stderr).toBe(0);
      expect((await runUntil(name, 'ended')).reason).toBeNull();
      expect(readState()).toEqual([sums.before, 0]);
    }
    expect(await json('history', 'verify')).toMatchObject({ intact: true });
    reportTried({ tried: `${killCount} kills of begin and return`, seed: 13 });
  },
  repetitionsTimeoutMs * 2,
);
