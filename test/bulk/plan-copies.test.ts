/** Tests that a saved plan is applied once, wherever its file is copied, and that runs are known wherever their ledger is. */
import { copyFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { failureOf, runBoh } from '../harness/run-boh.ts';
import { temporaryFolders } from '../settings/temporary-folder.ts';
import { type ImportSandbox, openImportSandbox } from './import-sandbox.ts';

const newFolder = temporaryFolders();
const names = Array.from({ length: 5 }, (_, index) => `Copied ${index % 4}`);
const csv = `name,contact_name\n${names.map((name, index) => `${name},Contact ${index}`).join('\n')}\n`;

const created = async (sandbox: ImportSandbox): Promise<string[]> =>
  (await sandbox.json<{ name: string }[]>('suppliers list --all'))
    .map(({ name }) => name)
    .filter((name) => name.startsWith('Copied'));

/** Saves a plan that creates records, with a key or without one. */
async function savePlan(kind: 'without a key' | 'with a key' | 'of boh plan') {
  const sandbox = openImportSandbox();
  const plan = join(sandbox.folder, 'a.plan');
  if (kind === 'of boh plan') {
    const yaml = names.slice(0, 4).map((name) => `  - name: ${name}\n`);
    const file = join(sandbox.folder, 'a.yaml');
    writeFileSync(file, `suppliers:\n${yaml.join('')}`);
    expect((await sandbox.boh(`plan ${file} --out ${plan}`)).exitCode).toBe(0);
  } else {
    const flags = kind === 'with a key' ? '--key name,contact_name' : '--mode create';
    const result = await sandbox.import('a.csv', csv, `suppliers ${flags} --out ${plan}`);
    expect(result.exitCode, result.stderr).toBe(0);
  }
  const copy = join(sandbox.folder, 'copy.plan');
  copyFileSync(plan, copy);
  return { sandbox, plan, copy };
}

describe.each(['without a key', 'with a key', 'of boh plan'] as const)('a saved plan %s', (kind) => {
  test('of which a copy was applied: is refused by any name, and the run has the ID of the plan', async () => {
    const { sandbox, plan, copy } = await savePlan(kind);
    const applied = await sandbox.boh(`apply --plan ${plan} --yes`);
    expect(applied.exitCode, applied.stderr).toBe(0);
    const before = await created(sandbox);
    expect(before).toHaveLength(kind === 'of boh plan' ? 4 : 5);
    const [run] = await sandbox.json<{ id: string; done: number; state: string }[]>('runs list');
    expect(run).toMatchObject({ done: before.length, state: 'finished' });
    expect(await sandbox.json(`runs show ${plan}`)).toHaveLength(before.length);

    const restored = join(sandbox.folder, 'restored.plan');
    copyFileSync(copy, restored);
    for (const file of [copy, restored, plan]) {
      if (file === plan) copyFileSync(copy, plan);
      const repeated = await sandbox.boh(`apply --plan ${file} --yes`);
      expect(repeated.exitCode, file).toBe(2);
      expect(repeated.stderr).toMatch(
        kind === 'of boh plan' ? /already applied|out of date/ : /already applied/,
      );
    }
    expect(await created(sandbox)).toEqual(before);
    const undone = await sandbox.boh(`undo ${run?.id} --yes`);
    expect(undone.exitCode, undone.stderr).toBe(0);
    expect(await created(sandbox)).toEqual([]);
  });

  test('that another machine has applied: is refused, and nothing is sent', async () => {
    const { sandbox, plan, copy } = await savePlan(kind);
    const otherMachine = newFolder();
    symlinkSync(join(sandbox.folder, 'config', 'sandboxes'), join(otherMachine, 'sandboxes'));
    expect((await sandbox.boh(`apply --plan ${plan} --yes`)).exitCode).toBe(0);
    const before = await created(sandbox);
    const repeated = await runBoh(['--sandbox', 'apply', '--plan', copy, '--yes'], {
      env: { BOH_CONFIG_DIR: otherMachine },
    });
    expect(repeated.exitCode, repeated.stderr).toBe(2);
    expect(failureOf(repeated)).toMatchObject({ outcome: 'not_sent' });
    expect(await created(sandbox)).toEqual(before);
  });

  test('while other records with the same name are created: is applied', async () => {
    const { sandbox, plan } = await savePlan(kind);
    await sandbox.boh('suppliers create --name Other --contact-name Nobody');
    expect((await sandbox.boh(`apply --plan ${plan} --yes`)).exitCode).toBe(0);
  });
});

test.each([
  ['stop', 'stopped'],
  ['skip', 'partial'],
])(
  'a change set of a plan that was applied meanwhile, --on-changed %s: creates nothing again',
  async (action, outcome) => {
    const { sandbox, plan } = await savePlan('without a key');
    const at = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    const line = `change create sale --plan ${plan} --at ${at} --timezone UTC --on-changed ${action} --yes`;
    expect((await sandbox.boh(line)).exitCode).toBe(0);
    expect((await sandbox.boh(`apply --plan ${plan} --yes`)).exitCode).toBe(0);
    expect((await sandbox.boh(`sandbox clock set ${at}`)).exitCode).toBe(0);
    expect(await sandbox.json('change run')).toMatchObject([{ name: 'sale', outcome }]);
    expect(await created(sandbox)).toHaveLength(5);
  },
);

test('change create of a plan that was applied: is refused, and names the file of the plan', async () => {
  const { sandbox, plan, copy } = await savePlan('with a key');
  expect((await sandbox.boh(`apply --plan ${plan} --yes`)).exitCode).toBe(0);
  const [run] = await sandbox.json<{ id: string }[]>('runs list');
  for (const [file, name] of [
    [plan, plan],
    [copy, run?.id],
  ]) {
    const refused = await sandbox.boh(
      `change create sale --plan ${file} --at 2099-05-01 --timezone UTC --yes`,
    );
    expect([refused.exitCode, failureOf(refused).message]).toEqual([
      2,
      `The plan ${file} was already applied. Nothing was sent.`,
    ]);
    expect(failureOf(refused).hint).toContain(`runs show ${name}`);
  }
});
