/** Requests and answers in transit, and their failures. */
import type { RandomGenerator } from '../../../src/base/random.ts';
import type { Actor, Command, PossibleEvent } from './actor.ts';
import type { MachineClock, Order, SentRequest } from './baton.ts';
import type { Service } from './service.ts';

/** The outcome that is drawn for a request: success (`fine`) or a kind of failure. */
export type Fate =
  | 'fine'
  | 'refused'
  | 'slow'
  | 'lost'
  | 'lost answer'
  | 'half an answer'
  | 'late answer'
  | '502 after'
  | '503 before'
  | '429 before'
  | 'repeated';

/** A request that its process waits for, or that is still in transit to the service. */
export interface OpenRequest {
  /** The number of the request in the schedule. */
  number: number;
  command: Command;
  sent: SentRequest;
  fate: Fate;
  /** `again`: the service has answered, and the connection is about to repeat the request. */
  stage: 'begun' | 'left' | 'again' | 'arrived';
  /** The time by which it must arrive. */
  until: number;
  /** Whether the added bug has sent it again. */
  isResent?: boolean;
  answer?: { status: number; headers: Record<string, string>; body: string };
}

/** The maximum transit time of a request in milliseconds. boh waits slightly longer before it looks up a lost write. */
const maxTravelMs = 2000;

/** The relative probability of each step of a request. */
const weight = 20;

export interface TrafficOptions {
  chance: RandomGenerator;
  clock: MachineClock;
  service: Service;
  actors: readonly Actor[];
  /** Whether to add a bug that the schedules must find: the connection resends any request whose answer was lost. */
  isResending?: boolean | undefined;
  /** Hands the baton to an actor. */
  order(actor: Actor, order: Order): void;
}

export class Traffic {
  readonly #options: TrafficOptions;
  /** Requests that still arrive although their process no longer waits. */
  #late: OpenRequest[] = [];
  #count = 0;

  constructor(options: TrafficOptions) {
    this.#options = options;
  }

