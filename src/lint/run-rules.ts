/** Runs rules over the records of an account. */
import type { Api } from '../contract/api.ts';
import type { Resource } from '../contract/resource.ts';
import type { LintAccount } from './account.ts';
import { type Finding, findingOf } from './finding.ts';
import { checkedBy, neededBy, type Reads, type Rule, severities } from './rule.ts';

/** A rule with a resource whose records it checks. */
export interface Check {
  rule: Rule;
  resource: Resource;
}

/** Returns what the rules check, of these resources if given. */
export function checksOf(rules: readonly Rule[], api: Api, among?: readonly Resource[]): Check[] {
  return rules.flatMap((rule) =>
    Object.keys(checkedBy(rule, api)).flatMap((name) => {
      const resource = api.resource(name);
      return resource && (among?.includes(resource) ?? true) ? [{ rule, resource }] : [];
    }),
  );
}

/** Returns the fields that the checks read, by resource. */
export function readsOf(checks: readonly Check[], api: Api): Map<Resource, Set<string>> {
  const reads = new Map<Resource, Set<string>>();
  const add = (all: Reads, only?: Resource) => {
    for (const [name, fields] of Object.entries(all)) {
      const resource = api.resource(name);
      if (!resource || (only && resource !== only)) continue;
      const own = reads.get(resource) ?? new Set<string>();
      reads.set(resource, own);
      for (const field of fields) own.add(field);
    }
  };
  for (const { rule, resource } of checks) {
    add(checkedBy(rule, api), resource);
    add(neededBy(rule, api));
  }
  return reads;
}

/** Returns the checks whose records and other lists were read. */
export function possible(checks: readonly Check[], account: LintAccount): Check[] {
  return checks.filter(
    ({ rule, resource }) =>
      account.has(resource.name) &&
      Object.keys(neededBy(rule, account.api)).every((name) => account.has(name)),
  );
}

/** Returns all findings of the checks, the worst first. */
export async function runChecks(checks: readonly Check[], account: LintAccount): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const check of checks) for await (const finding of findingsOf(check, account)) found.push(finding);
  return found.sort((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity));
}

async function* findingsOf({ rule, resource }: Check, account: LintAccount): AsyncGenerator<Finding> {
  const place = { resource, account };
  if (rule.each) {
    for (const row of account.rows(resource.name)) {
      const troubles = rule.each(row, place);
      if (troubles === undefined) continue;
      for (const trouble of Array.isArray(troubles) ? troubles : [troubles])
        yield findingOf(rule, resource, row, trouble);
    }
  }
  for await (const [row, trouble] of rule.all?.(place) ?? []) yield findingOf(rule, resource, row, trouble);
}
