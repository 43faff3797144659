/** Checks the sandbox of a fictional API: it derives routes, tables, rules and first records from the contract alone. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineApi } from '../../src/api/contract/api.ts';
import { api } from '../../src/api/resources/index.ts';
import { type Client, openClient } from '../sandbox/client.ts';
import { recipes, toy } from './toy-contract.ts';

let client: Client;
beforeAll(async () => {
  client = await openClient({ api: toy });
});
afterAll(() => client.sandbox.close());

const soup = { name: 'Lentil Soup', difficulty: 2, minutes: 40, cook_id: 'cook-1' };
const idsOf = (target: string) => client.get(target).json.data.map(({ id }: { id: string }) => id);

describe('sandbox of another API', () => {
  it('starts with one record of each resource, with the examples of the contract', () => {
    expect(client.get('/recipes?code=RECIPE-1').json.data).toMatchObject([
      { id: 'recipe-1', code: 'RECIPE-1', name: 'Lentil Soup', minutes: 40, cook: { id: 'cook-1' } },
    ]);
    expect(client.get('/cooks/cook-1').json.data).toMatchObject({
      name: 'Sami',
      recipes: [{ id: 'recipe-1' }],
      kitchens: [{ id: 'kitchen-1', pivot: { hours: 8 } }],
    });
    expect(client.sandbox.status().records).toEqual({
      recipes: { active: 1, deleted: 0 },
      cooks: { active: 1, deleted: 0 },
    });
  });

  it('has no other routes', () => {
    expect(client.get('/customers').status).toBe(404);
    expect(client.get('/whoami').status).toBe(404);
    expect(client.send('POST', '/cooks').status).toBe(405);
  });

  it('creates, returns, updates, deletes and restores records', () => {
    const { status, json } = client.post('/recipes', soup);
    expect([status, json.data]).toEqual([201, expect.objectContaining({ name: 'Lentil Soup', code: '' })]);
    const target = `/recipes/${json.data.id}`;
    expect(client.put(target, { minutes: null }).json.data.minutes).toBeNull();
    expect(client.get(`${target}?include=cook`).json.data.cook.name).toBe('Sami');
    expect(client.delete(target).status).toBe(200);
    expect(idsOf('/recipes')).not.toContain(json.data.id);
    expect(client.put(`${target}/restore`).status).toBe(200);
    expect(idsOf('/recipes')).toContain(json.data.id);
  });

  it('applies filters', () => {
    const { id } = client.post('/recipes', { ...soup, name: 'Bread', code: 'BREAD', cook_id: undefined }).json
      .data;
    expect(idsOf('/recipes?filter[name]=BREA')).toEqual([id]);
    expect(idsOf('/recipes?filter[cook_id]=cook-1')).not.toContain(id);
    expect(idsOf('/recipes?filter[difficulty]=1')).toEqual(['recipe-1']);
    expect(idsOf('/cooks?filter[with_recipes]=true')).toEqual(['cook-1']);
    expect(idsOf('/cooks?filter[with_recipes]=false')).toEqual([]);
    expect(client.get('/recipes?filter[minutes]=40').status).toBe(400);
  });

  it('refuses invalid input with all problems at once', () => {
    const { status, json } = client.post('/recipes', {
      difficulty: 3,
      minutes: 0,
      cook_id: 'nobody',
      pan: 1,
    });
    expect([status, Object.keys(json.errors).sort()]).toEqual([
      422,
      ['cook_id', 'difficulty', 'minutes', 'name', 'pan'],
    ]);
    expect(client.post('/recipes', { ...soup, code: 'RECIPE-1' }).json.errors).toHaveProperty('code');
    expect(client.put('/recipes/recipe-1', { difficulty: 1 }).json.errors).toHaveProperty('difficulty');
  });

  it('links and unlinks records', () => {
    const target = '/cooks/cook-1/kitchens/kitchen-1';
    expect(client.delete(target).status).toBe(200);
    expect(client.get('/cooks/cook-1').json.data.kitchens).toEqual([]);
    expect(client.post(target, {}).json.errors).toHaveProperty('hours');
    expect(client.post(target, { hours: 12 }).json.data.kitchens).toEqual([
      { id: 'kitchen-1', pivot: { hours: 12 } },
    ]);
    expect(client.post('/cooks/cook-1/kitchens/nowhere', { hours: 1 }).status).toBe(404);
  });

  it('requires its scopes', () => {
    expect(client.with('general.read').get('/recipes').status).toBe(200);
    expect(client.with('general.read').post('/recipes', soup).status).toBe(403);
  });
});

it('demo business: also has a record of a resource that is not in the API document', async () => {
  const { resources, references } = api;
  const cooks = { name: 'cooks', one: 'cook', exampleId: 'cook-1' };
  const extendedClient = await openClient({
    api: defineApi({ resources: [...resources, recipes], references: [...references, cooks] }),
  });
  expect(extendedClient.get('/recipes').json.data).toMatchObject([
    { code: 'RECIPE-1', cook: { id: 'cook-1' } },
  ]);
  expect(extendedClient.post('/recipes', soup).status).toBe(201);
  expect(extendedClient.get('/customers').json.meta.total).toBe(200);
  extendedClient.sandbox.close();
  // Each resource is part of one API at a time.
  defineApi({ resources, references });
});
