/** Defines the arguments and flags that the commands for manifests share, and plans manifests. */

import { usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import type { Api } from '../../contract/api.ts';
import type { Resource } from '../../contract/resource.ts';
import { type Declaration, requireRecords } from '../../manifest/declared/declared.ts';
import { manifestFields } from '../../manifest/declared/fields.ts';
import { readManifests } from '../../manifest/declared/read-manifests.ts';
import type { Change } from '../../manifest/plan/change.ts';
import { type ManifestPlan, makePlan } from '../../manifest/plan/make-plan.ts';
import { deleteLimit, type Limit, type LimitFlags } from '../../runs/limits.ts';
import type { Session } from '../../session/session.ts';
import { unescapeFormula } from '../../terminal/formats/csv.ts';
import { maxDeletesOption } from '../bulk/run-flags.ts';
import type { Command } from '../command.ts';
import { type AllowedResources, resolveResources } from '../flags/resource-flag.ts';
import { type PhoneFlags, phoneOption, repeatable } from '../flags/shared-flags.ts';

/** The flags of a plan, not yet validated. */
export interface PlanFlags extends PhoneFlags {
  prune: string[];
  maxDeletes?: string;
}

/** Adds the argument for files and folders. */
export function addPathArgument(command: Command): Command {
  return command.argument(
    '[path...]',
    'files or folders; later ones override earlier ones; - is standard input',
  );
}

/** Adds the flags of a plan. `ifExceeded` describes the action of the command if more records would be deleted. */
export function addPlanFlags(command: Command, ifExceeded = 'send nothing'): Command {
  return command
    .addOption(
      repeatable(
        '--prune <resource>',
        "delete records of this resource that the files don't contain (repeatable)",
      ).default([], 'none'),
    )
    .addOption(maxDeletesOption(ifExceeded))
    .addOption(phoneOption());
}

/** Reads the files. The plan or `preferFileErrors` reports the errors in them, together with errors that are only found by comparing with the account. */
export async function readDeclaration(
  paths: readonly string[],
  { api, env, streams, signal }: Context,
  { normalizePhones: normalizesPhones }: PhoneFlags = {},
): Promise<Declaration> {
  if (paths.length === 0) {
    throw usage('Missing the files or folder.', {
      hint: boh.hint`For example: ${boh.account('plan', 'seeds/')}`,
    });
  }
  return readManifests({ paths, api, env, stdin: streams.stdin, unescapeFormula, normalizesPhones, signal });
}

/** Waits for a promise, such as the opening of a session. If it fails, reports errors in the files instead, if there are any. */
export async function preferFileErrors<Result>(
  declaration: Declaration,
  promise: Promise<Result>,
): Promise<Result> {
  return promise.catch((error) => {
    declaration.errors?.mistakes.throwIfAny();
    throw error;
  });
}

/** Plans the changes that make the account match the files. */
export async function planManifests(
  declaration: Declaration,
  { prune }: Pick<PlanFlags, 'prune'>,
  session: Session,
  { signal }: Context,
): Promise<ManifestPlan> {
  const { api } = session;
  const namedResources =
    prune.length === 0 ? [] : await resolveResources(prune, '--prune', declarableResources(api), api);
  const prunedResources = (namedResources ?? []).map((resource) => requireDeclared(resource, declaration));
  if (prunedResources.length === 0 && !declaration.errors) requireRecords(declaration);
  return makePlan({ session, declaration, prune: prunedResources, signal });
}

/** Returns the limit of the deletes in a plan. */
export function deletionLimit(plan: ManifestPlan, { maxDeletes }: LimitFlags): Limit {
  const deletes = [...plan.counts].map(([resource, total]) => {
    const isDeleted = (change: Change) => change.action === 'delete' && change.resource === resource;
    return { resource, count: plan.changes.filter(isDeleted).length, total };
  });
  return deleteLimit(deletes, maxDeletes);
}

/** Returns a note if apply will refuse the deletes of the plan; otherwise an empty array. */
export function applyRefusalNotes(plan: ManifestPlan, flags: LimitFlags): string[] {
  const { exceeded, flag } = deletionLimit(plan, flags);
  const reasons = Object.values(exceeded).flat();
  return reasons.length === 0
    ? []
    : [`${reasons.join('. ')}: boh apply will refuse this. To allow it: ${flag}`];
}

/** Returns the resource. Throws if the files don't contain it, so that a missing folder doesn't delete all its records. */
function requireDeclared(resource: Resource, { resources }: Declaration): Resource {
  if (resources.includes(resource)) return resource;
  throw usage(
    `--prune ${resource.command}: the files don't contain ${resource.nouns}. Nothing was deleted.`,
    {
      hint: `To delete all of them, add this line to a file: ${resource.command}: []`,
    },
  );
}

/** Returns the resources that files can declare. */
export function declarableResources({ collections }: Api): AllowedResources {
  return {
    allowed: collections.filter((resource) => manifestFields(resource).size > 0),
    refusalReason: ({ nouns }) => `The API can't write ${nouns}, so they can't be declared.`,
  };
}
