/** The one path that every write takes: checked, permitted, approved, resolved, completed, sent once, its outcome told. */

import type { Answered } from '../client/client.ts';
import type { Call } from '../client/request.ts';
import type { HttpRequest } from '../client/transport.ts';
import { bodyProblems } from '../contract/body-problems.ts';
import type { Operation } from '../contract/operation.ts';
import { Failure, type FieldMessages, violations } from '../errors.ts';
import type { Account } from './account.ts';
import { hasNames } from './names.ts';
import { commandOf, withOutcome } from './outcome.ts';
import type { Row } from './row.ts';

export type { Call };

/** A write as it goes out: its names are ids, and what stands for the signed-in user is filled in. */
export interface OutgoingWrite {
  /** Absent for a request that the contract doesn't know. */
  call?: Call | undefined;
  /** Without its headers, which hold the token. */
  request: Omit<HttpRequest, 'headers'>;
  /** What is known of it besides. */
  told: WriteTold;
  /** Writes that leave soon after it, none of them begun yet: what is written down of it can be written down of them, too. */
  next?: (() => readonly OutgoingWrite[]) | undefined;
}

/** A write of a run over many records: the same part again is the same write. */
export interface Part {
  run: string;
  name: string;
}

/** What has come of a part: it was carried out, on the record with this id; or nothing, and it may be sent again. */
export type Came = { to: 'done'; id: string | undefined } | { to: 'nothing' };

/** What whoever writes may know besides the call. */
export interface WriteTold {
  /** The record as it was read before, or as much of it as the write is about: nobody needs to read it again. */
  known?: Row | undefined;
  /** Others like it follow: what it does to the record that it doesn’t say is looked at before they leave. */
  isOfSeveral?: true | undefined;
  /** The run over many records that it is a part of, and which part: the same one again is the same write. */
  part?: Part | undefined;
  /** The parts of the run that leave soon after it, none of them begun yet. They may turn out not to leave at all. */
  next?: (() => readonly { call: Call; told: WriteTold }[]) | undefined;
}

/** The account that is written to, for observers: reads go out like any other, within the token’s scopes. */
export interface WriteReader {
  get(call: Call): Promise<Answered>;
  /** Who is signed in, where that was asked before: nothing is sent for it. */
  whoami(): Promise<Account | undefined>;
  /** Stands for the token in use at its address, and gives nothing of it away. */
  accountKey(): Promise<string>;
}

/** What became of a write; `failure.details.outcome` says whether a failed one may have happened. */
export type WriteOutcome =
  | { done: true; answered?: Answered | undefined }
  | { done: false; failure: Failure };

/** As much of a write as is known before it; no operation where the contract doesn't know the request. */
export type ForetoldWrite = Partial<Pick<Call, 'operation' | 'body'>> & {
  /** The record that it changes, where that was read. */
  known?: Row | undefined;
};

/** Hears of each write. One that throws before it stops it; afterwards there is nothing to stop. */
export interface WriteObserver {
  /** Writes that are to come: told before anybody is asked for them, and in a dry run, where nothing is sent. */
  foretold?(writes: readonly ForetoldWrite[]): Promise<void> | void;
  before?(write: OutgoingWrite, reader: WriteReader): Promise<void> | void;
  after?(write: OutgoingWrite, outcome: WriteOutcome): Promise<void> | void;
  /** The parts of a run, by name, that it heard of before they left and never again: their process was killed. */
  leftOpen?(run: string): Promise<readonly string[]> | readonly string[];
  /** One of those, or one of unknown outcome: what the ledger or a look at the service has shown since. */
  settled?(part: Part, came: Came): Promise<void> | void;
  /** Nothing more of the run leaves in this process: what it heard of and did not leave never will. */
  runEnded?(): Promise<void> | void;
}

/** What has come of `Session.write`: done, with the record where the answer has one, or only planned. */
export type Written =
  | { planned: HttpRequest; call: Call }
  | { planned?: undefined; call: Call; answered?: Answered | undefined };

