/** Puts a canary in place of every secret, runs every command at every verbosity, and checks that none is shown or stored. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Operation, operations } from '../../src/api/contract/operation.ts';
import { exampleArguments } from '../../src/api/reference/examples.ts';
import { api } from '../../src/api/resources/index.ts';
import { handWritten } from '../../src/cli/commands/index.ts';
import { sampleOf } from '../harness/repetitions.ts';
import { runBoh } from '../harness/run-boh.ts';
import { startBoh } from '../harness/start-boh.ts';
import { temporaryFolders } from '../settings/temporary-folder.ts';
import {
  type AuthService,
  createTestHome,
  secrets,
  startAuthService,
  type TestHome,
} from './auth-service.ts';
import { sendCallback, startSignIn } from './auth-sign-in.ts';

const canaries = {
  token: 'canary-token-41d8f03b9e',
  clientSecret: 'canary-secret-9b2c77e05a',
  pin: 'canary-pin-60417',
  password: 'canary-password-3c9',
};

/** Faults of the service, by name. Each response repeats the whole request. */
const faults = {
  'returns it': (requestText: string) => ({ status: 200, body: { data: JSON.parse(requestText) } }),
  'refuses the input': (requestText: string) => ({
    status: 422,
    body: { message: `No: ${requestText}`, errors: { name: [requestText], [requestText]: ['x'] } },
  }),
  'refuses the token': (requestText: string) => ({ status: 401, body: { message: requestText } }),
  'does not allow it': (requestText: string) => ({ status: 403, body: { message: requestText } }),
  fails: (requestText: string) => ({ status: 400, body: `<html>${requestText}</html>` }),
};
type Fault = keyof typeof faults;

/** Responds with the fault whose number is the last digit of the token, so that one server covers all faults. */
const service = createServer(async (request, response) => {
  const { authorization = '' } = request.headers;
  const body = await text(request);
  const fault = Object.keys(faults)[Number(authorization.at(-1))] as Fault;
  const faultResponse = faults[fault]?.(
    JSON.stringify({ id: '1', ...JSON.parse(body || '{}'), authorization, url: request.url }),
  );
  response.writeHead(faultResponse?.status ?? 500, { 'content-type': 'application/json' });
  response.end(
    typeof faultResponse?.body === 'string' ? faultResponse.body : JSON.stringify(faultResponse?.body),
  );
});

let baseUrl: string;
const newFolder = temporaryFolders();
beforeAll(async () => {
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
});
afterAll(() => {
  service.closeAllConnections();
  service.close();
});

const verbosities = ['', '-v', '--json -v', '--dry-run -v', '--dry-run -o table'];

function environment(fault: Fault = 'returns it'): Record<string, string> {
  return {
    BOH_CONFIG_DIR: newFolder(),
    BOH_BASE_URL: baseUrl,
    BOH_TOKEN: canaries.token + Object.keys(faults).indexOf(fault),
    BOH_CLIENT_SECRET: canaries.clientSecret,
  };
}

/** Returns the arguments of the operation's example, with canaries in its secret fields. */
function argumentsOf(operation: Operation): { argv: string[]; stdin: string } {
  const argv = exampleArguments(operation)
    .filter((word) => word !== '--sandbox')
    .map((word) => word.replace(/^@/, ''));
  const secretFields = operation.body.filter(({ field }) => field.traits.secret).map(({ name }) => name);
  if (secretFields.length === 0) return { argv, stdin: '' };
  const data = Object.fromEntries(
    secretFields.map((name) => [name, canaries[name as keyof typeof canaries]]),
  );
  return { argv: [...argv, '--data', '-'], stdin: JSON.stringify(data) };
}

