/** What a body or a value is, at a glance. */

/** One record as the service gives it: fields that the contract doesn't know pass through. */
export type Row = Record<string, unknown>;

export function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A proxy or a maintenance page answers with one at any status, 200 included (docs/deployments.md: "Answers"). */
export function isWebPage(body: string): boolean {
  return /^[\s\uFEFF]*<(!doctype|html|\?xml|!--)/i.test(body);
}
