/** A simulated process of boh: a thread that runs command lines one after another, and stops wherever the order matters. */
import { globSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { Streams } from '../../../src/cli/terminal/streams.ts';
import {
  type CommandResult,
  MachineClock,
  type Order,
  type Report,
  returnBaton,
  type SharedMemory,
} from './baton.ts';
import { replaceDisk } from './simulated-disk.ts';
import { replaceRandom, replaceTimers, SimulatedTimers } from './simulated-time.ts';

/** The data with which the scheduler starts a thread. */
export interface ProcessData {
  shared: SharedMemory;
  port: MessagePort;
  /** The folder that contains all files of the processes. */
  folder: string;
}

const { shared, port, folder } = workerData as ProcessData;
const clock = new MachineClock(shared);
const timers = new SimulatedTimers(clock);
const waitForTurn = replaceTimers(timers, clock);
const seedChance = replaceRandom();
const unhandled: string[] = [];
let simulatedPid = 1;
let result: CommandResult | undefined;
let isRunning = false;
process.on('unhandledRejection', (reason) => {
  unhandled.push(reason instanceof Error ? (reason.stack ?? reason.message) : String(reason));
});
replaceProcessId();

const simulatedConnections = new URL('simulated-connections.ts', import.meta.url).href;
registerHooks({
  resolve(specifier, context, next) {
    const isNetworkModule = context.parentURL?.endsWith('/src/account/client/network.ts');
    if (isNetworkModule && specifier === './connections.ts') return next(simulatedConnections, context);
    return next(specifier, context);
  },
  load(url, context, next) {
    if (isRunning) unhandled.push(`${url} was loaded in a schedule. The end of loading can't be scheduled.`);
    return next(url, context);
  },
});
const { deliver: carry, dropTraffic, takeTraffic } = await import('./simulated-connections.ts');
const { main } = await import('../../../src/cli/main.ts');

/** Matches modules that actors don't use. Some of them start work when they are loaded. */
const unusedModules =
  /^(auth|diagnosis|pictures|reference|sandbox|interaction\/(prompts|sign-in|watching|editing)|commands\/(auth|completion|config|pictures|profiles|sandbox))\/|worker\.ts$/;
await loadModules();
replaceDisk({
  folder,
  clock,
  beforeWrite(label) {
    const order = stop({ state: 'disk', label });
    return 'proceed' in order ? order.fault : undefined;
  },
  whileBusy(label) {
    stop({ state: 'busy', label });
  },
});

/** Executes orders. Each turn ends when the process needs another order. */
async function executeOrders(): Promise<never> {
  for (;;) {
    await waitUntilIdle();
    const hasEnded = result !== undefined || !isRunning;
    if (hasEnded) {
      timers.clear();
      dropTraffic();
    }
    const report = {
      state: hasEnded ? ('over' as const) : ('idle' as const),
      ...(result && { ended: result }),
    };
    if (hasEnded) [isRunning, result] = [false, undefined];
    const order = stop(report);
    try {
      execute(order);
    } catch (error) {
      unhandled.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
    }
  }
}

/** Stops the process for an order. Writes between two command lines don't stop it. */
function stop(report: Report): Order {
  if (!isRunning && report.state !== 'over') return { proceed: true };
  return returnBaton(shared, port, {
    ...report,
    ...takeTraffic(),
    timers: timers.list(),
    unhandled: unhandled.splice(0),
  });
}

function execute(order: Order): void {
  if ('run' in order) run(order);
  else if ('fireTimer' in order) timers.fire(order.fireTimer);
  else if ('interrupt' in order) process.emit('SIGINT');
  else if (!('proceed' in order)) carry(order);
}

function run({ run: argv, env, pid, seed }: Extract<Order, { run: readonly string[] }>): void {
  [result, isRunning] = [undefined, true];
  simulatedPid = pid;
  seedChance(seed);
  const [stdout, stderr] = [new CapturedStream(), new CapturedStream()];
  const openStreams = (): Streams => ({
    stdin: Readable.from(['']) as Streams['stdin'],
    stdout: stdout as unknown as Streams['stdout'],
    stderr: stderr as unknown as Streams['stderr'],
    isTerminal: { in: false, out: false, err: false },
    columns: () => 80,
    rows: () => 24,
    color: { out: false, err: false },
    unicode: true,
    cursor: false,
    interactive: false,
    quiet: false,
    repeatedFlags: undefined,
  });
  const finish = (exitCode: number) => {
    result = { exitCode, stdout: stdout.text, stderr: stderr.text };
  };
  main(argv, env, openStreams).then(finish, (error) => {
    unhandled.push(String(error));
    finish(1);
  });
}

/** Loads all lazy modules of command lines beforehand, because the loading time would change the order. */
async function loadModules(): Promise<void> {
  const source = fileURLToPath(new URL('../../../src/', import.meta.url));
  const files = globSync('**/*.ts', { cwd: source }).filter((file) => !unusedModules.test(file));
  await Promise.all(files.map((file) => import(join(source, file))));
}

/** Waits until this thread has no work left except work that the scheduler controls. */
async function waitUntilIdle(): Promise<void> {
  let idleTurns = 0;
  while (idleTurns < 3) {
    await waitForTurn();
    idleTurns = process.getActiveResourcesInfo().some((name) => name.startsWith('FS')) ? 0 : idleTurns + 1;
  }
}

/** Gives each command line a different process id, and disables process.kill. */
function replaceProcessId(): void {
  Object.defineProperty(process, 'pid', { get: () => simulatedPid });
  process.kill = () => true;
  process.setMaxListeners(100);
}

class CapturedStream extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

parentPort?.postMessage('ready');
await executeOrders();
