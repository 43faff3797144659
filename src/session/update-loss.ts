/** Finds the fields that an update emptied without sending them, and the command that restores them. */

import { Failure } from '../base/errors.ts';
import { boh, type Hint } from '../base/hint.ts';
import { subjectOf } from '../client/client.ts';
import type { Call } from '../client/request.ts';
import type { Kind } from '../contract/field.ts';
import type { BodyField, Operation } from '../contract/operation.ts';
import { otherBodyFields } from '../contract/other-fields.ts';
import type { Settings } from '../settings/settings.ts';
import { isSameValue, partsWithoutIds } from './diff/values.ts';
import { bodyFrom } from './record-body.ts';
import { isRow, type Row } from './row.ts';

/** The fields that an update didn't send, by their values after the update. */
export interface UnsentComparison {
  /** The fields that are empty after the update. */
  emptied: BodyField[];
  /** The fields that are unchanged, although a service that replaces records would have emptied them. */
  kept: BodyField[];
  /** The fields that the returned record doesn't contain. */
  hidden: BodyField[];
}

/**
 * How a service handles fields that aren't sent: it keeps them, empties them, or the update doesn't show it (`open`).
 */
export type UpdateBehavior = 'keeps' | 'replaces' | 'open';

/** Returns the non-empty fields that this update doesn't send. A service that replaces records would empty them. */
export function unsentFields({ body: fields }: Pick<Operation, 'body'>, sent: Row, before: Row): BodyField[] {
  const omittedFields = fields.filter(
    ({ name, field }) => !Object.hasOwn(sent, name) && field.traits.ignored !== true,
  );
  const { body } = bodyFrom({ body: omittedFields }, before);
  return omittedFields.filter(({ name }) => hasValue(body[name]));
}

/** Sorts `fields`, which had values in the record `before`, by their values in the record `after`. */
export function compareUnsent(fields: readonly BodyField[], before: Row, after: Row): UnsentComparison {
  const oldBody = bodyFrom({ body: fields }, before);
  const newBody = bodyFrom({ body: fields }, after);
  const comparison: UnsentComparison = { emptied: [], kept: [], hidden: [] };
  for (const entry of fields) {
    const { name, field } = entry;
    if (newBody.unknown.includes(name)) comparison.hidden.push(entry);
    else if (!hasValue(newBody.body[name])) comparison.emptied.push(entry);
    else if (isEvidence(entry) && isSameValue(field, oldBody.body[name], newBody.body[name]))
      comparison.kept.push(entry);
  }
  return comparison;
}

/**
 * Returns the behavior that the majority of fields shows, because a rule of the service may empty a single field or set
 * its default.
 */
export function updateBehaviorOf({ emptied, kept }: UnsentComparison): UpdateBehavior {
  if (emptied.length === kept.length) return 'open';
  return emptied.length > kept.length ? 'replaces' : 'keeps';
}

/** Kinds of fields that often have a default value: an unchanged value proves nothing. */
const kindsWithDefaults: ReadonlySet<Kind> = new Set(['boolean', 'choice', 'integers']);

/**
 * Returns whether an unchanged field proves that the service keeps fields: not if it is required or stored elsewhere.
 */
export function isEvidence({ field: { kind, traits } }: BodyField): boolean {
  return !kindsWithDefaults.has(kind) && traits.required !== true && traits.inverseOf === undefined;
}

function hasValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isRow(value)) return Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== '' && value !== false && Number(value) !== 0;
}

/** The messages about the fields that an update emptied. */
export interface Loss {
  /** Names the update and the fields. */
  message: string;
  /** The command that restores the fields. */
  hint: Hint;
}

/**
 * Returns the messages about a loss. `before` is the record before the update; `updatable` contains the fields that the
 * token may update.
 */
export function describeLoss(
  call: Call,
  before: Row,
  { emptied }: Pick<UnsentComparison, 'emptied'>,
  updatable: Pick<Operation, 'body'>,
): Loss {
  const { operation, ids = [], body = {} } = call;
  const names = emptied.map(({ name }) => name);
  const { body: currentBody } = bodyFrom(updatable, before);
  const lostParts = emptied.filter(({ field }) => field.kind === 'objects');
  const parts = lostParts.map(({ name }) => [name, partsWithoutIds(currentBody[name])]);
  const others = otherBodyFields(operation.resource, before);
  const otherValues = bodyFrom({ body: others }, before).body;
  const fullRecord = { ...currentBody, ...otherValues, ...Object.fromEntries(parts), ...body };
  // Input with other fields isn't valid.
  const flags = others.length === 0 ? [] : ['--unchecked'];
  return {
    message:
      `The update of ${subjectOf(operation, ids)} succeeded, but emptied ${names.join(', ')}, which it didn't send: ` +
      'this service replaces the whole record.',
    hint: boh.hint`To restore these fields: ${boh.account(`${operation.resource.command} ${operation.verb}`, ...ids, ...flags, '--data', JSON.stringify(fullRecord))}`,
  };
}

/** Returns the failure that stops a run because of a loss. */
export function lossFailure(
  { message, hint }: Loss,
  settings: Pick<Settings, 'profile' | 'sandbox'>,
): Failure {
  return new Failure('partial', message, {
    outcome: 'done',
    stopsRun: true,
    hint: [hint, '\nTo send whole records from now on: ', replaceHint(settings)],
  });
}

/** Returns the hint for a service that replaces records. */
export function replaceHint(settings: Pick<Settings, 'profile' | 'sandbox'>): Hint {
  return settingHint(settings, 'wire.put', 'replace');
}

/** Returns the hint to change a setting: a command, or a variable if there is no profile. */
export function settingHint(
  { profile, sandbox }: Pick<Settings, 'profile' | 'sandbox'>,
  name: string,
  value: string,
): Hint {
  const hasNoProfile = profile === undefined && sandbox === undefined;
  return hasNoProfile
    ? `BOH_${name.replace('.', '_').toUpperCase()}=${value} in the environment`
    : boh.account('config set', name, value);
}