/** Every violation at once, before anything is sent. Throws a usage failure. */
export async function check({ operation, body = {} }: Call): Promise<void> {
  if (operation.body.length === 0) return;
  const messages: FieldMessages = await bodyProblems(operation, body);
  // A link says something without any field.
  if (operation.effect !== 'link' && Object.keys(messages).length === 0 && Object.keys(body).length === 0) {
    messages._ = ['give at least one field'];
  }
  if (Object.keys(messages).length === 0) return;
  throw violations(`The input of ${operation.command}`, messages, `See: boh ${operation.command} --help`);
}

/** Fields that stand for the signed-in user where they are left out (docs/deployments.md: "Values"). */
export async function complete(call: Call, signedInUser: () => Promise<string>): Promise<Call> {
  const { operation, body = {} } = call;
  const missing = missingUsers(call);
  if (missing.length === 0) return call;
  const id = await signedInUser();
  const given: Record<string, unknown> = {
    ...body,
    ...Object.fromEntries(missing.map(({ name }) => [name, id])),
  };
  // In the order of the fields; what the contract doesn't know follows behind.
  const known = operation.body.map(({ name }) => name).filter((name) => Object.hasOwn(given, name));
  return { ...call, body: { ...Object.fromEntries(known.map((name) => [name, given[name]])), ...given } };
}

/** Fields of a new record in whose place the signed-in user stands. */
function missingUsers({ operation, body = {} }: Call): Operation['body'] {
  if (operation.effect !== 'create') return [];
  return operation.body.filter(
    ({ name, field }) => field.traits.defaultsToSignedInUser && body[name] === undefined,
  );
}

/** What follows it is told of as far as it is known as it will leave, without asking for anything. */
export function outgoingOf(
  call: Call,
  told: WriteTold,
  requestFor: (call: Call) => HttpRequest,
): OutgoingWrite {
  const isKnown = (one: Call) => !hasNames(one) && missingUsers(one).length === 0;
  const next = () =>
    (told.next?.() ?? []).flatMap((one) =>
      isKnown(one.call) ? outgoingOf(one.call, one.told, requestFor) : [],
    );
  return { call, request: withoutHeaders(requestFor(call)), told, next };
}

/** Sends it, once, between what the observers do before and after. Throws its failure with the outcome in it. */
export async function sendObserved<Sent extends { answered?: Answered | undefined }>(
  write: OutgoingWrite,
  observers: readonly WriteObserver[],
  send: () => Promise<Sent>,
  reader: WriteReader,
): Promise<Sent> {
  const what = write.call ? commandOf(write.call) : `${write.request.method} ${write.request.target}`;
  for (const observer of observers) await observer.before?.(write, reader);
  try {
    const sent = await send();
    for (const observer of observers) await observer.after?.(write, { done: true, answered: sent.answered });
    return sent;
  } catch (error) {
    const failure = withOutcome(error, { call: write.call, what });
    if (failure instanceof Failure) {
      for (const observer of observers) await observer.after?.(write, { done: false, failure });
    }
    throw failure;
  }
}

/** What observers hear of runs over many records besides their writes. */
export interface RunsObserved {
  /** The parts of a run, by name, whose process was killed before observers heard what came of them. */
  leftOpen(run: string): Promise<string[]>;
  /** What has come of one of those, or of one that ended on an unknown outcome. */
  settled(part: Part, came: Came): Promise<void>;
  /** Nothing more of a run leaves in this process. */
  ended(): Promise<void>;
}

export function runsObserved(observers: readonly WriteObserver[]): RunsObserved {
  return {
    leftOpen: async (run) => {
      const all = await Promise.all(observers.map((observer) => observer.leftOpen?.(run) ?? []));
      return [...new Set(all.flat())];
    },
    settled: async (part, came) => {
      for (const observer of observers) await observer.settled?.(part, came);
    },
    ended: async () => {
      for (const observer of observers) await observer.runEnded?.();
    },
  };
}

/** Headers hold the token, and are for nobody who only looks. */
function withoutHeaders({ method, target, body }: HttpRequest): OutgoingWrite['request'] {
  return { method, target, body };
}
