/** Describes the control operations as an OpenAPI document. */
import * as z from 'zod';
import { type ControlOperation, controlOperations, hasInputInQuery } from './operations.ts';

interface ObjectSchema {
  properties?: Record<string, object>;
  required?: string[];
}

/** Returns the document. `mount` is the path of the sandbox's base URL. */
export function controlDocument(mount: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [id, operation] of Object.entries<ControlOperation>(controlOperations)) {
    const path = paths[operation.path] ?? {};
    path[operation.method.toLowerCase()] = operationObject(id, operation);
    paths[operation.path] = path;
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Control of a boh sandbox', version: '1', license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: `${mount}/_boh` }],
    security: [{ control: [] }],
    components: { securitySchemes: { control: { type: 'http', scheme: 'bearer' } } },
    paths,
  };
}

function operationObject(id: string, operation: ControlOperation): object {
  const { $schema: _, ...schema } = z.toJSONSchema(operation.input, { io: 'input' });
  const { properties = {}, required = [] } = schema as ObjectSchema;
  const inPath = Object.keys(properties).filter((name) => operation.path.includes(`{${name}}`));
  const isQuery = hasInputInQuery(operation);
  const parameters = Object.entries(properties).flatMap(([name, propertySchema]) => {
    const place = inPath.includes(name) ? 'path' : 'query';
    if (place === 'query' && !isQuery) return [];
    return [
      { name, in: place, required: place === 'path' || required.includes(name), schema: propertySchema },
    ];
  });
  const bodyProperties = Object.entries(properties).filter(([name]) => !inPath.includes(name));
  const bodySchema =
    inPath.length === 0 ? schema : { type: 'object', properties: Object.fromEntries(bodyProperties) };
  const hasBody = !isQuery && (bodyProperties.length > 0 || inPath.length === 0);
  return {
    operationId: id,
    summary: operation.about,
    ...(parameters.length > 0 && { parameters }),
    ...(hasBody && { requestBody: { content: { 'application/json': { schema: bodySchema } } } }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, description]) => [status, { description }]),
    ),
  };
}

const responses = {
  200: 'Done; the body is JSON',
  401: 'The control token is missing or wrong',
  403: 'The request comes from a page of another origin',
  404: 'Not found',
  409: 'The number of requests is another one',
  422: 'The input is invalid; `errors` has the problems by field',
};
