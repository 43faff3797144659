/** Every SQLite file that boh reads, without one of its tables: it is reported as damaged, and never as a bug. */

import { copyFileSync, cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listRunIds } from '../../src/engine/runs/ledger/runs.ts';
import { accountFile, accountFolderIn } from '../harness/account-folder.ts';
import { type Demo, startDemo } from '../harness/demo.ts';

let demo: Demo;
let run: string;
const inDemo = (...names: string[]) => join(demo.folder, ...names);

/** Each kind of file: where it is, and the command lines that read it. */
const kinds: readonly { kind: string; file: () => string; lines: readonly string[] }[] = [
  {
    kind: 'saved plan',
    file: () => inDemo('plan.db'),
    lines: [
      'apply --plan PLAN --yes',
      'apply --plan PLAN --dry-run',
      'change create x --plan PLAN --at 2099-01-01 --yes',
    ],
  },
  {
    kind: 'log',
    file: () => accountFile(inDemo('config'), 'history.sqlite'),
    lines: [
      ...['history', 'history show 1', 'history verify', 'undo 1 --yes', 'tags create --name T --type 1'],
      ...['runs list', 'runs show RUN', 'runs resume RUN --yes', 'undo RUN --yes'],
      ...['change list', 'change show sale', 'change run', 'change cancel sale --yes'],
    ],
  },
  {
    kind: 'mirror',
    file: () => accountFile(inDemo('config'), 'mirror.sqlite'),
    lines: ['mirror status', 'mirror query SELECT/**/1', 'mirror diff', 'lint suppliers', 'mirror sync'],
  },
  {
    kind: 'snapshot',
    file: () => inDemo('config', 'sandboxes', 'snapshots', 's1.sqlite'),
    lines: ['sandbox snapshot list', 'sandbox snapshot restore s1 --yes', 'tags list'],
  },
];

/** The files of the demo before anything is damaged. */
const saved = () => `${demo.folder}-saved`;

beforeAll(async () => {
  demo = startDemo();
  writeFileSync(inDemo('c.csv'), 'phone,name\n771,A\n');
  for (const line of [
    `customers import ${inDemo('c.csv')} --key phone --out ${inDemo('plan.db')}`,
    `customers import ${inDemo('c.csv')} --key phone --yes`,
    'change create sale customers --where phone=771 --set name=Z --at 2099-01-01 --yes',
    'mirror sync --resource suppliers',
    'sandbox snapshot save s1',
  ]) {
    const { exitCode, stderr } = await demo.boh(line);
    expect(exitCode, `${line}: ${stderr}`).toBe(0);
  }
  run = listRunIds(accountFolderIn(inDemo('config')))[0] ?? '';
  cpSync(inDemo('config'), saved(), { recursive: true });
  copyFileSync(inDemo('plan.db'), join(saved(), 'plan.db'));
});
afterAll(() => {
  rmSync(saved(), { recursive: true, force: true });
  demo.remove();
});

function restore(): void {
  rmSync(inDemo('config'), { recursive: true, force: true });
  cpSync(saved(), inDemo('config'), { recursive: true });
  for (const suffix of ['-wal', '-shm']) rmSync(inDemo(`plan.db${suffix}`), { force: true });
  copyFileSync(join(saved(), 'plan.db'), inDemo('plan.db'));
}

/** The tables to drop. Mirrors and snapshots have hundreds, of which the first ones stand for all. */
function tablesOf(file: string): string[] {
  const database = new DatabaseSync(file);
  const rows = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all();
  database.close();
  const names = rows.map(({ name }) => String(name));
  return names.filter((name, index) => index < 10 || name === 'suppliers');
}

describe.each(kinds)('$kind', ({ file, lines }) => {
  test.each(lines)(
    'without one of its tables: %s ends with a failure that names the file, or works',
    async (line) => {
      restore();
      const tables = tablesOf(file());
      expect(tables.length).toBeGreaterThan(1);
      let failures = 0;
      for (const table of tables) {
        restore();
        const database = new DatabaseSync(file());
        database.exec(`DROP TABLE ${table}`);
        database.close();
        const { exitCode, stderr } = await demo.boh(
          line.replace('PLAN', inDemo('plan.db')).replace('RUN', run),
        );
        expect([0, 2, 5, 8, 10], `${table}: ${stderr}`).toContain(exitCode);
        if (exitCode !== 8) continue;
        failures++;
        expect(stderr).toMatch(/is damaged|can't be/);
      }
      if (line.includes('PLAN') || line === 'mirror status') expect(failures).toBeGreaterThan(0);
    },
  );
});
