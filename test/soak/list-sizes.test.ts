/** A page of a list in the sandbox takes at most 1.5 times as long with 100,000 records as with 200. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operation } from '../../src/contract/operation.ts';
import { api } from '../../src/resources/index.ts';
import { parentColumn, type Table, Tables } from '../../src/sandbox/store/tables.ts';
import { quoteName } from '../../src/storage/quote-name.ts';
import { reportTried } from '../harness/repetitions.ts';
import { type Client, openClient } from '../sandbox/client.ts';

const smallCount = 200;
const largeCount = 100_000;
const maxRatio = 1.5;

/** The number of requests per page and size. They alternate between the two sizes. */
const requestsPerPage = 25;

const tables = new Tables(api);
const lists = api.collections.filter((resource) => operation(resource, 'list'));

/**
 * Copies the records of the demo business until each resource has `count` records. Links of copies lead to copies, so that
 * no record has more links than its original.
 */
function fill({ sandbox: { database } }: Client, count: number): void {
  const copiesOf = new Map(
    lists.map(({ name }) => {
      const [{ count: recordCount = 0 } = {}] = database.all(
        `SELECT count(*) AS count FROM ${quoteName(name)}`,
      );
      expect(Number(recordCount), `${name} of the demo business`).toBeGreaterThan(0);
      return [name, Math.max(Math.ceil(count / Number(recordCount)) - 1, 0)] as const;
    }),
  );
  const copyOf = (id: string, target: string) => {
    const copyIndex = `i % ${(copiesOf.get(target) ?? 0) + 1}`;
    return `iif(${copyIndex} = 0, ${id}, ${id} || '~' || (${copyIndex}))`;
  };
  const copyRows = ({ name, columns }: Table, numbers: string, parent?: string) => {
    const copiedColumns = columns.filter((column) => column.name !== 'id');
    const values = copiedColumns.map((column) => {
      const { target } = column.field.traits;
      if (column.name === parent) return `${quoteName(column.name)} || '~' || i`;
      return column.field.kind === 'one' && target
        ? copyOf(quoteName(column.name), target)
        : quoteName(column.name);
    });
    database.run(
      `${numbers} INSERT INTO ${quoteName(name)} (id, ${copiedColumns.map((column) => quoteName(column.name)).join(', ')})
       SELECT id || '~' || i, ${values.join(', ')} FROM n CROSS JOIN (SELECT * FROM ${quoteName(name)} ORDER BY seq)`,
    );
  };
  for (const { name } of lists) {
    const table = tables.get(name);
    const copies = copiesOf.get(name) ?? 0;
    if (copies === 0) continue;
    const numbers = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${copies})`;
    database.write(() => {
      copyRows(table, numbers);
      for (const relation of table.relations) {
        if (relation.kind === 'parts') copyRows(relation.target, numbers, parentColumn);
        if (relation.kind !== 'links' || relation.recordColumn !== 'from_id') continue;
        const linkColumns = [
          'position',
          ...relation.table.pivot.map((column) => quoteName(column.name)),
        ].join(', ');
        database.run(
          `${numbers} INSERT OR IGNORE INTO ${quoteName(relation.table.name)} (from_id, to_id, from_seq, ${linkColumns})
           SELECT from_id || '~' || i, ${copyOf('to_id', relation.target.name)},
             (SELECT seq FROM ${quoteName(name)} WHERE id = from_id || '~' || i), ${linkColumns}
           FROM n CROSS JOIN (SELECT * FROM ${quoteName(relation.table.name)})`,
        );
      }
    });
  }
}

interface Cost {
  /** Processor time in milliseconds, which other processes on the machine do not affect. */
  ms: number;
  characters: number;
}

function costOf(client: Client, target: string): Cost {
  const before = process.cpuUsage();
  const { status, json } = client.get(target);
  const { user, system } = process.cpuUsage(before);
  expect([target, status, json.data?.length]).toEqual([target, 200, 50]);
  return { ms: (user + system) / 1000, characters: JSON.stringify(json).length };
}

/** Returns the lowest cost: some requests include garbage collection of earlier ones. */
function cheapest(...costs: Cost[]): Cost {
  return costs.reduce((cheapestCost, cost) => (cost.ms < cheapestCost.ms ? cost : cheapestCost));
}

let small: Client;
let large: Client;
beforeAll(async () => {
  [small, large] = [await openClient(), await openClient()];
  fill(small, smallCount);
  fill(large, largeCount);
}, 600_000);
afterAll(() => {
  small.sandbox.close();
  large.sandbox.close();
});

test.each(lists)(
  'a page of $command: takes at most 1.5 times as long with 100,000 records as with 200',
  (resource) => {
    const included = Object.keys(resource.fields).filter((name) => resource.fields[name]?.traits.includable);
    const ratios: Record<string, number> = {};
    for (const include of new Set(['', included.join(',')])) {
      for (const [name, smallPage, largePage] of [
        ['first', 1, 1],
        ['middle', 2, 1000],
      ] as const) {
        const target = (page: number) => `${resource.path}?page=${page}${include && `&include=${include}`}`;
        const pairs = Array.from(
          { length: requestsPerPage },
          () => [costOf(small, target(smallPage)), costOf(large, target(largePage))] as const,
        );
        const [lowestSmall, lowestLarge] = [
          cheapest(...pairs.map(([smallCost]) => smallCost)),
          cheapest(...pairs.map(([, largeCost]) => largeCost)),
        ];
        // Adjusts for the length of pages, because copies have different numbers of links.
        const lengthRatio = Math.max(1, lowestLarge.characters / lowestSmall.characters);
        ratios[`${name}${include && ', included'}`] = lowestLarge.ms / lowestSmall.ms / lengthRatio;
      }
    }
    reportTried({ tried: `ratio ${Math.max(...Object.values(ratios)).toFixed(2)}` });
    for (const [page, ratio] of Object.entries(ratios))
      expect(ratio, `${page} page of ${resource.command}`).toBeLessThan(maxRatio);
  },
);
