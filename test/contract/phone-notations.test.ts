/** Checks phone numbers as people write them in several countries: which digits records have after --normalize-phones. */
import { describe, expect, it } from 'vitest';
import { isSimilarPhone, withPhonesNormalized } from '../../src/api/contract/phone-numbers.ts';
import { customers } from '../../src/api/resources/customers.ts';

describe('--normalize-phones: notations of countries', () => {
  const { fields } = customers;
  const normalize = (phone: string, dialCode?: number) =>
    withPhonesNormalized(Object.entries(fields), { phone, ...(dialCode && { dial_code: dialCode }) });

  it.each([
    ['an Italian number', '+39 02 7654321', 39, '027654321'],
    ['an Italian number with (0)', '0039 (0)55 765432', 39, '055765432'],
    ['an Italian mobile number', '+39 347 765 4321', 39, '3477654321'],
    ['a number of San Marino', '+378 0549 765432', 378, '0549765432'],
    ['a number in full-width digits', '＋９６５－９９８７６５４３', 965, '99876543'],
    ['a Russian number with the prefix 8', '+7 (8) 812 765 43 21', 7, '8127654321'],
    ['a Russian number that begins with 8', '+7 800 765 43 21', 7, '8007654321'],
    ['a Hungarian number with the prefix 06', '+36 06 1 765 4321', 36, '17654321'],
    ['a German number with (0)', '+49 (0)89 7654321', 49, '897654321'],
  ])('%s (%s): is stored as %s and %s', (_, phone, dialCode, national) => {
    const expected = { body: { phone: national, dial_code: dialCode }, problems: {} };
    expect(normalize(phone)).toEqual(expected);
    expect(normalize(national, dialCode)).toEqual(expected);
  });

  it.each([
    [39, '02 7654321', '027654321'],
    [39, '39027654321', '027654321'],
    [36, '06 20 765 4321', '207654321'],
    [7, '8 (812) 765-43-21', '8127654321'],
  ])('with dial_code %s, %s: is stored as %s', (dialCode, phone, national) => {
    expect(normalize(phone, dialCode).body).toEqual({ phone: national, dial_code: dialCode });
  });

  it('a number with and without the leading zero: is the same in comparisons', () => {
    expect(isSimilarPhone('+39 02 7654321', '027654321')).toBe(true);
    expect(isSimilarPhone('+36 06 20 765 4321', '+36 207654321')).toBe(true);
  });
});
