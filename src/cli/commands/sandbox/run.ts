/** `boh sandbox run -- COMMAND…`: runs a command with a temporary sandbox, for tests and CI. */
import type { ChildProcess } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { constants } from 'node:os';
import { dirname } from 'node:path';
import { settingDefinitions } from '../../../account/settings/setting-definitions.ts';
import { scopeNames } from '../../../api/contract/scope.ts';
import { startWithSecrets } from '../../../base/child-process.ts';
import { Failure, usage } from '../../../base/errors.ts';
import { boh } from '../../../base/hint.ts';
import { checkWritable, replaceFile } from '../../../base/replace-file.ts';
import { copyDatabaseFile } from '../../../base/storage/copy.ts';
import { createTemporaryFolder } from '../../../base/temporary-folder.ts';
import { windowsCommand } from '../../../base/windows-program.ts';
import { newToken } from '../../../sandbox/access/tokens.ts';
import { controlOperations, controlPath, runOperation } from '../../../sandbox/control/operations.ts';
import { setBranchCount } from '../../../sandbox/demo/from-contract.ts';
import type { Sandbox } from '../../../sandbox/service.ts';
import { fileDescriptionOf } from '../../../sandbox/store/open.ts';
import { sandboxFile } from '../../../sandbox/store/sandbox-files.ts';
import type { Context } from '../../context/context.ts';
import type { Command } from '../command.ts';
import { createCommand } from '../declare.ts';
import { type FlagsOf, orNone, repeated, repeatedList } from '../flags/flag-table.ts';
import { readPlanFile, setFaults } from './faults.ts';
import {
  applyManifests,
  branchesFlag,
  deploymentFlags,
  deploymentOptions,
  faultsFlag,
  portFlag,
  seedFlag,
  startServing,
} from './serve.ts';
import { requireSandboxFile, withSandboxFile } from './with-sandbox.ts';

const sandboxRunFlags = [
  ...deploymentFlags,
  ['--name <name>', 'start with a copy of this sandbox, not with the demo business'],
  ['--empty', 'start without the demo business', { conflicts: 'name' }],
  branchesFlag,
  faultsFlag,
  seedFlag(1),
  portFlag(0),
  ['--requests <file>', 'write the requests to this file at the end, one JSON object per line'],
  [
    '--env <name=value>',
    'also set this environment variable; {base_url}, {token}, {control_url} and {control_token} are replaced (repeatable)',
    { ...repeated, ...orNone },
  ],
  [
    '--pass-env <names>',
    'also pass these environment variables; NAME* for a prefix, * for all (repeatable)',
    repeatedList,
  ],
] as const;

type RunOptions = FlagsOf<typeof sandboxRunFlags>;

export function runCommand(context: Context): Command {
  return createCommand(context, {
    name: 'run',
    summary: 'Run a command with a temporary sandbox',
    about:
      'Run a command with a temporary sandbox. BOH_BASE_URL, BOH_TOKEN and --sandbox refer to it; your ' +
      'profiles and most environment variables are hidden. Exits with the exit code of the command, or 127 if the ' +
      "program doesn't exist.",
    args: [['<command...>', 'the command and its arguments, after --']],
    flags: sandboxRunFlags,
    examples: [
      'boh sandbox run -- npm test',
      'boh sandbox run --like foodics-v5 -- npm test',
      'boh sandbox run --empty --apply seeds/ -- npm test',
    ],
    run: ([commandWords], options) => run(commandWords, options, context),
  });
}

async function run(commandWords: readonly string[], options: RunOptions, context: Context): Promise<void> {
  const plan = options.faults === undefined ? undefined : await readPlanFile(options.faults, context);
  const deployment = await deploymentOptions(options, context);
  if (options.requests !== undefined) await checkWritable(options.requests);
  const runEnvironment = await openRunEnvironment(context, options);
  try {
    const { file } = runEnvironment;
    await withSandboxFile({ ...deployment, file, empty: options.empty }, async (sandbox) => {
      if (options.branches !== undefined)
        setBranchCount(sandbox, options.branches, { isEmpty: options.empty === true });
      await applyManifests(sandbox, options.apply, context);
      if (plan) await setFaults(sandbox, plan, context);
      const serving = { ...deployment, ...options };
      context.exitCode = await serveAndRun(sandbox, serving, runEnvironment, commandWords, context);
    });
  } finally {
    runEnvironment.remove();
  }
}

