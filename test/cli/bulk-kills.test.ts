import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { killAfter } from '../harness/kill-after.ts';
import { randomNumbers } from '../harness/random-numbers.ts';
import { repetitions, repetitionsTimeoutMs, reportTried } from '../harness/repetitions.ts';
import { serveSandbox } from '../harness/served-sandbox.ts';

/** Delays responses, breaks connections before or after the service has committed, and returns errors. */
const faults = `
seed: 3
rules:
  - {route: "POST /**", fault: latency, milliseconds: [0, 15]}
  - {route: "POST /**", fault: reset, after_commit: true, probability: 0.02}
  - {route: "POST /**", fault: status, status: 502, after_commit: true, probability: 0.01}
  - {route: "POST /**", fault: reset, probability: 0.01}
`;

const rowCount = 400;
const rowValues = <Value>(createValue: (index: number) => Value) =>
  Array.from({ length: rowCount }, (_, index) => createValue(index));

interface Case {
  line: string[];
  /** Returns the text of a file, whose rows contain the prefix. */
  text(prefix: string): string;
  /** SQL queries whose results are compared with `expected`: numbers of rows, or sums of a field. */
  counts(prefix: string): string[];
  expected: number[];
}

const customers = (prefix: string) =>
  `name,phone\n${rowValues((index) => `${prefix}-${index},88${index}`).join('\n')}\n`;
const countsOfCustomers = (prefix: string) => [
  `SELECT count(DISTINCT name) AS count FROM customers WHERE name LIKE '${prefix}-%'`,
  `SELECT count(*) AS count FROM customers WHERE name LIKE '${prefix}-%'`,
];

const priceHeader =
  '\ufeffSKU;الاسم;Storage Unit;ingredient unit;storage_to_ingredient_factor;costing_method;cost;category\r\n';

const cases: Record<string, Case> = {
  'by a key': {
    line: ['customers', '--key', 'name'],
    text: customers,
    counts: countsOfCustomers,
    expected: [rowCount, rowCount],
  },
  // Rows are identified by all their values.
  'without a key': {
    line: ['customers', '--mode', 'create'],
    text: customers,
    counts: countsOfCustomers,
    expected: [rowCount, rowCount],
  },
  'of a price list from a spreadsheet': {
    line: ['inventory-items', '--key', 'sku', '--map', 'الاسم=name'],
    text: (prefix) =>
      priceHeader +
      rowValues(
        (index) =>
          `${prefix}-${index};"طماطم ""حلوة""\r\n${index}";kg;g;1.000;fixed cost;1.${100 + index},50;Vegetables\r\n`,
      ).join(''),
    counts: (prefix) => [
      `SELECT count(DISTINCT sku) AS count FROM inventory_items WHERE sku LIKE '${prefix}-%'`,
      `SELECT count(*) AS count FROM inventory_items WHERE sku LIKE '${prefix}-%'`,
      `SELECT sum(cost) AS count FROM inventory_items WHERE sku LIKE '${prefix}-%'`,
    ],
    expected: [
      rowCount,
      rowCount,
      rowValues((index) => 1100 + index + 0.5).reduce((sum, cost) => sum + cost),
    ],
  },
  // The ledger stores these rows without PINs: a resumed run reads the PINs from the file again.
  'of users with their PINs': {
    line: ['users', '--key', 'email'],
    text: (prefix) =>
      `name,email,lang,pin\n${rowValues((index) => `${prefix} ${index},${prefix}-${index}@users.example,en,${20_000 + index}\n`).join('')}`,
    counts: (prefix) => [
      `SELECT count(*) AS count FROM users WHERE name LIKE '${prefix} %'`,
      `SELECT sum(pin) AS count FROM users WHERE name LIKE '${prefix} %'`,
    ],
    expected: [rowCount, rowValues((index) => 20_000 + index).reduce((sum, pin) => sum + pin)],
  },
};

test.each(Object.entries(cases))(
  'import %s, killed repeatedly: loses no row and creates no duplicate',
  async (name, { line: [resource = '', ...flags], text, counts, expected }) => {
    const kills = repetitions(1);
    const draw = randomNumbers(name.length);
    const { config, env, boh, json, row } = await serveSandbox({ faults });
    let killCount = 0;
    for (let file = 0; killCount < kills; file++) {
      const source = `${file}.csv`;
      const prefix = `F${file}x`;
      writeFileSync(join(config, source), text(prefix));
      let line = [resource, 'import', join(config, source), ...flags, '--yes'];
      for (let isFinished = false; !isFinished; ) {
        if (killCount < kills && (await killAfter(200 + draw() * 1500, line, env))) killCount++;
        else isFinished = (await boh(...line)).exitCode === 0;
        const runs = await json('runs', 'list');
        const run = runs.find((listedRun: { source: string }) => listedRun.source === source);
        // A run that was killed before it sent anything is started again.
        if (run?.state === 'unfinished') line = ['runs', 'resume', run.id];
        isFinished ||= run?.state === 'finished';
      }
      const totals = counts(prefix).map((sql) => Number(row(sql).count));
      expect(totals).toEqual(expected);
    }
    reportTried({ tried: `${killCount} kills`, seed: name.length });
  },
  repetitionsTimeoutMs,
);
