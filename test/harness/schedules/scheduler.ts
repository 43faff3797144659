/**
 * Draws the next event from all possible events: a process continues, a request or a response arrives, a timer fires, a
 * write is made, or a failure. The same seed draws the same events.
 */
import { createHash } from 'node:crypto';
import type { RandomGenerator } from '../../../src/base/random.ts';
import type { Actor, Command, FailureRates, PossibleEvent } from './actor.ts';
import {
  type CommandResult,
  type DiskFault,
  type MachineClock,
  type Order,
  runUntilReturn,
} from './baton.ts';
import type { Service } from './service.ts';
import { Traffic } from './traffic.ts';

/** The maximum number of steps of a schedule. With more steps it counts as endless. */
const maxSteps = 60_000;

/** Relative probabilities. Ready events are much more likely than a timer of a second. */
const weights = {
  begin: 10,
  write: 40,
  timer: 30,
  busy: 4,
  soon: 20,
  later: 3,
  late: 1,
  jump: 1,
  interrupt: 1,
};

export interface SchedulerOptions {
  chance: RandomGenerator;
  clock: MachineClock;
  service: Service;
  actors: readonly Actor[];
  /** The folder of all files of the processes. Its name differs each time. */
  folder: string;
  /** The environment of each process. */
  env: Record<string, string>;
  /** Whether to add a bug; see `Traffic`. */
  isResending?: boolean | undefined;
  /** Called with the description of each step. */
  onStep?: ((label: string) => void) | undefined;
}

