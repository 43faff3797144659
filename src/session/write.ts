/** A write on its way: what observers learn of it, the check against the contract, and the values filled in for the user. */

import { type Failure, type FieldMessages, violations } from '../base/errors.ts';
import type { Answered } from '../client/client.ts';
import type { Call } from '../client/request.ts';
import type { HttpRequest } from '../client/transport.ts';
import { bodyProblems } from '../contract/body-problems.ts';
import type { Operation } from '../contract/operation.ts';
import type { Account } from './account.ts';
import type { Row } from './row.ts';

export type { Answered, Call };

/** A write as it goes out: its names are ids, and what stands for the signed-in user is filled in. */
export interface OutgoingWrite {
  /** Absent for a request that the contract doesn't know. */
  call?: Call | undefined;
  /** Without its headers, which hold the token. */
  request: Omit<HttpRequest, 'headers'>;
  /** What is known of it besides. */
  told: WriteTold;
}

/** A write of a run over many records: the same part again is the same write. */
export interface Part {
  run: string;
  name: string;
}

/** What happened to a part: it was carried out, on the record with this id; or it was not, and may be sent again. */
export type Result = { is: 'done'; id: string | undefined } | { is: 'not_sent' };

/** What whoever writes may know besides the call. */
export interface WriteTold {
  /** The record as it was read before, or as much of it as the write is about: nobody needs to read it again. */
  known?: Row | undefined;
  /** Others like it follow: what it does to the record that it doesn’t say is looked at before they leave. */
  isOfSeveral?: true | undefined;
  /**
   * Of a creation: the failure where it is answered with this id, which is known to be that of another record. It is not
   * done then.
   */
  repeated?: ((id: string) => Failure | undefined) | undefined;
  /** The run over many records that it is a part of, and which part: the same one again is the same write. */
  part?: Part | undefined;
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

/** Is called with each write of a session. One that throws before a write stops it; afterwards there is nothing to stop. */
export interface WriteObserver {
  /** Writes that are to come: called before anyone is asked to approve them, and in a dry run, where nothing is sent. */
  foretold?(writes: readonly ForetoldWrite[]): Promise<void> | void;
  /**
   * Is called before a write leaves: with that write alone, or once with the next batch of a run, in its order. None of
   * the batch has left yet. A write may turn out not to leave: `runEnded` names it then.
   */
  before?(batch: readonly OutgoingWrite[], reader: WriteReader): Promise<void> | void;
  /** Is called for each write right before it is sent. */
  leaving?(write: OutgoingWrite): Promise<void> | void;
  after?(write: OutgoingWrite, outcome: WriteOutcome): Promise<void> | void;
  /** Returns the names of the run's parts that were announced without a known outcome: their process was killed. */
  leftOpen?(run: string): Promise<readonly string[]> | readonly string[];
  /** One of those, or one of unknown outcome: what the ledger or a look at the service has shown since. */
  reconciled?(part: Part, result: Result): Promise<void> | void;
  /** Nothing more of the run is sent by this process; `unsent` was announced and never left. */
  runEnded?(unsent: readonly OutgoingWrite[]): Promise<void> | void;
}

/** The result of `Session.write`: done, with the record where the answer has one, or only planned. */
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

/** Fields that stand for the signed-in user where they are left out (docs/reference/deployments.md: "Values"). */
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

/** Returns the fields of a new record that are left out and stand for the signed-in user. */
export function missingUsers({ operation, body = {} }: Call): Operation['body'] {
  if (operation.effect !== 'create') return [];
  return operation.body.filter(
    ({ name, field }) => field.traits.defaultsToSignedInUser && body[name] === undefined,
  );
}

/** The same answer. Throws where it is to a creation, and holds the id of a record that is known to be another one. */
export function ownRecord(
  { operation }: Call,
  { repeated }: WriteTold,
  answered: Answered | undefined,
): Answered | undefined {
  const id = answered?.record.id;
  const failure = operation.effect === 'create' && typeof id === 'string' ? repeated?.(id) : undefined;
  if (failure) throw failure;
  return answered;
}
