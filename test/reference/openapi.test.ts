/** Checks that the OpenAPI document has every operation, filter and scope of the contract, and no reference without a target. */
import { describe, expect, it } from 'vitest';
import { scopeNames } from '../../src/api/contract/scope.ts';
import { type OpenApiOperation, openApiDocument } from '../../src/api/reference/openapi.ts';
import { api } from '../../src/api/resources/index.ts';
import { openClient } from '../sandbox/client.ts';

const document = openApiDocument(api, { baseUrl: 'http://127.0.0.1:4010', apiPrefix: '/v5' });
const text = JSON.stringify(document);

const openApiOperation = (path: string, method: string) =>
  document.paths[path]?.[method.toLowerCase()] as OpenApiOperation;

describe('OpenAPI document', () => {
  it.each(api.operations.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
    'has %s with its scopes, IDs and responses',
    (_, { path, method, scopes, params, effect, body }) => {
      const { security, parameters, responses } = openApiOperation(path, method);
      const acceptedScopes = security.flatMap(({ oauth = [] }) => oauth);
      expect(acceptedScopes).toEqual(expect.arrayContaining([...scopes]));
      const pathParameters = parameters.filter((parameter) => parameter.in === 'path');
      expect(pathParameters.map(({ name }) => name)).toEqual(params.map(({ name }) => name));
      expect(path.match(/\{\w+\}/g) ?? []).toEqual(params.map(({ name }) => `{${name}}`));
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '401']));
      if (scopes.length > 0) expect(responses).toHaveProperty('403');
      if (params.length > 0) expect(responses).toHaveProperty('404');
      // Each operation with input may refuse it, and so may an action with the same path.
      const hasInput = body.length > 0 || effect === 'delete';
      if (hasInput) expect(responses).toHaveProperty('422');
    },
  );

  it('has all filters, in brackets', () => {
    const filters = api.collections.flatMap(({ path }) =>
      (openApiOperation(path, 'GET')?.parameters ?? []).filter(({ name }) => name.startsWith('filter[')),
    );
    const names = api.collections.flatMap((resource) =>
      resource.filters.map(({ name }) => `filter[${name}]`),
    );
    expect(filters.map(({ name }) => name)).toEqual(names);
  });

  it('loyalty rewards: describes both operations with the same path', () => {
    const { parameters, security, description } = openApiOperation(
      '/loyalty_rewards/{loyaltyRewardId}',
      'GET',
    );
    expect(parameters.find(({ name }) => name === 'order_id')).toMatchObject({
      in: 'query',
      required: false,
    });
    expect(security).toEqual([{ oauth: ['customers.loyalty.read'] }, { oauth: ['customers.loyalty.write'] }]);
    expect(description).toContain('With order_id');
    const order = parameters.find(({ name }) => name === 'order_id');
    expect(order?.description).toContain('required to: Redeem a reward in an order');
  });

  it('lists every scope, and the URLs of the authorization flow', () => {
    const { flows } = document.components.securitySchemes.oauth as { flows: Record<string, object> };
    expect(flows.authorizationCode).toMatchObject({
      authorizationUrl: 'http://127.0.0.1:4010/authorize',
      tokenUrl: 'http://127.0.0.1:4010/oauth/token',
    });
    const { scopes } = flows.authorizationCode as { scopes: Record<string, string> };
    expect(Object.keys(scopes)).toEqual(scopeNames);
  });

  it('token endpoint: is outside the API prefix and needs no token', () => {
    expect(document.servers).toEqual([{ url: 'http://127.0.0.1:4010/v5' }]);
    const path = document.paths['/oauth/token'];
    expect(path?.servers).toEqual([{ url: 'http://127.0.0.1:4010' }]);
    expect(path?.post).toMatchObject({ security: [] });
  });

  it('has no reference without a target, and no component without a reference', () => {
    const referencedPaths = new Set(Array.from(text.matchAll(/"\$ref":"#\/([^"]+)"/g), ([, path]) => path));
    const { schemas, responses } = document.components;
    const definedPaths = [
      ...Object.keys(schemas).map((name) => `components/schemas/${name}`),
      ...Object.keys(responses).map((name) => `components/responses/${name}`),
    ];
    const unusedPaths = definedPaths.filter((path) => !referencedPaths.has(path));
    expect([...referencedPaths].filter((path) => !definedPaths.includes(path ?? ''))).toEqual([]);
    expect(unusedPaths).toEqual([]);
  });

  it('has a unique name for every operation, and contains no secret', () => {
    const ids = Array.from(text.matchAll(/"operationId":"([^"]+)"/g), ([, id]) => id);
    // There is one more operation for the token endpoint, and one less because two operations share a path.
    expect(ids).toHaveLength(api.operations.length);
    expect(new Set(ids).size).toBe(ids.length);
    expect(text).not.toContain('4821');
  });
});

