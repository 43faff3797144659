/** Writes the bundle in ASCII. With any other character, the engine stores the file with two bytes per character. */
import type { Plugin } from 'rolldown';

/** Returns the rolldown plugin that replaces every character outside ASCII with its escape sequence. */
export function escapeNonAscii(): Plugin {
  return {
    name: 'ascii',
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type === 'chunk') file.code = file.code.replace(/[\u0080-\uffff]/g, escapeUnit);
      }
    },
  };
}

/** Returns the escape sequence. It is valid everywhere, because the bundle has no comments and ASCII names only. */
function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
