import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failureOf, runBoh } from '../harness/run-boh.ts';
import { serve, type TestService } from '../harness/serve.ts';

const farms = { id: '42', name: 'Fresh Farms', code: 'SUP-1', tags: [{ id: 't1', name: 'Red' }], rating: 5 };
const sara = { id: '7', name: 'Sara', pin: '4821', roles: [{ id: 'r', users: [{ id: '8', pin: '4822' }] }] };
const body = JSON.stringify({ data: farms, more: '…' });

let service: TestService;
beforeAll(async () => {
  service = await serve({
    'GET /suppliers': {
      data: [farms, { ...farms, id: '43', name: '=SUM(A1)' }],
      meta: { last_page: 1, total: 2 },
    },
    'GET /suppliers/42': body,
    'POST /suppliers': body,
    'GET /users/7': { data: sara },
    'GET /tags': { data: [], meta: { last_page: 1, total: 0 } },
  });
});
afterAll(() => service.close());

const boh = (line: string) =>
  runBoh(line.split(' '), {
    env: { BOH_TOKEN: 'a-token', BOH_BASE_URL: service.baseUrl },
  });
const createLine = String.raw`suppliers create --data {"name":"Fresh\u0020Farms"}`;
const stdoutOf = async (line: string) => (await boh(line)).stdout;

describe('suppliers list', () => {
  test.each([
    ['-o id', '42\n43\n'],
    [
      '-o ndjson --columns name,tags.name',
      '{"name":"Fresh Farms","tags.name":["Red"]}\n{"name":"=SUM(A1)","tags.name":["Red"]}\n',
    ],
    ['-o csv --columns name,rating --unchecked', 'name,rating\r\nFresh Farms,5\r\n=SUM(A1),5\r\n'],
    ['-o yaml --columns id', '- id: "42"\n- id: "43"\n'],
    ['-o table --columns id,name', 'id  name\n42  Fresh Farms\n43  =SUM(A1)\n'],
    ['--query [].name -o json', '[\n  "Fresh Farms",\n  "=SUM(A1)"\n]\n'],
    ['--query length(@)', '2\n'],
    ['--query [0].rating -o table', '5\n'],
    ['--limit 1 -o id', '42\n'],
    ['-o csv --query [].[id,name]', '1,2\r\n42,Fresh Farms\r\n43,=SUM(A1)\r\n'],
    ['-o csv --query [].id', 'value\r\n42\r\n43\r\n'],
    ['-o csv --query [0].{id:id,tag:tags[0]}', 'id,tag.id,tag.name\r\n42,t1,Red\r\n'],
    ['-o csv --query length(@)', 'value\r\n2\r\n'],
    ['-o table --query [].{id:id,first:tags[0].name}', 'id  first\n42  Red\n43  Red\n'],
    ['-o table --query [0].{id:id,is_new:`true`}', 'id:      42\nis new:  yes\n'],
  ])('prints %s', async (flags, expected) => {
    expect(await stdoutOf(`suppliers list ${flags}`)).toBe(expected);
  });

  test('-o json: prints an array of the records unchanged', async () => {
    expect(JSON.parse(await stdoutOf('suppliers list'))).toEqual([
      farms,
      { ...farms, id: '43', name: '=SUM(A1)' },
    ]);
  });

  test('-o csv: has the columns of the API document, and a note names the other fields', async () => {
    const result = await boh('suppliers list -o csv');
    expect(result.stdout.split('\r\n')[0]).toBe(
      'id,name,contact_name,phone,email,code,created_at,updated_at,deleted_at',
    );
    expect(result.stderr).toContain('The service also returned rating');
  });
});

describe('list -o csv', () => {
  test('a failed read prints nothing, not even the header', async () => {
    const result = await boh('taxes list -o csv');
    expect([result.exitCode, result.stdout]).toEqual([5, '']);
  });

  test('an empty list prints only the header', async () => {
    expect(await stdoutOf('tags list -o csv')).toMatch(/^id,name,[^\n]*\r\n$/);
    expect(await stdoutOf('tags list -o csv --bom')).toMatch(/^\u{feff}id,name,[^\n]*\r\n$/u);
  });
});

