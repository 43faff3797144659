/**
 * Draws the next event among all possible ones: which process continues, which request or answer arrives, which timer
 * fires, which write is made, and what fails. The same seed draws the same events.
 */
import { createHash } from 'node:crypto';
import type { RandomGenerator } from '../../../src/base/random.ts';
import type { Actor, Choice, Command, Trouble } from './actor.ts';
import { type DiskFault, type Ended, handOver, type MachineClock, type Order } from './baton.ts';
import type { Service } from './service.ts';
import { Traffic } from './traffic.ts';

/** A schedule with more steps than this never ends. */
const maxSteps = 60_000;

/** Relative probabilities: ready events come much sooner than a timer of a second. */
const weights = { begin: 10, write: 40, timer: 30, busy: 4, soon: 20, later: 3, late: 1, jump: 1 };

export interface SchedulerOptions {
  chance: RandomGenerator;
  clock: MachineClock;
  service: Service;
  actors: readonly Actor[];
  /** The folder of all files of the processes; its name differs each time. */
  folder: string;
  /** The environment of each process. */
  env: Record<string, string>;
  /** A bug to plant; see `Traffic`. */
  isResending?: boolean | undefined;
  /** Called with the description of each step. */
  onStep?: ((label: string) => void) | undefined;
}

export class Scheduler {
  trouble: Trouble = { requests: 0, disk: 0, jumps: 0 };
  steps = 0;
  readonly commands: Command[] = [];
  /** Unhandled rejections. */
  readonly unhandled: string[] = [];
  readonly #options: SchedulerOptions;
  readonly #traffic: Traffic;
  readonly #hash = createHash('sha256');
  /** The command lines that the actors run next. */
  readonly #waiting = new Map<Actor, readonly string[]>();
  #next: (actor: Actor) => readonly string[] | undefined = () => undefined;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#traffic = new Traffic({ ...options, order: (actor, order) => this.#order(actor, order) });
  }

  /** A digest of the order of all events and of all output. */
  get digest(): string {
    return this.#hash.copy().digest('hex').slice(0, 12);
  }

  /** Runs the command lines that `next` returns, until it returns none and every request has arrived. */
  run(next: (actor: Actor) => readonly string[] | undefined): void {
    this.#next = next;
    for (const actor of this.#options.actors) this.#give(actor);
    for (;;) {
      const choices = this.#choices();
      if (choices.length === 0) break;
      const { label, take } = this.#drawn(choices);
      this.#note(label);
      take();
      if (this.steps > maxSteps) throw new Error(`The schedule hasn't ended after ${maxSteps} steps.`);
    }
    const stuck = this.#options.actors.find(({ report }) => report.parked !== 'over');
    if (stuck) throw new Error(`${stuck.name} waits for something that never comes.`);
  }

  #give(actor: Actor): void {
    const argv = this.#next(actor);
    if (argv) this.#waiting.set(actor, argv);
  }

  #drawn(choices: readonly Choice[]): Choice {
    const sum = choices.reduce((all, { weight }) => all + weight, 0);
    let at = this.#options.chance.between(0, sum - 1);
    for (const choice of choices) {
      if (at < choice.weight) return choice;
      at -= choice.weight;
    }
    throw new Error('Nothing was drawn.');
  }

  #note(label: string): void {
    this.steps += 1;
    this.#hash.update(`${label}\n`);
    this.#options.onStep?.(`${Math.round(this.#options.clock.steady)} ms  ${label}`);
  }

  #choices(): Choice[] {
    const overdue = this.#traffic.overdue();
    if (overdue) return [overdue];
    const ready = [
      ...this.#options.actors.flatMap((actor) => this.#ofActor(actor)),
      ...this.#traffic.lateOnes(),
    ];
    const timer = this.#timerToCome(ready.length > 0);
    const jump = { weight: weights.jump, label: 'clock jumps', take: () => this.#jump() };
    return [
      ...ready,
      ...(timer ? [timer] : []),
      ...(this.trouble.jumps > 0 && ready.length > 0 ? [jump] : []),
    ];
  }

  /** Advances time to the first timer that is not due yet, whatever else is ready: that is late then. */
  #timerToCome(isOtherReady: boolean): Choice | undefined {
    const { actors, clock } = this.#options;
    const idle = actors.filter(({ report }) => report.parked === 'idle');
    const all = idle.flatMap((actor) => (actor.report.timers ?? []).map((timer) => ({ actor, timer })));
    const [first] = all
      .filter(({ timer }) => timer.at > clock.steady)
      .sort((a, b) => a.timer.at - b.timer.at);
    if (!first) return undefined;
    const ms = first.timer.at - clock.steady;
    // Without failures no one has to wait as long as a time-out.
    if (this.trouble.requests === 0 && isOtherReady && ms > 50) return undefined;
    return {
      weight: ms <= 50 ? weights.soon : ms <= 3000 ? weights.later : weights.late,
      label: `${first.actor.name} timer in ${Math.ceil(ms)} ms`,
      take: () => this.#pass(ms, () => this.#order(first.actor, { fire: first.timer.id })),
    };
  }

  /** The time by which requests have to arrive: time does not advance further. */
  #pass(ms: number, then: () => void): void {
    const { clock } = this.#options;
    const { until } = this.#traffic;
    if (clock.steady + ms > until) {
      clock.steady = until;
      return;
    }
    clock.steady += ms;
    then();
  }

  #jump(): void {
    const { clock, chance } = this.#options;
    this.trouble.jumps -= 1;
    const minutes = chance.one([-180, -60, -5, -1, 1, 5, 60, 180]);
    clock.ahead += minutes * 60_000;
    this.#note(`by ${minutes} minutes`);
  }

  #ofActor(actor: Actor): Choice[] {
    const { report, name } = actor;
    const goOn = (fault?: DiskFault) => this.#order(actor, { goOn: true, ...(fault && { fault }) });
    if (report.parked === 'over') return this.#beginning(actor);
    if (report.parked === 'disk') {
      const take = () => goOn(this.#diskFault(actor));
      return [{ weight: weights.write, label: `${name} ${report.label}`, take }];
    }
    if (report.parked === 'busy') {
      const take = () => this.#pass(5, () => goOn());
      return [{ weight: weights.busy, label: `${name} waits for ${report.label}`, take }];
    }
    const due = (report.timers ?? []).filter(({ at }) => at <= this.#options.clock.steady);
    const [timer] = due.sort((a, b) => a.at - b.at || a.id - b.id);
    const fire = timer && {
      weight: weights.timer,
      label: `${name} timer`,
      take: () => this.#order(actor, { fire: timer.id }),
    };
    return [...(fire ? [fire] : []), ...this.#traffic.choicesOf(actor)];
  }

  #beginning(actor: Actor): Choice[] {
    const argv = this.#waiting.get(actor);
    if (!argv) return [];
    const take = () => {
      const { chance, env } = this.#options;
      this.#waiting.delete(actor);
      const number = this.commands.length + 1;
      actor.command = { number, actor: actor.name, argv, faults: [], hadDiskFault: false };
      this.commands.push(actor.command);
      this.#order(actor, { run: argv, env, pid: 1000 + number, seed: chance.between(1, 1e9) });
    };
    // The names of folders differ each time.
    const words = argv.filter((word) => !word.includes('/'));
    return [{ weight: weights.begin, label: `${actor.name} $ ${words.join(' ')}`, take }];
  }

  #diskFault(actor: Actor): DiskFault | undefined {
    const { chance } = this.#options;
    // Deleting a file needs no space.
    if (!actor.command || actor.report.label?.startsWith('remove')) return undefined;
    if (chance.between(1, 100) > this.trouble.disk) return undefined;
    const fault = chance.one(['full', 'short'] as const);
    actor.command.hadDiskFault = true;
    actor.command.faults.push(`${fault}: ${actor.report.label}`);
    this.#note(`${actor.name} ${fault}`);
    return fault;
  }

  /** Replaces the name of the folder, which differs each time, and the head of a history that stores command lines. */
  #printed({ stdout, stderr }: Ended): string {
    return `${stdout}${stderr}`
      .replaceAll(this.#options.folder, '…')
      .replace(/("head": "\d+):[\w-]+"/, '$1"');
  }

  #order(actor: Actor, order: Order): void {
    const { clock, chance } = this.#options;
    // Simulated steps take time.
    clock.steady += chance.between(0, 3);
    actor.report = handOver(actor.thread, order);
    const { requests = [], abandoned = [], ended, parked, unhandled = [] } = actor.report;
    this.unhandled.push(...unhandled);
    for (const sent of requests) this.#traffic.admit(actor, sent, this.trouble.requests);
    for (const id of abandoned) this.#traffic.abandon(actor, id);
    if (parked !== 'over') return;
    if (actor.command && ended) actor.command.ended = ended;
    for (const { sent } of [...actor.open]) this.#traffic.abandon(actor, sent.id);
    if (ended) {
      this.#note(`${actor.name} ends with ${ended.exitCode}`);
      this.#hash.update(this.#printed(ended));
    }
    this.#give(actor);
  }
}
