import { afterAll, describe, expect, test } from 'vitest';
import { startDemo } from '../harness/demo.ts';
import { terminalTest } from '../harness/terminal.ts';

const demo = startDemo();
afterAll(() => demo.remove());

interface Today {
  findings: { rule: string; count: number; resource: string }[];
  open_documents: { resource: string; id: string }[];
  short: { name: string }[];
  events: { name: string }[];
  changes: { verb: string; resource: string; count: number }[];
  due_changes: object[];
}

describe('boh today', () => {
  test('-o json: has the findings in groups, what is open, short, on today and changed', async () => {
    expect((await demo.boh('tags create --name Morning --type customer')).exitCode).toBe(0);
    const today = await demo.json<Today>('today');
    const findings = await demo.json<{ rule: string; resource: string }[]>('lint --fail-on never');
    for (const { rule, resource, count } of today.findings)
      expect(
        findings.filter((finding) => finding.rule === rule && finding.resource === resource),
      ).toHaveLength(count);
    const drafts = await demo.json<{ id: string; status: number }[]>(
      'inventory-counts list --where-local status=draft',
    );
    const open = today.open_documents.filter(({ resource }) => resource === 'inventory-counts');
    expect(open.map(({ id }) => id).sort()).toEqual(drafts.map(({ id }) => id).sort());
    const levels = await demo.json<{ state: string; name: string }[]>('inventory-items levels');
    expect(today.short.map(({ name }) => name)).toEqual(
      levels.filter(({ state }) => state === 'short').map(({ name }) => name),
    );
    expect(today.changes).toContainEqual(
      expect.objectContaining({ verb: 'create', resource: 'tags', count: 1 }),
    );
    expect(today).toMatchObject({ events: expect.any(Array), due_changes: [] });
  });

  terminalTest.for([60, 120])(
    'on a terminal of %d columns: names a command for each part',
    async (columns) => {
      const terminal = demo.terminal('boh --sandbox today', { columns });
      expect(await terminal.ended()).toBe(0);
      for (const part of ['Findings', 'Open documents', 'Short', 'Timed events today', 'boh --sandbox lint'])
        expect(terminal.text()).toContain(part);
      for (const line of terminal.text().split('\n'))
        expect(line.trimEnd().length).toBeLessThanOrEqual(columns);
    },
  );
});

test('lint: groups findings of one kind, and names the command that lists all', async () => {
  const { stdout } = await demo.boh('lint --fail-on never -o table');
  expect(stdout).toMatch(/warning supplier-item-cost-implausible: \d+ suppliers\n/);
  expect(stdout).toContain(
    'boh --sandbox lint suppliers --rule supplier-item-cost-implausible -o csv lists all',
  );
});
