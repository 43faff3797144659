/** Reports what a plan would make wrong, and stops it where the flags or the protection of the profile say so. */
import { firstItems } from '../../base/shown-items.ts';
import type { Context } from '../../context/context.ts';
import { isAtLeast } from '../../lint/finding.ts';
import { plannedFindings } from '../../lint/planned-findings.ts';
import type { Limit } from '../../runs/limits.ts';
import type { PlanSource } from '../../runs/plan.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { note } from '../../terminal/messages.ts';
import type { GuardFlags } from './run-flags.ts';

/** Reports what the rules of `boh lint` find in the values of a plan and not before. Returns the limit that this sets. */
export async function guarded(
  { ledger, session }: Pick<PlanSource, 'ledger' | 'session'>,
  { failOn, allow = [] }: GuardFlags,
  { streams, now }: Context,
): Promise<Limit[]> {
  if (!session || failOn === 'never') return [];
  const today = now().toISOString().slice(0, 10);
  const isProtected = session.settings.protection !== undefined;
  const reads = failOn === undefined && !isProtected ? {} : { session };
  const found = (await plannedFindings({ ledger, api: session.api, today, ...reads })).filter(
    ({ rule }) => !allow.includes(rule),
  );
  if (found.length === 0) return [];
  const lineOf = ({ severity, rule, name, message }: (typeof found)[number]) =>
    cleanLine(`${severity} ${rule}: ${name}: ${message}`);
  note(streams, `boh lint would find ${found.length} more:`);
  for (const line of firstItems(found.map(lineOf))) note(streams, `  ${line}`);
  const least = failOn ?? (isProtected ? 'error' : undefined);
  const stopping = found.filter(({ severity }) => least !== undefined && isAtLeast(severity, least));
  const byRule = Object.entries(Object.groupBy(stopping, ({ rule }) => rule));
  const exceeded = Object.fromEntries(
    byRule.map(([rule, all = []]) => [
      rule,
      firstItems(all.map(({ name, message }) => `${name}: ${message}`)),
    ]),
  );
  return [{ exceeded, flag: `--allow ${Object.keys(exceeded).join(',')}` }];
}
