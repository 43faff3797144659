/** Reads a fault plan from YAML or JSON. Reports everything that is wrong at once. */
import { parse } from 'yaml';
import * as z from 'zod';
import { type FieldMessages, usage } from '../../base/errors.ts';
import type { FaultPlan } from './plan.ts';

/** The longest delay, in milliseconds. */
const maxDelayMs = 600_000;

const delay = z.int().min(0).max(maxDelayMs);

const chance = {
  route: z
    .string()
    .max(500)
    .regex(/^(\*|[A-Z]+) \/\S*$/, 'must be a method and a path, such as "POST /customers" or "* /**"')
    .default('* /**'),
  probability: z.number().min(0).max(1).default(1),
  nth: z.array(z.int().min(1)).min(1).optional(),
};

/** HTTP doesn't allow a body with these. */
const withoutBody = new Set([204, 205, 304]);

const afterCommit = z.boolean().default(false);

const rule = z.discriminatedUnion('fault', [
  z.strictObject({
    ...chance,
    fault: z.literal('latency'),
    milliseconds: z.union([
      delay,
      z.tuple([delay, delay]).refine(([least, most]) => least <= most, 'must begin with the shorter wait'),
    ]),
  }),
  z.strictObject({
    ...chance,
    fault: z.literal('rate_limit'),
    per_minute: z.int().min(1).max(1_000_000),
  }),
  z.strictObject({
    ...chance,
    fault: z.literal('status'),
    status: z.int().min(400).max(599),
    retry_after: z
      .union([z.number(), z.null(), z.string().regex(/^[\x20-\x7e]*$/, 'must be plain ASCII text')])
      .optional(),
    after_commit: afterCommit,
  }),
  z.strictObject({ ...chance, fault: z.literal('reset'), after_commit: afterCommit }),
  z.strictObject({ ...chance, fault: z.literal('half_body') }),
  z.strictObject({
    ...chance,
    fault: z.literal('html'),
    status: z
      .int()
      .min(200)
      .max(599)
      .refine((status) => !withoutBody.has(status), 'must be a status that a page comes with')
      .default(200),
    after_commit: afterCommit,
  }),
]);

const plan = z.strictObject({
  seed: z.int().default(1),
  rules: z.array(rule).min(1, 'must hold at least one rule').max(100),
});

/** Reads a plan from text. `name` is what messages call the text. */
export function readFaultPlan(text: string, name: string): FaultPlan {
  return checkFaultPlan(parseText(text, name), name);
}

/** Returns the plan with its defaults filled in. Throws a usage failure that lists everything that is wrong. */
export function checkFaultPlan(value: unknown, name: string): FaultPlan {
  const result = plan.safeParse(value);
  if (result.success) return result.data;
  const fields: FieldMessages = Object.create(null);
  for (const { path, message } of result.error.issues) {
    const key = path.map(String).join('.') || '_';
    fields[key] = [...(fields[key] ?? []), message];
  }
  throw usage(`The fault plan in ${name} is invalid.`, {
    fields,
    hint: 'The format is described in docs/guides/serve-a-sandbox.md.',
  });
}

function parseText(text: string, name: string): unknown {
  try {
    return parse(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw usage(`The fault plan in ${name} is neither JSON nor YAML: ${reason}`, { cause });
  }
}
