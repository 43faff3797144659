/** Formats findings as paragraphs for people and as flat records for scripts. */
import { formatHint } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { type Finding, findingKey } from '../../lint/finding.ts';
import { severities } from '../../lint/rule.ts';
import type { DataResult, DisplayOptions } from '../../output/result.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { createPaint } from '../../terminal/color.ts';
import { formatCount } from '../../terminal/format-count.ts';

/** Returns the findings as a result. The IDs in it are IDs of the records. */
export function findingsResult(findings: readonly Finding[], { streams }: Context): DataResult {
  const formatFix = ({ fix }: Finding) => formatHint(fix, streams.repeatedFlags);
  const rows = findings.map((finding) => {
    const { severity, rule, resource, id, name, part, message, location } = finding;
    const fields = { severity, rule, resource: resource.command, id, name, part, message };
    return {
      ...fields,
      fix: formatFix(finding),
      ...(location && { file: location.file, line: location.line }),
    };
  });
  const text = (display: DisplayOptions) =>
    [
      ...findings.map((finding) => formatFinding(finding, formatFix(finding), display)),
      formatSummary(findings),
    ].join('\n');
  return { kind: 'data', data: rows, idField: 'id', text };
}

function formatFinding(finding: Finding, fix: string, { color }: DisplayOptions): string {
  const { severity, rule, resource, name, id, message } = finding;
  const { bold, red, dim } = createPaint(color);
  const label = name === id ? name : `${name} (${id})`;
  const heading = `${severity === 'error' ? red(severity) : severity} ${dim(rule)}: ${resource.noun} ${bold(cleanLine(label))}`;
  return `${heading}\n  ${cleanLine(message)}\n  ${dim(cleanLine(fix))}\n`;
}

function formatSummary(findings: readonly Finding[]): string {
  if (findings.length === 0) return 'No findings.\n';
  const counts = severities.flatMap((severity) => {
    const count = new Set(findings.filter((finding) => finding.severity === severity).map(findingKey)).size;
    return count > 0
      ? [`${formatCount(count)} ${severity}${count === 1 || severity === 'info' ? '' : 's'}`]
      : [];
  });
  return `Findings: ${counts.join(', ')}.\n`;
}
