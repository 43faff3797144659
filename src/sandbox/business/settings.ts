/** Defines the sandbox's settings: the loyalty settings of the business, and the variant settings of the service. */
import { usage } from '../../base/errors.ts';
import type { Database } from '../../storage/database.ts';
import { isObject, readStoredValue, writeStoredValue } from '../store/stored-values.ts';
import { type Variant, variantSettings } from '../variant.ts';

export interface Setting {
  initial: number | string;
  about: string;
  unit: string;
  /** The allowed values; any number within the bounds if omitted. */
  allowed?: readonly (number | string)[];
  /** The bounds of a number, inclusive; 0 to a million by default. */
  bounds?: readonly [number, number];
  /** The pattern of text. */
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
