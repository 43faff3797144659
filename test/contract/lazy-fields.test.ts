/** Checks that a command creates only the fields of the resources that it uses. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { defineApi } from '../../src/api/contract/api.ts';
import { resource } from '../../src/api/contract/resource.ts';
import { main } from '../../src/cli/main.ts';
import { configFolder } from '../harness/home-folder.ts';
import { serve, type TestService } from '../harness/serve.ts';
import { fakeStreams } from '../terminal/fake-streams.ts';
import { cooks, recipes } from './toy-contract.ts';

/** A resource that no other resource refers to. Its fields must not be created. */
const spoons = resource({
  path: '/spoons',
  one: 'spoon',
  group: 'menu',
  summary: 'Spoons for stirring',
  key: [],
  exampleKey: '1',
  columns: ['id'],
  fields: () => {
    throw new Error('the fields of spoons were created');
  },
  list: { scope: 'general.read', filters: [] },
  get: { scope: 'general.read' },
  create: { scope: 'menu.write' },
});

let service: TestService;
beforeAll(async () => {
  defineApi({ resources: [recipes, cooks, spoons] });
  service = await serve({
    'GET /recipes': { data: [{ id: '1', name: 'Soup', code: 'S' }], meta: { last_page: 1, total: 1 } },
    'GET /recipes/1': { data: { id: '1', name: 'Soup', code: 'S' } },
    'PUT /recipes/1': { data: { id: '1', name: 'Stew', code: 'S' } },
    'DELETE /recipes/1': {},
  });
});
afterAll(() => service.close());

it.each([
  ['--help'],
  ['recipes --help'],
  ['recipes create --help'],
  ['spoons --help'],
  ['recipes list -o json'],
  ['recipes list -o csv'],
  ['recipes list -o table --include cook'],
  ['recipes get 1 -o table'],
  ['recipes update @S --name Stew'],
  ['recipes update 1 --name Stew --dry-run'],
  ['recipes delete 1 --yes'],
  ['api GET /recipes/1'],
  ['resources'],
])('boh %s: creates no fields of other resources', async (line) => {
  const api = defineApi({ resources: [recipes, cooks, spoons] });
  const streams = fakeStreams({ isTerminal: { in: false, out: false, err: false }, interactive: false });
  const env = { BOH_TOKEN: 'a-token', BOH_BASE_URL: service.baseUrl, BOH_CONFIG_DIR: configFolder };
  const exitCode = await main(line.split(' '), env, () => streams, api);
  expect({ exitCode, err: streams.written.err() }).toMatchObject({ exitCode: 0 });
});