describe('boh api', () => {
  const list = 'api GET /suppliers';

  test.each([
    [`${list} -o id`, '42\n43\n'],
    [`${list} -o csv`, /^id,name,code,tags,rating\r\n42,Fresh Farms,/],
    [`${list} -o table`, /^id +name +code +tags +rating\n42 +Fresh Farms/],
    [`${list} -o yaml`, /^data:\n {2}- id: "42"\n/],
    [`${list} -o ndjson`, /^\{"data":\[\{"id":"42".*\}\n$/],
    [`${list} --paginate -o csv`, /^id,name,code,tags,rating\r\n42,Fresh Farms,/],
    ['api GET /suppliers/42 -o csv', /^id,name,code,tags,rating\r\n42,/],
    ['api GET /suppliers/42 -o id', '42\n'],
  ])('prints %s', async (line, expected) => {
    if (typeof expected === 'string') expect(await stdoutOf(line)).toBe(expected);
    else expect(await stdoutOf(line)).toMatch(expected);
  });

  test('redacts PINs in every format', async () => {
    for (const format of ['json', 'ndjson', 'csv', 'table', 'yaml'])
      expect(await stdoutOf(`api GET /users/7 -o ${format}`)).not.toMatch(/482[12]/);
  });

  test('prints the body as JSON by default', async () => {
    expect(JSON.parse(await stdoutOf(list)).data).toHaveLength(2);
  });
});

describe('get', () => {
  test('prints the record without the envelope', async () => {
    expect(JSON.parse(await stdoutOf('suppliers get 42'))).toEqual(farms);
    expect(JSON.parse(await stdoutOf(createLine))).toEqual(farms);
    expect(await stdoutOf('suppliers get 42 -o id')).toBe('42\n');
  });

  test('--raw: prints the body as received, also for writes', async () => {
    expect(await stdoutOf('suppliers get 42 --raw')).toBe(`${body}\n`);
    expect(await stdoutOf(`${createLine} --raw`)).toBe(`${body}\n`);
  });

  test('redacts PINs at any depth', async () => {
    for (const format of ['json', 'yaml', 'csv', 'table', 'ndjson'])
      expect(await stdoutOf(`users get 7 -o ${format}`)).not.toMatch(/482[12]/);
    expect(await stdoutOf('users get 7 --query pin')).not.toContain('4821');
  });
});

describe('relations', () => {
  const firstRequestOf = async (line: string) => {
    service.takeRequests();
    await boh(line);
    return service.takeRequests()[0];
  };

  test('are included once if a column or a card needs them', async () => {
    expect(await firstRequestOf('suppliers list --columns name,tags.name')).toBe(
      'GET /suppliers?include=tags',
    );
    expect(await firstRequestOf('suppliers list --columns tags.name --include tags')).toBe(
      'GET /suppliers?include=tags',
    );
    expect(await firstRequestOf('addresses list --columns customer.tags.name')).toBe(
      'GET /addresses?include=customer.tags',
    );
    expect(await firstRequestOf('suppliers get 42 -o table')).toBe('GET /suppliers/42?include=items,tags');
    expect(await firstRequestOf('sections list -o table')).toBe('GET /sections?include=branch');
  });

  test('are not included otherwise', async () => {
    expect(await firstRequestOf('suppliers list')).toBe('GET /suppliers');
    expect(await firstRequestOf('suppliers get 42 -o yaml')).toBe('GET /suppliers/42');
    expect(await firstRequestOf('suppliers get 42 --raw')).toBe('GET /suppliers/42');
    expect(await firstRequestOf('sections list -o table --columns name')).toBe('GET /sections');
  });
});

describe('output flags: are checked before anything is sent', () => {
  test.each([
    ['--columns nonsense', 'suppliers has no column "nonsense"'],
    ['--columns nam', 'Did you mean "name"?'],
    ['--query [', 'Invalid --query'],
    ['-o xml', 'Unknown output format "xml"'],
    ['--raw --columns name', 'omit --columns'],
  ])('%s', async (flags, message) => {
    service.takeRequests();
    const result = await boh(`suppliers create --name x ${flags}`);
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toContain(message);
    expect(service.takeRequests()).toEqual([]);
  });

  test('--columns ?: lists the columns and sends nothing', async () => {
    const names = (await stdoutOf('suppliers create --name x --columns ?')).split('\n');
    expect(names).toEqual(expect.arrayContaining(['id', 'name', 'tags', 'tags.name', 'items.sku']));
    expect(service.takeRequests()).toEqual([]);
  });
});

test('several invalid flags: one failure reports all problems', async () => {
  const result = await boh('suppliers link-item --order-to-storage-factor many --cost 1 --clear order_unit');
  expect(result.exitCode).toBe(2);
  expect(failureOf(result).fields).toEqual({
    'supplier-id': ['is required'],
    'inventory-item-id': ['is required'],
    order_to_storage_factor: ['--order-to-storage-factor must be a number, such as 2.5'],
    order_unit: ["can't be cleared"],
  });
});
