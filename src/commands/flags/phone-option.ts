/** `--normalize-phones`: phone numbers as digits, however they are written. */
import { Option } from 'commander';

/** As typed. */
export interface PhoneFlags {
  normalizePhones?: boolean;
}

export function phoneOption(): Option {
  return new Option(
    '--normalize-phones',
    'write phone numbers as digits, without the 0 in front; a calling code (+966, 00966) goes to dial_code',
  );
}
