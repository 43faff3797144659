/** Defines the sandbox's settings: the loyalty settings of the business, and the variant settings of the service. */
import { usage } from '../../base/errors.ts';
import type { Database } from '../../base/storage/database.ts';
import { isObject, readStoredValue, writeStoredValue } from '../store/rows.ts';

/** The variant settings, with their initial values. */
export const variantSettings = {
  'wire.relations': {
    initial: 'ids',
    about: "Relations that a request doesn't include: returned as IDs, or omitted",
    unit: 'ids or absent',
    allowed: ['ids', 'absent'],
  },
  'wire.put': {
    initial: 'merge',
    about: "What PUT does with fields that aren't sent: keeps them, or empties them",
    unit: 'merge or replace',
    allowed: ['merge', 'replace'],
  },
  'wire.deleted_filter': {
    initial: 'include',
    about: 'What is_deleted=true returns: active and deleted records, or only deleted ones',
    unit: 'include or only',
    allowed: ['include', 'only'],
  },
  'wire.totals': {
    initial: 'shown',
    about: 'Whether lists return the number of records and pages',
    unit: 'shown or absent',
    allowed: ['shown', 'absent'],
  },
  'wire.page_size': { initial: 50, about: 'Rows per page', unit: 'rows', bounds: [1, 500] },
  'wire.page_param': {
    initial: 'page',
    about: 'The query parameter for the page number',
    unit: 'page, p, page_number or page[number]',
    allowed: ['page', 'p', 'page_number', 'page[number]'],
  },
  'wire.envelope': {
    initial: 'data',
    about: 'The envelope of responses: data; items for lists and none for single records; or none',
    unit: 'data, items or none',
    allowed: ['data', 'items', 'none'],
  },
  'wire.requests_per_minute': {
    initial: 0,
    about: 'Maximum requests per token, 0 for no limit',
    unit: 'requests a minute',
    bounds: [0, 100_000],
  },
  'wire.values': {
    initial: 'document',
    about: 'The words and numbers of enumerations that are accepted: those of the API document, or any',
    unit: 'document or any',
    allowed: ['document', 'any'],
  },
  'wire.empty_status': {
    initial: 200,
    about: 'The status of a response without a body: for deletes, restores and removed links',
    unit: '200 or 204',
    allowed: [200, 204],
  },
  'wire.listed': {
    initial: 'active',
    about: 'Records of a list without is_deleted: active records, or deleted records too',
    unit: 'active or all',
    allowed: ['active', 'all'],
  },
  'wire.parts': {
    initial: 'listed',
    about: 'Options of modifiers: in lists too, or only in single records',
    unit: 'listed or single',
    allowed: ['listed', 'single'],
  },
  'wire.redeem_method': {
    initial: 'GET',
    about: 'What redeems a reward: GET or PUT, or only PUT; GET then only reads it',
    unit: 'GET or PUT',
    allowed: ['GET', 'PUT'],
  },
  'wire.page_links': {
    initial: 'absent',
    about: 'Whether lists return links to the previous and the next page in meta.links too',
    unit: 'absent or shown',
    allowed: ['absent', 'shown'],
  },
  'wire.blocks': {
    initial: 'off',
    about:
      'Whether a token is blocked after too many refused requests: for a minute after more than 10 with status 429 in 10 seconds, for an hour after more than 60 with 401 or 403 in a minute',
    unit: 'off or on',
    allowed: ['off', 'on'],
  },
  'wire.business_settings': {
    initial: 'absent',
    about: 'Whether GET /settings returns the currency, the time zone, and whether prices include tax',
    unit: 'absent or served',
    allowed: ['absent', 'served'],
  },
  'wire.scalars': {
    initial: 'typed',
    about:
      'Values in every second record: as in the API document, or 0 and 1 for booleans and text for dial codes',
    unit: 'typed or mixed',
    allowed: ['typed', 'mixed'],
  },
  'wire.empty_requests': {
    initial: 'accepted',
    about: 'Requests that create a record without any field: accepted if no field is required, or refused',
    unit: 'accepted or refused',
    allowed: ['accepted', 'refused'],
  },
  'wire.requests': {
    initial: 'strict',
    about:
      'Requests that differ from the API document in ways that Laravel services accept: refused, or accepted. sandbox serve and run accept them by default',
    unit: 'strict or lenient',
    allowed: ['strict', 'lenient'],
  },
} as const;

/** The values of the variant settings. Page sizes are in rows, and limits in requests per minute and token; 0 for none. */
export type Variant = {
  [Name in keyof typeof variantSettings]: ValueOf<(typeof variantSettings)[Name]>;
};

type ValueOf<Setting> = Setting extends { allowed: readonly (infer Value)[] } ? Value : number;

export const variantNames = Object.keys(variantSettings) as (keyof Variant)[];

