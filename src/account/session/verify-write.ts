/** Verifies that the response to a write shows what was sent (docs/reference/deployments.md: "Responses"). */

import { fieldsToInclude } from '../../api/contract/include.ts';
import { operation } from '../../api/contract/operation.ts';
import { Failure } from '../../base/errors.ts';
import { boh, type Hint } from '../../base/hint.ts';
import { shortenValue } from '../../base/short-value.ts';
import { joinItems } from '../../base/shown-items.ts';
import { type RecordResponse, subjectOf } from '../client/client.ts';
import type { Call } from '../client/request.ts';
import type { Settings } from '../settings/settings.ts';
import { type ShownValue, shownValues } from './diff/sent-values.ts';
import { isEmptyValue } from './diff/values.ts';
import { attemptsBeforeWrite } from './outcome.ts';
import type { Row } from './row.ts';
import { settingHint } from './update-guard.ts';

/**
 * Returns the response if it doesn't contradict the write. An action, such as redeeming, must also be shown. Otherwise
 * the record is read once, because a response may lack relations, or show the record as it was before. Throws if the
 * record doesn't show the sent values either.
 */
export async function verifyWrite(
  call: Call,
  response: RecordResponse,
  get: (call: Call) => Promise<RecordResponse>,
  settings: Settings,
): Promise<RecordResponse> {
  const answered = evidenceIn(call, response.record);
  if (isConfirmed(call, answered)) return response;
  const { operation: write, body = {} } = call;
  const ids = call.ids?.length ? call.ids : [String(response.record.id)];
  const current = await readBack(call, ids, get);
  const read = current ? evidenceIn(call, current.record) : [];
  const names = new Set(read.map(({ name }) => name));
  const values = [...read, ...answered.filter(({ name }) => !names.has(name))];
  if (current && isConfirmed(call, values)) return current;

  const subject = subjectOf(write, ids);
  const [contradictions, hint] = [describe(values), methodHint(call, values, settings)];
  if (write.effect === 'act' && read.some(({ isSame }) => !isSame)) {
    const message = `The ${subject} was not ${write.pastTense}: the service returned a success, but the record has ${contradictions}.`;
    throw new Failure('refused', message, { outcome: 'not_sent', hint });
  }
  const difference = contradictions
    ? `with other values than were sent: ${contradictions}`
    : `without ${Object.keys(body).join(', ')}, so it can't be confirmed that it was ${write.pastTense}`;
  const showRecord = boh.account(`${write.resource.command} get`, ...ids);
  throw new Failure('unavailable', `The service returned the ${subject} ${difference}.`, {
    unexpectedResponse: {},
    check: write.effect === 'create' ? boh.hint`To show the returned record: ${showRecord}` : hint,
  });
}

/**
 * Returns the sent values that a record shows, except empty ones for which the service may choose a value: of a new
 * record, and for the user who posts a document.
 */
function evidenceIn(call: Call, record: Row): ShownValue[] {
  const { effect, body: fields } = call.operation;
  const chosen = fields.filter(({ field }) => effect === 'create' || field.traits.target === 'users');
  return shownValues(call, record).filter(
    ({ name, sent }) => !(isEmptyValue(sent) || sent === '') || !chosen.some((entry) => entry.name === name),
  );
}

function isConfirmed({ operation: write, body = {} }: Call, values: readonly ShownValue[]): boolean {
  const mustBeShown = write.effect === 'act' ? Object.keys(body) : [];
  return (
    values.every(({ isSame }) => isSame) &&
    mustBeShown.every((sentName) => values.some(({ name }) => name === sentName))
  );
}

/** Reads the record with the relations that were sent; undefined if it can't be read. */
async function readBack(
  { operation: { resource, link, body: fields }, body = {} }: Call,
  [id = '']: readonly string[],
  get: (call: Call) => Promise<RecordResponse>,
): Promise<RecordResponse | undefined> {
  const read = operation(resource, 'get');
  const sentFields = fields.filter(({ name }) => Object.hasOwn(body, name));
  const names = link ? [link.field] : sentFields.map(({ responseName }) => responseName);
  const query = { optional: fieldsToInclude(resource, names) };
  try {
    return read && (await get({ operation: read, ids: [id], query, maxAttempts: attemptsBeforeWrite }));
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

function describe(values: readonly ShownValue[]): string {
  const format = (value: unknown) => shortenValue(JSON.stringify(value));
  return joinItems(
    values.flatMap(({ name, sent, shown, isSame }) =>
      isSame ? [] : `${name} ${format(shown)} instead of ${format(sent)}`,
    ),
  );
}

/** Returns the setting to try if the service may take an action only with another method. */
function methodHint(
  { operation: { effect, alternate } }: Call,
  values: readonly ShownValue[],
  settings: Settings,
): Hint | undefined {
  const hasOtherValue = values.some(({ isSame, shown }) => !isSame && shown !== null);
  const canChange = effect === 'act' && alternate && alternate !== settings.wire.redeemMethod;
  if (!canChange || hasOtherValue) return undefined;
  return ['If the service redeems by PUT: ', settingHint(settings, 'wire.redeem_method', alternate)];
}
