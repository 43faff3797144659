/** Saves plans of every command with `--out` and applies them with `boh apply --plan`. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type BohResult, failureOf } from '../harness/run-boh.ts';
import { createWorkspace } from '../history/sandbox-workspace.ts';

interface Workspace {
  folder: string;
  /** Runs a command line, which is split at spaces. */
  boh(line: string): Promise<BohResult>;
  bohWithoutSandbox(env: Record<string, string>, ...line: string[]): Promise<BohResult>;
}

function openWorkspace(): Workspace {
  const { config, boh, bohWithoutSandbox } = createWorkspace();
  return { folder: config, boh: (line) => boh(...line.split(' ')), bohWithoutSandbox };
}

interface PlannedCommand {
  command: string;
  /** Creates what the plan needs. */
  prepare?(workspace: Workspace): Promise<unknown>;
  /** Returns the command that is planned, without `--out`. */
  line(workspace: Workspace): string;
  /** The command that shows whether the plan was applied. */
  readCommand: string;
  /** A command that changes the same values as the plan. */
  conflictingCommand: string;
}

const writeInput = (workspace: Workspace, name: string, text: string) => {
  writeFileSync(join(workspace.folder, name), text);
  return join(workspace.folder, name);
};

const readCost = 'inventory-items get @SKU-001 --query cost';
const changeCost = 'inventory-items update @SKU-001 --cost 77';

const plannedCommands: readonly PlannedCommand[] = [
  {
    command: 'import',
    line: (workspace) =>
      `inventory-items import ${writeInput(workspace, 'costs.csv', 'sku,cost\nSKU-001,9.5\n')} --key sku`,
    readCommand: readCost,
    conflictingCommand: changeCost,
  },
  {
    command: 'update --where',
    line: () => 'inventory-items update --where sku=SKU-001 --cost 9.5',
    readCommand: readCost,
    conflictingCommand: changeCost,
  },
  {
    command: 'undo',
    prepare: (workspace) => workspace.boh('inventory-items update @SKU-001 --cost 9.5'),
    line: () => 'undo --last',
    readCommand: readCost,
    conflictingCommand: changeCost,
  },
  {
    command: 'redo',
    prepare: async (workspace) => {
      await workspace.boh('inventory-items update @SKU-001 --cost 9.5');
      await workspace.boh('undo --last --yes');
    },
    line: () => 'redo',
    readCommand: readCost,
    conflictingCommand: changeCost,
  },
  {
    command: 'backup restore',
    prepare: async (workspace) => {
      await workspace.boh(`backup ${join(workspace.folder, 'backup')}`);
      await workspace.boh('inventory-items update @SKU-001 --cost 9.5');
    },
    line: (workspace) => `backup restore ${join(workspace.folder, 'backup')} --resource inventory-items`,
    readCommand: readCost,
    conflictingCommand: changeCost,
  },
  {
    command: 'import-links',
    line: (workspace) =>
      `suppliers import-links item ${writeInput(workspace, 'links.csv', 'supplier,item,cost\nSUP-01,SKU-001,21\n')}`,
    readCommand: 'suppliers export-links item',
    conflictingCommand:
      'suppliers link-item @SUP-01 @SKU-001 --order-unit crate --order-to-storage-factor 6 --cost 77',
  },
];

