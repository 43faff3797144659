/** Tests requests that differ from the API document in ways that Laravel services accept (`wire.requests`). */
import { afterEach, describe, expect, it } from 'vitest';
import { operation } from '../../src/api/contract/operation.ts';
import { api } from '../../src/api/resources/index.ts';
import { demoClient } from '../../src/sandbox/oauth/clients.ts';
import type { SandboxOptions } from '../../src/sandbox/service.ts';
import { type Client, openClient } from './client.ts';
import { type Body, existingId, fullBody, newRecordId } from './examples.ts';
import { serve } from './served.ts';

let client: Client;
afterEach(() => client?.sandbox.close());

const ignoredFields: string[] = [];

async function open(requests: 'lenient' | 'strict', options: Partial<SandboxOptions> = {}): Promise<Client> {
  ignoredFields.splice(0);
  client = await openClient({
    variant: { 'wire.requests': requests },
    onIgnoredFields: ({ method, target }, names) => ignoredFields.push(`${method} ${target}: ${names}`),
    ...options,
  });
  return client;
}

/** Returns a body with numbers as text and booleans as 0 and 1, at every depth. */
function asForm(value: unknown): unknown {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (Array.isArray(value)) return value.map(asForm);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, asForm(item)]));
}

/** Returns a body with an unknown field in it and in every nested object. */
function withUnknownFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withUnknownFields);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, item]) => [name, withUnknownFields(item)]);
  return { ...Object.fromEntries(entries), extra: 1 };
}

/** Boundaries have no numbers as text: they aren't form fields. */
const resources = api.collections.filter(({ create, name }) => create && name !== 'delivery_zones');

describe.each(resources.map((resource) => [resource.name, resource] as const))('%s', (_, resource) => {
  const create = operation(resource, 'create');
  if (!create) throw new Error('every tested resource has a create operation');

  it('with numbers as text, booleans as 0 and 1, and unknown fields: are stored like those of the API document', async () => {
    await open('lenient');
    const body = fullBody(client, create);
    const sent = withUnknownFields(asForm(body));
    const created = client.post(resource.path, sent);
    expect(created).toMatchObject({ status: 201 });
    expect(ignoredFields).toHaveLength(1);
    expect(ignoredFields[0]).toMatch(/\bextra\b/);
    const stored = client.get(`${resource.path}/${created.json.data.id}`).json.data as Body;
    await open('strict');
    const expected = client.post(resource.path, body);
    expect(expected.status).toBe(201);
    // Hours and units can be numbers or text.
    const isComparable = (name: string, value: unknown) =>
      ['number', 'boolean'].includes(typeof value) &&
      !['hour', 'unit'].includes(resource.fields[name]?.kind ?? '');
    const comparable = Object.entries(expected.json.data as Body).filter(([name, value]) =>
      isComparable(name, value),
    );
    expect(stored).toMatchObject(Object.fromEntries(comparable));
  });

  it('with strict requests: an unknown field and a number as text are refused', async () => {
    await open('strict');
    const body = fullBody(client, create);
    expect(client.post(resource.path, { ...body, extra: 1 })).toMatchObject({
      status: 422,
      json: { errors: { extra: ['The extra field is unknown.'] } },
    });
    const formBody = asForm(body) as Body;
    if (JSON.stringify(formBody) !== JSON.stringify(body))
      expect(client.post(resource.path, formBody).status).toBe(422);
    expect(ignoredFields).toEqual([]);
  });
});

