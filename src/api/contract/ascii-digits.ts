/** Converts digits of other scripts to ASCII digits. */

const otherDigits = /[٠-٩۰-۹０-９]/;

/** Returns the text with Arabic, Persian and full-width digits converted to 0-9. */
export function toAsciiDigits(text: string): string {
  if (!otherDigits.test(text)) return text;
  return text
    .replaceAll(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) - 0x660))
    .replaceAll(/[۰-۹]/g, (digit) => String(digit.charCodeAt(0) - 0x6f0))
    .replaceAll(/[０-９]/g, (digit) => String(digit.charCodeAt(0) - 0xff10));
}
