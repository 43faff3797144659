/** The contract as an OpenAPI 3.1 document. */
import { version } from '../base/version.ts';
import type { Api } from '../contract/api.ts';
import type { Operation } from '../contract/operation.ts';
import { scopes } from '../contract/scope.ts';
import { inputSchema, type JsonSchema, type Refer, recordSchema, referById } from './json-schema.ts';
import { inVersion30 } from './openapi-3-0.ts';
import { type OpenApiOperation, openApiOperation } from './openapi-operation.ts';
import {
  errorResponses,
  inputName,
  type OpenApiDocument,
  recordName,
  referTo,
  tokenPath,
} from './openapi-responses.ts';

export interface OpenApiOptions {
  /** Without the prefix: the token endpoint is never under it. */
  baseUrl: string;
  apiPrefix?: string | undefined;
  /** By default those of the sandbox. */
  authorizeUrl?: string | undefined;
  tokenUrl?: string | undefined;
  /** 3.1, unless the older one is asked for. */
  version?: OpenApiVersion;
  /** Related records by their ids alone: relations lead in circles, which not every generator can follow. */
  flat?: boolean;
}

const openApiVersions = ['3.1', '3.0'] as const;
export type OpenApiVersion = (typeof openApiVersions)[number];

export function openApiDocument(
  api: Api,
  {
    baseUrl,
    apiPrefix = '',
    authorizeUrl = `${baseUrl}/authorize`,
    tokenUrl = `${baseUrl}/oauth/token`,
    version: wanted = '3.1',
    flat = false,
  }: OpenApiOptions,
): OpenApiDocument {
  const document: OpenApiDocument = {
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
      schemas: schemas(api, flat),
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
  return wanted === '3.0' ? inVersion30(document) : document;
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
    parameters: [
      ...first.parameters,
      ...added.map((parameter) => ({
        ...parameter,
        description: `${parameter.description}; required to: ${second.summary}`,
        required: false,
      })),
    ],
    responses: { ...first.responses, ...second.responses },
    security: [...first.security, ...second.security],
  };
}

function schemas(api: Api, isFlat: boolean): Record<string, JsonSchema> {
  const referredTo = new Set<string>();
  const refer: Refer = (name) => {
    if (isFlat) return referById(name);
    referredTo.add(name);
    return referTo(name, api);
  };
  const records = api.resources.map((resource) => [
    recordName(resource.name, api),
    recordSchema(resource, refer),
  ]);
  const inputs = api.operations
    .filter(({ method, body }) => method !== 'GET' && body.length > 0)
    .map((operation) => [inputName(operation), requestSchema(operation)]);
  const others = api.references
    .filter(({ name }) => referredTo.has(name))
    .map(({ name, one }) => [recordName(name, api), referenceSchema(one)]);
  return Object.fromEntries([...records, ...inputs, ...others, ['Error', errorSchema]]);
}

/** To the service a record needs its creator, whom boh fills in. */
function requestSchema(operation: Operation): JsonSchema {
  const required = operation.body.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return { ...inputSchema(operation), required };
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
