/**
 * Defines fault plans, which requests fail in which way, and parses them from YAML or JSON.
 * docs/guides/serve-a-sandbox.md describes the file.
 */
import * as z from 'zod';
import { usage } from '../../base/errors.ts';
import { parseYamlValues } from '../../base/yaml-values.ts';
import { parseInput } from '../parse-input.ts';

/** The maximum delay, in milliseconds. */
const maxDelayMs = 600_000;

const delay = z.int().min(0).max(maxDelayMs);

/** The requests that a rule applies to. */
const selection = {
  /** Method and path, such as `POST /customers` or `* /inventory_items/**`. */
  route: z
    .string()
    .max(500)
    .regex(/^(\*|[A-Z]+) \/\S*$/, 'must be a method and a path, such as "POST /customers" or "* /**"')
    .default('* /**'),
  /** The share of matching requests that get the fault. */
  probability: z.number().min(0).max(1).default(1),
  /** The numbers of the matching requests that get the fault, counted from 1; all if omitted. */
  nth: z.array(z.int().min(1)).min(1).optional(),
};

/** The statuses for which HTTP doesn't allow a body. */
const statusesWithoutBody = new Set([204, 205, 304]);

/** Whether the request is handled before the fault. */
const afterCommit = z.boolean().default(false);

const rule = z.discriminatedUnion('fault', [
  // A delay; two numbers are the bounds of a random delay.
  z.strictObject({
    ...selection,
    fault: z.literal('latency'),
    milliseconds: z.union([
      delay,
      z
        .tuple([delay, delay])
        .refine(([minimum, maximum]) => minimum <= maximum, 'must be in ascending order'),
    ]),
  }),
  // A limit for each token; requests above it are refused with 429.
  z.strictObject({
    ...selection,
    fault: z.literal('rate_limit'),
    per_minute: z.int().min(1).max(1_000_000),
  }),
  // `retry_after` is sent unchanged as the Retry-After header; null sends no header.
  z.strictObject({
    ...selection,
    fault: z.literal('status'),
    status: z.int().min(400).max(599),
    retry_after: z
      .union([z.number(), z.null(), z.string().regex(/^[\x20-\x7e]*$/, 'must be plain ASCII text')])
      .optional(),
    after_commit: afterCommit,
  }),
  // The connection is closed without a response, or in the middle of it.
  z.strictObject({ ...selection, fault: z.literal('reset'), after_commit: afterCommit }),
  z.strictObject({ ...selection, fault: z.literal('half_body') }),
  // An HTML page instead of JSON, like the error page of a proxy.
  z.strictObject({
    ...selection,
    fault: z.literal('html'),
    status: z
      .int()
      .min(200)
      .max(599)
      .refine((status) => !statusesWithoutBody.has(status), 'must be a status that allows a body')
      .default(200),
    after_commit: afterCommit,
  }),
]);

/** The schema of a plan. */
export const faultPlan = z.strictObject({
  /** The seed of random decisions: the same seed gives the same decisions. */
  seed: z.int().default(1),
  rules: z.array(rule).min(1, 'must contain at least one rule').max(100),
});

export type FaultPlan = z.infer<typeof faultPlan>;

/** A fault, and the requests that it applies to. */
export type FaultRule = z.infer<typeof rule>;

/** The names of all faults. */
export const faultKinds: readonly string[] = rule.options.map(({ shape }) => shape.fault.value);

/** Parses a plan. `name` is the file or flag in messages. Throws a usage failure that lists all problems. */
export function parseFaultPlan(text: string, name: string): FaultPlan {
  return validateFaultPlan(parseText(text, name), name);
}

/** Returns the plan with its defaults filled in. Throws a usage failure that lists all problems. */
export function validateFaultPlan(value: unknown, name: string): FaultPlan {
  return parseInput(faultPlan, value, `The fault plan in ${name} is invalid.`, planHint);
}

const planHint = `A plan is {"rules": [{"route": "POST /customers", "fault": "reset", "probability": 0.3}]}. The faults are ${faultKinds.join(', ')}.`;

function parseText(text: string, name: string): unknown {
  const documents = parseYamlValues(text);
  const problems = documents.flatMap((document) => document.problems);
  if (documents.length > 1) problems.push('contains several documents');
  if (problems.length === 0) return documents[0]?.value;
  throw usage(`The fault plan in ${name} is neither JSON nor YAML.`, { fields: { _: problems } });
}