async function serveAndRun(
  sandbox: Sandbox,
  { apiPrefix, like, port, requests: requestsFile, env }: ServingFlags,
  { variablesFor }: RunEnvironment,
  commandWords: readonly string[],
  context: Context,
): Promise<number> {
  const controlToken = newToken();
  const serving = { port, apiPrefix, isAutoApproved: true, controlToken };
  const server = await startServing(sandbox, serving, context);
  try {
    const token = sandbox.createToken({ scopes: scopeNames });
    const controlUrl = server.baseUrl + controlPath;
    const values = { base_url: server.baseUrl, token, control_url: controlUrl, control_token: controlToken };
    const ownVariables = Object.fromEntries(env.map((pair) => parseVariable(pair, values)));
    return await runChild(
      commandWords,
      { ...variablesFor({ baseUrl: server.baseUrl, token, controlToken, like }), ...ownVariables },
      context,
    );
  } finally {
    if (requestsFile !== undefined) {
      const { requests } = await runOperation(controlOperations.requests, server.first.controlled, {});
      await replaceFile(requestsFile, requests.map((request) => `${JSON.stringify(request)}\n`).join(''));
    }
    await server.close();
  }
}

interface ServingFlags extends Pick<RunOptions, 'port' | 'env'> {
  apiPrefix: string;
  like: string | undefined;
  requests?: string;
}

/** Parses `NAME=VALUE`, and replaces the names in braces. */
function parseVariable(pair: string, values: Readonly<Record<string, string>>): [string, string] {
  const [, name = '', text = ''] = /^(\w+)=(.*)$/s.exec(pair) ?? [];
  if (name === '') throw usage(`--env ${pair} isn't NAME=VALUE.`);
  return [name, text.replaceAll(/\{(\w+)\}/g, (word, key) => values[key] ?? word)];
}

