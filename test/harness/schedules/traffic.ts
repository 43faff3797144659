/** Requests and answers on their way, and what goes wrong with them. */
import type { Chance } from '../../../src/base/chance.ts';
import type { Actor, Choice, Command } from './actor.ts';
import type { MachineClock, Order, SentRequest } from './baton.ts';
import type { Service } from './service.ts';

/** What goes wrong with a request. */
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

/** A request that its process waits for, or that is still on its way to the service. */
export interface OpenRequest {
  /** Among the requests of the schedule. */
  number: number;
  command: Command;
  sent: SentRequest;
  fate: Fate;
  /** `again`: the service has answered, and what stands in between is about to repeat it. */
  stage: 'begun' | 'left' | 'again' | 'arrived';
  /** When it has to arrive at the latest. */
  until: number;
  /** The planted bug has sent it again. */
  isResent?: boolean;
  answer?: { status: number; headers: Record<string, string>; body: string };
}

/** A request takes no longer to the service, in milliseconds: boh waits a little longer before it looks one up. */
const maxTravelMs = 2000;

/** How likely each step of a request is. */
const weight = 20;

export interface TrafficOptions {
  chance: Chance;
  clock: MachineClock;
  service: Service;
  actors: readonly Actor[];
  /** A bug to find: an answer that was lost makes the connection send a request again, whatever it is. */
  isResending?: boolean | undefined;
  /** Hands the baton to an actor. */
  order(actor: Actor, order: Order): void;
}

export class Traffic {
  readonly #options: TrafficOptions;
  /** No process waits for these any more, and they arrive anyway. */
  #late: OpenRequest[] = [];
  #count = 0;

  constructor(options: TrafficOptions) {
    this.#options = options;
  }

  /** Takes on a request that a process has begun; something goes wrong with `faults` of a hundred. */
  admit(actor: Actor, sent: SentRequest, faults: number): void {
    const { command } = actor;
    if (!command) throw new Error('A request of no command line.');
    this.#count += 1;
    const fate = this.#fateOf(sent, faults);
    if (fate !== 'fine') command.faults.push(`${fate}: ${sent.method} ${sent.target}`);
    const until = Number.POSITIVE_INFINITY;
    actor.open.push({ number: this.#count, command, sent, fate, stage: 'begun', until });
  }

  /** Its process waits no longer. */
  abandon(actor: Actor, id: number): void {
    const open = actor.open.find(({ sent }) => sent.id === id);
    if (!open) return;
    actor.open = actor.open.filter((other) => other !== open);
    if (isOnItsWay(open)) this.#late.push(open);
  }

  /** Milliseconds of the steady clock before which no request has to arrive. */
  get until(): number {
    return Math.min(...this.#onTheirWay().map(({ until }) => until));
  }

  /** The arrival of one that has been on its way for as long as any is. */
  overdue(): Choice | undefined {
    const open = this.#onTheirWay().find(({ until }) => until <= this.#options.clock.steady);
    return open && this.#arrival('at last', open);
  }

  /** Arrivals of requests that no process waits for. */
  lateOnes(): Choice[] {
    return this.#late.map((open) => this.#arrival('late', open));
  }

  /** What can happen next to the requests of an actor. */
  choicesOf(actor: Actor): Choice[] {
    return actor.open.flatMap((open) => {
      if (open.stage === 'begun') return [this.#leave(actor, open)];
      if (isOnItsWay(open)) return [this.#arrival(actor.name, open)];
      // Its answer comes too late in any case: the time-out comes before.
      return open.fate === 'late answer' ? [] : [this.#answer(actor, open)];
    });
  }

  #onTheirWay(): OpenRequest[] {
    return [...this.#options.actors.flatMap(({ open }) => open), ...this.#late].filter(isOnItsWay);
  }

  #leave(actor: Actor, open: OpenRequest): Choice {
    const what = `${actor.name} ${open.fate === 'refused' ? '!' : '>'} ${textOf(open)}`;
    const { id } = open.sent;
    const take = () => {
      if (open.fate === 'refused') return this.#close(actor, open, { breakOff: id, code: 'ECONNREFUSED' });
      this.#options.order(actor, { leave: id });
      // One that is given up in this very moment doesn't go out.
      if (!actor.open.includes(open)) return;
      open.stage = 'left';
      open.until = this.#options.clock.steady + maxTravelMs;
    };
    return { weight, label: what, take };
  }

  /** The service sees it, unless it is lost, or something in front of the service answers. */
  #arrival(by: string, open: OpenRequest): Choice {
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

  /** What comes back to the process. */
  #answer(actor: Actor, open: OpenRequest): Choice {
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
    return chance.one<Fate>([
      'refused',
      'slow',
      'lost',
      'lost answer',
      'half an answer',
      'late answer',
      '502 after',
      '503 before',
      '429 before',
      // What stands in between may repeat these, and does not repeat a POST (RFC 9110, 9.2.2).
      ...(method === 'POST' ? [] : (['repeated'] as const)),
    ]);
  }
}

function isOnItsWay({ stage }: OpenRequest): boolean {
  return stage === 'left' || stage === 'again';
}

function textOf({ sent: { method, target } }: OpenRequest): string {
  return `${method} ${target}`;
}