describe.each(Object.keys(faults) as Fault[])('a service that repeats the request and %s', (fault) => {
  // Every operation prints records and refused fields in its own way; other responses are reported by common code.
  const isPerOperation = fault === 'returns it' || fault === 'refuses the input';
  const resources = isPerOperation ? api.resources : api.collections.filter(({ name }) => name === 'users');
  it.each(resources.flatMap(operations).map((operation, index) => ({ ...operation, index })))(
    '$resource.command $verb: shows no secret',
    async ({ index, ...operation }) => {
      const { argv, stdin } = argumentsOf(operation);
      // The fault has no effect on requests that are not sent, so only one fault runs at all verbosities.
      const flagSets = fault === 'returns it' ? sampleOf(verbosities, index) : ['--json -v'];
      for (const flags of flagSets) {
        const line = [...argv, '--yes', ...flags.split(' ').filter(Boolean)];
        const { stdout, stderr } = await runBoh(line, { env: environment(fault), stdin });
        expect(stdout + stderr, line.join(' ')).not.toContain('canary');
      }
    },
  );

  it.each([
    'auth status --check',
    'auth scopes',
    'auth can users delete',
    'api GET /users?token=x',
    'api POST /nothing --data {}',
    'auth login --with-token',
  ])('boh %s: shows no secret', async (line) => {
    for (const flags of sampleOf(verbosities, line.length)) {
      const argv = `${line} ${flags}`.split(' ').filter(Boolean);
      const env = environment(fault);
      const { stdout, stderr } = await runBoh(argv, { env, stdin: env.BOH_TOKEN ?? '' });
      expect(stdout + stderr, argv.join(' ')).not.toContain('canary');
    }
  });
});

/** These are all hand-written commands, so that a new command is tested too. Tests below examine some in more detail. */
it.each(handWritten.map(({ name }) => name))('boh %s: shows no secret', async (name) => {
  const lines = [name, `${name} --help`, `${name} list`, `${name} unknown -v`, `${name} -v --json`];
  for (const line of lines) {
    const { stdout, stderr } = await runBoh(line.split(' '), { env: environment(), stdin: canaries.token });
    expect(stdout + stderr, line).not.toContain('canary');
  }
});

describe('secrets in a process', () => {
  let service: AuthService;
  let home: TestHome;
  beforeAll(async () => {
    service = await startAuthService();
    home = createTestHome();
  });
  afterAll(async () => {
    home.remove();
    await service.close();
  });

  /** Returns the paths of the files in the home folder that contain a secret, including temporary files. */
  function filesWithSecrets(): string[] {
    const { HOME = '' } = home.env;
    return readdirSync(HOME, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .filter((file) => readFileSync(file).includes('canary'));
  }

  /** Returns the command lines of all processes on this machine, as other users see them. */
  function commandLines(): string {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return pids.map((pid) => commandLine(pid)).join('\n');
  }

  function run(line: string, stdin = '') {
    const running = startBoh(line.split(' '), home.env);
    running.stdin.end(stdin);
    return running.ended;
  }

  it('auth login: stores secrets in one file, and puts none in a command line', async () => {
    const login = await startSignIn(service, home, ['-v']);
    await home.waitForBrowser();
    if (existsSync('/proc/self/cmdline')) {
      expect(commandLines()).toContain('--authorize-url');
      expect(commandLines()).not.toContain(secrets.clientSecret);
      expect(commandLines()).not.toContain(login.state);
    }
    await sendCallback(login, { code: secrets.code, state: login.state });
    const { exitCode, stdout, stderr } = await login.ended;
    expect(exitCode, stderr).toBe(0);
    expect(stdout + stderr).not.toContain('canary');
    expect(filesWithSecrets()).toEqual([home.configFile]);
  });

  it('use of the token: shows no secret, also when the command fails', async () => {
    for (const line of [
      'customers list -v',
      'users create --data - -v',
      'auth status -v',
      'profiles show -v',
      'config list -v',
      'auth login --with-token --client-secret-file missing -v',
      'config set token x',
      'config get client_secret',
      '--profile missing whoami',
    ]) {
      const { stdout, stderr } = await run(line, JSON.stringify({ pin: canaries.pin }));
      expect(stdout + stderr, line).not.toContain('canary');
    }
    expect(filesWithSecrets()).toEqual([home.configFile]);
  });

  it('damaged settings file: is renamed and unchanged, and no message quotes it', async () => {
    writeFileSync(home.configFile, readFileSync(home.configFile, 'utf8').slice(0, -5));
    const { exitCode, stdout, stderr } = await run('auth status -v');
    expect(exitCode).toBe(2);
    expect(stdout + stderr).not.toContain('canary');
    expect(filesWithSecrets()).toEqual([expect.stringContaining('config.damaged-')]);
  });

  it('auth token: prints only the token', async () => {
    const env = { ...home.env, BOH_TOKEN: canaries.token, BOH_BASE_URL: service.baseUrl };
    const { stdout, stderr } = await startBoh(['auth', 'token', '-v'], env).ended;
    expect(stdout).toBe(`${canaries.token}\n`);
    expect(stderr).toBe('');
  });
});

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
