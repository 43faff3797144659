/** What a body or a value is, at a glance. */
import { isObject } from '../base/number-text.ts';

/** One record as the service gives it: fields that the contract doesn't know pass through. */
export type Row = Record<string, unknown>;

export function isRow(value: unknown): value is Row {
  return isObject(value);
}

export function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

/** A proxy or a maintenance page answers with one at any status, 200 included (docs/reference/deployments.md: "Answers"). */
export function isWebPage(body: string): boolean {
  return /^[\s\uFEFF]*<(!doctype|html|\?xml|!--)/i.test(body);
}

/** A moment as records write it, `YYYY-MM-DD HH:MM:SS`, which sorts by time; empty where it is none. */
export function utcText(value: unknown): string {
  const [, day, time] =
    typeof value === 'string' ? (/^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)/.exec(value) ?? []) : [];
  return day === undefined ? '' : `${day} ${time}`;
}
