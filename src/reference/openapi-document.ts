/** The parts of an OpenAPI document, whatever its version. */
import type { JsonSchema } from './json-schema.ts';
import type { Response } from './openapi-responses.ts';

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
