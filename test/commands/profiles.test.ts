/** `boh profiles` manages a profile for each business and environment. Every write reports the active profile. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AuthService, secrets, startAuthService } from '../cli/auth-service.ts';
import { type Recorder, startRecorder } from '../harness/recorder.ts';
import { failureOf, type RunOptions, runBoh } from '../harness/run-boh.ts';
import { temporaryFolders } from '../settings/temporary-folder.ts';

const newFolder = temporaryFolders();
let folder: string;
beforeEach(() => {
  folder = newFolder();
});

function boh(line: string, { env = {}, stdin = '' }: RunOptions = {}) {
  return runBoh(line.split(' '), { env: { BOH_CONFIG_DIR: folder, ...env }, stdin });
}

/** Runs command lines that must succeed. */
async function runAll(...lines: string[]): Promise<void> {
  for (const line of lines) {
    const { exitCode, stderr } = await boh(line);
    expect(exitCode, stderr).toBe(0);
  }
}

async function listProfiles(): Promise<Record<string, unknown>[]> {
  return JSON.parse((await boh('profiles list --json')).stdout);
}

describe('boh profiles without a token', () => {
  it('list without profiles: prints a hint with auth login', async () => {
    const { stdout, stderr } = await boh('profiles list');
    expect(JSON.parse(stdout)).toEqual([]);
    expect(stderr).toContain('boh auth login');
  });

  it('add: stores the settings of each profile, including output format and color', async () => {
    await runAll(
      'profiles add shop --base-url https://shop.example/ --api-prefix v5 --colour red --protected --output csv',
      'profiles add play --sandbox --timeout 5s',
    );
    expect(await listProfiles()).toMatchObject([
      { name: 'shop', active: true, base_url: 'https://shop.example', protected: true, colour: 'red' },
      { name: 'play', active: false, base_url: null, sandbox: 'default', protected: false },
    ]);
    const shopSettings = JSON.parse((await boh('profiles show shop --json')).stdout);
    expect(shopSettings).toMatchObject({
      api_prefix: '/v5',
      output: 'csv',
      signed_in: false,
      has_client_secret: false,
    });
  });

  it('add: reports all invalid settings together, and adds nothing', async () => {
    const result = await boh(
      'profiles add shop --base-url shop.example --colour pink --scopes a,b --timeout never',
    );
    expect(result.exitCode).toBe(2);
    expect(Object.keys(failureOf(result).fields as object)).toEqual(['base_url', 'colour', 'timeout']);
    expect(await listProfiles()).toEqual([]);
  });

  it('use, rename, remove: change the list', async () => {
    await runAll('profiles add one', 'profiles add two', 'profiles use two', 'profiles rename two three');
    expect(await listProfiles()).toMatchObject([{ name: 'one' }, { name: 'three', active: true }]);
    const { stderr } = await boh('profiles remove three');
    expect(stderr).toContain('To choose one: boh profiles use NAME');
    expect(await listProfiles()).toMatchObject([{ name: 'one', active: false }]);
  });

  it('an unknown name: the hint contains the most similar name', async () => {
    await runAll('profiles add shop');
    for (const line of ['use shap', 'show shap', 'rename shap x', 'remove shap']) {
      const result = await boh(`profiles ${line}`);
      expect(result.exitCode, line).toBe(2);
      expect(failureOf(result).hint, line).toContain('shop');
    }
  });

  it("use: works while BOH_PROFILE names a profile that doesn't exist, and warns of it", async () => {
    await runAll('profiles add shop');
    const env = { BOH_PROFILE: 'gone' };
    expect((await boh('customers list', { env })).exitCode).toBe(2);
    expect((await boh('profiles list', { env })).exitCode).toBe(0);
    expect((await boh('profiles use shop', { env })).stderr).toContain('BOH_PROFILE is set to gone');
  });

  it('-o table: marks the active profile with *', async () => {
    await runAll('profiles add shop --base-url https://shop.example', 'profiles add play --sandbox');
    const { stdout } = await boh('profiles list -o table');
    expect(stdout).toMatch(/^\* +shop +https:\/\/shop\.example/m);
    expect(stdout).toMatch(/^– +play +sandbox default/m);
  });
});

