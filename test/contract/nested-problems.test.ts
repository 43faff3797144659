/** Checks that problems of nested fields name the whole path, in flags, bodies, files and responses. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { failureOf } from '../harness/run-boh.ts';
import { serve } from '../harness/serve.ts';
import { useRecorder } from '../harness/use-recorder.ts';

const { boh, folder, requests } = useRecorder();
const items = [
  { id: 'inventory-item-1', order_to_storage_factor: 1 },
  { id: 'inventory-item-2', order_unit: 5, order_to_storage_factor: 1 },
];
const problems = { 'items.0.order_unit': 'is required', 'items.1.order_unit': 'must be text' };

it.each([
  ['update', '--data'],
  ['update', '--items'],
])('suppliers %s %s: names nested fields', async (verb, flag) => {
  const json = flag === '--data' ? JSON.stringify({ items }) : JSON.stringify(items);
  const result = await boh(['suppliers', verb, ...(verb === 'update' ? ['42'] : []), flag, json]);
  const fields = Object.entries(problems).map(([name, message]) => [name, [message]]);
  expect([result.exitCode, failureOf(result).fields]).toEqual([2, Object.fromEntries(fields)]);
  expect(requests()).toEqual([]);
});

it.each([
  ['ndjson', JSON.stringify({ name: 'A', items })],
  ['json', JSON.stringify([{ name: 'A', items }])],
  ['csv', `name,items\nA,"${JSON.stringify(items).replaceAll('"', '""')}"`],
])('a row of an import (%s): names nested fields', async (format, text) => {
  const file = join(folder(), `rows.${format}`);
  writeFileSync(file, text);
  const result = await boh(['suppliers', 'import', file, '--yes', '--sandbox']);
  expect([result.exitCode, Object.values(failureOf(result).fields as object)]).toEqual([
    2,
    [['items.0.order_unit is required; items.1.order_unit must be text.']],
  ]);
});

it('a manifest: names nested fields', async () => {
  const path = join(folder(), 'manifest');
  mkdirSync(path, { recursive: true });
  const links = (second: string) =>
    `[{ item: SKU-001, order_unit: box, order_to_storage_factor: 1 }, ${second}]`;
  const problemsOf = async (second: string) => {
    writeFileSync(join(path, 'a.yaml'), `suppliers:\n  - name: A\n    items: ${links(second)}\n`);
    const result = await boh(['plan', path, '--sandbox']);
    return [result.exitCode, ...Object.values(failureOf(result).fields as object).flat()];
  };
  expect(await problemsOf('{ item: SKU-002, order_unit: box }')).toEqual([
    2,
    'items.1.order_to_storage_factor is required for a new link',
  ]);
  expect(await problemsOf('{ item: SKU-002, order_unit: null, order_to_storage_factor: 1 }')).toEqual([
    2,
    'items.1.order_unit is required for a new link',
    "items.1.order_unit can't be cleared",
  ]);
});

it.each([
  { 'items.1.order_unit': ['Too long.'] },
  { items: [{}, { order_unit: ['Too long.'] }] },
  { items: { 1: { order_unit: ['Too long.'] } } },
  [{ field: 'items.1.order_unit', message: 'Too long.' }],
  [{ loc: ['body', 'items', 1, 'order_unit'], msg: 'Too long.' }],
  [{ source: { pointer: '/data/attributes/items/1/order_unit' }, detail: 'Too long.' }],
])('a refusal by the service with %j: names the nested field', async (errors) => {
  const service = await serve({ 'PUT /suppliers/42': [422, { message: 'Invalid.', errors }] });
  const line = ['suppliers', 'update', '42', '--phone', '5'];
  const result = await boh(line, { env: { BOH_BASE_URL: service.baseUrl } });
  await service.close();
  expect([result.exitCode, failureOf(result).fields]).toEqual([6, { 'items.1.order_unit': ['Too long.'] }]);
});
