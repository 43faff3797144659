/** `boh history forget` removes a record from the plans of change sets. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import type { Workspace } from '../history/sandbox-workspace.ts';
import { openWorkspaceAt, runDueSets } from './change-workspace.ts';

describe('history forget', () => {
  const plans = (workspace: Workspace) => {
    const file = join(workspace.account, 'history.sqlite');
    const database = new DatabaseSync(file);
    const ofPlans = "(SELECT run FROM runs WHERE id LIKE 'change %')";
    const rows = database.prepare(`SELECT * FROM rows WHERE run IN ${ofPlans}`).all();
    const touched = database.prepare('SELECT record FROM touched').all();
    database.close();
    const bytes = readFileSync(file, 'latin1');
    return { stored: JSON.stringify(rows), bytes, touched: touched.length };
  };

  test('a customer in planned and stopped sets: is removed from their files, and the other records are written', async () => {
    const workspace = openWorkspaceAt();
    const created = [];
    for (const [name = '', phone = ''] of [
      ['Zenobia Canary', '5559182736'],
      ['Someone Else', '5551110000'],
    ])
      created.push(
        await workspace.json('customers', 'create', '--name', name, '--phone', phone, '--dial-code', '1'),
      );
    const [{ id }, { id: otherId }] = created;
    const file = join(workspace.config, 'people.csv');
    writeFileSync(file, `id,email\n${id},canary@example.com\n${otherId},kept@example.com\n`);
    const source = ['--import', file, '--key', 'id', 'customers', '--timezone', 'UTC', '--yes'];
    for (const [name = '', at = '', until = ''] of [
      ['stops', '2027-04-01', '2027-04-02'],
      ['later', '2027-05-01', '2027-05-02'],
    ]) {
      const flags = ['--at', at, '--until', until, '--note', 'For Zenobia Canary'];
      const createResult = await workspace.boh('change', 'create', name, ...source, ...flags);
      expect(createResult.exitCode, createResult.stderr).toBe(0);
    }
    await workspace.boh('customers', 'update', otherId, '--email', 'changed@example.com');
    await runDueSets(workspace, '2027-04-01 00:00');
    await workspace.boh('customers', 'update', otherId, '--clear', 'email');
    const plansBefore = plans(workspace);
    for (const canary of ['canary@example.com', id]) expect(plansBefore.stored).toContain(canary);
    expect(plansBefore.touched).toBe(4);
    const forgetResult = await workspace.boh('history', 'forget', 'customers', id, '--yes');
    expect([forgetResult.exitCode, forgetResult.stderr]).toEqual([
      0,
      expect.stringContaining("Deleted 2 rows of change sets, which won't be sent."),
    ]);
    const plansAfter = plans(workspace);
    for (const canary of ['canary@example.com', 'Zenobia', id]) {
      expect(plansAfter.stored).not.toContain(canary);
      expect(plansAfter.bytes).not.toContain(canary);
    }
    expect([plansAfter.stored, plansAfter.touched]).toEqual([expect.stringContaining('kept@example.com'), 2]);
    const result = await runDueSets(workspace, '2027-05-01 00:00');
    expect(result).toMatchObject({ acts: ['later begin partial'] });
    expect(result.reports[0]?.left).toEqual(['Its content was deleted by boh history forget.']);
    expect(await workspace.json('customers', 'get', otherId, '--query', 'email')).toBe('kept@example.com');
    expect(await workspace.json('customers', 'get', id, '--query', 'email')).toBeNull();
  });
});
