/** A simulated process of boh: a thread that runs command lines one after another, and stops wherever the order matters. */
import { globSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { Streams } from '../../../src/terminal/streams.ts';
import { type CommandResult, giveBack, MachineClock, type Order, type Report, type Shared } from './baton.ts';
import { replaceDisk } from './simulated-disk.ts';
import { replaceRandom, replaceTimers, SimulatedTimers } from './simulated-time.ts';

/** The data with which the scheduler starts a thread. */
export interface ProcessData {
  shared: Shared;
  port: MessagePort;
  /** The folder that contains all files of the processes. */
  folder: string;
}

const { shared, port, folder } = workerData as ProcessData;
const clock = new MachineClock(shared);
const timers = new SimulatedTimers(clock);
const turn = replaceTimers(timers, clock);
const seedChance = replaceRandom();
const unhandled: string[] = [];
let ownPid = 1;
let ended: CommandResult | undefined;
let isRunning = false;
process.on('unhandledRejection', (reason) => {
  unhandled.push(reason instanceof Error ? (reason.stack ?? reason.message) : String(reason));
});
replaceProcessId();

const ownConnections = new URL('simulated-connections.ts', import.meta.url).href;
registerHooks({
  resolve(specifier, context, next) {
    const isOfNetwork = context.parentURL?.endsWith('/src/client/network.ts');
    if (isOfNetwork && specifier === './connections.ts') return next(ownConnections, context);
    return next(specifier, context);
  },
  load(url, context, next) {
    if (isRunning) unhandled.push(`${url} was loaded in a schedule. The end of loading can't be scheduled.`);
    return next(url, context);
  },
});
const { carry, dropTraffic, takeTraffic } = await import('./simulated-connections.ts');
const { main } = await import('../../../src/main.ts');

/** Modules that aren't used by actors and that start work when they are loaded. */
const neverLoaded =
  /^(auth|diagnosis|pictures|reference|sandbox|interaction\/(prompts|sign-in|watching|editing)|commands\/(auth|completion|config|pictures|profiles|sandbox))\/|worker\.ts$/;
await loadAll();
replaceDisk({
  folder,
  clock,
  beforeWrite(label) {
    const order = stop({ state: 'disk', label });
    return 'goOn' in order ? order.fault : undefined;
  },
  whileBusy(label) {
    stop({ state: 'busy', label });
  },
});

/** Carries out orders. Each turn ends when the process needs another order. */
async function work(): Promise<never> {
  for (;;) {
    await untilIdle();
    const isOver = ended !== undefined || !isRunning;
    if (isOver) {
      timers.clear();
      dropTraffic();
    }
    const report = { state: isOver ? ('over' as const) : ('idle' as const), ...(ended && { ended }) };
    if (isOver) [isRunning, ended] = [false, undefined];
    const order = stop(report);
    try {
      carryOut(order);
    } catch (error) {
      unhandled.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
    }
  }
}

/** Stops the process for an order. Writes between two command lines don't stop it. */
function stop(report: Report): Order {
  if (!isRunning && report.state !== 'over') return { goOn: true };
  return giveBack(shared, port, {
    ...report,
    ...takeTraffic(),
    timers: timers.list(),
    unhandled: unhandled.splice(0),
  });
}

function carryOut(order: Order): void {
  if ('run' in order) run(order);
  else if ('fire' in order) timers.fire(order.fire);
  else if (!('goOn' in order)) carry(order);
}

function run({ run: argv, env, pid, seed }: Extract<Order, { run: readonly string[] }>): void {
  [ended, isRunning] = [undefined, true];
  ownPid = pid;
  seedChance(seed);
  const [stdout, stderr] = [new CapturedStream(), new CapturedStream()];
  const open = (): Streams => ({
    stdin: Readable.from(['']) as Streams['stdin'],
    stdout: stdout as unknown as Streams['stdout'],
    stderr: stderr as unknown as Streams['stderr'],
    isTerminal: { in: false, out: false, err: false },
    columns: 80,
    rows: 24,
    color: { out: false, err: false },
    unicode: true,
    cursor: false,
    interactive: false,
    quiet: false,
    repeatedFlags: undefined,
  });
  const end = (exitCode: number) => {
    ended = { exitCode, stdout: stdout.text, stderr: stderr.text };
  };
  main(argv, env, open).then(end, (error) => {
    unhandled.push(String(error));
    end(1);
  });
}

/** Loads all lazy modules of command lines beforehand, because the loading time would change the order. */
async function loadAll(): Promise<void> {
  const source = fileURLToPath(new URL('../../../src/', import.meta.url));
  const files = globSync('**/*.ts', { cwd: source }).filter((file) => !neverLoaded.test(file));
  await Promise.all(files.map((file) => import(join(source, file))));
}

/** Waits until this thread has no work left except work that the scheduler controls. */
async function untilIdle(): Promise<void> {
  let turns = 0;
  while (turns < 3) {
    await turn();
    turns = process.getActiveResourcesInfo().some((name) => name.startsWith('FS')) ? 0 : turns + 1;
  }
}

/** Gives each command line a different process id, and disables process.kill. */
function replaceProcessId(): void {
  Object.defineProperty(process, 'pid', { get: () => ownPid });
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
await work();
