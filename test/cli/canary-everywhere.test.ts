/** Puts a canary in place of every secret, runs every command of the tree, and checks output, files and child processes. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operation } from '../../src/api/contract/operation.ts';
import { api } from '../../src/api/resources/index.ts';
import { everyHandWrittenCommand } from '../harness/every-command.ts';
import { reportTried, sampleOf } from '../harness/repetitions.ts';
import { runBoh } from '../harness/run-boh.ts';
import { serve, type TestService } from '../harness/serve.ts';
import { temporaryFolders } from '../settings/temporary-folder.ts';

const canaries = {
  token: 'canary-token-0c61d7e2f4',
  clientSecret: 'canary-secret-7be43a9d15',
  pin: 'canary-pin-55071',
  password: 'canary-password-e18',
};

const newFolder = temporaryFolders();

/** This service leaks secrets: it repeats requests and returns records with tokens, and users with PINs. */
let service: TestService;
beforeAll(async () => {
  const record = { id: '1', name: 'One', access_token: canaries.token, client_secret: canaries.clientSecret };
  const user = { ...record, pin: canaries.pin, password: canaries.password };
  const responses = api.collections.flatMap(({ name, path, fields }) => {
    const related = Object.entries(fields).flatMap(([field, { kind, traits }]) =>
      traits.target === 'users' ? [[field, kind === 'many' ? [user] : user]] : [],
    );
    const data = { ...(name === 'users' ? user : record), ...Object.fromEntries(related) };
    return [
      [`GET ${path}`, { data: [data], links: { next: null }, meta: { total: 1 } }],
      [`GET ${path}/1`, { data }],
      [`PUT ${path}/1`, { data }],
    ];
  });
  const whoami = { data: { user: { ...user, id: 'me' }, business: { id: 'b', name: 'The Diner' } } };
  service = await serve({ ...Object.fromEntries(responses), 'GET /whoami': whoami });
});
afterAll(() => service.close());

/** Returns the files in a folder that contain a canary. */
function filesWithSecrets(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => readFileSync(file).includes('canary'));
}

/** Returns the sources of secrets: the environment, and the active profile. */
function secretSources(): { env: Record<string, string>; folder: string; expectedFiles: string[] }[] {
  const [fromEnvironment, fromProfile] = [newFolder(), newFolder()];
  const config = join(fromProfile, 'config.json');
  const profile = { base_url: service.baseUrl, token: canaries.token, client_secret: canaries.clientSecret };
  const settings = { version: 1, active: 'main', profiles: { main: profile }, defaults: {} };
  writeFileSync(config, JSON.stringify(settings), { mode: 0o600 });
  const secrets = { BOH_TOKEN: canaries.token, BOH_CLIENT_SECRET: canaries.clientSecret };
  return [
    {
      env: {
        BOH_CONFIG_DIR: fromEnvironment,
        TMPDIR: fromEnvironment,
        BOH_BASE_URL: service.baseUrl,
        ...secrets,
      },
      folder: fromEnvironment,
      expectedFiles: [],
    },
    {
      env: { BOH_CONFIG_DIR: fromProfile, TMPDIR: fromProfile },
      folder: fromProfile,
      expectedFiles: [config],
    },
  ];
}

/** Commands that run until they are stopped, or that print a token on purpose. Other test files cover them. */
const excludedCommands = ['sandbox serve', 'sandbox run', 'sandbox token', 'auth login', 'auth token'];

const formats = [
  '-o table -v',
  '--json -v',
  '-o yaml',
  '-o csv',
  '-o ndjson',
  '-o id',
  '-q',
  '--dry-run -v',
  '--dry-run --offline -o table',
  '--help',
];

let runCount = 0;
afterAll(() => reportTried({ tried: `${runCount} runs` }));

async function expectNoSecrets(
  words: readonly string[],
  env: Record<string, string>,
  stdin = '',
): Promise<void> {
  runCount++;
  const { stdout, stderr } = await runBoh(words, { env, stdin });
  expect(stdout + stderr, words.join(' ')).not.toContain('canary');
}

it('every command in every format and verbosity: shows no secret', async () => {
  const commands = (await everyHandWrittenCommand(newFolder))
    .map(({ words }) => words)
    .filter((words) => !excludedCommands.includes(words.slice(0, 2).join(' ')));
  expect(commands.length).toBeGreaterThan(30);
  for (const [source, { env, folder, expectedFiles }] of secretSources().entries()) {
    for (const [index, words] of commands.entries()) {
      for (const flags of sampleOf(formats, index + source)) {
        await expectNoSecrets([...words, '--yes', ...flags.split(' ')], env, JSON.stringify(canaries));
      }
      expect(filesWithSecrets(folder), words.join(' ')).toEqual(
        expectedFiles.filter((file) => existsSync(file)),
      );
      // A command may delete files that the next one needs.
      if (expectedFiles[0]) writeFileSync(expectedFiles[0], readFileSync(writeSettings(env)));
    }
  }
});

/** Writes a new settings file and returns its path, because commands change or delete the settings file. */
function writeSettings(env: Record<string, string>): string {
  const file = join(newFolder(), 'config.json');
  const profile = { base_url: service.baseUrl, token: canaries.token, client_secret: canaries.clientSecret };
  const settings = { version: 1, active: 'main', profiles: { main: profile }, defaults: {} };
  mkdirSync(env.BOH_CONFIG_DIR ?? '', { recursive: true });
  writeFileSync(file, JSON.stringify(settings));
  return file;
}

describe('output of a record that contains secrets', () => {
  const flagSets = [
    '--raw -v',
    '--raw -o json',
    '-o json',
    '-o yaml',
    '-o csv',
    '-o ndjson',
    '-o table',
    '--query *',
    '-o table --wide',
  ];
  const columns = ['--columns', 'id,pin,password,access_token', '--unchecked'];

  it.each(api.collections.filter((collection) => operation(collection, 'list')))(
    '$command: redacts every secret',
    async (resource) => {
      const env = secretSources()[0]?.env ?? {};
      const index = api.collections.indexOf(resource);
      const { command } = resource;
      for (const flagSet of sampleOf(flagSets, index)) {
        await expectNoSecrets([command, 'list', ...flagSet.split(' ')], env);
        if (operation(resource, 'get'))
          await expectNoSecrets([command, 'get', '1', ...flagSet.split(' ')], env);
        await expectNoSecrets(
          [
            'api',
            'GET',
            resource.path,
            ...flagSet.split(' ').filter((flag) => flag !== '--raw' && flag !== '--wide'),
          ],
          env,
        );
      }
      for (const format of ['table', 'csv', 'json']) {
        await expectNoSecrets([command, 'list', ...columns, '-o', format], env);
      }
      if (operation(resource, 'update')) {
        await expectNoSecrets([command, 'update', '1', '--data', '{}', '--unchecked', '--raw', '-v'], env);
      }
    },
  );
});
