/** `boh sandbox run -- COMMAND…`: a command against a fresh sandbox that is gone afterwards; made for CI. */
import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { Command, Option } from 'commander';
import { startWithSecrets } from '../../child-process.ts';
import { scopeNames } from '../../contract/scope.ts';
import { Failure, usage } from '../../errors.ts';
import type { Context } from '../../interaction/context.ts';
import type { Sandbox } from '../../sandbox/service.ts';
import { prepare } from '../prepare.ts';
import { addApplyOption, applyManifests } from './apply-manifests.ts';
import { readPlanFile, setFaults } from './faults.ts';
import { startServing } from './serving.ts';
import type { World } from './world.ts';

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
    .addHelpText(
      'after',
      '\nExamples:\n  boh sandbox run -- npm test\n  boh sandbox run --empty --apply seeds/ -- npm test',
    )
    .action((words: string[], options: RunOptions) => run(words, options, context));
}

async function run(words: readonly string[], options: RunOptions, context: Context): Promise<void> {
  const plan = options.faults === undefined ? undefined : await readPlanFile(options.faults, context);
  const [{ openSandbox }, { openWorld }] = await Promise.all([
    import('../../sandbox/service.ts'),
    import('./world.ts'),
  ]);
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