export interface Setting {
  initial: number | string;
  about: string;
  unit: string;
  /** The allowed values; any number within the bounds if omitted. */
  allowed?: readonly (number | string)[];
  /** The bounds of a number, inclusive; 0 to a million by default. */
  bounds?: readonly [number, number];
  pattern?: RegExp;
}

/** The settings of the loyalty rules. The API document mentions the first three. */
const loyaltySettings = {
  loyaltyMinimumOrderPrice: {
    initial: 50,
    about: 'Minimum price of an order that earns loyalty',
    unit: 'currency',
  },
  loyaltyDelayInHours: {
    initial: 24,
    about: 'Delay until the amount of an order counts',
    unit: 'hours',
  },
  loyaltyRewardMinimum: {
    initial: 300,
    about: 'Amount for which a customer gets a reward',
    unit: 'currency',
  },
  loyaltyRewardType: {
    initial: 2,
    about: 'Type of rewards: 1 percentage, 2 fixed amount',
    unit: '1 or 2',
    allowed: [1, 2],
  },
  loyaltyRewardAmount: { initial: 20, about: 'Discount of a reward', unit: 'percent or currency' },
  loyaltyRewardMaximumDiscount: { initial: 20, about: 'Maximum discount of a reward', unit: 'currency' },
  loyaltyRewardValidDays: { initial: 90, about: 'How long a reward is valid', unit: 'days' },
  returnPeriodInDays: {
    initial: 14,
    about: 'Period after an order in which a return reduces what it earned',
    unit: 'days',
  },
} satisfies Record<string, Setting>;

const webhookSettings = {
  'webhook.header': {
    initial: 'x-webhook-signature',
    about: 'The header with the signature of sandbox serve --webhook: HMAC-SHA256 of the body, hexadecimal',
    unit: 'name of a header',
    pattern: /^[a-z][a-z0-9-]{0,63}$/i,
  },
} satisfies Record<string, Setting>;

export const settings: typeof loyaltySettings & typeof variantSettings & typeof webhookSettings = {
  ...loyaltySettings,
  ...variantSettings,
  ...webhookSettings,
};

export type SettingName = keyof typeof settings;
export type Settings = Readonly<
  Record<keyof typeof loyaltySettings, number> & Variant & Record<keyof typeof webhookSettings, string>
>;

const storedName = 'settings';
const settingNames = Object.keys(settings) as SettingName[];
const initialSettings = Object.fromEntries(
  Object.entries<Setting>(settings).map(([name, setting]) => [name, setting.initial]),
) as Settings;

/** Returns the values of all settings: the stored value, else that of `defaults`, else the initial value. */
export function readSettings(database: Database, defaults: Partial<Variant> = {}): Settings {
  return { ...initialSettings, ...defaults, ...readStoredValue(database, storedName, areSettings) };
}

function areSettings(value: unknown): value is Partial<Settings> {
  if (!isObject(value)) return false;
  return settingNames.every(
    (name) => value[name] === undefined || settingProblems(name, value[name]).length === 0,
  );
}

/**
 * Stores changed settings, and only those. Throws a usage failure that lists all unknown names and invalid values, and
 * stores nothing in that case.
 */
export function changeSettings(database: Database, changes: Readonly<Record<string, unknown>>): void {
  checkSettings(changes);
  database.write(() =>
    writeStoredValue(database, storedName, {
      ...readStoredValue(database, storedName, areSettings),
      ...changes,
    }),
  );
}

/** Throws a usage failure that lists all unknown names and invalid values. */
export function checkSettings(
  changes: Readonly<Record<string, unknown>>,
  allowedNames: readonly string[] = settingNames,
): void {
  const problems = Object.entries(changes).flatMap(([name, value]) =>
    allowedNames.includes(name) ? settingProblems(name as SettingName, value) : [`Unknown setting ${name}.`],
  );
  if (problems.length > 0) {
    throw usage(problems.join(' '), { hint: `The settings are ${allowedNames.join(', ')}.` });
  }
}

function settingProblems(name: SettingName, value: unknown): string[] {
  const { allowed, pattern, bounds: [minimum, maximum] = [0, 1e6] }: Setting = settings[name];
  if (pattern) {
    return typeof value === 'string' && pattern.test(value)
      ? []
      : [`${name} isn't a valid ${settings[name].unit}.`];
  }
  if (allowed) {
    const isAllowed = (allowed as readonly unknown[]).includes(value);
    return isAllowed ? [] : [`${name} must be ${allowed.join(' or ')}.`];
  }
  const isWithinBounds =
    typeof value === 'number' && Number.isFinite(value) && value >= minimum && value <= maximum;
  return isWithinBounds ? [] : [`${name} must be a number from ${minimum} to ${maximum}.`];
}
