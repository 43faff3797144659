/** Verifies that the response to a write shows what was sent (docs/reference/deployments.md: "Responses"). */
import { Failure } from '../base/errors.ts';
import { boh, type Hint } from '../base/hint.ts';
import { shortenValue } from '../base/short-value.ts';
import { joinItems } from '../base/shown-items.ts';
import { type RecordResponse, subjectOf } from '../client/client.ts';
import type { Call } from '../client/request.ts';
import { includePaths } from '../contract/include.ts';
import { operation } from '../contract/operation.ts';
import type { Settings } from '../settings/settings.ts';
import { type ShownValue, shownValues } from './diff/sent-values.ts';
import { isEmptyValue } from './diff/values.ts';
import { attemptsBeforeWrite } from './outcome.ts';
import type { Row } from './row.ts';
import { settingHint } from './update-loss.ts';

/** The functions and settings that a verification uses. */
export interface VerificationOptions {
  get(call: Call): Promise<RecordResponse>;
  settings: Settings;
}

/**
 * Returns the response if it doesn't contradict the write. An action, such as redeeming, must also be shown. Otherwise
 * the record is read once, because a response may lack relations, or show the record as it was before. Throws if the
 * record doesn't show the sent values either.
 */
export async function verifyWrite(
  call: Call,
  response: RecordResponse,
  options: VerificationOptions,
): Promise<RecordResponse> {
  const answered = evidenceIn(call, response.record);
  if (isConfirmed(call, answered)) return response;
  const current = await readBack(call, response.record, options);
  const read = current ? evidenceIn(call, current.record) : [];
  const names = new Set(read.map(({ name }) => name));
  const evidence = [...read, ...answered.filter(({ name }) => !names.has(name))];
  if (current && isConfirmed(call, evidence)) return current;
  const isUndone = call.operation.effect === 'act' && read.some(({ isSame }) => !isSame);
  throw isUndone ? undoneFailure(call, read, options) : unverified(call, response.record, evidence, options);
}

/**
 * Returns the sent values that a record shows. If no value is sent, the service may choose one for a new record, and the
 * user who posts a document.
 */
function evidenceIn(call: Call, record: Row): ShownValue[] {
  const { effect, body: fields } = call.operation;
  const isChosen = (name: string) =>
    effect === 'create' || fields.find((entry) => entry.name === name)?.field.traits.target === 'users';
  return shownValues(call, record).filter(
    ({ name, sent }) => !((isEmptyValue(sent) || sent === '') && isChosen(name)),
  );
}

function isConfirmed(
  { operation: { effect, body: fields }, body = {} }: Call,
  evidence: ShownValue[],
): boolean {
  const isShown = (name: string) => evidence.some((value) => value.name === name);
  const mustBeShown = effect === 'act' ? fields.filter(({ name }) => Object.hasOwn(body, name)) : [];
  return evidence.every(({ isSame }) => isSame) && mustBeShown.every(({ name }) => isShown(name));
}

/** Reads the record with the relations that were sent; undefined if it can't be read. */
async function readBack(
  { operation: write, body = {} }: Call,
  { id }: Row,
  { get }: VerificationOptions,
): Promise<RecordResponse | undefined> {
  const read = operation(write.resource, 'get');
  const sentFields = write.body.filter(({ name }) => Object.hasOwn(body, name));
  const names = write.link ? [write.link.field] : sentFields.map(({ responseName }) => responseName);
  const optional = names.flatMap((name) => {
    const field = write.resource.fields[name];
    return field ? includePaths(name, field) : [];
  });
  try {
    return (
      read &&
      (await get({
        operation: read,
        ids: [String(id)],
        query: { optional },
        maxAttempts: attemptsBeforeWrite,
      }))
    );
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

/** Returns the failure of an action that had no effect, as the record shows. */
function undoneFailure(call: Call, evidence: readonly ShownValue[], options: VerificationOptions): Failure {
  const {
    operation: { pastTense },
    operation: action,
    ids = [],
  } = call;
  const message = `The ${subjectOf(action, ids)} was not ${pastTense}: the service returned a success, but the record has ${describe(evidence)}.`;
  return new Failure('refused', message, { outcome: 'not_sent', hint: methodHint(call, evidence, options) });
}

/** Returns the failure of a write that may or may not have been applied. */
function unverified(
  call: Call,
  { id }: Row,
  evidence: readonly ShownValue[],
  options: VerificationOptions,
): Failure {
  const { operation: write, ids = [], body = {} } = call;
  const recordId = String(id);
  const subject = subjectOf(write, ids.length > 0 ? ids : [recordId]);
  const returned = evidence.some(({ isSame }) => !isSame)
    ? `the ${subject} with other values than were sent: ${describe(evidence)}`
    : `the ${subject} without ${Object.keys(body).join(', ')}, so it can't be confirmed that it was ${write.pastTense}`;
  const isNew = write.effect === 'create';
  return new Failure('unavailable', `The service returned ${returned}.`, {
    unexpectedResponse: {},
    check: isNew
      ? boh.hint`To show the returned record: ${boh.account(`${write.resource.command} get`, recordId)}`
      : methodHint(call, evidence, options),
  });
}

function describe(evidence: readonly ShownValue[]): string {
  const contradictions = evidence.filter(({ isSame }) => !isSame);
  const format = (value: unknown) => shortenValue(JSON.stringify(value));
  return joinItems(
    contradictions.map(({ name, sent, shown }) => `${name} ${format(shown)} instead of ${format(sent)}`),
  );
}

/** Returns the setting to try if the service may take an action only with another method. */
function methodHint(
  { operation: { effect, alternate } }: Call,
  evidence: readonly ShownValue[],
  { settings }: VerificationOptions,
): Hint | undefined {
  const hasOtherValue = evidence.some(({ isSame, shown }) => !isSame && shown !== null);
  if (effect !== 'act' || !alternate || alternate === settings.wire.redeemMethod || hasOtherValue)
    return undefined;
  return ['If the service redeems by PUT: ', settingHint(settings, 'wire.redeem_method', alternate)];
}
