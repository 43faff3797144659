/** `boh sandbox run -- COMMAND…`: a command against a fresh sandbox that is gone afterwards; made for CI. */
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { constants } from 'node:os';
import { dirname } from 'node:path';
import { Option } from 'commander';
import { startWithSecrets } from '../../base/child-process.ts';
import { Failure, usage } from '../../base/errors.ts';
import { openScratch } from '../../base/scratch.ts';
import type { Context } from '../../context/context.ts';
import { scopeNames } from '../../contract/scope.ts';
import { openSandbox, type Sandbox } from '../../sandbox/service.ts';
import { namingOf } from '../../sandbox/store/form.ts';
import { sandboxFile } from '../../sandbox/store/place.ts';
import { settingList } from '../../settings/setting-list.ts';
import { copyFile } from '../../storage/copy.ts';
import { Command } from '../command.ts';
import { prepare } from '../prepare.ts';
import { addApplyOption, applyManifests } from './apply-manifests.ts';
import { readPlanFile, setFaults } from './faults.ts';
import { fileOf } from './named.ts';
import { startServing } from './serving.ts';

interface RunOptions {
  name?: string;
  empty?: boolean;
  faults?: string;
  passEnv?: string;
  apply: string[];
}

export function runCommand(context: Context): Command {
  return addApplyOption(prepare(new Command('run')))
    .description(
      'Serve a fresh sandbox on a free port, run a command with BOH_BASE_URL and BOH_TOKEN set to it, and remove ' +
        'everything afterwards. Inside, --sandbox and the commands of boh sandbox are about this sandbox, and your ' +
        'profiles and most of your variables are not there. The exit code is the command’s; 127 where there is no such program.',
    )
    .argument('<command...>', 'behind --: the command and its arguments')
    .addOption(new Option('--name <name>', 'begin with a copy of this sandbox instead of the demo business'))
    .addOption(new Option('--empty', 'begin without the demo business').conflicts('name'))
    .addOption(new Option('--faults <file>', 'what goes wrong; see boh sandbox faults'))
    .addOption(
      new Option(
        '--pass-env <names>',
        'variables that the command gets as well, separated by commas; others of yours it does not see',
      ),
    )
    .examples('boh sandbox run -- npm test', 'boh sandbox run --empty --apply seeds/ -- npm test')
    .action((words: string[], options: RunOptions) => run(words, options, context));
}

async function run(words: readonly string[], options: RunOptions, context: Context): Promise<void> {
  const plan = options.faults === undefined ? undefined : await readPlanFile(options.faults, context);
  const world = await openWorld(context, options);
  try {
    const sandbox = await openSandbox({ api: context.api, file: world.file, empty: options.empty });
    try {
      await applyManifests(sandbox, options.apply, context);
      if (plan) await setFaults(sandbox, plan, context);
      context.exitCode = await runAgainst(sandbox, world, words, context);
    } finally {
      sandbox.close();
    }
  } finally {
    world.remove();
  }
}

async function runAgainst(
  sandbox: Sandbox,
  { environment }: World,
  words: readonly string[],
  context: Context,
): Promise<number> {
  const served = await startServing(sandbox, { port: 0, apiPrefix: '', isApproving: true }, context);
  try {
    const token = sandbox.mintToken({ scopes: scopeNames });
    return await runChild(words, environment({ baseUrl: served.baseUrl, token }), context);
  } finally {
    await served.close();
  }
}

