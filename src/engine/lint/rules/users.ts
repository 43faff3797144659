/** Rules for users and roles: unused accounts, and cashiers with authorities of managers. */

import type { Row } from '../../../account/session/row.ts';
import { foldText } from '../../../base/fold-text.ts';
import { isTrue, trimmedText } from '../account.ts';
import { issue, type Rule } from '../rule.ts';

/** Users who haven't signed in for longer have probably left the business. */
const maxIdleDays = 90;

/** Words in names of roles at the register and in the dining room, folded. */
const cashierWords = ['cashier', 'waiter', 'waitress', 'till', 'كاشير', 'نادل', 'امين الصندوق'].map(foldText);

/** Words in names of senior roles, folded. */
const seniorWords = ['manager', 'supervisor', 'head', 'مدير', 'مشرف', 'رئيس'].map(foldText);

/** Authorities that let their owner change prices, accounts of customers, users or settings. API document: "Role". */
const managerAuthorities =
  /^(menu|cost|users|discounts|coupons|promotions|timed_events|gift_cards|settings|branches|devices|apps):manage$|^customers:manage_/;

const languageNames = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });

function isLanguageCode(text: string): boolean {
  try {
    return languageNames.of(text) !== undefined;
  } catch {
    return false;
  }
}

export const userRules: readonly Rule[] = [
  {
    name: 'language-unknown',
    severity: 'warning',
    summary: 'Users whose language is no language code',
    reason: 'The language has to be a code such as en or ar: the console ignores other texts.',
    checks: { users: ['lang'] },
    checkRecord: ({ lang: language }) =>
      typeof language === 'string' && language !== '' && !isLanguageCode(language)
        ? issue(`"${language}" is no language code, such as en or ar.`, 'update', '--lang', 'CODE')
        : undefined,
    bad: [{ name: 'Noor', lang: 'Arabic' }],
    good: { lang: 'ar' },
  },
  {
    name: 'user-not-signed-in',
    severity: 'info',
    summary: `Users who haven't signed in for ${maxIdleDays} days`,
    reason: 'They may have left. No one notices if an unused account is misused.',
    checks: { users: ['is_owner', 'last_login_at', 'last_cashier_login_at', 'created_at'] },
    checkRecord(row, { resource, account }) {
      const signIns = (user: Row) =>
        [user.last_login_at, user.last_cashier_login_at].flatMap((timestamp) => trimmedText(timestamp) ?? []);
      // If no user has ever signed in, the service doesn't record sign-ins.
      const isRecorded = account.memoize(
        'sign-ins',
        () => account.rows(resource.name).flatMap(signIns).length > 0,
      );
      const lastSignIn = signIns(row).sort().at(-1);
      const days = account.daysSince(lastSignIn ?? row.created_at);
      if (isTrue(row.is_owner) || !isRecorded || days === undefined || days <= maxIdleDays) return undefined;
      return lastSignIn
        ? `Last signed in on ${lastSignIn.slice(0, 10)}, ${days} days ago.`
        : 'The user has never signed in.';
    },
    bad: [{ name: 'Sara', last_login_at: '2026-05-02 08:00:00', last_cashier_login_at: null }],
    good: { last_cashier_login_at: '2026-11-19 08:00:00' },
  },
  {
    name: 'role-cashier-with-manager-rights',
    severity: 'error',
    summary: 'Roles of cashiers and waiters with authorities of managers',
    reason: 'Anyone at a register can then change prices, discounts or customer accounts.',
    checks: { roles: ['name', 'name_localized', 'authorities'] },
    checkRecord({ name, name_localized, authorities }) {
      const words = foldText(`${name ?? ''} ${name_localized ?? ''}`);
      const hasAnyOf = (candidates: readonly string[]) => candidates.some((word) => words.includes(word));
      const isCashier = hasAnyOf(cashierWords) && !hasAnyOf(seniorWords);
      const roleAuthorities = Array.isArray(authorities) ? authorities.map(String) : [];
      const managerOnly = roleAuthorities.filter((authority) => managerAuthorities.test(authority));
      if (!isCashier || managerOnly.length === 0) return undefined;
      const remaining = roleAuthorities.filter((authority) => !managerOnly.includes(authority)).join(',');
      return issue(
        `The role has manager authorities: ${managerOnly.join(', ')}.`,
        'update',
        '--authorities',
        remaining,
      );
    },
    bad: [{ name: 'Cashier', name_localized: 'كاشير', authorities: ['orders:read', 'discounts:manage'] }],
    good: { authorities: ['orders:read', 'customers:read'] },
  },
];
