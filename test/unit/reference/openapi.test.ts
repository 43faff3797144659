/** The OpenAPI document: every operation, filter and scope of the contract, and no reference that leads nowhere. */
import { describe, expect, it } from 'vitest';
import { scopeNames } from '../../../src/contract/scope.ts';
import { openApiDocument } from '../../../src/reference/openapi.ts';
import type { OpenApiOperation } from '../../../src/reference/openapi-operation.ts';
import { api } from '../../../src/resources/index.ts';

const document = openApiDocument(api, { baseUrl: 'http://127.0.0.1:4010', apiPrefix: '/v5' });
const text = JSON.stringify(document);

const described = (path: string, method: string) =>
  document.paths[path]?.[method.toLowerCase()] as OpenApiOperation;

describe('the OpenAPI document', () => {
  it.each(api.operations.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
    'has %s with its scopes, ids and answers',
    (_, { path, method, scopes, params, effect }) => {
      const { security, parameters, responses } = described(path, method);
      const accepted = security.flatMap(({ oauth = [] }) => oauth);
      expect(accepted).toEqual(expect.arrayContaining([...scopes]));
      const inPath = parameters.filter((parameter) => parameter.in === 'path');
      expect(inPath.map(({ name }) => name)).toEqual(params.map(({ name }) => name));
      expect(path.match(/\{\w+\}/g) ?? []).toEqual(params.map(({ name }) => `{${name}}`));
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '401']));
      if (scopes.length > 0) expect(responses).toHaveProperty('403');
      if (params.length > 0) expect(responses).toHaveProperty('404');
      if (effect === 'create' || effect === 'update') expect(responses).toHaveProperty('422');
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
