/** A restore sends records that refer to a restored record after it is restored, even if the service is slow. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openAccounts, parseRows } from './backups.ts';

test('restore of a deleted tag: is complete before its customers are written', async () => {
  const { folder, boh, backup } = openAccounts();
  const recordsBefore = await backup('demo', 'first');
  const result = await boh('demo', 'tags delete @Regular --yes');
  expect([result.exitCode, result.stderr]).toEqual([0, expect.any(String)]);
  writeFileSync(
    join(folder, 'slow.yaml'),
    'rules:\n  - {route: "PUT /tags/*/restore", fault: latency, milliseconds: 200}\n',
  );
  expect((await boh('demo', `sandbox faults set ${join(folder, 'slow.yaml')}`)).exitCode).toBe(0);
  const restoreResult = await boh('demo', `backup restore ${join(folder, 'first')} --yes`);
  const rows = parseRows(restoreResult).filter(({ action }) => action !== 'skip');
  expect(rows.filter(({ outcome }) => outcome !== 'done')).toEqual([]);
  expect(rows.length).toBeGreaterThan(2);
  expect((await backup('demo', 'second')).get('tags')?.length).toBe(recordsBefore.get('tags')?.length);
});
