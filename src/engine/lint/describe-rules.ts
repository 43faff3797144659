/** Describes rules for `boh explain` and for the reference pages. */
import type { Api } from '../../api/contract/api.ts';
import { capitalize } from '../../api/contract/wording.ts';
import {
  type Block,
  code,
  paragraph,
  type ReferencePage,
  screen,
  section,
  terms,
} from '../../api/reference/blocks.ts';
import { checkedFields, exampleRecords, neededFields, type Rule, type Severity, severities } from './rule.ts';

export function ruleProperties(rule: Rule, api: Api) {
  const { name, severity, summary, reason } = rule;
  const commandsOf = (names: object) =>
    Object.keys(names).flatMap((name) => api.resource(name)?.command ?? []);
  const [bad, good] = [false, true].map((isCorrect) =>
    Object.fromEntries(exampleRecords(rule, api, isCorrect)),
  );
  const [checks, reads] = [checkedFields(rule, api), neededFields(rule, api)].map(commandsOf);
  return { name, severity, summary, reason, checks: checks ?? [], reads: reads ?? [], bad, good };
}

/** Describes a rule: its reason, an example, and how to accept its findings. */
export function ruleBlocks(rule: Rule, api: Api): Block[] {
  const { summary, reason, severity, checks, reads, bad } = ruleProperties(rule, api);
  const lines = Object.entries(bad ?? {}).flatMap(([name, rows]) =>
    rows.map((row) => `${name}: ${JSON.stringify(row)}`),
  );
  const otherResources = reads.filter((name) => !checks.includes(name));
  return [
    paragraph(`Finds ${summary.charAt(0).toLowerCase()}${summary.slice(1)}. ${reason}`),
    terms([
      { term: 'Severity', text: severity },
      { term: 'Checks', text: checks.join(', ') },
      ...(otherResources.length > 0 ? [{ term: 'Also reads', text: otherResources.join(', ') }] : []),
    ]),
    ...section('Example', [
      paragraph(`boh reports a finding for ${lines.length === 1 ? 'this record' : 'these records'}:`),
      screen(lines),
      paragraph(`With these values, nothing is reported: \`${JSON.stringify(rule.good)}\`.`),
    ]),
    ...section('Suppress', [
      paragraph('Accept the current findings with a reason, or exclude the rule:'),
      code(
        `boh lint --rule ${rule.name} --write-baseline lint.yaml --reason "…"`,
        `boh lint --exclude-rule ${rule.name}`,
      ),
    ]),
  ];
}

export function ruleSummary({ name, severity, summary }: Rule) {
  return { name, severity, summary };
}

export function ruleListBlocks(rules: readonly Rule[]): Block[] {
  const ofSeverity = (severity: Severity) => rules.filter((rule) => rule.severity === severity);
  return severities.flatMap((severity) =>
    section(capitalize(severity), [
      terms(ofSeverity(severity).map(({ name, summary }) => ({ term: name, text: summary }))),
    ]),
  );
}

export function rulePage(rule: Rule, api: Api): ReferencePage {
  return {
    name: `rules/${rule.name}`,
    title: rule.name,
    summary: rule.summary,
    blocks: ruleBlocks(rule, api),
  };
}
