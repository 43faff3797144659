/** The OpenAPI document: every operation, filter and scope of the contract, and no reference that leads nowhere. */
import { describe, expect, it } from 'vitest';
import { scopeNames } from '../../src/contract/scope.ts';
import { openApiDocument } from '../../src/reference/openapi.ts';
import type { OpenApiOperation } from '../../src/reference/openapi-operation.ts';
import { api } from '../../src/resources/index.ts';
import { openClient } from '../sandbox/client.ts';

const document = openApiDocument(api, { baseUrl: 'http://127.0.0.1:4010', apiPrefix: '/v5' });
const text = JSON.stringify(document);

const described = (path: string, method: string) =>
  document.paths[path]?.[method.toLowerCase()] as OpenApiOperation;

describe('the OpenAPI document', () => {
  it.each(api.operations.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
    'has %s with its scopes, ids and answers',
    (_, { path, method, scopes, params, effect, body }) => {
      const { security, parameters, responses } = described(path, method);
      const accepted = security.flatMap(({ oauth = [] }) => oauth);
      expect(accepted).toEqual(expect.arrayContaining([...scopes]));
      const inPath = parameters.filter((parameter) => parameter.in === 'path');
      expect(inPath.map(({ name }) => name)).toEqual(params.map(({ name }) => name));
      expect(path.match(/\{\w+\}/g) ?? []).toEqual(params.map(({ name }) => `{${name}}`));
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '401']));
      if (scopes.length > 0) expect(responses).toHaveProperty('403');
      if (params.length > 0) expect(responses).toHaveProperty('404');
      // Whatever takes input may refuse it; an action that shares its address does, too.
      const takesInput = body.length > 0 || effect === 'delete';
      if (takesInput) expect(responses).toHaveProperty('422');
    },
  );

  it('has all filters, in brackets', () => {
    const filters = api.collections.flatMap(({ path }) =>
      (described(path, 'GET')?.parameters ?? []).filter(({ name }) => name.startsWith('filter[')),
    );
    const names = api.collections.flatMap((resource) =>
      resource.filters.map(({ name }) => `filter[${name}]`),
    );
    expect(filters.map(({ name }) => name)).toEqual(names);
  });

  it('tells the reward and its use apart, which share an address', () => {
    const { parameters, security, description } = described('/loyalty_rewards/{loyaltyRewardId}', 'GET');
    expect(parameters.find(({ name }) => name === 'order_id')).toMatchObject({
      in: 'query',
      required: false,
    });
    expect(security).toEqual([{ oauth: ['customers.loyalty.read'] }, { oauth: ['customers.loyalty.write'] }]);
    expect(description).toContain('With order_id');
    const order = parameters.find(({ name }) => name === 'order_id');
    expect(order?.description).toContain('required to: Redeem a reward in an order');
  });

  it('knows every scope in words, and where codes are exchanged', () => {
    const { flows } = document.components.securitySchemes.oauth as { flows: Record<string, object> };
    expect(flows.authorizationCode).toMatchObject({
      authorizationUrl: 'http://127.0.0.1:4010/authorize',
      tokenUrl: 'http://127.0.0.1:4010/oauth/token',
    });
    const { scopes } = flows.authorizationCode as { scopes: Record<string, string> };
    expect(Object.keys(scopes)).toEqual(scopeNames);
  });

  it('has the exchange of codes outside the prefix, without a token', () => {
    expect(document.servers).toEqual([{ url: 'http://127.0.0.1:4010/v5' }]);
    const path = document.paths['/oauth/token'];
    expect(path?.servers).toEqual([{ url: 'http://127.0.0.1:4010' }]);
    expect(path?.post).toMatchObject({ security: [] });
  });

  it('refers to nothing that is not there, and has nothing that nobody refers to', () => {
    const referred = new Set(Array.from(text.matchAll(/"\$ref":"#\/([^"]+)"/g), ([, path]) => path));
    const { schemas, responses } = document.components;
    const there = [
      ...Object.keys(schemas).map((name) => `components/schemas/${name}`),
      ...Object.keys(responses).map((name) => `components/responses/${name}`),
    ];
    const neverReferredTo = there.filter((path) => !referred.has(path));
    expect([...referred].filter((path) => !there.includes(path ?? ''))).toEqual([]);
    expect(neverReferredTo).toEqual([]);
  });

  it('gives every operation a name of its own and shows no secret', () => {
    const ids = Array.from(text.matchAll(/"operationId":"([^"]+)"/g), ([, id]) => id);
    // The exchange of codes is one, too; two operations have one address.
    expect(ids).toHaveLength(api.operations.length);
    expect(new Set(ids).size).toBe(ids.length);
    expect(text).not.toContain('4821');
  });
});

