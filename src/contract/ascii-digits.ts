/** Converts digits of other scripts to ASCII digits. */

const otherDigits = /[٠-٩۰-۹]/;

/** Returns the text with Arabic and Persian digits converted to 0-9. */
export function toAsciiDigits(text: string): string {
  if (!otherDigits.test(text)) return text;
  return text
    .replaceAll(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) - 0x660))
    .replaceAll(/[۰-۹]/g, (digit) => String(digit.charCodeAt(0) - 0x6f0));
}
