/** Rules for customers: the same person twice, credit for blocked customers, and wrong contact details. */

import type { Row } from '../../../account/session/row.ts';
import { nationalNumberOf, parsePhone, withPhonesNormalized } from '../../../api/contract/phone-numbers.ts';
import { foldText } from '../../../base/fold-text.ts';
import { findDuplicates, isTrue, trimmedText } from '../account.ts';
import { issue, type Rule } from '../rule.ts';

/** Shorter numbers are extensions or placeholders. */
const minPhoneDigits = 6;

export const customerRules: readonly Rule[] = [
  {
    name: 'customer-same-phone',
    severity: 'warning',
    summary: 'Customers with the same phone number, even if it is written differently',
    reason: "One person's orders, loyalty points and house account are split between several records.",
    checks: { customers: ['name', 'phone', 'dial_code'] },
    *checkAll({ resource, account }) {
      const customersByNumber = new Map<string, Row[]>();
      for (const row of account.rows(resource.name)) {
        const phone = trimmedText(row.phone);
        const national = phone === undefined ? undefined : nationalNumberOf(phone);
        if (national === undefined || national.length < minPhoneDigits) continue;
        const sameNumber = customersByNumber.get(national) ?? [];
        const first = sameNumber.find((customer) => isSameCountry(row, customer));
        if (first)
          yield [
            row,
            `The phone number is the same as that of ${first.name ?? 'a customer'} (${first.id}): ${phone}.`,
          ];
        customersByNumber.set(national, [...sameNumber, row]);
      }
    },
    bad: [
      { name: 'Huda Al-Amin', dial_code: 966, phone: '551234567' },
      { name: 'Huda Amin', dial_code: 966, phone: '+966 55 123 4567' },
    ],
    good: { phone: '559876543' },
  },
  {
    name: 'customer-similar-name',
    severity: 'info',
    summary: 'Customers whose names are spelled differently and sound the same',
    reason:
      'أحمد and احمد are usually one person, entered by two cashiers. Merge them before they collect more orders.',
    checks: { customers: ['name'] },
    *checkAll({ resource, account }) {
      const rows = account.rows(resource.name);
      const foldName = ({ name }: Row) =>
        trimmedText(foldText(trimmedText(name) ?? '').replaceAll(/[\s.'-]+/g, ' '));
      for (const [row, first] of findDuplicates(rows, foldName))
        if (row.name !== first.name)
          yield [row, `The name is nearly the same as that of ${first.name} (${first.id}).`];
    },
    bad: [{ name: 'أحمد علي' }, { name: 'احمد علي' }],
    good: { name: 'محمد علي' },
  },
  {
    name: 'customer-blacklisted-with-house-account',
    severity: 'error',
    summary: 'Blacklisted customers who may still pay by house account',
    reason: 'A customer whom you refuse to serve can still buy on credit.',
    checks: { customers: ['is_blacklisted', 'is_house_account_enabled'] },
    checkRecord: (row) =>
      isTrue(row.is_blacklisted) && isTrue(row.is_house_account_enabled)
        ? issue(
            'The customer is blacklisted, and the house account is enabled.',
            'update',
            '--no-is-house-account-enabled',
          )
        : undefined,
    bad: [{ name: 'Huda', is_blacklisted: true, is_house_account_enabled: true }],
    good: { is_house_account_enabled: false },
  },
  {
    name: 'customer-phone-spelling',
    severity: 'info',
    summary: 'Phone numbers with separators or a repeated calling code',
    reason:
      'Registers find a customer by the exact number: only digits, with the calling code in its own field.',
    checks: { customers: ['phone', 'dial_code'] },
    checkRecord(row, { resource, account }) {
      const phoneFields = account.memoize('phone of customers', () =>
        Object.entries(resource.fields).filter(([name]) => name === 'phone'),
      );
      const { body, problems } = withPhonesNormalized(phoneFields, row);
      if (problems.phone !== undefined || body.phone === row.phone) return undefined;
      const code = body.dial_code === row.dial_code ? {} : { dial_code: body.dial_code };
      return {
        message: `The phone number ${row.phone} should be ${body.phone}, in digits.`,
        fixValues: { phone: body.phone, ...code },
      };
    },
    bad: [{ name: 'Huda', dial_code: 966, phone: '+966 55 123 4567' }],
    good: { phone: '551234567' },
  },
  {
    name: 'calling-code-missing',
    severity: 'warning',
    summary: 'Phone numbers with the calling code 0',
    reason: 'No country has the calling code 0, so that messages and calls go nowhere.',
    checks: { customers: ['phone', 'dial_code'] },
    checkRecord: ({ phone, dial_code }) =>
      dial_code === 0 && phone ? issue('The calling code is 0.', 'update', '--dial-code', 'CODE') : undefined,
    bad: [{ name: 'Huda', dial_code: 0, phone: '551234567' }],
    good: { dial_code: 966 },
  },
];

/** Returns whether two numbers may have the same calling code: a missing code matches any. */
function isSameCountry(row: Row, other: Row): boolean {
  const [a, b] = [row, other].map(
    ({ phone, dial_code }) => parsePhone(String(phone))?.code ?? String(dial_code ?? ''),
  );
  return a === '' || b === '' || a === b;
}
