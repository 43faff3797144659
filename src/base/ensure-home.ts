/**
 * Sets HOME for a user of whom the system knows only the id, as in containers without HOME. Nothing can be read from or
 * written to this home, so optional files aren't kept. Import it before modules that ask for the home when they load.
 */
import { homedir } from 'node:os';

try {
  homedir();
} catch {
  process.env.HOME = '/dev/null';
}