describe('a profile with a token', () => {
  let service: AuthService;
  beforeAll(async () => {
    service = await startAuthService();
  });
  beforeEach(async () => {
    service.reset();
    const line = `auth login --with-token --base-url ${service.baseUrl} --profile shop`;
    expect((await boh(line, { stdin: secrets.token })).exitCode).toBe(0);
  });
  afterAll(() => service.close());

  it('is not removed without a terminal unless --yes is given', async () => {
    const result = await boh('profiles remove shop');
    expect(result.exitCode).toBe(2);
    expect(failureOf(result).message).toContain('add --yes');
    await runAll('profiles remove shop --yes');
    expect(readFileSync(join(folder, 'config.json'), 'utf8')).not.toContain('canary');
  });

  it('never shows a secret', async () => {
    for (const line of ['profiles list', 'profiles show', 'config list', 'profiles show -o table']) {
      const { stdout, stderr } = await boh(line);
      expect(stdout + stderr, line).not.toContain('canary');
    }
  });

  it("can't be changed to another base URL", async () => {
    const result = await boh('config set base_url https://other.example');
    expect(result.exitCode).toBe(2);
    expect(failureOf(result).hint).toContain('boh auth logout --profile shop');
  });
});

describe('before a write', () => {
  let service: Recorder;
  beforeAll(async () => {
    service = await startRecorder();
    env = { BOH_TOKEN: 'a-token', BOH_BASE_URL: service.baseUrl };
  });
  beforeEach(() => runAll(`profiles add shop --base-url ${service.baseUrl}`));
  afterAll(() => service.close());

  let env: Record<string, string>;
  const create = 'suppliers create --name Farm';
  const takeRequestLines = () => service.takeRequests().map(({ method, target }) => `${method} ${target}`);

  it('reports the profile on stderr, once for a run over several records', async () => {
    const line = `Writing to shop: ${service.baseUrl}.`;
    expect((await boh(create, { env })).stderr).toContain(line);
    const { stderr } = await boh('suppliers delete 1 2 3 --yes', { env });
    expect(stderr.split(line)).toHaveLength(2);
    expect(takeRequestLines()).toHaveLength(5);
  });

  it.each([
    ['a read', 'suppliers list'],
    ['--quiet', `${create} --quiet`],
    ['a dry run', `${create} --dry-run`],
  ])('does not report it for %s', async (_, line) => {
    expect((await boh(line, { env })).stderr).not.toContain('Writing to');
    service.takeRequests();
  });

  it('reports no profile if none is in use', async () => {
    const otherEnvironment = {
      BOH_TOKEN: 'a-token',
      BOH_BASE_URL: service.baseUrl,
      BOH_CONFIG_DIR: newFolder(),
    };
    const { exitCode, stderr } = await boh(create, { env: otherEnvironment });
    expect(exitCode).toBe(0);
    expect(stderr).not.toContain('Writing to');
    expect(takeRequestLines()).toEqual(['GET /whoami', 'POST /suppliers']);
  });

  describe('a write to a protected profile', () => {
    beforeEach(() => runAll('config set protected true'));

    it.each([
      create,
      `${create} --yes`,
      `${create} --profile shop`,
      'suppliers update 1 --name Farm --yes',
      'suppliers delete 1 --yes',
      'suppliers restore 1',
      'loyalty-rewards redeem 1 --order-id 2 --yes',
      'suppliers link-item 1 2 --order-unit box --order-to-storage-factor 3',
      'api POST /suppliers --data {}',
      'api DELETE /suppliers/1 --yes',
      'api GET /loyalty_rewards/1?order_id=2',
    ])('%s: is refused without a terminal unless --yes and --profile are given', async (line) => {
      const result = await boh(line, { env });
      expect(result.exitCode).toBe(2);
      expect(failureOf(result).hint).toContain('--yes --profile shop');
      expect(takeRequestLines()).toEqual([]);
    });

    it.each([`${create} --yes --profile shop`, 'api POST /suppliers --data {} --yes --profile shop'])(
      '%s: is sent',
      async (line) => {
        expect((await boh(line, { env })).exitCode).toBe(0);
        expect(takeRequestLines()).toEqual(['GET /whoami', 'POST /suppliers']);
      },
    );

    it.each(['', '/', '//'])('%j after its base URL: also needs confirmation', async (slashes) => {
      const respelledUrl = `${service.baseUrl.replace('127.0.0.1', 'LocalHost')}${slashes}`;
      for (const BOH_BASE_URL of [respelledUrl, `${service.baseUrl}${slashes}`]) {
        const result = await boh(`${create} --yes`, { env: { ...env, BOH_BASE_URL } });
        expect(result.exitCode).toBe(2);
        expect(failureOf(result).message).toContain('protected');
      }
      expect(takeRequestLines()).toEqual([]);
    });

    it('BOH_PROFILE without --profile: is not sufficient', async () => {
      const result = await boh(`${create} --yes`, { env: { ...env, BOH_PROFILE: 'shop' } });
      expect(result.exitCode).toBe(2);
      expect(takeRequestLines()).toEqual([]);
    });

    it("a read: doesn't need confirmation", async () => {
      expect((await boh('suppliers list', { env })).exitCode).toBe(0);
      expect((await boh('api GET /suppliers', { env })).exitCode).toBe(0);
      expect(takeRequestLines()).toEqual(['GET /suppliers', 'GET /suppliers']);
    });
  });
});