async function runChild(
  [command = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  { signal, waitForForeground }: Context,
): Promise<number> {
  // A signal that arrived while the sandbox was created is delivered between two turns of the event loop.
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
  signal.throwIfAborted();
  const isWindows = process.platform === 'win32';
  const program = isWindows ? windowsCommand(command, args, env) : { command, args, isVerbatim: false };
  const child = startWithSecrets(program.command, program.args, {
    stdio: 'inherit',
    env,
    windowsVerbatimArguments: program.isVerbatim,
  });
  const forwardSignal = () => forwardToChild(signal, child);
  signal.addEventListener('abort', forwardSignal, { once: true });
  try {
    const exitCode = new Promise<number>((resolve, reject) => {
      child.once('error', (cause) => reject(startFailure(command, cause)));
      // For a program that a signal ended, shells use this exit code.
      child.once('exit', (code, name) => resolve(code ?? 128 + (name ? constants.signals[name] : 0)));
    });
    return await waitForForeground(exitCode);
  } finally {
    signal.removeEventListener('abort', forwardSignal);
  }
}

/** Forwards a signal to the child, except Ctrl-C of a terminal, which the terminal itself sends to the child. */
function forwardToChild({ reason }: AbortSignal, child: ChildProcess): void {
  const exitCode = reason instanceof Failure ? reason.exitCode : 143;
  const name = exitCode === 130 ? 'SIGINT' : exitCode === 129 ? 'SIGHUP' : 'SIGTERM';
  if (name !== 'SIGINT' || !process.stdin.isTTY) child.kill(name);
}

/** Returns a failure with the exit codes of shells: 127 if the program is missing, 126 if it can't be run. */
function startFailure(command: string, cause: Error): Failure {
  const isMissing = 'code' in cause && cause.code === 'ENOENT';
  return usage(isMissing ? `Program ${command} not found.` : `${command} can't be run: ${cause.message}`, {
    hint: boh.hint`Write the command after --, for example: ${boh.plain('sandbox run', '--', 'npm', 'test')}`,
    exitCode: isMissing ? 127 : 126,
    cause,
  });
}

type Variables = Readonly<Record<string, string | undefined>>;

interface ServerVariables {
  baseUrl: string;
  token: string;
  controlToken: string;
  like: string | undefined;
}

/** The folder and environment of one `sandbox run`. */
interface RunEnvironment {
  /** The file of the temporary sandbox. */
  file: string;
  variablesFor(server: ServerVariables): Variables;
  remove(): void;
}

/**
 * Creates a configuration folder that replaces the user's: in it `--sandbox` and `boh sandbox` use the temporary sandbox.
 * Throws `usage` if the sandbox to copy doesn't exist.
 */
async function openRunEnvironment(
  context: Context,
  { name, passEnv = [] }: { name?: string; passEnv?: readonly string[] },
): Promise<RunEnvironment> {
  const names = passEnv.map((name) => name.trim());
  const source = name === undefined ? undefined : await requireSandboxFile(context, { name });
  const { path, remove } = createTemporaryFolder('sandbox');
  const sandboxVariables = { BOH_CONFIG_DIR: path };
  const file = sandboxFile(sandboxVariables, 'default');
  try {
    await mkdir(dirname(file), { mode: 0o700 });
    if (source !== undefined) await copySandbox(source, file, context);
  } catch (error) {
    remove();
    throw error;
  }
  return {
    file,
    variablesFor: ({ baseUrl, token, controlToken, like }) => ({
      ...variablesToPass(context.env, names),
      ...noProxyVariables(context.env),
      ...sandboxVariables,
      BOH_BASE_URL: baseUrl,
      BOH_TOKEN: token,
      BOH_SANDBOX_URL: baseUrl,
      BOH_SANDBOX_CONTROL_TOKEN: controlToken,
      ...(like && { BOH_LIKE: like }),
    }),
    remove,
  };
}

async function copySandbox(source: string, file: string, { signal }: Context): Promise<void> {
  await copyDatabaseFile(fileDescriptionOf(source), file, { signal });
}

/**
 * The allowlist of environment variables for the command: those that programs need, and preferences of boh. Other
 * variables could select an account or contain a secret. A trailing `*` matches any suffix.
 */
const allowedVariables = `
  PATH HOME USER LOGNAME SHELL PWD TMPDIR TMP TEMP TZ LANG LANGUAGE LC_*
  TERM COLORTERM TERM_PROGRAM COLUMNS LINES NO_COLOR FORCE_COLOR DISPLAY XDG_*
  CI NODE_* NVM_* npm_* COREPACK_* SSL_CERT_FILE SSL_CERT_DIR EDITOR VISUAL PAGER
  SystemRoot SystemDrive windir ComSpec PATHEXT OS APPDATA LOCALAPPDATA USERPROFILE
  HOMEDRIVE HOMEPATH USERNAME ProgramData ProgramFiles* NUMBER_OF_PROCESSORS PROCESSOR_*
  BOH_OUTPUT BOH_QUIET BOH_ERRORS BOH_RATE BOH_PAGER BOH_COMPLETION_PATIENCE
`
  .trim()
  .split(/\s+/);

/** Matches names that `*` must not match. */
const likelySecretPattern = /token|secret|passw|auth|credential|key/i;

/** Returns the variables of the allowlist, which ignores case as Windows does, and the variables in `names`. */
function variablesToPass(environment: Variables, names: readonly string[]): Variables {
  const preferences = Object.values(settingDefinitions).flatMap(({ kind, environmentVariable: name }) =>
    kind === 'preference' && name !== undefined ? [name] : [],
  );
  const allowedNames = [...allowedVariables, ...preferences].map((name) => name.toLowerCase());
  const isAllowed = (name: string) =>
    names.some((entry) => (entry.endsWith('*') ? name.startsWith(entry.slice(0, -1)) : name === entry)) ||
    allowedNames.includes(name.toLowerCase()) ||
    (!likelySecretPattern.test(name) &&
      allowedNames.some((entry) => entry.endsWith('*') && name.toLowerCase().startsWith(entry.slice(0, -1))));
  return Object.fromEntries(Object.entries(environment).filter(([name]) => isAllowed(name)));
}

const localHosts = ['127.0.0.1', 'localhost'];

function noProxyVariables({ NO_PROXY = '', no_proxy = NO_PROXY }: Variables): Variables {
  const hosts = [...no_proxy.split(/[\s,]+/).filter(Boolean), ...localHosts].join(',');
  return { NO_PROXY: hosts, no_proxy: hosts };
}
