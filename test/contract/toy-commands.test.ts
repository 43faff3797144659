/** Runs the commands of the toy contract in its sandbox, with the whole program. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { fakeStreams } from '../terminal/fake-streams.ts';
import { toy } from './toy-contract.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'boh-toy-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

const nonInteractive = { isTerminal: { in: false, out: false, err: false }, interactive: false };

async function boh(...argv: string[]) {
  const streams = fakeStreams(nonInteractive);
  const env = {
    BOH_CONFIG_DIR: folder,
    XDG_CACHE_HOME: folder,
    XDG_STATE_HOME: folder,
    XDG_DATA_HOME: folder,
  };
  const exitCode = await main(argv, env, () => streams, toy);
  return { exitCode, out: streams.written.out(), err: streams.written.err() };
}

const sandbox = async (...argv: string[]) => {
  const result = await boh('--sandbox', ...argv);
  return { ...result, json: result.out === '' ? undefined : JSON.parse(result.out) };
};

describe('commands of an API with two resources', () => {
  it('appear in the help, in suggestions and in completion', async () => {
    expect((await boh('--help')).out).toMatch(/^ {2}Menu +recipes$/m);
    expect((await boh('--help')).out).not.toContain('customers ');
    expect((await boh('recipes', 'create', '--help')).out).toMatch(/--difficulty <\S+> .*\(required\)/);
    const unknownVerb = await boh('recipe', 'bake');
    expect(unknownVerb.exitCode).toBe(2);
    expect((await boh('cookss', 'list')).err).toContain('Did you mean');
    expect((await boh('suppliers', 'list')).exitCode).toBe(2);
    const { out } = await boh('resources', '-o', 'json');
    expect(JSON.parse(out).map(({ resource }: { resource: string }) => resource)).toEqual([
      'recipes',
      'cooks',
    ]);
    const completion = await boh('__complete', 'fish', '=--diff', 'recipes', 'create');
    expect([completion.exitCode, completion.out]).toEqual([0, expect.stringContaining('--difficulty')]);
  });

  it('have explanations, schemas, and an OpenAPI document', async () => {
    expect((await boh('explain', 'recipes.minutes')).out).toContain('How long it takes');
    expect(JSON.parse((await boh('schema', 'recipes')).out)).toHaveProperty('properties.difficulty');
    expect((await boh('schema', 'customers')).exitCode).toBe(2);
    expect(JSON.parse((await boh('openapi')).out).paths).toHaveProperty('/recipes/{recipeId}');
  });

  it('create, get, list, update, link, delete and restore records', async () => {
    const cook = (await sandbox('cooks', 'list')).json[0];
    const createResult = await sandbox(
      ...['recipes', 'create', '--name', 'Fish Soup', '--code', 'R-7', '--difficulty', 'easy'],
      ...['--minutes', '30', '--cook-id', `@${cook.name}`],
    );
    expect(createResult.json).toMatchObject({ name: 'Fish Soup', difficulty: 1, minutes: 30 });
    expect((await sandbox('recipes', 'get', '@R-7', '--include', 'cook')).json).toMatchObject({
      id: createResult.json.id,
      cook: { id: cook.id, name: cook.name },
    });
    expect((await sandbox('recipes', 'list', '--code', 'R-7')).json).toHaveLength(1);
    expect((await sandbox('recipes', 'update', '@R-7', '--clear', 'minutes')).json).toMatchObject({
      minutes: null,
    });
    const linkResult = await sandbox('cooks', 'link-kitchen', `@${cook.name}`, 'kitchen-1', '--hours', '8');
    expect(linkResult.json).toMatchObject({ kitchens: [{ id: 'kitchen-1', pivot: { hours: 8 } }] });
    expect(await sandbox('recipes', 'delete', '@R-7', '--yes')).toMatchObject({ exitCode: 0 });
    expect(await sandbox('recipes', 'get', '@R-7')).toMatchObject({ exitCode: 5 });
    expect(await sandbox('recipes', 'restore', '@R-7')).toMatchObject({ exitCode: 0 });
    expect((await sandbox('api', 'GET', '/recipes?filter[code]=R-7')).json.data).toHaveLength(1);
  });

  it('refuse invalid input with all problems at once', async () => {
    const { exitCode, err } = await boh(
      '--sandbox',
      'recipes',
      'create',
      '--minutes',
      '0',
      '--difficulty',
      'hard',
    );
    expect(exitCode).toBe(2);
    const { error } = JSON.parse(err.trim().split('\n').at(-1) ?? '');
    expect(Object.keys(error.fields).sort()).toEqual(['difficulty', 'minutes', 'name']);
  });

  it('--dry-run: print the request', async () => {
    const { json } = await sandbox('recipes', 'update', '@RECIPE-1', '--minutes', '5', '--dry-run');
    expect(json).toMatchObject({ method: 'PUT', body: { minutes: 5 } });
    expect(json.url).not.toContain('@');
  });
});
