import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { operation } from '../../src/api/contract/operation.ts';
import type { Resource } from '../../src/api/contract/resource.ts';
import { validateBody } from '../../src/api/contract/validate.ts';
import { formatExample } from '../../src/api/reference/examples.ts';
import { fieldDetails } from '../../src/api/reference/field-details.ts';
import { inputSchema, resourceSchema } from '../../src/api/reference/json-schema.ts';
import { markdownPage } from '../../src/api/reference/markdown.ts';
import { openApiDocument } from '../../src/api/reference/openapi.ts';
import { resourcePage } from '../../src/api/reference/resource-blocks.ts';
import { operationDetails, resourceDetails } from '../../src/api/reference/resource-details.ts';
import { manPage } from '../../src/api/reference/roff.ts';
import { findSubject, searchSubjects } from '../../src/api/reference/subjects.ts';
import { scopeDetails } from '../../src/api/reference/topics.ts';
import { contractProblems } from './contract-problems.ts';
import { cooks, recipes, toy } from './toy-contract.ts';

function requireOperation(resource: Resource, name: string) {
  const result = operation(resource, name);
  if (!result) throw new Error(`${resource.name} has no ${name}`);
  return result;
}

describe('resource of a fictional API', () => {
  it('passes the contract check', () => {
    expect(contractProblems(toy)).toEqual([]);
    expect(contractProblems({ resources: [recipes], references: [] })).toContain(
      "recipes: cook refers to cooks, which doesn't exist",
    );
  });

  it('has its operations', () => {
    expect(
      toy.operations.map(({ method, path, resource, verb }) => [resource.command, verb, method, path]),
    ).toEqual([
      ['recipes', 'list', 'GET', '/recipes'],
      ['recipes', 'get', 'GET', '/recipes/{recipeId}'],
      ['recipes', 'create', 'POST', '/recipes'],
      ['recipes', 'update', 'PUT', '/recipes/{recipeId}'],
      ['recipes', 'delete', 'DELETE', '/recipes/{recipeId}'],
      ['recipes', 'restore', 'PUT', '/recipes/{recipeId}/restore'],
      ['cooks', 'list', 'GET', '/cooks'],
      ['cooks', 'get', 'GET', '/cooks/{cookId}'],
      ['cooks', 'link-kitchen', 'POST', '/cooks/{cookId}/kitchens/{kitchenId}'],
      ['cooks', 'unlink-kitchen', 'DELETE', '/cooks/{cookId}/kitchens/{kitchenId}'],
    ]);
  });

  it('validation reports all broken rules at once', () => {
    const create = requireOperation(recipes, 'create');
    expect(validateBody(create, { name: 'Soup', difficulty: 2, minutes: null, cook_id: 'cook-1' })).toEqual(
      {},
    );
    expect(validateBody(create, { difficulty: 3, minutes: 0, cook: {} })).toEqual({
      name: ['is required'],
      minutes: ['must be 1 or more'],
      cook: ["can't be set by create"],
    });
    expect(validateBody(requireOperation(recipes, 'update'), { difficulty: 1 })).toEqual({
      difficulty: ["can't be set by update"],
    });
    expect(validateBody(requireOperation(cooks, 'link-kitchen'), {})).toEqual({ hours: ['is required'] });
  });

  it('has a JSON Schema with the same rules', () => {
    const isValid = (schema: object, value: unknown) => new Ajv2020().compile(schema)(value);
    const input = inputSchema(requireOperation(recipes, 'create'));
    expect(isValid(input, { name: 'Soup', difficulty: 2, minutes: null })).toBe(true);
    expect(isValid(input, { name: 'Soup', difficulty: 3 })).toBe(true);
    expect(isValid(input, { name: 'Soup', difficulty: 'hard' })).toBe(false);
    const schema = resourceSchema(recipes);
    expect(isValid(schema, { id: 'a', cook: { id: 'b', name: 'Sami' }, new_field: 1 })).toBe(true);
    expect(isValid(schema, { id: 'a', minutes: 'forty' })).toBe(false);
  });

  it('conditional limit: is in validation, JSON Schema, OpenAPI and the reference', () => {
    const create = requireOperation(recipes, 'create');
    const limitText = '90 or less where difficulty is easy';
    const stew = { name: 'Stew', minutes: 120 };
    expect(validateBody(create, { ...stew, difficulty: 1 })).toEqual({ minutes: [`must be ${limitText}`] });
    expect(validateBody(create, { ...stew, difficulty: 2 })).toEqual({});
    const input = inputSchema(create);
    const isAccepted = new Ajv2020().compile(input);
    expect([isAccepted({ ...stew, difficulty: 1 }), isAccepted({ ...stew, difficulty: 2 })]).toEqual([
      false,
      true,
    ]);
    expect(input.properties?.minutes?.description).toContain(limitText);
    expect(markdownPage(resourcePage(resourceDetails(recipes)))).toContain(limitText);
    const { components } = openApiDocument(toy, { baseUrl: 'http://localhost' });
    expect(components.schemas.RecipeCreate?.allOf).toHaveLength(1);
  });

  it('has examples', () => {
    expect(toy.operations.map(formatExample)).toEqual(
      expect.arrayContaining([
        'boh --sandbox recipes list --code RECIPE-1',
        'boh --sandbox recipes create --name "Lentil Soup" --difficulty easy --code RECIPE-90',
        'boh --sandbox recipes delete @RECIPE-1 --yes',
      ]),
    );
  });

  it('can be explained and searched for', () => {
    const subject = findSubject('recipe.minutes', toy);
    if (subject?.kind !== 'field') throw new Error('minutes is a field');
    expect(fieldDetails(subject.location)).toMatchObject({
      type: 'whole number',
      unit: 'minutes',
      rules: ['1 or more.', '90 or less where difficulty is easy.', 'Can be empty: --clear minutes.'],
    });
    expect(findSubject('cooks.kitchens.hours', toy)?.kind).toBe('field');
    expect(findSubject('cooks.with_recipes', toy)?.kind).toBe('filter');
    expect(searchSubjects('not-easy', toy).map(({ name }) => name)).toEqual(['recipes.difficulty']);
    expect(scopeDetails('menu.write', toy).commands).toEqual([
      'recipes create',
      'recipes update',
      'recipes delete',
    ]);
    expect(operationDetails(requireOperation(cooks, 'link-kitchen')).input).toMatchObject([
      { name: 'hours', required: true },
    ]);
  });

  it('has an OpenAPI document without parts of another API', () => {
    const { paths, components, tags } = openApiDocument(toy, { baseUrl: 'http://localhost' });
    expect(Object.keys(paths)).toEqual([...new Set(toy.operations.map(({ path }) => path)), '/oauth/token']);
    expect(tags.map(({ name }) => name)).toEqual(['recipes', 'cooks', 'oauth']);
    expect(Object.keys(components.schemas)).toEqual([
      ...['Recipe', 'Cook', 'RecipeCreate', 'RecipeUpdate', 'CookLinkKitchen', 'Kitchen', 'Error'],
    ]);
    const flat = openApiDocument(toy, { baseUrl: 'http://localhost', flat: true });
    expect(Object.keys(flat.components.schemas)).not.toContain('Kitchen');
  });

  it('has a page and a man page', () => {
    const page = resourcePage(resourceDetails(recipes));
    const markdown = markdownPage(page);
    expect(markdown).toContain('### recipes create\n');
    expect(markdown).toContain('| `minutes` | How long it takes. | whole number, in minutes | 1 or more.');
    expect(markdown).toContain('`easy` (1), `not-easy` (2)');
    expect(manPage(page, { source: 'boh' })).toContain('.SS recipes create\n');
    // Cooks also have links and filter rules.
    for (const { command } of toy.operations.filter(({ resource }) => resource === cooks)) {
      const text = manPage(resourcePage(resourceDetails(cooks)), { source: 'boh' });
      expect(text).toContain(`.SS ${command.replaceAll('-', '\\-')}\n`);
    }
  });
});
