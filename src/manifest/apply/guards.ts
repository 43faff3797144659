/** What a plan must not do unasked, in terms of the business: too many changes at once, prices that jump, the last of what a record needs. */

import type { Field, Fields } from '../../contract/field.ts';
import { isMoney } from '../../contract/money.ts';
import { type FieldMessages, usage, violations } from '../../errors.ts';
import { isRow, type Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import { manifestFields } from '../declared/fields.ts';
import type { Change, FieldChange } from '../plan/change.ts';
import type { Plan } from '../plan/make-plan.ts';
import { lostBy } from './lost.ts';

/** As typed. */
export interface GuardFlags {
  maxChanges?: string;
  maxPriceChange?: string;
  allowLoss?: boolean;
}

/** On a protected profile, where the line says nothing else. */
export const usualGuards = { maxChanges: '500', maxPriceChange: '50%' };

/** Throws one failure for the flags that say nothing that can be used. */
export function checkGuardFlags({ maxChanges, maxPriceChange }: GuardFlags): void {
  const messages: FieldMessages = Object.create(null);
  if (!/^\d{1,9}$/.test(maxChanges ?? '0'))
    messages['max-changes'] = ['--max-changes must be a whole number from 0 on'];
  if (!/^\d{1,6}%$/.test(maxPriceChange ?? '0%'))
    messages['max-price-change'] = ['--max-price-change must be a share in percent, such as 50%'];
  if (Object.keys(messages).length > 0) throw violations('The command line', messages);
}

/** Throws one failure for everything that is too much. */
export async function guard(plan: Plan, flags: GuardFlags, session: Session): Promise<void> {
  const isProtected = session.settings.protection !== undefined;
  const { maxChanges, maxPriceChange } = { ...(isProtected && usualGuards), ...definedOf(flags) };
  const fields: FieldMessages = Object.create(null);
  if (maxChanges !== undefined && plan.changes.length > Number(maxChanges)) {
    fields['max-changes'] = [`${plan.changes.length} records would be changed, and ${maxChanges} may be`];
  }
  if (maxPriceChange !== undefined) {
    const jumps = plan.changes.flatMap((change) => jumpsIn(change, Number.parseInt(maxPriceChange, 10)));
    if (jumps.length > 0) fields['max-price-change'] = firstOf(jumps);
  }
  if (isProtected && !flags.allowLoss) {
    const lost = await lostBy(plan, session);
    if (lost.length > 0) fields['allow-loss'] = firstOf(lost);
  }
  if (Object.keys(fields).length === 0) return;
  const flagNames = Object.keys(fields).map((name) =>
    name === 'allow-loss' ? '--allow-loss' : `--${name} …`,
  );
  throw usage('The plan does more than is allowed at once; nothing was sent.', {
    fields,
    hint: `If all of it is meant: ${flagNames.join(', ')}.`,
  });
}

function definedOf({ maxChanges, maxPriceChange }: GuardFlags) {
  return {
    ...(maxChanges !== undefined && { maxChanges }),
    ...(maxPriceChange !== undefined && { maxPriceChange }),
  };
}

const mostTold = 20;

function firstOf(all: readonly string[]): string[] {
  const rest = all.length - mostTold;
  return [...all.slice(0, mostTold), ...(rest > 0 ? [`and ${rest} more`] : [])];
}

function jumpsIn({ action, resource, key, fields, links }: Change, most: number): string[] {
  if (action !== 'update') return [];
  const own = manifestFields(resource);
  const told = (what: string, change: FieldChange) => {
    const percent = percentOf(change);
    return percent !== undefined && percent > most
      ? [`${what}: ${change.old} → ${change.new ?? 'nothing'} (${Math.round(percent)} %)`]
      : [];
  };
  const ofFields = Object.entries(fields).flatMap(([name, change]) => {
    const field = own.get(name)?.field;
    const found = field ? moneyIn(field, name, change) : [];
    return found.flatMap(([what, each]) => told(`${resource.noun} ${key} ${what}`, each));
  });
  const ofLinks = links
    .filter((link) => link.action === 'update')
    .flatMap((link) => {
      const pivot = own.get(link.link)?.field.traits.pivot ?? {};
      return Object.entries(link.fields).flatMap(([name, change]) =>
        pivot[name] && isMoney(pivot[name])
          ? told(`${resource.noun} ${key} ${link.key} ${name}`, change)
          : [],
      );
    });
  return [...ofFields, ...ofLinks];
}

/** Every amount in a field, with what it is of: `price`, or `Small price` and `Small Riverside price` of options. */
function moneyIn(field: Field, name: string, change: FieldChange): [what: string, FieldChange][] {
  if (isMoney(field)) return [[name, change]];
  const { fields: inner = field.traits.pivot } = field.traits;
  const { old, new: next } = change;
  if (!inner || !Array.isArray(old) || !Array.isArray(next)) return [];
  return next.filter(isRow).flatMap((part) => {
    const called = nameOf(part, inner);
    const before = old.filter(isRow).find((each) => nameOf(each, inner) === called);
    if (!before) return [];
    const found = Object.entries(inner).flatMap(([each, of]) =>
      moneyIn(of, each, { old: before[each], new: part[each] }),
    );
    return found.map(([what, each]): [string, FieldChange] => [`${called} ${what}`, each]);
  });
}

/** Of a link the record at its other end, of a part its own name. */
function nameOf(part: Row, inner: Fields): string {
  const [, other] = Object.entries(part).find(([name]) => !Object.hasOwn(inner, name)) ?? [];
  return String(other ?? part.name);
}

/** From nothing any price is a jump without a measure: undefined. To nothing it is one of all of it. */
function percentOf({ old, new: next }: FieldChange): number | undefined {
  const [from, to] = [Number(old ?? Number.NaN), Number(next ?? 0)];
  if (!Number.isFinite(from) || !Number.isFinite(to) || from === 0) return undefined;
  return (Math.abs(to - from) / Math.abs(from)) * 100;
}