describe.each(plannedCommands)(
  'a saved plan of $command',
  ({ prepare, line, readCommand, conflictingCommand }) => {
    test('sends nothing until it is applied, and is applied once', async () => {
      const workspace = openWorkspace();
      await prepare?.(workspace);
      const plan = join(workspace.folder, 'a.plan');
      const before = (await workspace.boh(readCommand)).stdout;
      const showResult = await workspace.boh(`${line(workspace)} --dry-run`);
      const saveResult = await workspace.boh(`${line(workspace)} --out ${plan}`);
      expect([saveResult.exitCode, saveResult.stdout]).toEqual([0, showResult.stdout]);
      expect(saveResult.stderr).toContain(`apply --plan ${plan}`);
      expect((await workspace.boh(readCommand)).stdout).toBe(before);
      const dryRunResult = await workspace.boh(`apply --plan ${plan} --dry-run`);
      expect([dryRunResult.exitCode, dryRunResult.stdout]).toEqual([0, showResult.stdout]);
      expect((await workspace.boh(readCommand)).stdout).toBe(before);
      const applyResult = await workspace.boh(`apply --plan ${plan} --yes`);
      expect([applyResult.exitCode, applyResult.stderr]).toEqual([
        0,
        expect.stringMatching(/\d (updated|linked)/),
      ]);
      expect((await workspace.boh(readCommand)).stdout).not.toBe(before);
      const repeatResult = await workspace.boh(`apply --plan ${plan} --yes`);
      expect([repeatResult.exitCode, repeatResult.stderr]).toEqual([
        2,
        expect.stringContaining('already applied'),
      ]);
    });

    test('is refused as a whole if a record has changed since', async () => {
      const workspace = openWorkspace();
      await prepare?.(workspace);
      const plan = join(workspace.folder, 'a.plan');
      expect((await workspace.boh(`${line(workspace)} --out ${plan}`)).exitCode).toBe(0);
      expect((await workspace.boh(conflictingCommand)).exitCode).toBe(0);
      const changedValue = (await workspace.boh(readCommand)).stdout;
      const refusedResult = await workspace.boh(`apply --plan ${plan} --yes -o json`);
      expect([refusedResult.exitCode, failureOf(refusedResult)]).toEqual([
        2,
        expect.objectContaining({
          outcome: 'not_sent',
          message: expect.stringContaining('have changed since the plan was saved'),
        }),
      ]);
      expect((await workspace.boh(readCommand)).stdout).toBe(changedValue);
    });
  },
);