describe('several accounts', () => {
  let ownService: Recorder;
  let otherService: Recorder;
  beforeAll(async () => {
    [ownService, otherService] = await Promise.all([startRecorder(), startRecorder()]);
  });
  beforeEach(async () => {
    const login = `auth login --with-token --unchecked --profile mine --base-url ${ownService.baseUrl}`;
    expect((await boh(login, { stdin: 'mine-token' })).exitCode).toBe(0);
  });
  afterAll(() => Promise.all([ownService.close(), otherService.close()]));

  const create = 'suppliers create --name Farm';
  const tokensSentTo = (service: Recorder) =>
    service.takeRequests().map(({ headers }) => headers.authorization);
  const environment = () => ({ BOH_BASE_URL: otherService.baseUrl, BOH_TOKEN: 'other-token' });

  it('--profile: takes precedence over the URL and the token of the environment', async () => {
    const { exitCode, stderr } = await boh(`${create} --profile mine`, { env: environment() });
    expect(exitCode, stderr).toBe(0);
    expect(tokensSentTo(ownService)).toEqual(['Bearer mine-token', 'Bearer mine-token']);
    expect(otherService.takeRequests()).toEqual([]);
  });

  it('the environment takes precedence over the active profile', async () => {
    expect((await boh(create, { env: environment() })).exitCode).toBe(0);
    expect(tokensSentTo(otherService)).toEqual(['Bearer other-token', 'Bearer other-token']);
    expect(ownService.takeRequests()).toEqual([]);
  });

  it('conflicting settings: nothing is sent', async () => {
    const lines: [string, Record<string, string>][] = [
      [`${create} --profile mine --base-url ${otherService.baseUrl}`, {}],
      [`${create} --profile mine --sandbox`, {}],
      [create, { ...environment(), BOH_PROFILE: 'mine' }],
      [create, { BOH_TOKEN: 'other-token' }],
      [`${create} --base-url ${ownService.baseUrl}`, environment()],
    ];
    for (const [line, env] of lines) {
      const result = await boh(line, { env });
      expect(result.exitCode, line).toBe(2);
      expect(failureOf(result).category).toBe('usage');
      expect(failureOf(result).hint).not.toBeNull();
    }
    expect([...ownService.takeRequests(), ...otherService.takeRequests()]).toEqual([]);
  });

  it('a sign-in with conflicting settings: is refused, and stores no token', async () => {
    const env = { BOH_PROFILE: 'mine', BOH_BASE_URL: otherService.baseUrl };
    const result = await boh('auth login --with-token --unchecked', { env, stdin: 'new-token' });
    expect(result.exitCode).toBe(2);
    expect(readFileSync(join(folder, 'config.json'), 'utf8')).not.toContain('new-token');
  });

  it('conflicting settings: profiles and settings can still be shown and changed', async () => {
    const env = { BOH_PROFILE: 'mine', BOH_BASE_URL: otherService.baseUrl };
    for (const line of ['profiles list', 'config list', 'config set protected true']) {
      expect((await boh(line, { env })).exitCode, line).toBe(0);
    }
  });
});