export class Scheduler {
  failureRates: FailureRates = { requests: 0, disk: 0, jumps: 0, interrupts: 0 };
  steps = 0;
  readonly commands: Command[] = [];
  /** Unhandled rejections. */
  readonly unhandled: string[] = [];
  readonly #options: SchedulerOptions;
  readonly #traffic: Traffic;
  readonly #hash = createHash('sha256');
  /** The next command line of each actor. */
  readonly #waiting = new Map<Actor, readonly string[]>();
  #next: (actor: Actor) => readonly string[] | undefined = () => undefined;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#traffic = new Traffic({ ...options, order: (actor, order) => this.#sendOrder(actor, order) });
  }

  /** A digest of all events, in order, and of all output. */
  get digest(): string {
    return this.#hash.copy().digest('hex').slice(0, 12);
  }

  /** Runs the command lines that `next` returns, until it returns none and every request has arrived. */
  run(next: (actor: Actor) => readonly string[] | undefined): void {
    this.#next = next;
    for (const actor of this.#options.actors) this.#assignNext(actor);
    for (;;) {
      const choices = this.#possibleEvents();
      if (choices.length === 0) break;
      const { label, take } = this.#drawEvent(choices);
      this.#recordStep(label);
      take();
      if (this.steps > maxSteps) throw new Error(`The schedule hasn't ended after ${maxSteps} steps.`);
    }
    const stuck = this.#options.actors.find(({ report }) => report.state !== 'over');
    if (stuck) throw new Error(`${stuck.name} waits for an event that never happens.`);
  }

  #assignNext(actor: Actor): void {
    const argv = this.#next(actor);
    if (argv) this.#waiting.set(actor, argv);
  }

  #drawEvent(choices: readonly PossibleEvent[]): PossibleEvent {
    const sum = choices.reduce((timers, { weight }) => timers + weight, 0);
    let remainder = this.#options.chance.between(0, sum - 1);
    for (const choice of choices) {
      if (remainder < choice.weight) return choice;
      remainder -= choice.weight;
    }
    throw new Error('No event was drawn.');
  }

  #recordStep(label: string): void {
    this.steps += 1;
    this.#hash.update(`${label}\n`);
    this.#options.onStep?.(`${Math.round(this.#options.clock.steady)} ms  ${label}`);
  }

  #possibleEvents(): PossibleEvent[] {
    const overdueArrival = this.#traffic.overdue();
    if (overdueArrival) return [overdueArrival];
    const ready = [
      ...this.#options.actors.flatMap((actor) => this.#eventsOf(actor)),
      ...this.#traffic.lateArrivals(),
    ];
    const timer = this.#nextTimer(ready.length > 0);
    const jump = { weight: weights.jump, label: 'clock jumps', take: () => this.#jumpClock() };
    return [
      ...ready,
      ...(timer ? [timer] : []),
      ...(this.failureRates.jumps > 0 && ready.length > 0 ? [jump] : []),
    ];
  }

  /** Returns the event that advances time to the next timer. Events that are ready are then late. */
  #nextTimer(isOtherReady: boolean): PossibleEvent | undefined {
    const { actors, clock } = this.#options;
    const idle = actors.filter(({ report }) => report.state === 'idle');
    const timers = idle.flatMap((actor) => (actor.report.timers ?? []).map((timer) => ({ actor, timer })));
    const [first] = timers
      .filter(({ timer }) => timer.dueMs > clock.steady)
      .sort((a, b) => a.timer.dueMs - b.timer.dueMs);
    if (!first) return undefined;
    const ms = first.timer.dueMs - clock.steady;
    // Without failures an actor never has to wait for a time-out.
    if (this.failureRates.requests === 0 && isOtherReady && ms > 50) return undefined;
    return {
      weight: ms <= 50 ? weights.soon : ms <= 3000 ? weights.later : weights.late,
      label: `${first.actor.name} timer in ${Math.ceil(ms)} ms`,
      take: () => this.#advance(ms, () => this.#sendOrder(first.actor, { fireTimer: first.timer.id })),
    };
  }

  /** Advances time, but not beyond the time by which requests must arrive. */
  #advance(ms: number, onArrival: () => void): void {
    const { clock } = this.#options;
    const { latestArrivalMs: latestMs } = this.#traffic;
    if (clock.steady + ms > latestMs) {
      clock.steady = latestMs;
      return;
    }
    clock.steady += ms;
    onArrival();
  }

  #jumpClock(): void {
    const { clock, chance } = this.#options;
    this.failureRates.jumps -= 1;
    const minutes = chance.pick([-180, -60, -5, -1, 1, 5, 60, 180]);
    clock.wallOffset += minutes * 60_000;
    this.#recordStep(`by ${minutes} minutes`);
  }

  #eventsOf(actor: Actor): PossibleEvent[] {
    const { report, name } = actor;
    const proceed = (fault?: DiskFault) => this.#sendOrder(actor, { proceed: true, ...(fault && { fault }) });
    if (report.state === 'over') return this.#startEvents(actor);
    if (report.state === 'disk') {
      const take = () => proceed(this.#diskFault(actor));
      return [{ weight: weights.write, label: `${name} ${report.label}`, take }];
    }
    if (report.state === 'busy') {
      const take = () => this.#advance(5, () => proceed());
      return [{ weight: weights.busy, label: `${name} waits for ${report.label}`, take }];
    }
    const dueTimers = (report.timers ?? []).filter(
      ({ dueMs: remainder }) => remainder <= this.#options.clock.steady,
    );
    const [timer] = dueTimers.sort((a, b) => a.dueMs - b.dueMs || a.id - b.id);
    const fire = timer && {
      weight: weights.timer,
      label: `${name} timer`,
      take: () => this.#sendOrder(actor, { fireTimer: timer.id }),
    };
    return [...(fire ? [fire] : []), ...this.#interruptOf(actor), ...this.#traffic.eventsOf(actor)];
  }

  /** Returns the event that a run is interrupted while its requests are in progress. */
  #interruptOf(actor: Actor): PossibleEvent[] {
    const { command, open, name } = actor;
    const isRun = /^(apply|suppliers import)/.test(command?.argv.join(' ') ?? '');
    const isSending = open.some(({ sent: { method } }) => method !== 'GET');
    const wasInterrupted = command?.faults.includes('interrupt');
    if (this.failureRates.interrupts === 0 || !isRun || !isSending || wasInterrupted) return [];
    const take = () => {
      this.failureRates.interrupts -= 1;
      command?.faults.push('interrupt');
      this.#sendOrder(actor, { interrupt: true });
    };
    return [{ weight: weights.interrupt, label: `${name} is interrupted`, take }];
  }

  #startEvents(actor: Actor): PossibleEvent[] {
    const argv = this.#waiting.get(actor);
    if (!argv) return [];
    const take = () => {
      const { chance, env } = this.#options;
      this.#waiting.delete(actor);
      const number = this.commands.length + 1;
      actor.command = { number, actor: actor.name, argv, faults: [], hadDiskFault: false };
      this.commands.push(actor.command);
      this.#sendOrder(actor, { run: argv, env, pid: 1000 + number, seed: chance.between(1, 1e9) });
    };
    // Names of folders differ each time.
    const words = argv.filter((word) => !word.includes('/'));
    return [{ weight: weights.begin, label: `${actor.name} $ ${words.join(' ')}`, take }];
  }

  #diskFault(actor: Actor): DiskFault | undefined {
    const { chance } = this.#options;
    // Deleting a file needs no space.
    if (!actor.command || actor.report.label?.startsWith('remove')) return undefined;
    if (chance.between(1, 100) > this.failureRates.disk) return undefined;
    const fault = chance.pick(['full', 'short'] as const);
    actor.command.hadDiskFault = true;
    actor.command.faults.push(`${fault}: ${actor.report.label}`);
    this.#recordStep(`${actor.name} ${fault}`);
    return fault;
  }

  /** Returns the output without values that differ each time: the folder, and the head of a history that stores command lines. */
  #comparableOutput({ stdout, stderr }: CommandResult): string {
    return `${stdout}${stderr}`
      .replaceAll(this.#options.folder, '…')
      .replace(/("head": "\d+):[\w-]+"/, '$1"');
  }

  #sendOrder(actor: Actor, order: Order): void {
    const { clock, chance } = this.#options;
    // Simulated steps take time.
    clock.steady += chance.between(0, 3);
    actor.report = runUntilReturn(actor.thread, order);
    const { requests = [], abandoned = [], ended, state, unhandled = [] } = actor.report;
    this.unhandled.push(...unhandled);
    for (const request of requests) this.#traffic.add(actor, request, this.failureRates.requests);
    for (const id of abandoned) this.#traffic.abandon(actor, id);
    if (state !== 'over') return;
    if (actor.command && ended) actor.command.ended = ended;
    for (const { sent } of [...actor.open]) this.#traffic.abandon(actor, sent.id);
    if (ended) {
      this.#recordStep(`${actor.name} ends with ${ended.exitCode}`);
      this.#hash.update(this.#comparableOutput(ended));
    }
    this.#assignNext(actor);
  }
}
