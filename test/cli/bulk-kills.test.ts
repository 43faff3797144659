import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';
import { patience, rounds, tell } from '../harness/rounds.ts';
import { launcherFile, spawnBoh } from '../harness/spawn-boh.ts';
import { serveBoh } from './served-boh.ts';

const folder = mkdtempSync(join(tmpdir(), 'boh-kills-'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

/** The same every time: what a failing run met can be met again. */
function* draws(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    yield state / 2 ** 32;
  }
}

const faults = `
seed: 3
rules:
  - {route: "POST /customers", fault: latency, milliseconds: [0, 15]}
  - {route: "POST /customers", fault: reset, after_commit: true, probability: 0.02}
  - {route: "POST /customers", fault: status, status: 502, after_commit: true, probability: 0.01}
  - {route: "POST /customers", fault: reset, probability: 0.01}
`;

const rows = 400;

/** With a key; without one, where rows are known by all that was sent; and with rows that are alike. */
const files = {
  'by a key': { flags: ['--key', 'phone'], phone: (at: number) => `88${at}` },
  'without a key': { flags: ['--mode', 'create'], phone: (at: number) => `88${at}` },
};

test.each(Object.entries(files))(
  'an import %s that is killed again and again loses no row and doubles none',
  async (name, { flags, phone }) => {
    const kills = rounds(6) / 2;
    const draw = draws(name.length);
    const config = mkdtempSync(join(folder, 'config-'));
    const plan = join(config, 'faults.yaml');
    writeFileSync(plan, faults);
    const served = await serveBoh(['--name', 'kills', '--faults', plan], { BOH_CONFIG_DIR: config });
    const env = { BOH_CONFIG_DIR: config, BOH_BASE_URL: served.base_url, BOH_TOKEN: served.token };
    const database = new DatabaseSync(join(config, 'sandboxes', 'kills.sqlite'), { readOnly: true });
    const count = (sql: string) => Number(database.prepare(sql).get()?.count);
    const before = count('SELECT count(*) AS count FROM customers');
    let killed = 0;
    for (let file = 0; killed < kills; file++) {
      const path = join(config, `${file}.csv`);
      const lines = Array.from({ length: rows }, (_, at) => `Row ${file}-${at},${phone(at)}${file}`);
      writeFileSync(path, `name,phone\n${lines.join('\n')}\n`);
      let line = ['customers', 'import', path, ...flags, '--yes'];
      for (let tries = 0; tries < 12; tries++) {
        const { value = 0 } = draw.next();
        // The last few are left to end.
        const isKilled = killed < kills && tries < 10 && (await killAfter(150 + value * 2500, line, env));
        if (isKilled) killed++;
        else {
          const ended = await spawnBoh(line, { env });
          if (ended.exitCode === 0) break;
        }
        const [run] = JSON.parse((await spawnBoh(['runs', 'list', '--json'], { env })).stdout);
        // Killed before anything was planned: it begins anew.
        if (run?.state === 'unfinished') line = ['runs', 'resume', run.id];
        if (run?.state === 'finished') break;
      }
      const here = `FROM customers WHERE name LIKE 'Row ${file}-%'`;
      expect([
        count(`SELECT count(DISTINCT name) AS count ${here}`),
        count(`SELECT count(*) AS count ${here}`),
      ]).toEqual([rows, rows]);
    }
    expect(count('SELECT count(*) AS count FROM customers')).toBeGreaterThan(before);
    database.close();
    tell({ tried: `${killed} kills`, seed: name.length });
  },
  patience(120_000),
);

/** Whether it was still at work when it was killed. */
async function killAfter(ms: number, line: readonly string[], env: Record<string, string>): Promise<boolean> {
  const child = spawn(process.execPath, [launcherFile, ...line], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: 'ignore',
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), ms);
  const [, signal] = await once(child, 'exit');
  clearTimeout(timer);
  return signal === 'SIGKILL';
}
