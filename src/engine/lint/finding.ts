/** Findings: mistakes that rules found in records, with their identity and the command that fixes them. */

import { recordTitle } from '../../account/session/record-key.ts';
import type { Row } from '../../account/session/row.ts';
import { operation } from '../../api/contract/operation.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { flagName, formatInput } from '../../api/contract/value-text.ts';
import { boh, type Hint } from '../../base/hint.ts';
import type { FileLocation } from '../manifest/source/node.ts';
import { type Issue, type Severity, severities } from './rule.ts';

/** A mistake in a record. */
export interface Finding {
  rule: string;
  severity: Severity;
  resource: Resource;
  /** The ID of the record; its key if it comes from a file. */
  id: string;
  name: string;
  /** The ID of the part of the record, or of the other record, that the finding is about. */
  part: string | null;
  message: string;
  fix: Hint;
  /** The values that fix the record, if only one fix is possible. */
  fixValues?: Row | undefined;
  row: Row;
  /** The location of the record, if it comes from a file. */
  location?: FileLocation;
}

export function createFinding(
  { name: rule, severity }: { name: string; severity: Severity },
  resource: Resource,
  row: Row,
  issue: Issue,
): Finding {
  const { message, fix, fixValues, part = null } = typeof issue === 'string' ? { message: issue } : issue;
  const id = String(row.id);
  const commandWords =
    fix ?? (fixValues ? ['update', ...flagsFor(resource, fixValues)] : [defaultVerb(resource)]);
  const [verb = '', ...args] = commandWords;
  return {
    ...{
      rule,
      severity,
      resource,
      id,
      name: recordTitle(resource, row),
      part,
      message,
      fixValues,
      row,
    },
    fix: boh.account(`${resource.command} ${verb}`, id, ...args),
  };
}

/** Returns the verb of the fix if a rule suggests none. On a terminal, an update without flags opens the form. */
function defaultVerb(resource: Resource): string {
  return operation(resource, 'update') ? 'update' : 'get';
}

function flagsFor({ fields }: Resource, fixValues: Row): string[] {
  return Object.entries(fixValues).flatMap(([name, value]) => {
    const field = fields[name];
    if (value === null) return ['--clear', name];
    const text = field ? formatInput(field, value) : String(value);
    return [`--${flagName(name)}=${text ?? String(value)}`];
  });
}

/** Returns a key that identifies the same mistake in later runs: rule, record and part, without the message. */
export function findingKey({ rule, resource, id, part }: Pick<Finding, 'rule' | 'resource' | 'id' | 'part'>) {
  return [rule, resource.command, id, ...(part === null ? [] : [part])].join(' ');
}

export function isAtLeast(severity: Severity, minimum: Severity): boolean {
  return severities.indexOf(severity) <= severities.indexOf(minimum);
}
