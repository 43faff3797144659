/** Exports the commands that print schemas as one bundle chunk, which contains zod. */
export { openapiCommand } from './openapi.ts';
export { schemaCommand } from './schema.ts';
