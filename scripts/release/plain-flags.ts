/**
 * Changes a regular expression of commander, which finds flags with several values, to match ASCII letters only: for
 * letters of all scripts, the engine takes long at each start. The flags of boh are ASCII.
 */
import type { Plugin } from 'rolldown';

const unicodePattern = String.raw`/\p{ID_Continue}\.\.\.[>\]]$/u`;
const asciiPattern = String.raw`/\w\.\.\.[>\]]$/`;

/** Returns the rolldown plugin that replaces the pattern. The build fails if the code of commander isn't as expected. */
export function asciiFlagPattern(): Plugin {
  return {
    name: 'plain-flags',
    transform: {
      filter: { id: /\/commander\/lib\/option\.js$/ },
      handler(code) {
        const changedCode = code.replace(unicodePattern, () => asciiPattern);
        if (changedCode === code)
          throw new Error('The code of commander has changed: see scripts/release/plain-flags.ts.');
        return changedCode;
      },
    },
  };
}
