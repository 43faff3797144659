/** Runs rules over the records of an account. */
import type { Api } from '../../api/contract/api.ts';
import type { Resource } from '../../api/contract/resource.ts';
import type { LintAccount } from './account.ts';
import { createFinding, type Finding } from './finding.ts';
import { checkedFields, neededFields, type Reads, type Rule, severities } from './rule.ts';

/** A rule with a resource whose records it checks. */
export interface Check {
  rule: Rule;
  resource: Resource;
}

/** Returns the resource of a rule, also one that isn't part of the API document. */
function collectionOf({ collections }: Api, name: string): Resource | undefined {
  return collections.find((resource) => resource.name === name);
}

/** Returns the checks of the rules, optionally only for some resources. */
export function checksOf(rules: readonly Rule[], api: Api, resources?: readonly Resource[]): Check[] {
  return rules.flatMap((rule) =>
    Object.keys(checkedFields(rule, api)).flatMap((name) => {
      const resource = collectionOf(api, name);
      return resource && (resources?.includes(resource) ?? true) ? [{ rule, resource }] : [];
    }),
  );
}

export function readsOf(checks: readonly Check[], api: Api): Map<Resource, Set<string>> {
  const reads = new Map<Resource, Set<string>>();
  const add = (addedReads: Reads, onlyResource?: Resource) => {
    for (const [name, fields] of Object.entries(addedReads)) {
      const resource = collectionOf(api, name);
      if (!resource || (onlyResource && resource !== onlyResource)) continue;
      const fieldsOfResource = reads.get(resource) ?? new Set<string>();
      reads.set(resource, fieldsOfResource);
      for (const field of fields) fieldsOfResource.add(field);
    }
  };
  for (const { rule, resource } of checks) {
    add(checkedFields(rule, api), resource);
    add(neededFields(rule, api));
  }
  return reads;
}

/** Returns the checks for which all needed lists were read. */
export function runnableChecks(checks: readonly Check[], account: LintAccount): Check[] {
  return checks.filter(
    ({ rule, resource }) =>
      account.has(resource.name) &&
      Object.keys(neededFields(rule, account.api)).every((name) => account.has(name)),
  );
}

/** Returns all findings of the checks, by severity in descending order. */
export async function runChecks(checks: readonly Check[], account: LintAccount): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const check of checks) for await (const finding of findingsOf(check, account)) findings.push(finding);
  return findings.sort((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity));
}

async function* findingsOf({ rule, resource }: Check, account: LintAccount): AsyncGenerator<Finding> {
  const context = { resource, account };
  if (rule.checkRecord) {
    for (const row of account.rows(resource.name)) {
      const issues = rule.checkRecord(row, context);
      if (issues === undefined) continue;
      for (const problem of Array.isArray(issues) ? issues : [issues])
        yield createFinding(rule, resource, row, problem);
    }
  }
  for await (const [row, problem] of rule.checkAll?.(context) ?? [])
    yield createFinding(rule, resource, row, problem);
}
