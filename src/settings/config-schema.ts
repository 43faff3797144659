/**
 * The zod schema of the configuration, derived from the list of settings. It is loaded only before a write, and to
 * report the problems of an invalid file.
 */
import * as z from 'zod';
import { Failure, type FieldMessages, violations } from '../base/errors.ts';
import { requireVersion } from '../base/format-version.ts';
import { didYouMean } from '../base/suggest.ts';
import { type Config, isProfileName, type Profile, settingsConflict } from './config.ts';
import { parseClientSecret, parseToken } from './secret.ts';
import { type SettingName, settingDefinitions, settingNames } from './setting-definitions.ts';
import { parseViews } from './views.ts';

/**
 * Returns the configuration. Throws one usage failure with all violations, each with its path in the file, or for a file of
 * another version.
 */
export function checkConfig(json: unknown, path: string): Config {
  requireVersion(Object(json).version ?? 1, 'usage', path, 'Or set BOH_CONFIG_DIR to another folder.');
  const { data, error } = configSchema.safeParse(json);
  if (data !== undefined) return data as Config;
  const fields: FieldMessages = Object.create(null);
  for (const issue of error.issues) {
    const field = issue.path.join('.') || '_';
    fields[field] = [...(fields[field] ?? []), ...messagesOf(issue)];
  }
  throw violations(`configuration in ${path}`, fields, 'Fix the file in an editor, or rename it.');
}

/** Returns a schema that accepts the values that `parse` accepts, and reports its error messages. */
function schemaFor(parse: (raw: unknown) => unknown) {
  return z.unknown().transform((raw, context) => {
    try {
      return parse(raw);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      context.addIssue(error.message);
      return z.NEVER;
    }
  });
}

function settingsShape(names: readonly SettingName[]) {
  return Object.fromEntries(
    names.map((name) => [name, schemaFor(settingDefinitions[name].parse).optional()]),
  );
}

const profileSchema = z
  .strictObject({
    ...settingsShape(settingNames),
    token: schemaFor(parseToken).optional(),
    client_secret: schemaFor(parseClientSecret).optional(),
    business_id: z.string().optional(),
    business_name: z.string().optional(),
    user_name: z.string().optional(),
    token_scopes: z.array(z.string()).optional(),
    views: schemaFor(parseViews).optional(),
  })
  .superRefine((profile, context) => {
    const message = settingsConflict(profile as Profile);
    if (message !== undefined) context.addIssue(message);
  });

const configSchema = z
  .strictObject({
    version: z.literal(1),
    active: z.string().optional(),
    profiles: z.record(z.string().refine(isProfileName, "This isn't a valid profile name."), profileSchema),
    views: schemaFor(parseViews).optional(),
    defaults: z.strictObject(
      settingsShape(settingNames.filter((name) => settingDefinitions[name].kind === 'preference')),
    ),
  })
  .refine(({ active, profiles }) => active === undefined || Object.hasOwn(Object(profiles), active), {
    path: ['active'],
    message: 'Profile not found.',
    when: ({ value }) => typeof value === 'object' && value !== null && 'active' in value,
  });

const knownKeys = [...Object.keys(profileSchema.shape), ...Object.keys(configSchema.shape)];

function messagesOf(issue: z.core.$ZodIssue): string[] {
  if (issue.code === 'unrecognized_keys') return issue.keys.map(unknownKey);
  if (issue.code === 'invalid_key') return issue.issues.map(({ message }) => message);
  return [issue.message];
}

function unknownKey(key: string): string {
  const quotedKey = JSON.stringify(key.slice(0, 60));
  if (knownKeys.includes(key)) return `${quotedKey} isn't allowed here.`;
  return `${quotedKey} is an unknown key.${didYouMean(key, knownKeys)}`;
}