  /** Adds a new request of a process. It fails with a probability of `faults` percent. */
  add(actor: Actor, sent: SentRequest, faults: number): void {
    const { command } = actor;
    if (!command) throw new Error('A request without a command line.');
    this.#count += 1;
    const fate = this.#fateOf(sent, faults);
    if (fate !== 'fine') command.faults.push(`${fate}: ${sent.method} ${sent.target}`);
    const until = Number.POSITIVE_INFINITY;
    actor.open.push({ number: this.#count, command, sent, fate, stage: 'begun', until });
  }

  /** Handles a request that its process has abandoned. */
  abandon(actor: Actor, id: number): void {
    const open = actor.open.find(({ sent }) => sent.id === id);
    if (!open) return;
    actor.open = actor.open.filter((other) => other !== open);
    if (isInTransit(open)) this.#late.push(open);
  }

  /** Returns the time by which the next request must arrive, in milliseconds of the steady clock. */
  get until(): number {
    return Math.min(...this.#inTransit().map(({ until }) => until));
  }

  /** Returns the arrival of a request that has been in transit for the maximum time. */
  overdue(): PossibleEvent | undefined {
    const open = this.#inTransit().find(({ until }) => until <= this.#options.clock.steady);
    return open && this.#arrival('at last', open);
  }

  /** Returns the arrivals of requests whose process no longer waits. */
  lateArrivals(): PossibleEvent[] {
    return this.#late.map((open) => this.#arrival('late', open));
  }

  /** Returns the possible next events of the requests of an actor. */
  eventsOf(actor: Actor): PossibleEvent[] {
    return actor.open.flatMap((open) => {
      if (open.stage === 'begun') return [this.#sending(actor, open)];
      if (isInTransit(open)) return [this.#arrival(actor.name, open)];
      // The answer is always too late: the time-out happens first.
      return open.fate === 'late answer' ? [] : [this.#answer(actor, open)];
    });
  }

  #inTransit(): OpenRequest[] {
    return [...this.#options.actors.flatMap(({ open }) => open), ...this.#late].filter(isInTransit);
  }

  #sending(actor: Actor, open: OpenRequest): PossibleEvent {
    const what = `${actor.name} ${open.fate === 'refused' ? '!' : '>'} ${textOf(open)}`;
    const { id } = open.sent;
    const take = () => {
      if (open.fate === 'refused') return this.#close(actor, open, { breakOff: id, code: 'ECONNREFUSED' });
      this.#options.order(actor, { leave: id });
      // A request that was abandoned is not sent.
      if (!actor.open.includes(open)) return;
      open.stage = 'left';
      open.until = this.#options.clock.steady + maxTravelMs;
    };
    return { weight, label: what, take };
  }

  /** Delivers the request to the service, unless it is lost or a proxy answers. */
  #arrival(by: string, open: OpenRequest): PossibleEvent {
    const isAgain = open.stage === 'again';
    const take = () => {
      open.stage = open.fate === 'repeated' && !isAgain ? 'again' : 'arrived';
      if (open.stage === 'arrived') this.#late = this.#late.filter((other) => other !== open);
      if (isAgain) this.#atService(open, true);
      else open.answer = this.#answerTo(open);
    };
    const isSlow = open.fate === 'slow' && open.until > this.#options.clock.steady;
    return { weight: isSlow ? 1 : weight, label: `${by} ${isAgain ? '= again' : '='} ${textOf(open)}`, take };
  }

  #answerTo(open: OpenRequest): NonNullable<OpenRequest['answer']> {
    const inBetween = { headers: {}, body: '{"message":"Try again."}' };
    if (open.fate === 'lost') return { status: 0, headers: {}, body: '' };
    if (open.fate === '503 before') return { status: 503, ...inBetween };
    if (open.fate === '429 before') {
      const seconds = String(this.#options.chance.between(1, 3));
      return { status: 429, ...inBetween, headers: { 'retry-after': seconds } };
    }
    const { status, headers, body } = this.#atService(open, open.isResent === true);
    return open.fate === '502 after'
      ? { status: 502, ...inBetween }
      : { status, headers: { ...headers }, body };
  }

  #atService({ number, command, sent }: OpenRequest, isRepeated: boolean) {
    return this.#options.service.handle({ id: number, command: command.number, isRepeated }, sent);
  }

  /** Delivers the answer to the process. */
  #answer(actor: Actor, open: OpenRequest): PossibleEvent {
    const { id } = open.sent;
    const choice = (what: string, take: () => void) => ({
      weight,
      label: `${actor.name} < ${what}: ${textOf(open)}`,
      take,
    });
    if (open.fate === 'lost answer' && this.#options.isResending) {
      return choice('sent again', () => {
        open.isResent = true;
        open.fate = 'fine';
        open.stage = 'left';
      });
    }
    if (open.fate === 'lost' || open.fate === 'lost answer')
      return choice('reset', () => this.#close(actor, open, { breakOff: id, code: 'ECONNRESET' }));
    const { answer = { status: 0, headers: {}, body: '' } } = open;
    const cut = open.fate === 'half an answer' ? { cutAt: Math.floor(answer.body.length / 2) } : {};
    const isWhole = ['fine', 'repeated', 'slow'].includes(open.fate);
    return choice(`${answer.status} ${open.fate}`, () => {
      if (isWhole) this.#options.service.acknowledge(open.number);
      this.#close(actor, open, { answer: id, ...answer, ...cut });
    });
  }

  #close(actor: Actor, open: OpenRequest, order: Order): void {
    actor.open = actor.open.filter((other) => other !== open);
    this.#options.order(actor, order);
  }

  #fateOf({ method }: SentRequest, faults: number): Fate {
    const { chance } = this.#options;
    if (faults === 0 || chance.between(1, 100) > faults) return 'fine';
    return chance.pick<Fate>([
      'refused',
      'slow',
      'lost',
      'lost answer',
      'half an answer',
      'late answer',
      '502 after',
      '503 before',
      '429 before',
      // A proxy may repeat these requests, but not a POST (RFC 9110, 9.2.2).
      ...(method === 'POST' ? [] : (['repeated'] as const)),
    ]);
  }
}

function isInTransit({ stage }: OpenRequest): boolean {
  return stage === 'left' || stage === 'again';
}

function textOf({ sent: { method, target } }: OpenRequest): string {
  return `${method} ${target}`;
}
