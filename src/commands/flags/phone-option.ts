/** `--normalize-phones`: writes phone numbers as digits. */
import { Option } from 'commander';

/** As typed. */
export interface PhoneFlags {
  normalizePhones?: boolean;
}

export function phoneOption(): Option {
  return new Option(
    '--normalize-phones',
    'write phone numbers as digits; a calling code (+966, 00966) goes to dial_code',
  );
}
