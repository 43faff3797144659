/** Describes responses in OpenAPI: successes by operation, and failures that all operations share. */
import { type Api, apiOf } from '../contract/api.ts';
import { type Operation, requiredScopes } from '../contract/operation.ts';
import { capitalize } from '../contract/wording.ts';
import type { JsonSchema } from './json-schema.ts';

/** A response object of OpenAPI, or a reference to one. */
export interface Response {
  $ref?: string;
  description?: string;
  headers?: object;
  content?: object;
}

export function responsesOf(operation: Operation): Record<string, Response> {
  const { response, effect, resource, params, body } = operation;
  const success: Response = successResponse(response, recordRef(resource.name, apiOf(resource)));
  return {
    200: success,
    ...(effect === 'create' && { 201: success }),
    400: failure('BadRequest'),
    401: failure('Unauthenticated'),
    ...(requiredScopes(operation).length > 0 && { 403: failure('Unauthorized') }),
    ...(params.length > 0 && { 404: failure('NotFound') }),
    ...((body.length > 0 || effect === 'delete') && { 422: failure('Invalid') }),
    429: failure('TooManyRequests'),
    503: failure('Unavailable'),
  };
}

function successResponse(response: Operation['response'], record: JsonSchema): Response {
  switch (response) {
    case 'record':
      return { description: 'The record', content: json(envelope(record)) };
    case 'records':
      return { description: 'A page of records', content: json(pageEnvelope(record)) };
    case 'nothing':
      return { description: 'Done; the body may be empty' };
  }
}

function envelope(data: JsonSchema): JsonSchema {
  return { type: 'object', properties: { data }, required: ['data'] };
}

/** Returns the schema of a page. The API document promises only the data; responses also contain links and counts. */
function pageEnvelope(record: JsonSchema): JsonSchema {
  const nullableUrl: JsonSchema = { type: ['string', 'null'] };
  const nullableCount: JsonSchema = { type: ['integer', 'null'] };
  return {
    type: 'object',
    properties: {
      data: { type: 'array', items: record },
      links: {
        type: 'object',
        properties: { first: nullableUrl, last: nullableUrl, prev: nullableUrl, next: nullableUrl },
      },
      meta: {
        type: 'object',
        properties: {
          current_page: { type: 'integer' },
          from: nullableCount,
          last_page: { type: 'integer' },
          path: { type: 'string' },
          per_page: { type: 'integer' },
          to: nullableCount,
          total: { type: 'integer' },
        },
      },
    },
    required: ['data'],
  };
}

function failure(name: string): Response {
  return { $ref: `#/components/responses/${name}` };
}

/** The responses to failed requests, which all operations share, by name. */
export const errorResponses: Record<string, Response> = {
  BadRequest: error('Unknown filter, sort or include, or a body that is not JSON', 'Not known.'),
  Unauthenticated: error('Missing or unknown token', 'Unauthenticated.'),
  Unauthorized: error('Outside the scopes of the token', 'This action is unauthorized.'),
  NotFound: error('Record not found', 'Not found.'),
  Invalid: error('Invalid input, with messages by field', 'The given data was invalid.', {
    name: ['The name field is required.'],
  }),
  TooManyRequests: {
    ...error('Too many requests', 'Too Many Attempts.'),
    headers: {
      'Retry-After': header('Seconds to wait', 'string'),
      'X-RateLimit-Limit': header('Allowed requests per minute', 'integer'),
      'X-RateLimit-Remaining': header('Remaining requests', 'integer'),
    },
  },
  Unavailable: error('Maintenance or overload', 'Try again later.'),
};

function error(description: string, message: string, errors?: Record<string, string[]>): Response {
  const schema = { $ref: '#/components/schemas/Error' };
  return {
    description,
    content: { 'application/json': { schema, example: { message, ...(errors && { errors }) } } },
  };
}

function header(description: string, type: string): object {
  return { description, schema: { type } };
}

function json(schema: JsonSchema): object {
  return { 'application/json': { schema } };
}

/** The token endpoint, which needs no token. API document: "Authentication", 3. */
export const tokenPath = {
  post: {
    tags: ['oauth'],
    summary: 'Exchange a code for a token',
    description: 'A code is valid for 600 seconds and can be exchanged once.',
    operationId: 'oauth-token',
    security: [],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: {
              grant_type: { const: 'authorization_code' },
              code: { type: 'string' },
              client_id: { type: 'string' },
              client_secret: { type: 'string', writeOnly: true },
              redirect_uri: {
                description: 'The same as in the request for the code',
                type: 'string',
                format: 'uri',
              },
            },
            required: ['grant_type', 'code', 'client_id', 'client_secret', 'redirect_uri'],
          },
          example: {
            grant_type: 'authorization_code',
            code: 'CODE',
            client_id: 'CLIENT_ID',
            client_secret: 'CLIENT_SECRET',
            redirect_uri: 'http://127.0.0.1:8484/callback',
          },
        },
      },
    },
    responses: {
      200: {
        description: 'The token',
        content: json({
          type: 'object',
          properties: { token_type: { const: 'Bearer' }, access_token: { type: 'string' } },
          required: ['token_type', 'access_token'],
        }),
      },
      400: failure('BadRequest'),
      401: failure('Unauthenticated'),
    },
  },
};

/** The parts of an OpenAPI document. */
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

/** Returns the schema name of a resource or reference: `InventoryItem` for `inventory_items`. */
export function recordSchemaName(name: string, api: Api): string {
  return toPascalCase(api.nounOf(name));
}

/** Returns the name of the schema of an operation's body: `SupplierCreate`. */
export function inputSchemaName({ resource, verb }: Operation): string {
  return recordSchemaName(resource.name, apiOf(resource)) + toPascalCase(verb);
}

export function recordRef(name: string, api: Api): JsonSchema {
  return { $ref: `#/components/schemas/${recordSchemaName(name, api)}` };
}

function toPascalCase(words: string): string {
  return words
    .split(/[-_ ]/)
    .map((word) => capitalize(word))
    .join('');
}
