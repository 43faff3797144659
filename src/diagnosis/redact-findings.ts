/** Removes from findings what names an account or a machine, so that they can be put into a public bug report. */
import type { Finding } from './finding.ts';

/** Checks whose messages contain versions, times and scopes only. Other messages can name hosts, users, profiles and files. */
const publicChecks: readonly string[] = ['Node', 'Clock', 'Scopes'];

/** Returns the findings with check, status and category; messages and remedies only where they name nothing private. */
export function redactFindings(findings: readonly Finding[]): Finding[] {
  return findings.map((finding) => {
    if (publicChecks.includes(finding.check)) return finding;
    const { check, status, category } = finding;
    const message = category === undefined ? 'redacted' : `redacted; failures have the category ${category}`;
    return { check, status, message, ...(category !== undefined && { category }) };
  });
}
