/** Requests and responses in transit, and their failures. */
import type { RandomGenerator } from '../../../src/base/random.ts';
import type { Actor, Command, PossibleEvent } from './actor.ts';
import type { MachineClock, Order, SentRequest } from './baton.ts';
import type { Service } from './service.ts';

/** The outcome that is drawn for a request: success (`success`) or a kind of failure. */
export type RequestOutcome =
  | 'success'
  | 'refused'
  | 'slow'
  | 'lost'
  | 'lost response'
  | 'truncated response'
  | 'late response'
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
  outcome: RequestOutcome;
  /** `repeating`: the service has responded, and the connection is about to repeat the request. */
  stage: 'started' | 'sent' | 'repeating' | 'arrived';
  /** The time by which it must arrive. */
  latestArrivalMs: number;
  /** Whether the added bug has sent it again. */
  isResent?: boolean;
  response?: { status: number; headers: Record<string, string>; body: string };
}

/** The maximum transit time of a request in milliseconds. boh waits slightly longer before it looks up a lost write. */
const maxTransitMs = 2000;

/** The relative probability of each step of a request. */
const stepWeight = 20;

export interface TrafficOptions {
  chance: RandomGenerator;
  clock: MachineClock;
  service: Service;
  actors: readonly Actor[];
  /** Whether to add a bug that the schedules must find: the connection resends a POST whose response was lost. */
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

  /** Adds a new request of a process. It fails with a probability of `failurePercent`. */
  add(actor: Actor, request: SentRequest, failurePercent: number): void {
    const { command } = actor;
    if (!command) throw new Error('A request without a command line.');
    this.#count += 1;
    const outcome = this.#outcomeOf(request, failurePercent);
    if (outcome !== 'success') command.faults.push(`${outcome}: ${request.method} ${request.target}`);
    const latestArrivalMs = Number.POSITIVE_INFINITY;
    actor.open.push({
      number: this.#count,
      command,
      sent: request,
      outcome,
      stage: 'started',
      latestArrivalMs: latestArrivalMs,
    });
  }

  /** Handles a request that its process has abandoned. */
  abandon(actor: Actor, id: number): void {
    const open = actor.open.find(({ sent: request }) => request.id === id);
    if (!open) return;
    actor.open = actor.open.filter((other) => other !== open);
    if (isInTransit(open)) this.#late.push(open);
  }

  /** Returns the time by which the next request must arrive, in milliseconds of the steady clock. */
  get latestArrivalMs(): number {
    return Math.min(...this.#inTransit().map(({ latestArrivalMs }) => latestArrivalMs));
  }

  /** Returns the arrival of a request that has been in transit for the maximum time. */
  overdue(): PossibleEvent | undefined {
    const open = this.#inTransit().find(
      ({ latestArrivalMs }) => latestArrivalMs <= this.#options.clock.steady,
    );
    return open && this.#arrival('at last', open);
  }

  /** Returns the arrivals of requests whose process no longer waits. */
  lateArrivals(): PossibleEvent[] {
    return this.#late.map((open) => this.#arrival('late', open));
  }

