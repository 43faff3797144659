/** Writes findings as SARIF 2.1.0, which code hosts show beside the lines of a change. */
import { userAgent, version } from '../../base/version.ts';
import { type Finding, findingKey } from './finding.ts';
import type { Severity } from './rule.ts';

const levels: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'note' };

/** Returns the SARIF document. `fixOf` returns the text of the command that fixes a finding. */
export function formatSarif(
  findings: readonly Finding[],
  rules: readonly { name: string; severity: Severity; summary: string; reason?: string }[],
  fixOf: (finding: Finding) => string,
): object {
  const ruleIndexes = new Map(rules.map(({ name }, index) => [name, index]));
  const driver = {
    name: userAgent().split('/')[0],
    semanticVersion: version,
    rules: rules.map(({ name, severity, summary, reason }) => ({
      id: name,
      shortDescription: { text: `${summary}.` },
      ...(reason !== undefined && { fullDescription: { text: reason } }),
      defaultConfiguration: { level: levels[severity] },
    })),
  };
  const results = findings.map((finding) => ({
    ruleId: finding.rule,
    ruleIndex: ruleIndexes.get(finding.rule) ?? -1,
    level: levels[finding.severity],
    message: { text: `${finding.resource.noun} ${finding.name}: ${finding.message} See: ${fixOf(finding)}` },
    locations: [locationOf(finding)],
    partialFingerprints: { 'boh/v1': findingKey(finding) },
  }));
  const $schema = 'https://json.schemastore.org/sarif-2.1.0.json';
  return { $schema, version: '2.1.0', runs: [{ tool: { driver }, results }] };
}

/** Returns the location of a finding: the file if it has one, and the resource with the ID. */
function locationOf({ resource, id, name, location }: Finding): object {
  const logicalLocations = [{ name, fullyQualifiedName: `${resource.command}/${id}`, kind: 'resource' }];
  if (!location) return { logicalLocations };
  const physicalLocation = {
    artifactLocation: { uri: encodeURI(location.file) },
    region: { startLine: location.line, startColumn: location.column },
  };
  return { physicalLocation, logicalLocations };
}
