/** Baselines: findings that are accepted, each with a reason and until a date. */

import { isRow } from '../../account/session/row.ts';
import { isDate } from '../../api/contract/date-time.ts';
import { usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { parseYamlValues } from '../../base/yaml-values.ts';
import { type Finding, findingKey } from './finding.ts';
import type { Check } from './run-rules.ts';

/** An accepted finding, as stored in the file. */
export interface BaselineEntry {
  rule: string;
  resource: string;
  id: string;
  part?: string;
  /** The name of the record, for readers of the file. */
  name?: string;
  reason: string;
  /** The last day, `YYYY-MM-DD`. */
  expires: string;
}

const requiredKeys = ['rule', 'resource', 'id', 'reason', 'expires'] as const;

/** Parses a baseline. Throws one usage failure with all its problems. */
export function parseBaseline(text: string, file: string): BaselineEntry[] {
  const fields: Record<string, string[]> = {};
  const entries = parseEntries(text, file);
  for (const [index, entry] of entries.entries()) {
    const row = isRow(entry) ? entry : {};
    const missing = requiredKeys.filter(
      (key) => typeof row[key] !== 'string' || String(row[key]).trim() === '',
    );
    const problems = missing.map((name) => `${name} is required`);
    if (typeof row.expires === 'string' && !isDate(row.expires))
      problems.push(`${row.expires} isn't a date, such as 2026-12-31`);
    if (problems.length > 0) fields[`finding ${index + 1}`] = problems;
  }
  if (Object.keys(fields).length === 0) return entries as BaselineEntry[];
  throw usage(`The baseline ${file} has incomplete findings.`, {
    fields,
    hint: 'Each finding needs a reason and an expiry date.',
  });
}

function parseEntries(text: string, file: string): unknown[] {
  const documents = parseYamlValues(text, { schema: 'failsafe' });
  const problems = documents.flatMap((document) => document.problems);
  if (problems.length > 0) throw usage(`${file} can't be read as YAML.`, { fields: { _: problems } });
  const content = documents.length === 1 ? documents[0]?.value : undefined;
  if (isRow(content) && Array.isArray(content.findings)) return content.findings;
  throw usage(`${file} is not a baseline: it has no list of findings.`, {
    hint: boh.hint`To write one: ${boh.account('lint', '--write-baseline', file, '--reason', 'REASON')}`,
  });
}

/** Returns the identity of the finding that an entry accepts. See `findingKey`. */
function entryKey({ rule, resource, id, part }: BaselineEntry): string {
  return [rule, resource, id, ...(part === undefined ? [] : [part])].join(' ');
}

export function newFindings(
  findings: readonly Finding[],
  accepted: readonly BaselineEntry[],
  today: string,
): Finding[] {
  const valid = new Set(accepted.filter(({ expires }) => expires >= today).map(entryKey));
  return findings.filter((finding) => !valid.has(findingKey(finding)));
}

/** Returns the baseline with all findings accepted. Entries that are still valid keep their reason and their date. */
export function acceptFindings(
  findings: readonly Finding[],
  accepted: readonly BaselineEntry[],
  { today, reason, expires }: { today: string; reason: string; expires: string },
): BaselineEntry[] {
  const entriesByKey = new Map(accepted.map((entry) => [entryKey(entry), entry]));
  for (const finding of newFindings(findings, accepted, today)) {
    const { rule, resource, id, part, name } = finding;
    const fields = { rule, resource: resource.command, id, ...(part !== null && { part }), name };
    entriesByKey.set(findingKey(finding), { ...fields, reason, expires });
  }
  return [...entriesByKey.values()];
}

/** Returns the baseline without entries that the checks didn't find again. Entries of other rules and resources stay. */
export function pruneBaseline(
  accepted: readonly BaselineEntry[],
  findings: readonly Finding[],
  checks: readonly Check[],
): BaselineEntry[] {
  const keys = new Set(findings.map(findingKey));
  const checked = new Set(checks.map(({ rule, resource }) => `${rule.name} ${resource.command}`));
  return accepted.filter(
    (entry) => keys.has(entryKey(entry)) || !checked.has(`${entry.rule} ${entry.resource}`),
  );
}