async function runChild(
  [command = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  { signal, yieldTo }: Context,
): Promise<number> {
  // Told to end while the sandbox was made, it begins nothing more. That is heard between two turns of the event loop.
  for (let turn = 0; turn < 2; turn++) await new Promise((next) => setImmediate(next));
  signal.throwIfAborted();
  const child = startWithSecrets(command, args, { stdio: 'inherit', env });
  const passOn = () => pass(signal, child);
  signal.addEventListener('abort', passOn, { once: true });
  try {
    const ended = new Promise<number>((resolve, reject) => {
      child.once('error', (cause) => reject(notStarted(command, cause)));
      // As shells tell of a program that a signal has ended.
      child.once('exit', (code, name) => resolve(code ?? 128 + (name ? constants.signals[name] : 0)));
    });
    return await yieldTo(ended);
  } finally {
    signal.removeEventListener('abort', passOn);
  }
}

/** A terminal sends Ctrl-C to the child itself; passing it on would count as a second one. */
function pass({ reason }: AbortSignal, child: ChildProcess): void {
  const exitCode = reason instanceof Failure ? reason.exitCode : 143;
  const name = exitCode === 130 ? 'SIGINT' : exitCode === 129 ? 'SIGHUP' : 'SIGTERM';
  if (name !== 'SIGINT' || !process.stdin.isTTY) child.kill(name);
}

/** As shells end: scripts tell by it a program that isn’t there from one that has failed. */
function notStarted(command: string, cause: Error): Failure {
  const isMissing = 'code' in cause && cause.code === 'ENOENT';
  return usage(isMissing ? `There is no program ${command}.` : `${command} can’t be run: ${cause.message}`, {
    hint: 'Write the command behind --, as in: boh sandbox run -- npm test',
    exitCode: isMissing ? 127 : 126,
    cause,
  });
}

type Variables = Readonly<Record<string, string | undefined>>;

interface World {
  /** Where its sandbox is to be, or is where it began as a copy. */
  file: string;
  /** What the command finds in its environment. */
  environment(access: { baseUrl: string; token: string }): Variables;
  remove(): void;
}

/**
 * In a folder that stands in the place of the user’s own: whatever boh does in it, with `--sandbox` or `boh sandbox`,
 * is about the one sandbox there. Throws `usage` where it is to begin as a copy of a sandbox that isn’t there.
 */
async function openWorld(
  context: Context,
  { name, passEnv = '' }: { name?: string; passEnv?: string },
): Promise<World> {
  const names = passEnv.split(',').map((each) => each.trim());
  const source = name === undefined ? undefined : await existing(name, context);
  const { path, remove } = openScratch('sandbox');
  const own = { BOH_CONFIG_DIR: path };
  const file = sandboxFile(own, 'default');
  try {
    await mkdir(dirname(file), { mode: 0o700 });
    if (source !== undefined) await copy(source, file, context);
  } catch (error) {
    remove();
    throw error;
  }
  return {
    file,
    environment: ({ baseUrl, token }) => ({
      ...passable(context.env, names),
      ...withoutProxy(context.env),
      ...own,
      BOH_BASE_URL: baseUrl,
      BOH_TOKEN: token,
    }),
    remove,
  };
}

async function existing(name: string, context: Context): Promise<string> {
  const source = await fileOf(context, { name });
  if (!existsSync(source)) throw usage(`There is no sandbox "${name}".`);
  return source;
}

async function copy(source: string, file: string, { signal }: Context): Promise<void> {
  await copyFile(namingOf(source), file, { signal });
}

/**
 * Variables of the user that the command gets: what programs need to run, and how somebody likes boh. All others stay out,
 * as any of them may lead to an account or hold a secret. A `*` at the end stands for any rest.
 */
const passedOn = [
  ...[
    'PATH',
    'HOME',
    'USER',
    'LOGNAME',
    'SHELL',
    'PWD',
    'TMPDIR',
    'TMP',
    'TEMP',
    'TZ',
    'LANG',
    'LANGUAGE',
    'LC_*',
  ],
  ...['TERM', 'COLORTERM', 'TERM_PROGRAM', 'COLUMNS', 'LINES', 'NO_COLOR', 'FORCE_COLOR', 'DISPLAY', 'XDG_*'],
  ...[
    'CI',
    'NODE_*',
    'NVM_*',
    'npm_*',
    'COREPACK_*',
    'SSL_CERT_FILE',
    'SSL_CERT_DIR',
    'EDITOR',
    'VISUAL',
    'PAGER',
  ],
  ...[
    'SystemRoot',
    'SystemDrive',
    'windir',
    'ComSpec',
    'PATHEXT',
    'OS',
    'APPDATA',
    'LOCALAPPDATA',
    'USERPROFILE',
  ],
  ...[
    'HOMEDRIVE',
    'HOMEPATH',
    'USERNAME',
    'ProgramData',
    'ProgramFiles*',
    'NUMBER_OF_PROCESSORS',
    'PROCESSOR_*',
  ],
  ...['BOH_OUTPUT', 'BOH_QUIET', 'BOH_ERRORS', 'BOH_RATE', 'BOH_PAGER', 'BOH_COMPLETION_PATIENCE'],
];

/** Names that a `*` doesn't cover. */
const likelySecret = /token|secret|passw|auth|credential|key/i;

/** `names` are passed on as well, as the user has asked for them. Windows doesn't tell upper from lower case. */
function passable(environment: Variables, names: readonly string[]): Variables {
  const preferences = Object.values(settingList).flatMap(({ kind, environment: name }) =>
    kind === 'preference' && name !== undefined ? [name] : [],
  );
  const all = [...passedOn, ...preferences].map((name) => name.toLowerCase());
  const isPassed = (name: string) =>
    names.includes(name) ||
    all.includes(name.toLowerCase()) ||
    (!likelySecret.test(name) &&
      all.some((each) => each.endsWith('*') && name.toLowerCase().startsWith(each.slice(0, -1))));
  return Object.fromEntries(Object.entries(environment).filter(([name]) => isPassed(name)));
}

const ownHosts = ['127.0.0.1', 'localhost'];

/** This machine is asked without the proxy that stands before all others. */
function withoutProxy({ NO_PROXY = '', no_proxy = NO_PROXY }: Variables): Variables {
  const list = [...no_proxy.split(/[\s,]+/).filter(Boolean), ...ownHosts].join(',');
  return { NO_PROXY: list, no_proxy: list };
}