describe('--out', () => {
  const updateLine = 'inventory-items update --where sku=SKU-001 --cost 9.5';

  test('existing file: is replaced only if it is empty or a plan that was not applied', async () => {
    const workspace = openWorkspace();
    const plan = join(workspace.folder, 'a.plan');
    for (const value of ['8', '9'])
      expect(
        (await workspace.boh(`inventory-items update --where sku=SKU-001 --cost ${value} --out ${plan}`))
          .exitCode,
      ).toBe(0);
    expect((await workspace.boh(`apply --plan ${plan} --yes`)).exitCode).toBe(0);
    expect((await workspace.boh(readCost)).stdout.trim()).toBe('9');
    expect((await workspace.boh(`${updateLine} --out ${plan}`)).exitCode).toBe(2);
    const emptyFile = writeInput(workspace, 'empty.plan', '');
    expect((await workspace.boh(`${updateLine} --out ${emptyFile}`)).exitCode).toBe(0);
    const listFile = writeInput(workspace, 'list.csv', 'sku\nSKU-001\n');
    expect((await workspace.boh(`${updateLine} --out ${listFile}`)).exitCode).toBe(2);
    expect(readFileSync(listFile, 'utf8')).toBe('sku\nSKU-001\n');
  });

  test.each(['--dry-run', '--no-ledger', '--ledger other.sqlite'])(
    'with %s: is refused, and creates no file',
    async (flag) => {
      const workspace = openWorkspace();
      const plan = join(workspace.folder, 'a.plan');
      expect((await workspace.boh(`${updateLine} --out ${plan} ${flag}`)).exitCode).toBe(2);
      expect(existsSync(plan)).toBe(false);
    },
  );

  test('plan that exceeds a limit: exits with 2, and is not saved', async () => {
    const workspace = openWorkspace();
    const plan = join(workspace.folder, 'a.plan');
    const result = await workspace.boh(
      `customers update --where tags.id=@VIP --is-blacklisted --max-changes 0 --out ${plan}`,
    );
    expect([result.exitCode, existsSync(plan)]).toEqual([2, false]);
  });

  test('import with excluded rows: exits with the code of the dry run, and saves the other rows', async () => {
    const workspace = openWorkspace();
    const plan = join(workspace.folder, 'a.plan');
    const rows = writeInput(workspace, 'costs.csv', 'sku,cost\nSKU-001,9.5\nSKU-002,x\n');
    const line = `inventory-items import ${rows} --key sku --skip-invalid`;
    expect((await workspace.boh(`${line} --out ${plan}`)).exitCode).toBe(
      (await workspace.boh(`${line} --dry-run`)).exitCode,
    );
    expect((await workspace.boh(`apply --plan ${plan} --yes`)).exitCode).toBe(9);
    expect((await workspace.boh(readCost)).stdout.trim()).toBe('9.5');
  });

  test('copy: the plan can be applied only to the target account', async () => {
    const { folder, bohWithoutSandbox } = openWorkspace();
    const boh = (line: string) => bohWithoutSandbox({}, ...line.split(' '));
    const plan = join(folder, 'a.plan');
    for (const name of ['one', 'two'])
      await bohWithoutSandbox({ BOH_SANDBOX: name }, 'profiles', 'add', name, '--sandbox');
    const createResult = await boh('tags create --name Copied --type 1 --profile one');
    expect([createResult.exitCode, createResult.stderr]).toEqual([0, expect.any(String)]);
    const saveResult = await boh(`copy tags --from one --to two --out ${plan}`);
    expect([saveResult.exitCode, saveResult.stderr]).toEqual([
      0,
      expect.stringContaining('--profile two apply --plan'),
    ]);
    expect((await boh(`apply --plan ${plan} --yes --profile one`)).stderr).toContain(
      'plan of another account',
    );
    expect((await boh(`apply --plan ${plan} --yes --profile two`)).exitCode).toBe(0);
    expect((await boh('tags get @Copied --profile two --query name')).stdout.trim()).toBe('"Copied"');
  });

  test('plan of several records: apply requires --yes, and otherwise keeps the plan', async () => {
    const workspace = openWorkspace();
    const plan = join(workspace.folder, 'a.plan');
    await workspace.boh(`customers update --where tags.id=@VIP --is-blacklisted --out ${plan}`);
    const unconfirmedResult = await workspace.boh(`apply --plan ${plan}`);
    expect([unconfirmedResult.exitCode, unconfirmedResult.stderr]).toEqual([
      2,
      expect.stringContaining('add --yes'),
    ]);
    expect((await workspace.boh(`apply --plan ${plan} --yes`)).exitCode).toBe(0);
  });

  test('plan of another account: is refused by apply; any saved plan is refused by runs resume', async () => {
    const workspace = openWorkspace();
    const plan = join(workspace.folder, 'a.plan');
    await workspace.boh(`${updateLine} --out ${plan}`);
    const resumeResult = await workspace.boh(`runs resume ${plan}`);
    expect([resumeResult.exitCode, resumeResult.stderr]).toEqual([
      2,
      expect.stringContaining('apply --plan'),
    ]);
    const otherAccountResult = await workspace.boh(
      `apply --plan ${plan} --yes --base-url http://127.0.0.1:9`,
    );
    expect(otherAccountResult.exitCode).toBe(2);
  });

  test("import with a secret: the plan doesn't contain it, and apply reads it from the file again", async () => {
    const workspace = openWorkspace();
    const plan = join(workspace.folder, 'a.plan');
    const text = 'name,number,lang,pin\nTill,71,en,91827\n';
    const rows = writeInput(workspace, 'users.csv', text);
    expect((await workspace.boh(`users import ${rows} --mode create --out ${plan}`)).exitCode).toBe(0);
    expect(readFileSync(plan).includes('91827')).toBe(false);
    writeFileSync(rows, 'changed');
    const missingResult = await workspace.boh(`apply --plan ${plan} --yes`);
    expect([missingResult.exitCode, missingResult.stderr]).toEqual([
      2,
      expect.stringContaining('has changed since'),
    ]);
    writeFileSync(rows, text);
    expect((await workspace.boh(`apply --plan ${plan} --yes`)).exitCode).toBe(0);
  });
});