  /** Returns the possible next events of the requests of an actor. */
  eventsOf(actor: Actor): PossibleEvent[] {
    return actor.open.flatMap((open) => {
      if (open.stage === 'started') return [this.#sending(actor, open)];
      if (isInTransit(open)) return [this.#arrival(actor.name, open)];
      // The response is always too late: the time-out happens first.
      return open.outcome === 'late response' ? [] : [this.#delivery(actor, open)];
    });
  }

  #inTransit(): OpenRequest[] {
    return [...this.#options.actors.flatMap(({ open }) => open), ...this.#late].filter(isInTransit);
  }

  #sending(actor: Actor, open: OpenRequest): PossibleEvent {
    const description = `${actor.name} ${open.outcome === 'refused' ? '!' : '>'} ${formatRequest(open)}`;
    const { id } = open.sent;
    const take = () => {
      if (open.outcome === 'refused')
        return this.#close(actor, open, { failRequest: id, code: 'ECONNREFUSED' });
      this.#options.order(actor, { markSent: id });
      // A request that was abandoned is not sent.
      if (!actor.open.includes(open)) return;
      open.stage = 'sent';
      open.latestArrivalMs = this.#options.clock.steady + maxTransitMs;
    };
    return { weight: stepWeight, label: description, take };
  }

  /** Delivers the request to the service, unless it is lost or a proxy responds. */
  #arrival(actorName: string, open: OpenRequest): PossibleEvent {
    const isRepetition = open.stage === 'repeating';
    const take = () => {
      open.stage = open.outcome === 'repeated' && !isRepetition ? 'repeating' : 'arrived';
      if (open.stage === 'arrived') this.#late = this.#late.filter((other) => other !== open);
      if (isRepetition) this.#handleAtService(open, true);
      else open.response = this.#responseTo(open);
    };
    const isSlow = open.outcome === 'slow' && open.latestArrivalMs > this.#options.clock.steady;
    return {
      weight: isSlow ? 1 : stepWeight,
      label: `${actorName} ${isRepetition ? '= again' : '='} ${formatRequest(open)}`,
      take,
    };
  }

  #responseTo(open: OpenRequest): NonNullable<OpenRequest['response']> {
    const proxyResponse = { headers: {}, body: '{"message":"Try again."}' };
    if (open.outcome === 'lost') return { status: 0, headers: {}, body: '' };
    if (open.outcome === '503 before') return { status: 503, ...proxyResponse };
    if (open.outcome === '429 before') {
      const seconds = String(this.#options.chance.between(1, 3));
      return { status: 429, ...proxyResponse, headers: { 'retry-after': seconds } };
    }
    const { status, headers, body } = this.#handleAtService(open, open.isResent === true);
    return open.outcome === '502 after'
      ? { status: 502, ...proxyResponse }
      : { status, headers: { ...headers }, body };
  }

  #handleAtService({ number, command, sent: request }: OpenRequest, isRepeated: boolean) {
    return this.#options.service.handle({ id: number, command: command.number, isRepeated }, request);
  }

  /** Delivers the response to the process. */
  #delivery(actor: Actor, open: OpenRequest): PossibleEvent {
    const { id } = open.sent;
    const choice = (description: string, take: () => void) => ({
      weight: stepWeight,
      label: `${actor.name} < ${description}: ${formatRequest(open)}`,
      take,
    });
    if (open.outcome === 'lost response' && open.sent.method === 'POST' && this.#options.isResending) {
      return choice('sent again', () => {
        open.isResent = true;
        open.outcome = 'success';
        open.stage = 'sent';
      });
    }
    if (open.outcome === 'lost' || open.outcome === 'lost response')
      return choice('reset', () => this.#close(actor, open, { failRequest: id, code: 'ECONNRESET' }));
    const { response = { status: 0, headers: {}, body: '' } } = open;
    const truncation =
      open.outcome === 'truncated response' ? { cutAt: Math.floor(response.body.length / 2) } : {};
    const isComplete = ['success', 'repeated', 'slow'].includes(open.outcome);
    return choice(`${response.status} ${open.outcome}`, () => {
      if (isComplete) this.#options.service.acknowledge(open.number);
      this.#close(actor, open, { respondTo: id, ...response, ...truncation });
    });
  }

  #close(actor: Actor, open: OpenRequest, order: Order): void {
    actor.open = actor.open.filter((other) => other !== open);
    this.#options.order(actor, order);
  }

  #outcomeOf({ method }: SentRequest, failurePercent: number): RequestOutcome {
    const { chance } = this.#options;
    if (failurePercent === 0 || chance.between(1, 100) > failurePercent) return 'success';
    return chance.pick<RequestOutcome>([
      'refused',
      'slow',
      'lost',
      'lost response',
      'truncated response',
      'late response',
      '502 after',
      '503 before',
      '429 before',
      // A proxy may repeat these requests, but not a POST (RFC 9110, 9.2.2).
      ...(method === 'POST' ? [] : (['repeated'] as const)),
    ]);
  }
}

function isInTransit({ stage }: OpenRequest): boolean {
  return stage === 'sent' || stage === 'repeating';
}

function formatRequest({ sent: { method, target } }: OpenRequest): string {
  return `${method} ${target}`;
}
