import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';
import { draws } from '../harness/draws.ts';
import { killAfter } from '../harness/killing.ts';
import { reportTried, rounds, roundsTimeoutMs } from '../harness/rounds.ts';
import { runLine } from '../harness/run-line.ts';
import { serveBoh } from './served-boh.ts';

const folder = mkdtempSync(join(tmpdir(), 'boh-kills-'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

/** Delays answers, or drops them after the service has committed: the moments that a kill should hit. */
const faults = `
seed: 3
rules:
  - {route: "POST /**", fault: latency, milliseconds: [0, 15]}
  - {route: "POST /**", fault: reset, after_commit: true, probability: 0.02}
  - {route: "POST /**", fault: status, status: 502, after_commit: true, probability: 0.01}
  - {route: "POST /**", fault: reset, probability: 0.01}
`;

const rows = 400;
const each = <Value>(make: (at: number) => Value) => Array.from({ length: rows }, (_, at) => make(at));

interface Case {
  line: string[];
  /** Returns the text of a file, whose rows contain the prefix. */
  text(mark: string): string;
  /** SQL that counts the rows of a file in the service: all of them, and the distinct ones. */
  counts(mark: string): string[];
  expected: number[];
}

const customers = (mark: string) => `name,phone\n${each((at) => `${mark}-${at},88${at}`).join('\n')}\n`;
const countsOfCustomers = (mark: string) => [
  `SELECT count(DISTINCT name) AS count FROM customers WHERE name LIKE '${mark}-%'`,
  `SELECT count(*) AS count FROM customers WHERE name LIKE '${mark}-%'`,
];

const priceHeader =
  '\ufeffSKU;الاسم;Storage Unit;ingredient unit;storage_to_ingredient_factor;costing_method;cost;category\r\n';

const cases: Record<string, Case> = {
  'by a key': {
    line: ['customers', '--key', 'name'],
    text: customers,
    counts: countsOfCustomers,
    expected: [rows, rows],
  },
  // Rows are identified by all their values.
  'without a key': {
    line: ['customers', '--mode', 'create'],
    text: customers,
    counts: countsOfCustomers,
    expected: [rows, rows],
  },
  'of a price list from a spreadsheet': {
    line: ['inventory-items', '--key', 'sku', '--map', 'الاسم=name'],
    text: (mark) =>
      priceHeader +
      each(
        (at) =>
          `${mark}-${at};"طماطم ""حلوة""\r\n${at}";kg;g;1.000;fixed cost;1.${100 + at},50;Vegetables\r\n`,
      ).join(''),
    counts: (mark) => [
      `SELECT count(DISTINCT sku) AS count FROM inventory_items WHERE sku LIKE '${mark}-%'`,
      `SELECT count(*) AS count FROM inventory_items WHERE sku LIKE '${mark}-%'`,
      `SELECT sum(cost) AS count FROM inventory_items WHERE sku LIKE '${mark}-%'`,
    ],
    expected: [rows, rows, each((at) => 1100 + at + 0.5).reduce((sum, cost) => sum + cost)],
  },
  // No ledger stores these rows: each run reads them from the file again.
  'of users with their PINs': {
    line: ['users', '--key', 'email'],
    text: (mark) =>
      `name,email,lang,pin\n${each((at) => `${mark} ${at},${mark}-${at}@users.example,en,${20_000 + at}\n`).join('')}`,
    counts: (mark) => [
      `SELECT count(*) AS count FROM users WHERE name LIKE '${mark} %'`,
      `SELECT sum(pin) AS count FROM users WHERE name LIKE '${mark} %'`,
    ],
    expected: [rows, each((at) => 20_000 + at).reduce((sum, pin) => sum + pin)],
  },
};

test.each(Object.entries(cases))(
  'import %s killed repeatedly: loses no row and creates no duplicate',
  async (name, { line: [resource = '', ...flags], text, counts, expected }) => {
    const kills = rounds(2);
    const draw = draws(name.length);
    const config = mkdtempSync(join(folder, 'config-'));
    const plan = join(config, 'faults.yaml');
    writeFileSync(plan, faults);
    const served = await serveBoh(['--name', 'kills', '--faults', plan], { BOH_CONFIG_DIR: config });
    const env = { BOH_CONFIG_DIR: config, BOH_BASE_URL: served.base_url, BOH_TOKEN: served.token };
    const database = new DatabaseSync(join(config, 'sandboxes', 'kills.sqlite'), { readOnly: true });
    let killed = 0;
    for (let file = 0; killed < kills; file++) {
      const source = `${file}.csv`;
      const mark = `F${file}x`;
      writeFileSync(join(config, source), text(mark));
      let line = [resource, 'import', join(config, source), ...flags, '--yes'];
      for (let isOver = false; !isOver; ) {
        if (killed < kills && (await killAfter(200 + draw() * 1500, line, env))) killed++;
        else isOver = (await runLine(line, { env })).exitCode === 0;
        const runs = JSON.parse((await runLine(['runs', 'list', '--json'], { env })).stdout);
        const run = runs.find((one: { source: string }) => one.source === source);
        // Killed before anything was sent: starts again.
        if (run?.state === 'unfinished') line = ['runs', 'resume', run.id];
        isOver ||= run?.state === 'finished';
      }
      const found = counts(mark).map((sql) => Number(database.prepare(sql).get()?.count));
      expect(found).toEqual(expected);
    }
    database.close();
    reportTried({ tried: `${killed} kills`, seed: name.length });
  },
  roundsTimeoutMs,
);
