/** Checks the variants of the OpenAPI document for generators and mocks: flat, and in version 3.0. */
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../src/reference/openapi.ts';
import { api } from '../../src/resources/index.ts';

const document = openApiDocument(api, { baseUrl: 'http://localhost' });

/** Returns every schema in a document, with its path. */
function schemasIn(value: unknown, path: string[] = []): [string, Record<string, unknown>][] {
  if (typeof value !== 'object' || value === null || path.at(-1) === 'example') return [];
  const schema = value as Record<string, unknown>;
  const isSchema = ['type', 'anyOf', 'oneOf', 'allOf', '$ref', 'const'].some((key) => key in schema);
  const innerSchemas = Object.entries(schema).flatMap(([key, part]) => schemasIn(part, [...path, key]));
  return [
    ...(isSchema && !Array.isArray(value) ? [[path.join('.'), schema] as [string, typeof schema]] : []),
    ...innerSchemas,
  ];
}

describe.each(['3.0', '3.1'] as const)('flat OpenAPI document, version %s', (version) => {
  const flat = openApiDocument(api, { baseUrl: 'http://localhost', version, flat: true });

  it('has the same operations', () => {
    expect(flat.openapi.slice(0, 3)).toBe(version);
    expect(Object.keys(flat.paths)).toEqual(Object.keys(document.paths));
  });

  it('has no recursive schema', () => {
    const referencesIn = (name: string): string[] =>
      schemasIn(flat.components.schemas[name]).flatMap(([, { $ref }]) =>
        typeof $ref === 'string' ? [$ref.split('/').at(-1) ?? ''] : [],
      );
    for (const name of Object.keys(flat.components.schemas))
      expect([name, referencesIn(name)]).toEqual([name, []]);
  });
});

describe('OpenAPI document in version 3.0', () => {
  const document30 = openApiDocument(api, { baseUrl: 'http://localhost', version: '3.0' });
  const allSchemas = schemasIn(document30);

  it('uses only keywords of version 3.0', () => {
    const newKeywords = ['const', 'examples', 'prefixItems', 'if', 'then', '$defs', 'unevaluatedProperties'];
    const invalid = allSchemas.filter(
      ([, schema]) =>
        newKeywords.some((word) => word in schema) ||
        Array.isArray(schema.type) ||
        schema.type === 'null' ||
        typeof schema.exclusiveMinimum === 'number' ||
        (Array.isArray(schema.required) && schema.required.length === 0) ||
        (schema.nullable === true && typeof schema.type !== 'string') ||
        ('$ref' in schema && Object.keys(schema).length > 1),
    );
    expect(invalid).toEqual([]);
    expect(Object.keys(document30.info)).not.toContain('summary');
  });

  it('keeps nullable values and the words of numbers', () => {
    const { gender, tags } = document30.components.schemas.CustomerCreate?.properties ?? {};
    expect(gender).toMatchObject({
      type: 'integer',
      anyOf: [
        { enum: [1, 2, null], 'x-enum-varnames': ['male', 'female'], nullable: true },
        { maximum: 0 },
        { minimum: 3 },
      ],
      example: 2,
    });
    expect(tags).toMatchObject({ type: 'array', items: { required: ['id'] } });
    const { coordinates } = document30.components.schemas.DeliveryZoneCreate?.properties ?? {};
    expect(coordinates?.anyOf?.[0]).toMatchObject({
      items: { type: 'number', minimum: -180, maximum: 180 },
      nullable: true,
    });
  });

  it('has no reference without a target', () => {
    const referenced = new Set(
      allSchemas.flatMap(([, { $ref }]) => (typeof $ref === 'string' ? [$ref] : [])),
    );
    const { schemas, responses } = document30.components;
    const defined = [
      ...Object.keys(schemas).map((name) => `#/components/schemas/${name}`),
      ...Object.keys(responses).map((name) => `#/components/responses/${name}`),
    ];
    expect([...referenced].filter((path) => !defined.includes(path))).toEqual([]);
  });
});
