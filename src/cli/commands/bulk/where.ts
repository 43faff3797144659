/** Runs a verb with `--where`: finds records by filters, shows the plan, asks for confirmation, and sends the changes. */

import { type ListChange, resolveChanges } from '../../../account/session/diff/lists.ts';
import type { Row } from '../../../account/session/row.ts';
import { requireValidBody } from '../../../api/contract/body-problems.ts';
import type { Operation } from '../../../api/contract/operation.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { flagName, parseFilterValue } from '../../../api/contract/value-text.ts';
import { consequenceOf } from '../../../api/reference/operation-summary.ts';
import { type FieldMessages, usage, violations } from '../../../base/errors.ts';
import { boh } from '../../../base/hint.ts';
import { shortenValue } from '../../../base/short-value.ts';
import { didYouMean } from '../../../base/suggest.ts';
import { planWhere } from '../../../engine/bulk/plan/plan-where.ts';
import type { Context } from '../../context/context.ts';
import type { Result } from '../../output/result.ts';
import type { WhereFlags } from '../flags/contract-flags.ts';
import { lockLedger, planInNewLedger } from './ledger.ts';
import { runPlan } from './run.ts';
import { checkRunFlags, openRunSession } from './run-flags.ts';

/** A command line with `--where`. */
export interface WhereRun {
  operation: Operation;
  /** The arguments that aren't flags. */
  args: readonly string[];
  flags: WhereFlags;
  body?: Row;
  changes?: readonly ListChange[];
}

/** Plans the changes, shows them, asks for confirmation, and sends them. */
export async function runWhere(run: WhereRun, context: Context): Promise<Result> {
  const { operation, flags, body = {}, changes = [] } = run;
  const { resource } = operation;
  checkRunFlags(flags);
  refuseArguments(run);
  await refuseInput(run, context);
  if (context.globals.offline)
    throw usage("--where can't be used with --offline: it reads from the service.");
  const filters = parseWhere(resource, flags.where ?? [], context.now());
  const session = await openRunSession(context, flags);
  // On a terminal, the plan is shown first, and the confirmation includes the approval.
  const showsPlanFirst = context.globals.dryRun || flags.out !== undefined || context.streams.interactive;
  await (showsPlanFirst
    ? session.permissions.checkPermission({ operation })
    : session.permissions.approve({ operation }));
  // Other named records are looked up once. Each match adds the ID of the record itself.
  const call = await session.names.resolve({ operation, ids: ['', ...run.args], body });
  const resolvedChanges = await resolveChanges({ operation, body }, changes, session);
  const isKept = !context.globals.dryRun;
  const command = `${operation.command} --where`;
  return planInNewLedger({ command, resource, source: null, flags, isKept, context }, async (ledger) => {
    await lockLedger(ledger, { account: session, resources: [resource.name], flags, command }, context);
    const query = await session.names.resolveFilters(resource, { filters });
    await planWhere({
      ledger,
      session,
      operation,
      filters: query.filters ?? {},
      otherIds: call.ids?.slice(1) ?? [],
      body: call.body ?? {},
      changes: resolvedChanges,
    });
    const label = `--where ${flags.where?.map((pair) => shortenValue(pair)).join(' --where ')}`;
    const words = { label, resource, verb: operation.verb };
    return await runPlan({ ledger, session, flags, words, consequence: consequenceOf(operation) }, context);
  });
}

function refuseArguments({ operation, args }: WhereRun): void {
  const expectedCount = operation.params.length - 1;
  if (args.length === expectedCount) return;
  const expectedIds = expectedCount === 0 ? 'no ID' : `one ID, the ID of the ${operation.link?.suffix}`;
  throw usage(
    `${operation.command} --where takes ${expectedIds}: the filter selects the ${operation.resource.nouns}.`,
  );
}

/** Throws one failure with all problems of the input. Secrets are refused, because they would be stored in the ledger. */
async function refuseInput(
  { operation, body = {}, changes = [] }: WhereRun,
  { globals }: Context,
): Promise<void> {
  if (operation.body.length === 0) return;
  const addedItems = Object.fromEntries(changes.map(({ entry: { name }, add }) => [name, add]));
  const problems: FieldMessages = {};
  if (Object.keys(body).length + changes.length === 0 && operation.effect === 'update')
    problems._ = ['Specify at least one field.'];
  for (const { name, field } of operation.body) {
    if (field.traits.secret && Object.hasOwn(body, name))
      problems[name] = ["is a secret and can't be set for many records at once"];
  }
  await requireValidBody(operation, { ...body, ...addedItems }, { unchecked: globals.unchecked, problems });
}

/** Returns the filters of `--where`. Throws if a filter is unknown: a service that ignores it would return all records. */
export function parseWhere(resource: Resource, pairs: readonly string[], now: Date): Record<string, string> {
  const filters: Record<string, string> = Object.create(null);
  const messages: FieldMessages = Object.create(null);
  const add = (name: string, message: string) => {
    messages[name] = [...(messages[name] ?? []), message];
  };
  for (const pair of pairs) {
    const [, key = '', text = ''] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
    const filter = resource.filters.find(({ name }) => name === key || flagName(name) === key);
    if (key === '') add('where', `Expected KEY=VALUE, not "${pair}"`);
    else if (!filter) {
      const names = resource.filters.map(({ name }) => name);
      add(key, `is not a filter of ${resource.command}.${didYouMean(key, names)}`);
    } else if (Object.hasOwn(filters, filter.name))
      add(key, 'is set twice; separate several values with commas');
    else {
      const { value, problem } = parseFilterValue(filter, text, now);
      if (problem === undefined) filters[filter.name] = String(value);
      else add(key, problem);
    }
  }
  if (Object.keys(messages).length === 0) return filters;
  throw violations(
    '--where',
    messages,
    boh.hint`Use filters of the list. ${boh.help(`${resource.command} list`)}`,
  );
}
