import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runBoh } from '../harness/run-boh.ts';
import { serve, type TestService } from '../harness/serve.ts';

const folder = mkdtempSync(join(tmpdir(), 'boh-days-'));
let service: TestService;
beforeAll(async () => {
  const account = { user: { id: 'u' }, business: { id: 'b' } };
  const emptyPage = { data: [], meta: { last_page: 1, total: 0 } };
  service = await serve({ 'GET /whoami': { data: account }, 'GET /customers': emptyPage });
  writeFileSync(
    join(folder, 'day.yaml'),
    'customers:\n  - { name: A, phone: "1", birth_date: 2026-02-31 }\n',
  );
  writeFileSync(join(folder, 'day.csv'), 'name,phone,birth_date\nA,1,31/11/1999\n');
  writeFileSync(join(folder, 'day.json'), '[{"name":"A","phone":"1","birth_date":"2023-02-29"}]');
  writeFileSync(join(folder, 'moment.csv'), 'id,name,updated_at\n1,A,2026-02-31 25:61:00\n');
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

test.each([
  'customers create --name A --birth-date 2026-02-31',
  'customers create --name A --birth-date ٢٠٢٦-٠٢-٣١',
  'customers create --data {"name":"A","birth_date":"2023-02-29"}',
  'customers import FOLDER/day.csv --key phone --yes',
  'customers import FOLDER/day.csv --key phone --dates dmy --yes',
  'customers import FOLDER/day.json --key phone --yes',
  'customers import FOLDER/moment.csv --yes',
  'plan FOLDER/day.yaml',
  'apply FOLDER/day.yaml --yes',
  'tags list --created-on 2026-04-31',
  'tags list --updated-after 2026-02-31T08:00Z',
  'tags list --updated-after 2026-02-28T24:00Z',
  'tags list --filter created_on=2026-04-31',
  'tags list --filter updated_after=2026-11-20T25:61Z',
  'cost-adjustments update --where business_date=2026-02-31 --notes A --yes',
  'timed-events week --date 2023-02-29',
  'history --since 2026-02-31',
  'sandbox order --customer customer-1 --total 5 --at 2026-02-31',
  'sandbox clock set 2026-11-20T25:61Z',
])('boh %s: the date or time does not exist and is refused, and nothing is written', async (line) => {
  const result = await runBoh(line.replace('FOLDER', folder).split(' '), {
    env: { BOH_CONFIG_DIR: join(folder, '.config'), BOH_BASE_URL: service.baseUrl, BOH_TOKEN: 'token' },
  });
  const written = service.takeRequests().filter((request) => !request.startsWith('GET '));
  expect([result.exitCode, written], result.stderr).toEqual([2, []]);
});