describe('what is said of values', () => {
  const { schemas } = document.components;

  it.each(api.resources.map((resource) => [resource.name, resource] as const))(
    '%s: null where the document has it and nowhere else',
    (_, { noun, fields }) => {
      const record = Object.values(schemas).find(({ title, description }) => title === noun && description);
      const nullable = Object.entries(record?.properties ?? {}).filter(
        ([, { type, anyOf }]) => type?.includes('null') || anyOf?.some((part) => part.type === 'null'),
      );
      const declared = Object.entries(fields).filter(
        ([, { traits }]) => traits.nullable && !traits.writeOnly,
      );
      expect(nullable.map(([name]) => name)).toEqual(declared.map(([name]) => name));
    },
  );

  it.each(api.operations.filter(({ method, body }) => method !== 'GET' && body.length > 0))(
    '$command demands what the service demands, whom boh fills in included',
    ({ method, path, body }) => {
      const { content } = described(path, method).requestBody ?? {};
      const { $ref } =
        (content as Record<string, { schema: { $ref: string } }>)['application/json']?.schema ?? {};
      const required = body.filter(({ isRequired }) => isRequired).map(({ name }) => name);
      expect(schemas[$ref?.split('/').at(-1) ?? '']?.required).toEqual(required);
    },
  );

  it('is said of creators, and not of the quantity of an ingredient', () => {
    expect(schemas.TransferOrderCreate?.required).toEqual(
      expect.arrayContaining(['creator_id', 'poster_id']),
    );
    expect(schemas.InventoryItemLinkIngredient?.required).toEqual([]);
  });

  it('gives moments a form, and bounds their words', () => {
    const filters = described('/customers', 'GET').parameters;
    const { schema } = filters.find(({ name }) => name === 'filter[updated_after]') ?? expect.fail();
    expect('2026-11-20 08:30:00').toMatch(new RegExp(schema.pattern ?? 'none'));
    expect('2026-11-20').not.toMatch(new RegExp(schema.pattern ?? '.'));
    const value = schemas.TimedEventCreate?.properties?.value;
    expect(value?.description).toContain('more than 0 and less than 100 where type is');
    expect(schemas.TimedEventCreate?.allOf).toHaveLength(3);
  });
});

describe('its examples', () => {
  it('run on the demo business, each and every one', async () => {
    const client = await openClient();
    const entries = Object.entries(openApiDocument(api, { baseUrl: '' }).paths);
    const operations = entries.flatMap(([path, item]) =>
      Object.entries(item as Record<string, OpenApiOperation>).map(([method, it]) => ({
        path,
        method,
        ...it,
      })),
    );
    const refused: unknown[] = [];
    for (const { path, method, parameters = [], requestBody, operationId } of operations) {
      if (operationId === undefined || operationId === 'oauth-token') continue;
      const given = ({ example }: { example?: unknown }) => encodeURIComponent(String(example));
      const inPath = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        given(parameters.find((parameter) => parameter.name === name) ?? {}),
      );
      const query = parameters
        .filter((parameter) => parameter.in === 'query')
        .map((parameter) => `${parameter.name}=${given(parameter)}`);
      const content = requestBody?.content as Record<string, { example: unknown }> | undefined;
      const body = content ? JSON.stringify(content['application/json']?.example) : '';
      const target = query.length > 0 ? `${inPath}?${query.join('&')}` : inPath;
      const { status, json } = client.ask(method.toUpperCase(), target, body);
      if (status >= 300) refused.push([method, target, status, json]);
    }
    client.sandbox.close();
    expect(refused).toEqual([]);
    expect(operations.length).toBeGreaterThan(130);
  });
});
