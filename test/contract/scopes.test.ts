/** Compares the scopes that each operation requires in the OpenAPI document, in the help and in the sandbox. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Operation, requiredScopes } from '../../src/api/contract/operation.ts';
import { type Scope, scopeNames } from '../../src/api/contract/scope.ts';
import { type OpenApiOperation, openApiDocument } from '../../src/api/reference/openapi.ts';
import { describeScopes } from '../../src/api/reference/operation-summary.ts';
import { api } from '../../src/api/resources/index.ts';
import { type Client, openClient } from '../sandbox/client.ts';

let client: Client;
beforeAll(async () => {
  client = await openClient();
});
afterAll(() => client.sandbox.close());

const document = openApiDocument(api, { baseUrl: 'http://127.0.0.1:4010', apiPrefix: '' });

/** Returns whether no other operation has the same method and path; the OpenAPI document would merge their scopes. */
const hasOwnPath = (operation: Operation) =>
  api.operations.filter(({ method, path }) => method === operation.method && path === operation.path)
    .length === 1;

function openApiScopes({ method, path }: Operation): {
  scopes: Scope[];
  description: string;
  has403: boolean;
} {
  const openApiOperation = document.paths[path]?.[method.toLowerCase()];
  const { security, description, responses } = openApiOperation as OpenApiOperation;
  return {
    scopes: security.flatMap(({ oauth = [] }) => oauth) as Scope[],
    description,
    has403: Object.hasOwn(responses, '403'),
  };
}

/** Returns the status of a request for a missing record with an empty body, which is refused even with the scope. */
function statusWith(operation: Operation, scopes: readonly Scope[]): number {
  const target =
    operation.path.replaceAll(/\{\w+\}/g, 'nobody') + (operation.effect === 'act' ? '?order_id=x' : '');
  const body = operation.method === 'GET' || operation.method === 'DELETE' ? '' : '{}';
  return client.with(...scopes).send(operation.method, target, body).status;
}

describe.each(api.operations.filter(hasOwnPath).map((operation) => [operation.command, operation] as const))(
  'boh %s',
  (_, operation) => {
    it('needs the same scopes in the sandbox as in the OpenAPI document', () => {
      const { scopes, has403 } = openApiScopes(operation);
      expect(statusWith(operation, []) === 403).toBe(scopes.length > 0);
      expect(has403).toBe(scopes.length > 0);
      for (const scope of scopes) expect([scope, statusWith(operation, [scope])]).not.toEqual([scope, 403]);
      const otherScopes = scopeNames.filter((scope) => !scopes.includes(scope));
      expect(statusWith(operation, otherScopes) === 403).toBe(scopes.length > 0);
    });

    it('needs the scopes of the contract, also in help and the OpenAPI document', () => {
      const { scopes, description } = openApiScopes(operation);
      expect(scopes).toEqual([...requiredScopes(operation)]);
      expect(scopes).toEqual(expect.arrayContaining([...operation.scopes]));
      expect(description).toBe(describeScopes(operation));
      for (const scope of scopes) expect(describeScopes(operation)).toContain(scope);
    });
  },
);
