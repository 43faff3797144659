/** Digits of other scripts as those of the API. */

const otherDigits = /[٠-٩۰-۹]/;

/** Arabic-Indic digits, and the Persian ones. */
export function plainDigits(text: string): string {
  if (!otherDigits.test(text)) return text;
  return text
    .replaceAll(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) - 0x660))
    .replaceAll(/[۰-۹]/g, (digit) => String(digit.charCodeAt(0) - 0x6f0));
}
