/** Tests change sets of several businesses at one URL, and of a service that fails at the start time. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { home } from '../harness/home-folder.ts';
import { serveTwoBusinesses } from '../harness/two-businesses.ts';
import { startFakeService } from '../runs/fake-service.ts';
import { setClock } from './change-workspace.ts';

const { businesses, boh } = serveTwoBusinesses();

const flags = '--where code=F --set phone=5 --timezone UTC --at 2027-05-01 --until 2027-05-03';
const reports = ({ stdout }: { stdout: string }): string[] =>
  JSON.parse(stdout).map(({ name, act, outcome }: Record<string, string>) => `${name} ${act} ${outcome}`);

test('two businesses at one URL: each has its own change sets', async () => {
  setClock('2027-01-01 12:00');
  for (const token of ['north', 'south']) {
    const createResult = await boh(token, `change create of-${token} suppliers ${flags}`);
    expect(createResult.exitCode, createResult.stderr).toBe(0);
  }
  setClock('2027-05-01 00:00');
  expect(reports(await boh('north', 'change run'))).toEqual(['of-north begin done']);
  expect([businesses.north?.supplier.phone, businesses.south?.supplier.phone]).toEqual(['5', undefined]);
  expect(reports(await boh('south', 'change run'))).toEqual(['of-south begin done']);
});

test('a token of an unknown business: has change sets of its own', async () => {
  setClock('2027-01-01 12:00');
  await boh('north', `change create sale suppliers ${flags}`);
  businesses.secret = { id: 7, supplier: {}, cannotReadWhoami: true };
  expect(await boh('secret', 'change list -o json')).toMatchObject({ exitCode: 0, stdout: '[]\n' });
  expect(await boh('secret', 'change show sale')).toMatchObject({ exitCode: 5, stdout: '' });
});

test('a service that fails at the start time: a later run begins the set, and writes each record once', async () => {
  setClock('2027-01-01 12:00');
  let isDown = false;
  const service = await startFakeService(() =>
    isDown ? { status: 503, body: { message: 'Down.' } } : undefined,
  );
  await service.boh('suppliers', 'create', '--name', 'Fresh Farms', '--code', 'F', '--phone', '1');
  expect((await service.boh('change', 'create', 'sale', 'suppliers', ...flags.split(' '))).exitCode).toBe(0);
  const readPhone = () => service.client.get('/suppliers').json.data[0].phone;
  isDown = true;
  setClock('2027-05-01 00:00');
  const failedResult = await service.boh('change', 'run');
  expect([failedResult.exitCode, reports(failedResult), readPhone()]).toEqual([
    8,
    ['sale begin failed'],
    '1',
  ]);
  isDown = false;
  setClock('2027-05-01 00:10');
  expect([reports(await service.boh('change', 'run')), readPhone()]).toEqual([['sale begin done'], '5']);
  isDown = true;
  setClock('2027-05-03 00:00');
  expect((await service.boh('change', 'run')).exitCode).toBe(8);
  isDown = false;
  setClock('2027-05-03 00:10');
  expect([reports(await service.boh('change', 'run')), readPhone()]).toEqual([['sale return done'], '1']);
});

test('two machines that begin a set at the same time: a record that both created is reported', async () => {
  setClock('2027-01-01 12:00');
  let shouldDuplicate = false;
  const service = await startFakeService(({ method, path, body }) => {
    if (method !== 'POST' || path !== '/suppliers' || !shouldDuplicate) return undefined;
    shouldDuplicate = false;
    service.client.post('/suppliers', body);
    return undefined;
  });
  const plan = join(mkdtempSync(join(home, 'plan-')), 'suppliers.yaml');
  writeFileSync(plan, 'suppliers:\n  - { name: Sea Trade }\n');
  const createResult = await service.boh('change', 'create', 'sale', plan, ...flags.split(' ').slice(4));
  expect(createResult.exitCode, createResult.stderr).toBe(0);
  shouldDuplicate = true;
  setClock('2027-05-01 00:00');
  const beginResult = await service.boh('change', 'run');
  expect([beginResult.exitCode, reports(beginResult)]).toEqual([9, ['sale begin partial']]);
  expect(JSON.parse(beginResult.stdout)[0].left).toEqual([
    expect.stringMatching(
      /^Sea Trade: duplicate record: this machine created \S+, and another machine created \S+ at the same time$/,
    ),
  ]);
  setClock('2027-05-03 00:00');
  expect(reports(await service.boh('change', 'run'))).toEqual(['sale return done']);
  expect(service.client.get('/suppliers').json.data).toHaveLength(1);
});

test('a begin that is incomplete at the end time: sent changes are restored, and the others are not sent', async () => {
  setClock('2027-01-01 12:00');
  let writeCount = Number.NEGATIVE_INFINITY;
  const service = await startFakeService(() =>
    ++writeCount > 1 ? { status: 503, body: { message: 'Down.' } } : undefined,
  );
  for (const code of ['F', 'G'])
    await service.boh('suppliers', 'create', '--name', `Farms ${code}`, '--code', code, '--phone', '1');
  const line = ['suppliers', '--where', 'name=Farms', ...flags.split(' ').slice(2), '--yes'];
  const createResult = await service.boh('change', 'create', 'sale', ...line);
  expect(createResult.exitCode, createResult.stderr).toBe(0);
  const readPhones = () =>
    service.client.get('/suppliers').json.data.map(({ phone }: { phone: string }) => phone);
  writeCount = 0;
  setClock('2027-05-01 00:00');
  expect(reports(await service.boh('change', 'run'))).toEqual(['sale begin failed']);
  expect(readPhones().sort()).toEqual(['1', '5']);
  writeCount = Number.NEGATIVE_INFINITY;
  setClock('2027-05-03 00:00');
  const [report] = JSON.parse((await service.boh('change', 'run')).stdout);
  expect(report).toMatchObject({ act: 'return', outcome: 'done' });
  expect(readPhones()).toEqual(['1', '1']);
  expect(reports(await service.boh('change', 'run'))).toEqual([]);
});
