/** One operation of the contract in the words of OpenAPI. */
import { apiOf } from '../contract/api.ts';
import { demandedScopes, type Operation } from '../contract/operation.ts';
import { exampleValue } from './examples.ts';
import { listParameters, type Parameter, pathParameters, queryParameters } from './openapi-parameters.ts';
import { type Response, responsesOf } from './openapi-responses.ts';
import { inputName } from './openapi-schema-names.ts';
import { scopeLine, summaryOf } from './operation-words.ts';

export interface OpenApiOperation {
  tags: string[];
  summary: string;
  description: string;
  operationId: string;
  /** Any one of these is enough. */
  security: Record<string, readonly string[]>[];
  parameters: Parameter[];
  requestBody?: { required: boolean; content: object };
  responses: Record<string, Response>;
}

export function openApiOperation(operation: Operation): OpenApiOperation {
  const { resource, verb, effect, method, body } = operation;
  const scopes = demandedScopes(operation);
  const isInQuery = method === 'GET' && body.length > 0;
  return {
    tags: [resource.name],
    summary: summaryOf(operation),
    description: scopeLine(operation),
    operationId: `${resource.command}-${verb}`,
    security: scopes.length === 0 ? [{ oauth: [] }] : scopes.map((scope) => ({ oauth: [scope] })),
    parameters: [
      ...pathParameters(operation),
      ...(effect === 'list' ? listParameters(resource) : []),
      ...(isInQuery ? queryParameters(operation) : []),
    ],
    ...(body.length > 0 && !isInQuery && { requestBody: requestBody(operation) }),
    responses: responsesOf(operation),
  };
}

function requestBody(operation: Operation): { required: boolean; content: object } {
  const schema = { $ref: `#/components/schemas/${inputName(operation)}` };
  const example = exampleOf(operation);
  return { required: true, content: { 'application/json': { schema, example } } };
}

/** For a new record and a link everything that has an example; for a change a little, which other records may have as well. */
function exampleOf({ effect, body, resource }: Operation): object {
  const shown = body.flatMap(({ name, field, isRequired }) => {
    if (!isRequired && field.traits.example === undefined) return [];
    if (effect === 'update' && field.traits.unique) return [];
    const value = exampleValue(field, apiOf(resource));
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(effect === 'update' ? shown.slice(0, 2) : shown);
}
