/** Tests that a killed run is ended only by a run of the same rows, and that what it created belongs to it. */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startBoh } from '../harness/start-boh.ts';
import { allNames, stage } from './staged-run.ts';

const count = 60;

/** Starts a run that creates `Kept N` and kills it while requests are in progress. Returns its ID. */
async function startKilledRun(kind: 'apply' | 'import') {
  const staged = await stage(['route: "POST /**", fault: latency, milliseconds: 40'], 0);
  const names = Array.from({ length: count }, (_, index) => `Kept ${index}`);
  const csv = join(staged.config, 'suppliers.csv');
  writeFileSync(csv, `name\n${names.join('\n')}\n`);
  const yaml = join(staged.config, 'a.yaml');
  writeFileSync(yaml, JSON.stringify({ suppliers: names.map((name) => ({ name })) }));
  const line = kind === 'apply' ? ['apply', yaml] : ['suppliers', 'import', csv, '--key', 'name'];
  const running = startBoh([...line, '--yes', '-o', 'ndjson'], staged.env);
  await running.waitForStdout(kind === 'apply' ? /"key":"Kept 15"/ : /"key":"Kept 12"/);
  running.kill('SIGKILL');
  await running.ended;
  const [{ id }] = await staged.json('runs', 'list');
  const otherYaml = join(staged.config, 'other.yaml');
  writeFileSync(otherYaml, JSON.stringify({ tags: [{ name: 'Unrelated', type: 'customer' }] }));
  const kept = async (): Promise<string[]> =>
    (await staged.json('suppliers', 'list', '--all'))
      .map(({ name }: { name: string }) => name)
      .filter((name: string) => name.startsWith('Kept '))
      .sort();
  return { ...staged, id, line, names: names.toSorted(), otherYaml, kept };
}

test.each(['apply', 'import'] as const)(
  'a killed %s and then another apply: it can still be resumed, and an undo deletes all that it created',
  async (kind) => {
    const { boh, json, id, otherYaml, names, kept } = await startKilledRun(kind);
    expect((await boh('apply', otherYaml, '--yes')).exitCode).toBe(0);
    const [, run] = await json('runs', 'list');
    expect(run).toMatchObject({ id, state: 'unfinished' });
    const resumed = await boh('runs', 'resume', id);
    expect(resumed.exitCode, resumed.stderr).toBe(0);
    expect(await kept()).toEqual(names);
    expect((await boh('undo', id, '--yes')).exitCode).toBe(0);
    expect(await kept()).toEqual([]);
  },
);

test.each(['apply', 'import'] as const)(
  'a killed %s that is repeated: ends the first run, and undoing both deletes everything',
  async (kind) => {
    const { boh, json, id, line, names, kept } = await startKilledRun(kind);
    const repeated = await boh(...line, '--yes');
    expect(repeated.exitCode, repeated.stderr).toBe(0);
    expect(await kept()).toEqual(names);
    const [second, first] = await json('runs', 'list');
    expect([first.id, first.state, first.unknown]).toEqual([id, 'finished', 0]);
    for (const run of [second.id, first.id]) {
      const undone = await boh('undo', run, '--yes');
      expect(undone.exitCode, undone.stderr).toBe(0);
    }
    expect(await kept()).toEqual([]);
  },
);

test('a killed import with --ledger FILE: is listed, its rows are not created again, and it is resumed by its ID', async () => {
  const staged = await stage(['route: "POST /**", fault: latency, milliseconds: 40'], count);
  const { boh, json, names, config, env, file } = staged;
  const ledger = join(config, 'mine.ledger');
  const line = ['customers', 'import', file, '--mode', 'create', '--yes'];
  const running = startBoh([...line, '--ledger', ledger, '-o', 'ndjson'], env);
  await running.waitForStdout(/"line":12,/);
  running.kill('SIGKILL');
  await running.ended;
  const [run] = await json('runs', 'list');
  expect(run).toMatchObject({ state: 'unfinished', rows: count });
  const repeated = await boh(...line);
  expect([repeated.exitCode, repeated.stderr]).toEqual([
    2,
    expect.stringContaining(`Run ${run.id} already created`),
  ]);
  const resumed = await boh('runs', 'resume', run.id);
  expect(resumed.exitCode, resumed.stderr).toBe(0);
  expect((await names()).sort()).toEqual(allNames(count));
});

test('a plan that is moved over one whose apply was killed: is applied as it is, without the log of the other', async () => {
  const { boh, json, config, env } = await stage(['route: "POST /**", fault: latency, milliseconds: 40'], 0);
  const planOf = async (name: string, rows: number) => {
    const yaml = join(config, `${name}.yaml`);
    const tags = Array.from({ length: rows }, (_, index) => ({ name: `${name} ${index}`, type: 'customer' }));
    writeFileSync(yaml, JSON.stringify({ tags }));
    const plan = join(config, `${name}.plan`);
    expect((await boh('plan', yaml, '--out', plan)).exitCode).toBe(0);
    return plan;
  };
  const [oldPlan, newPlan] = [await planOf('old', count), await planOf('new', 3)];
  const running = startBoh(['apply', '--plan', oldPlan, '--yes', '-o', 'ndjson'], env);
  await running.waitForStdout(/"key":"old 15"/);
  running.kill('SIGKILL');
  await running.ended;
  renameSync(newPlan, oldPlan);
  const applied = await boh('apply', '--plan', oldPlan, '--yes');
  expect(applied.exitCode, applied.stderr).toBe(0);
  const tags: { name: string }[] = await json('tags', 'list', '--all');
  expect(tags.filter(({ name }) => name.startsWith('new '))).toHaveLength(3);
  expect(tags.filter(({ name }) => name.startsWith('old ')).length).toBeLessThan(count);
});
