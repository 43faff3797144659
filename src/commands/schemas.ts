/** The commands that print schemas: one chunk, with zod. */
export { openapiCommand } from './openapi.ts';
export { schemaCommand } from './schema.ts';