describe('flat OpenAPI document', () => {
  const flat = openApiDocument(api, { baseUrl: 'http://localhost', flat: true });

  it('has the same operations', () => {
    expect(Object.keys(flat.paths)).toEqual(Object.keys(document.paths));
  });

  it('has no schema that refers to another schema', () => {
    expect(JSON.stringify(flat.components.schemas)).not.toContain('"$ref"');
  });
});

describe('schema in the OpenAPI document', () => {
  const { schemas } = document.components;

  it.each(api.resources.map((resource) => [resource.name, resource] as const))(
    '%s: null is allowed exactly where the API document allows it',
    (_, { noun, fields }) => {
      const record = Object.values(schemas).find(({ title, description }) => title === noun && description);
      const nullableFields = Object.entries(record?.properties ?? {}).filter(
        ([, { type, anyOf }]) => type?.includes('null') || anyOf?.some((schema) => schema.type === 'null'),
      );
      const declaredFields = Object.entries(fields).filter(
        ([, { traits }]) => traits.nullable && !traits.writeOnly,
      );
      expect(nullableFields.map(([name]) => name)).toEqual(declaredFields.map(([name]) => name));
    },
  );

  it.each(api.operations.filter(({ method, body }) => method !== 'GET' && body.length > 0))(
    '$command: requires the fields that the service requires, including the defaults of boh',
    ({ method, path, body }) => {
      const { content } = openApiOperation(path, method).requestBody ?? {};
      const { $ref } =
        (content as Record<string, { schema: { $ref: string } }>)['application/json']?.schema ?? {};
      const requiredNames = body.filter(({ isRequired }) => isRequired).map(({ name }) => name);
      expect(schemas[$ref?.split('/').at(-1) ?? '']?.required).toEqual(requiredNames);
    },
  );

  it('creators: are required, and the quantity of a linked ingredient is not', () => {
    expect(schemas.TransferOrderCreate?.required).toEqual(
      expect.arrayContaining(['creator_id', 'poster_id']),
    );
    expect(schemas.InventoryItemLinkIngredient?.required).toEqual([]);
  });

  it('timestamps: have a pattern, and limits have a description', () => {
    const filters = openApiOperation('/customers', 'GET').parameters;
    const { schema } = filters.find(({ name }) => name === 'filter[updated_after]') ?? expect.fail();
    expect('2026-11-20 08:30:00').toMatch(new RegExp(schema.pattern ?? 'none'));
    expect('2026-11-20').not.toMatch(new RegExp(schema.pattern ?? '.'));
    const value = schemas.TimedEventCreate?.properties?.value;
    expect(value?.description).toContain('more than 0 and less than 100 where type is');
    expect(schemas.TimedEventCreate?.allOf).toHaveLength(3);
  });
});

describe('examples in the OpenAPI document', () => {
  it('every request with the examples succeeds on the demo business', async () => {
    const client = await openClient();
    const entries = Object.entries(openApiDocument(api, { baseUrl: '' }).paths);
    const operations = entries.flatMap(([path, item]) =>
      Object.entries(item as Record<string, OpenApiOperation>).map(([method, operation]) => ({
        path,
        method,
        ...operation,
      })),
    );
    const refusedRequests: unknown[] = [];
    for (const { path, method, parameters = [], requestBody, operationId } of operations) {
      if (operationId === undefined || operationId === 'oauth-token') continue;
      const encodeExample = ({ example }: { example?: unknown }) => encodeURIComponent(String(example));
      const resolvedPath = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        encodeExample(parameters.find((parameter) => parameter.name === name) ?? {}),
      );
      const query = parameters
        .filter((parameter) => parameter.in === 'query')
        .map((parameter) => `${parameter.name}=${encodeExample(parameter)}`);
      const content = requestBody?.content as Record<string, { example: unknown }> | undefined;
      const body = content ? JSON.stringify(content['application/json']?.example) : '';
      const target = query.length > 0 ? `${resolvedPath}?${query.join('&')}` : resolvedPath;
      const { status, json } = client.send(method.toUpperCase(), target, body);
      if (status >= 300) refusedRequests.push([method, target, status, json]);
    }
    client.sandbox.close();
    expect(refusedRequests).toEqual([]);
    expect(operations.length).toBeGreaterThan(130);
  });
});
