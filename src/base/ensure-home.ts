/**
 * Sets HOME to /dev/null if the system knows only the user's ID, as in containers without HOME. No file can be read or
 * written there, so optional files aren't stored. Import this module before modules that read the home when they load.
 */
import { homedir } from 'node:os';

try {
  homedir();
} catch {
  process.env.HOME = '/dev/null';
}
