/** The contract as an OpenAPI 3.1 document. Loaded lazily. */
import type { Api } from '../contract/api.ts';
import type { Operation } from '../contract/operation.ts';
import { scopes } from '../contract/scope.ts';
import { version } from '../version.ts';
import type { JsonSchema, Refer } from './json-schema.ts';
import { inputSchema, recordSchema } from './json-schema.ts';
import { type OpenApiOperation, openApiOperation } from './openapi-operation.ts';
import { errorResponses, type Response, tokenPath } from './openapi-responses.ts';
import { inputName, recordName, referTo } from './openapi-schema-names.ts';

export interface OpenApiOptions {
  /** Without the prefix: the token endpoint is never under it. */
  baseUrl: string;
  apiPrefix?: string | undefined;
  /** By default those of the sandbox. */
  authorizeUrl?: string | undefined;
  tokenUrl?: string | undefined;
}

export interface OpenApiDocument {
  openapi: string;
  info: Record<string, unknown>;
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, unknown>>;
  components: {
    schemas: Record<string, JsonSchema>;
    responses: Record<string, Response>;
    securitySchemes: Record<string, unknown>;
  };
}

export function openApiDocument(
  api: Api,
  {
    baseUrl,
    apiPrefix = '',
    authorizeUrl = `${baseUrl}/authorize`,
    tokenUrl = `${baseUrl}/oauth/token`,
  }: OpenApiOptions,
): OpenApiDocument {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Business Management API for Restaurants and Retail',
      version,
      summary: 'The back office of a restaurant or shop: menu, customers, users, inventory and loyalty.',
      description: 'Made by boh from its contract. Most records are deleted softly and can be brought back.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl + apiPrefix }],
    tags: [...api.resources.map(({ name, summary }) => ({ name, description: `${summary}.` })), signingIn],
    paths: { ...paths(api), '/oauth/token': { servers: [{ url: baseUrl }], ...tokenPath } },
    components: {
      schemas: schemas(api),
      responses: errorResponses,
      securitySchemes: {
        oauth: {
          type: 'oauth2',
          description: 'The word Bearer in the authorization header is case sensitive.',
          flows: { authorizationCode: { authorizationUrl: authorizeUrl, tokenUrl, scopes } },
        },
      },
    },
  };
}

const signingIn = { name: 'oauth', description: 'Signing in.' };

function paths({ operations }: Api): OpenApiDocument['paths'] {
  const byPath = Map.groupBy(operations, ({ path }) => path);
  return Object.fromEntries([...byPath].map(([path, group]) => [path, pathItem(group)]));
}

/** The document gives two operations one address: what is sent in the query tells them apart. */
function pathItem(group: readonly Operation[]): Record<string, OpenApiOperation> {
  const item: Record<string, OpenApiOperation> = {};
  for (const operation of group) {
    const method = operation.method.toLowerCase();
    const described = openApiOperation(operation);
    item[method] = item[method] ? both(item[method], described) : described;
  }
  return item;
}

function both(first: OpenApiOperation, second: OpenApiOperation): OpenApiOperation {
  const known = new Set(first.parameters.map(({ name }) => name));
  const added = second.parameters.filter(({ name }) => !known.has(name));
  return {
    ...first,
    description: `${first.description} With ${added.map(({ name }) => name).join(', ')}: ${second.summary}. ${second.description}`,
    parameters: [...first.parameters, ...added.map((parameter) => ({ ...parameter, required: false }))],
    security: [...first.security, ...second.security],
  };
}

function schemas(api: Api): Record<string, JsonSchema> {
  const referredTo = new Set<string>();
  const refer: Refer = (name) => {
    referredTo.add(name);
    return referTo(name, api);
  };
  const records = api.resources.map((resource) => [
    recordName(resource.name, api),
    recordSchema(resource, refer),
  ]);
  const inputs = api.operations
    .filter(({ method, body }) => method !== 'GET' && body.length > 0)
    .map((operation) => [inputName(operation), inputSchema(operation)]);
  const others = api.references
    .filter(({ name }) => referredTo.has(name))
    .map(({ name, one }) => [recordName(name, api), referenceSchema(one)]);
  return Object.fromEntries([...records, ...inputs, ...others, ['Error', errorSchema]]);
}

function referenceSchema(one: string): JsonSchema {
  return {
    title: one,
    description: 'Its fields are not documented beyond its id.',
    type: 'object',
    properties: { id: { type: 'string' } },
    required: ['id'],
  };
}

const errorSchema: JsonSchema = {
  title: 'error',
  description: 'What is wrong; with `errors`, the messages of each field.',
  type: 'object',
  properties: {
    message: { type: 'string' },
    errors: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
  },
  required: ['message'],
};