describe('a lenient sandbox', () => {
  it('ignores fields that only responses contain', async () => {
    await open('lenient');
    const id = existingId(client, 'customers');
    const customer = client.get(`/customers/${id}`).json.data;
    const response = client.put(`/customers/${id}`, { ...customer, name: 'Sent Back' });
    expect(response).toMatchObject({ status: 200, json: { data: { name: 'Sent Back', id } } });
    expect(response.json.data.created_at).toBe(customer.created_at);
    expect(ignoredFields[0]).toContain('created_at');
  });

  it('still refuses values of the wrong kind, with the message of a strict sandbox', async () => {
    await open('lenient');
    const { json } = client.post('/customers', { name: 'A', dial_code: 'x', phone: '1', is_blacklisted: 2 });
    expect(json.errors).toMatchObject({
      dial_code: ['The dial code field must be an integer.'],
      is_blacklisted: ['The is blacklisted field must be true or false.'],
    });
  });

  it('per_page: is the number of rows, at most the page size of the service', async () => {
    await open('lenient');
    expect(client.get('/customers?per_page=7').json).toMatchObject({
      data: { length: 7 },
      meta: { per_page: 7, total: 200, last_page: 29 },
    });
    expect(client.get('/customers?per_page=7&page=29').json.data).toHaveLength(4);
    expect(client.get('/customers?per_page=5000').json.meta.per_page).toBe(50);
    expect(client.get('/customers?per_page=none').status).toBe(400);
  });

  it('ignores a trailing comma in include, and list parameters of a single record', async () => {
    await open('lenient');
    const id = existingId(client, 'customers');
    const { status, json } = client.get(`/customers/${id}?include=tags,&page=1&per_page=50`);
    expect([status, json.data.tags[0].name]).toEqual([200, 'Regular']);
    expect(client.get('/customers?include=tags,').json.data[0].tags[0].name).toBe('Regular');
    expect(client.get('/customers?include=').status).toBe(200);
    expect(client.get('/customers?include=tags,nothing').status).toBe(400);
    expect(client.get('/customers?filter[nothing]=1').status).toBe(400);
  });
});

it('a strict sandbox: refuses per_page, a trailing comma and page on a single record', async () => {
  await open('strict');
  const id = newRecordId(client, 'tags');
  for (const target of [
    '/customers?per_page=7',
    '/customers?include=tags,',
    '/customers?include=',
    `/tags/${id}?page=1`,
  ])
    expect([target, client.get(target).status]).toEqual([target, 400]);
});

describe('the kind of requests', () => {
  it('is strict by default, and a stored setting goes before the defaults of the caller', async () => {
    client = await openClient();
    expect(client.sandbox.settings()['wire.requests']).toBe('strict');
    client.sandbox.close();
    client = await openClient({ defaults: { 'wire.requests': 'lenient', 'wire.put': 'replace' } });
    expect(client.get('/customers?per_page=7').status).toBe(200);
    client.sandbox.changeSettings({ 'wire.requests': 'strict' });
    expect(client.get('/customers?per_page=7').status).toBe(400);
    expect(client.sandbox.settings()).toMatchObject({ 'wire.requests': 'strict', 'wire.put': 'replace' });
  });
});

describe('authorize with only client_id and state', () => {
  const parameters = 'client_id=boh-sandbox&state=s';
  const redirectUri = 'https://app.example/callback?from=shop';

  it('redirects to the registered URI, and the code can be exchanged with it', async () => {
    const served = await serve({
      isAutoApproved: true,
      redirectUri,
      defaults: { 'wire.requests': 'lenient' },
    });
    const response = await served.request(`/authorize?${parameters}`);
    const location = new URL(response.headers.get('location') ?? '');
    expect(location.href).toMatch(/^https:\/\/app\.example\/callback\?from=shop&code=.+&state=s$/);
    const body = {
      grant_type: 'authorization_code',
      code: location.searchParams.get('code'),
      client_id: 'boh-sandbox',
      client_secret: demoClient.secret,
      redirect_uri: redirectUri,
    };
    const token = await served.request('/oauth/token', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(await token.json()).toMatchObject({ token_type: 'Bearer', access_token: expect.any(String) });
  });

  it('shows a page whose form may lead to the registered URI, and to no other', async () => {
    const served = await serve({ redirectUri, defaults: { 'wire.requests': 'lenient' } });
    const page = await served.request(`/authorize?${parameters}`);
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self' https://app.example");
    const other = await served.request(`/authorize?${parameters}&redirect_uri=http://127.0.0.1/callback`);
    expect([other.status, await other.text()]).toEqual([
      400,
      expect.stringContaining('not the registered one'),
    ]);
  });

  it.each([
    ['without a registered URI', { defaults: { 'wire.requests': 'lenient' } } as const],
    ['with strict requests', { redirectUri } as const],
  ])('%s: is refused', async (_, options) => {
    const response = await (await serve(options)).request(`/authorize?${parameters}`);
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining('The URL has no redirect_uri.'),
    ]);
  });
});

it('grant_type=refresh_token: is refused with unsupported_grant_type', async () => {
  const served = await serve();
  const response = await served.request('/oauth/token', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ grant_type: 'refresh_token', refresh_token: 'x', client_id: 'boh-sandbox' }),
  });
  expect([response.status, await response.json()]).toMatchObject([
    400,
    { error: 'unsupported_grant_type', message: expect.stringContaining('there are no refresh tokens') },
  ]);
});
