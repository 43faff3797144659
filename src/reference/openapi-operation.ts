/** One operation of the contract in the words of OpenAPI. */
import { type Api, apiOf } from '../contract/api.ts';
import type { BodyField, Operation } from '../contract/operation.ts';
import { listParameters, type Parameter, pathParameters, queryParameters } from './openapi-parameters.ts';
import { type Response, responsesOf } from './openapi-responses.ts';
import { inputName } from './openapi-schema-names.ts';
import { summaryOf } from './operation-words.ts';

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
  const { resource, verb, effect, method, scopes, body } = operation;
  const isInQuery = method === 'GET' && body.length > 0;
  return {
    tags: [resource.name],
    summary: summaryOf(operation),
    description: scopes.length === 0 ? 'The scope it needs is not documented.' : needs(scopes),
    operationId: `${resource.command}-${verb}`,
    security: scopes.length === 0 ? [{ oauth: [] }] : scopes.map((scope) => ({ oauth: [scope] })),
    parameters: [
      ...pathParameters(operation),
      ...(effect === 'list' ? listParameters(resource) : []),
      ...(isInQuery ? queryParameters(body) : []),
    ],
    ...(body.length > 0 && !isInQuery && { requestBody: requestBody(operation) }),
    responses: responsesOf(operation),
  };
}

function needs(scopes: readonly string[]): string {
  return `Needs the scope ${scopes.join(' or ')}.`;
}

function requestBody(operation: Operation): { required: boolean; content: object } {
  const schema = { $ref: `#/components/schemas/${inputName(operation)}` };
  const example = exampleOf(operation);
  return { required: true, content: { 'application/json': { schema, example } } };
}

/** For a new record and a link everything that has an example; for a change a little of it. */
function exampleOf({ effect, body, resource }: Operation): object {
  const shown = body.flatMap((field) => {
    const value = exampleValue(field, apiOf(resource));
    return value === undefined ? [] : [[field.name, value] as const];
  });
  return Object.fromEntries(effect === 'update' ? shown.slice(0, 2) : shown);
}

function exampleValue({ field }: BodyField, api: Api): unknown {
  const { example, secret, target, amount, pivot, required } = field.traits;
  if (secret) return undefined;
  if (example !== undefined) return example;
  const id = api.reference(target ?? '')?.known ?? 'xcfga6wdcgzn';
  if (!required) return undefined;
  if (field.kind === 'one') return id;
  if (field.kind !== 'many') return undefined;
  return [amount ? { id, [amount]: pivot?.[amount]?.traits.example ?? 1 } : { id }];
}
